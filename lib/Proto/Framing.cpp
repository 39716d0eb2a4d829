// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Framing.h"
#include "Proto/Riegeli.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/Support/Endian.h"

using namespace hlobuf;
using llvm::StringRef;

bool hlobuf::isPickle(StringRef Bytes) {
  return Bytes.starts_with("\x80\x04") || Bytes.starts_with("\x80\x05");
}

/// The least that shows what a file is; no module has as few bytes.
static constexpr size_t Least = 48;

Framing hlobuf::cutOffFile(StringRef Bytes, StringRef Where) {
  return {Framing::Kind::CutOff,
          fmt::format("it ends after {} bytes, {}: it was cut off",
                      Bytes.size(), Where),
          ""};
}

static Framing whole(StringRef Message = "") {
  return {Framing::Kind::Whole, "", Message};
}

static bool isWhole(const Framing &F) { return F.Is == Framing::Kind::Whole; }
static bool isKnown(const Framing &F) { return F.Is != Framing::Kind::Unknown; }

namespace {
/// What is left of a file that is taken apart.
struct Pieces {
  StringRef File;
  StringRef Rest;
  /// What the file is if the last piece was not there.
  Framing End;

  Framing cut(StringRef Where) const { return cutOffFile(File, Where); }
  /// Takes a varint, which is a part of \p Text.
  std::optional<uint64_t> number(StringRef Text) {
    constexpr size_t Longest = 10;
    bool Short = Rest.size() < Longest;
    std::optional<uint64_t> Number = takeVarint(Rest);
    End = Number || !Short ? Framing() : cut(("in the head of " + Text).str());
    return Number;
  }
  /// Takes \p Size bytes, which are \p Text.
  std::optional<StringRef> bytes(uint64_t Size, StringRef Text) {
    constexpr uint64_t LargestSize = uint64_t(1) << 40;
    auto Begin = static_cast<uint64_t>(Rest.data() - File.data());
    End = Framing();
    if (Size > Rest.size() && Size <= LargestSize)
      End = cut(
          fmt::format("inside {}, bytes [{}, {})", Text, Begin, Begin + Size));
    if (Size > Rest.size())
      return std::nullopt;
    StringRef Piece = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return Piece;
  }
};
} // namespace

/// The field that \p In, which cannot be read, begins with.
static Framing failedField(Pieces In) {
  // No message around programs has more.
  constexpr uint64_t MostFields = 64;
  std::string Name =
      fmt::format("the field at byte {}", In.Rest.data() - In.File.data());
  auto Key = In.number(Name);
  if (!Key)
    return In.End;
  uint64_t Number = *Key >> 3;
  if (Number == 0 || Number > MostFields)
    return {};
  auto Type = static_cast<WireType>(*Key & 7);
  if (Type == WireType::Fixed64 || Type == WireType::Fixed32)
    return In.cut("in the head of " + Name);
  if (Type != WireType::Varint && Type != WireType::Bytes)
    return {};
  if (auto Size = In.number(Name))
    In.bytes(*Size, fmt::format("field {}", Number));
  return In.End;
}

static Framing message(const Pieces &In) {
  if (In.Rest.empty())
    return {};
  WireReader Fields(In.Rest);
  StringRef Next = In.Rest;
  for (WireField F; Fields.next(F); Next = Fields.rest())
    ;
  return Fields.failed() ? failedField({In.File, Next, {}}) : whole(In.Rest);
}

/// True if \p First, which may be cut off, begins like the first part of an
/// executable for TPUs: with a fingerprint.
static bool isFirstPart(StringRef First) {
  constexpr size_t Fingerprint = 32;
  return bytesField(First, 3).size() == Fingerprint;
}

/// An executable for TPUs: messages, each after its size (libtpu 0.0.17 to
/// 0.0.42). The last one has the compile options and an empty first field;
/// others are empty, or have a first field.
static Framing parts(Pieces In) {
  StringRef Last;
  for (unsigned Number = 1; !In.Rest.empty(); ++Number) {
    std::string Name = fmt::format("part {}", Number);
    auto Size = In.number(Name);
    if (Number == 1 && (!Size || !isFirstPart(In.Rest.take_front(*Size))))
      return {};
    if (!Size)
      return In.End;
    auto Part = In.bytes(*Size, Name);
    if (!Part)
      return In.End;
    if (!isMessage(*Part))
      return {};
    Last = *Part;
  }
  if (Last.empty() || isFirstPart(Last) || !bytesField(Last, 1).empty())
    return In.cut("before the part with its compile options");
  return whole();
}

/// What an executable holds after its header.
static Framing program(const Pieces &In) {
  if (In.Rest.starts_with(RiegeliSignature) ||
      RiegeliSignature.starts_with(In.Rest))
    return endsInsideRiegeli(In.Rest) ? In.cut("inside its records") : whole();
  Framing Message = message(In);
  // All that is stored as one message begins with its first field.
  if (isWhole(Message) || (In.Rest.starts_with("\n") && isKnown(Message)))
    return Message;
  return parts(In);
}

/// An executable after a header with its size, which IFRT writes (2025 on).
static Framing executable(Pieces In) {
  constexpr size_t Front = 32;
  auto Size = In.number("its header");
  bool Named = In.Rest.take_front(Front).contains("pjrt_ifrt");
  auto Header = In.bytes(Size.value_or(~uint64_t(0)), "its header");
  if (!Header)
    return Named ? In.End : Framing();
  if (!Named && !isMessage(*Header))
    return {};
  Framing F = program(In);
  if (Named && !isKnown(F) && In.Rest.size() < Least)
    return In.cut(fmt::format("{} of them after its header", In.Rest.size()));
  return Named || isWhole(F) ? F : Framing();
}

/// Bytes that are large, and the last few ones, have no frame around them
/// (PEP 3154).
static Framing pickle(Pieces In) {
  constexpr char Frame = '\x95';
  constexpr size_t Unframed = 4;
  Framing NoEnd = In.cut("before the end of its pickle");
  In.Rest = In.Rest.drop_front(2);
  while (!In.Rest.empty()) {
    char Op = In.Rest.front();
    size_t Width = StringRef("\x95\x8d\x8e\x96").contains(Op) ? 8
                   : StringRef("BX").contains(Op)             ? 4
                                                              : 0;
    if (Width == 0 && In.Rest.size() >= Unframed)
      return {};
    if (Width == 0)
      return In.Rest.ends_with(".") ? whole() : NoEnd;
    In.Rest = In.Rest.drop_front();
    if (In.Rest.size() < Width)
      break;
    uint64_t Size = Width == 8
                        ? llvm::support::endian::read64le(In.Rest.data())
                        : llvm::support::endian::read32le(In.Rest.data());
    In.Rest = In.Rest.drop_front(Width);
    auto Inside = In.bytes(Size, Op == Frame ? "a frame" : "a string");
    if (!Inside)
      return In.End;
    if (Op == Frame && Inside->ends_with(".") &&
        (In.Rest.empty() || isPickle(In.Rest)))
      return whole();
  }
  return NoEnd;
}

Framing hlobuf::framingOf(StringRef Bytes) {
  if (Bytes.size() < Least)
    return {Framing::Kind::CutOff,
            fmt::format("it has {} bytes, too few for an HLO module: was it "
                        "cut off?",
                        Bytes.size()),
            ""};
  // An entry of jax's compilation cache begins with the time, 4 bytes.
  const Pieces Ways[] = {{Bytes, Bytes, {}}, {Bytes, Bytes.drop_front(4), {}}};
  if (isPickle(Bytes))
    return pickle(Ways[0]);
  for (const Pieces &In : Ways)
    if (Framing F = executable(In); isKnown(F))
      return F;
  for (const Pieces &In : Ways)
    if (In.Rest.starts_with("\n") || In.Rest.starts_with(RiegeliSignature))
      if (Framing F = program(In); isKnown(F))
        return F;
  for (const Pieces &In : Ways)
    if (Framing F = parts(In); isKnown(F))
      return F;
  // Other messages may begin with any field.
  Framing F = message(Ways[0]);
  return isWhole(F) ? F : Framing();
}
