// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Framing.h"
#include "Proto/Riegeli.h"
#include "Proto/Wire.h"
#include "llvm/Support/Endian.h"

using namespace hlobuf;

bool hlobuf::isPickle(StringRef Bytes) {
  return Bytes.starts_with("\x80\x04") || Bytes.starts_with("\x80\x05");
}

/// The least that shows what a file is; no module has as few bytes.
static constexpr size_t Least = 48;

static constexpr Framing CutOff = {Framing::Kind::CutOff, {}, {}};

static Framing whole(StringRef Message = "") {
  return {Framing::Kind::Whole, Message, {}};
}

static bool isWhole(const Framing &F) { return F.Is == Framing::Kind::Whole; }
static bool isKnown(const Framing &F) { return F.Is != Framing::Kind::Unknown; }

namespace {
/// What is left of a file that is taken apart.
struct Pieces {
  StringRef Rest;
  /// What the file is if the last piece was not there.
  Framing End = {};

  /// Takes a varint.
  std::optional<uint64_t> number() {
    constexpr size_t Longest = 10;
    bool Short = Rest.size() < Longest;
    std::optional<uint64_t> Number = takeVarint(Rest);
    End = Number || !Short ? Framing() : CutOff;
    return Number;
  }
  /// Takes \p Size bytes.
  std::optional<StringRef> bytes(uint64_t Size) {
    constexpr uint64_t LargestSize = uint64_t(1) << 40;
    bool Ends = Size > Rest.size();
    End = Ends && Size <= LargestSize ? CutOff : Framing();
    if (Ends)
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
  auto Key = In.number();
  if (!Key)
    return In.End;
  uint64_t Number = *Key >> 3;
  if (Number == 0 || Number > MostFields)
    return {};
  auto Type = static_cast<WireType>(*Key & 7);
  if (Type == WireType::Fixed64 || Type == WireType::Fixed32)
    return CutOff;
  if (Type != WireType::Varint && Type != WireType::Bytes)
    return {};
  if (auto Size = In.number())
    In.bytes(*Size);
  return In.End;
}

static Framing message(const Pieces &In) {
  if (In.Rest.empty())
    return {};
  WireReader Fields(In.Rest);
  StringRef Next = In.Rest;
  for (WireField F; Fields.next(F); Next = Fields.rest())
    ;
  return Fields.failed() ? failedField({Next}) : whole(In.Rest);
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
  for (bool First = true; !In.Rest.empty(); First = false) {
    auto Size = In.number();
    if (First && (!Size || !isFirstPart(In.Rest.take_front(*Size))))
      return {};
    if (!Size)
      return In.End;
    auto Part = In.bytes(*Size);
    if (!Part)
      return In.End;
    if (!isMessage(*Part))
      return {};
    Last = *Part;
  }
  if (Last.empty() || isFirstPart(Last) || !bytesField(Last, 1).empty())
    return CutOff;
  return whole();
}

/// What an executable holds after its header.
static Framing program(const Pieces &In) {
  if (In.Rest.starts_with(RiegeliSignature) ||
      RiegeliSignature.starts_with(In.Rest))
    return endsInsideRiegeli(In.Rest) ? CutOff : whole();
  Framing Message = message(In);
  // All that is stored as one message begins with its first field.
  if (isWhole(Message) || (In.Rest.starts_with("\n") && isKnown(Message)))
    return Message;
  return parts(In);
}

/// Within so many bytes, the header names IFRT.
static constexpr size_t Front = 32;

/// An executable after a header with its size, which IFRT writes (2025 on).
static Framing executable(Pieces In) {
  auto Size = In.number();
  bool Named = In.Rest.take_front(Front).contains("pjrt_ifrt");
  auto Header = In.bytes(Size.value_or(~uint64_t(0)));
  if (!Header)
    return Named ? In.End : Framing();
  if (!Named && !isMessage(*Header))
    return {};
  Framing F = program(In);
  if (Named && !isKnown(F) && In.Rest.size() < Least)
    return CutOff;
  // Other bytes may look like a message; this one has the program's name.
  constexpr uint32_t ComputationName = 7;
  if (Named || !bytesField(*Header, ComputationName).empty())
    F.Header = *Header;
  return Named || isWhole(F) ? F : Framing();
}

/// The header of the executable that is a bytes object in a pickle: `B` and its
/// size, 4 bytes.
static StringRef pickledHeader(StringRef Bytes) {
  size_t Mark = Bytes.find("pjrt_ifrt");
  if (Mark == StringRef::npos)
    return {};
  for (size_t At = std::max<size_t>(Mark, Front) - Front + 5; At < Mark; ++At)
    if (Bytes[At - 5] == 'B')
      if (uint32_t Size =
              llvm::support::endian::read32le(Bytes.data() + At - 4);
          Size <= Bytes.size() - At)
        if (Framing F = executable({Bytes.substr(At, Size)}); F.Header.data())
          return F.Header;
  return {};
}

/// Bytes that are large, and the last few ones, have no frame around them
/// (PEP 3154).
static Framing pickle(Pieces In) {
  constexpr char Frame = '\x95';
  constexpr size_t Unframed = 4;
  In.Rest = In.Rest.drop_front(2);
  while (!In.Rest.empty()) {
    char Op = In.Rest.front();
    size_t Width = StringRef("\x95\x8d\x8e\x96").contains(Op) ? 8
                   : StringRef("BX").contains(Op)             ? 4
                                                              : 0;
    if (Width == 0 && In.Rest.size() >= Unframed)
      return {};
    if (Width == 0)
      return In.Rest.ends_with(".") ? whole() : CutOff;
    In.Rest = In.Rest.drop_front();
    if (In.Rest.size() < Width)
      break;
    uint64_t Size = Width == 8
                        ? llvm::support::endian::read64le(In.Rest.data())
                        : llvm::support::endian::read32le(In.Rest.data());
    In.Rest = In.Rest.drop_front(Width);
    auto Inside = In.bytes(Size);
    if (!Inside)
      return In.End;
    if (Op == Frame && Inside->ends_with(".") &&
        (In.Rest.empty() || isPickle(In.Rest)))
      return whole();
  }
  return CutOff;
}

Framing hlobuf::framingOf(StringRef Bytes) {
  if (Bytes.size() < Least)
    return CutOff;
  // An entry of jax's compilation cache begins with the time, 4 bytes.
  const Pieces Ways[] = {{Bytes}, {Bytes.drop_front(4)}};
  if (isPickle(Bytes)) {
    Framing F = pickle(Ways[0]);
    F.Header = pickledHeader(Bytes);
    return F;
  }
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
