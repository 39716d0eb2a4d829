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

/// No size in a file is larger.
static constexpr uint64_t LargestSize = uint64_t(1) << 40;

/// The least that shows what a file is; no module has as few bytes.
static constexpr size_t Least = 48;

/// No varint has more bytes.
static constexpr size_t LongestVarint = 10;

namespace {
/// Walks one file from its begin to its end. Each function gets the rest of the
/// file, which it takes for what its name says.
class FrameWalker {
public:
  explicit FrameWalker(StringRef File) : File(File) {}

  Framing file() const;

private:
  Framing message(StringRef Rest) const;
  Framing failedField(StringRef Rest) const;
  Framing parts(StringRef Rest) const;
  Framing records(StringRef Rest) const;
  Framing executable(StringRef Rest) const;
  Framing program(StringRef Rest) const;
  Framing pickle() const;
  /// \p What begins at \p Rest, with more bytes than are left.
  Framing endsInside(StringRef What, StringRef Rest, uint64_t Size) const;
  Framing endsAt(StringRef Where) const { return cutOffFile(File, Where); }

  StringRef File;
};
} // namespace

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

Framing FrameWalker::endsInside(StringRef What, StringRef Rest,
                                uint64_t Size) const {
  auto At = static_cast<uint64_t>(Rest.data() - File.data());
  return endsAt(fmt::format("inside {}, bytes [{}, {})", What, At, At + Size));
}

/// \p Rest begins with a field that is not read.
Framing FrameWalker::failedField(StringRef Rest) const {
  // No message around programs has more.
  constexpr uint64_t MostFields = 64;
  Framing InHead =
      endsAt(fmt::format("in the head of the field at byte {}",
                         static_cast<size_t>(Rest.data() - File.data())));
  bool Short = Rest.size() < LongestVarint;
  std::optional<uint64_t> Key = takeVarint(Rest);
  if (!Key)
    return Short ? InHead : Framing();
  uint64_t Number = *Key >> 3;
  if (Number == 0 || Number > MostFields)
    return {};
  std::optional<uint64_t> Size;
  Short = Rest.size() < LongestVarint;
  switch (static_cast<WireType>(*Key & 7)) {
  case WireType::Varint:
    return Short ? InHead : Framing();
  case WireType::Fixed64:
  case WireType::Fixed32:
    return InHead;
  case WireType::Bytes:
    Size = takeVarint(Rest);
    if (!Size)
      return Short ? InHead : Framing();
    return *Size > LargestSize
               ? Framing()
               : endsInside(fmt::format("field {}", Number), Rest, *Size);
  }
  return {};
}

Framing FrameWalker::message(StringRef Rest) const {
  if (Rest.empty())
    return {};
  WireReader In(Rest);
  StringRef Next = Rest;
  for (WireField F; In.next(F); Next = In.rest())
    ;
  return In.failed() ? failedField(Next) : whole(Rest);
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
Framing FrameWalker::parts(StringRef Rest) const {
  StringRef Last;
  for (unsigned Number = 1; !Rest.empty(); ++Number) {
    StringRef Begin = Rest;
    std::optional<uint64_t> Size = takeVarint(Rest);
    bool Short = !Size && Begin.size() < LongestVarint;
    if (Number == 1 && (!Size || !isFirstPart(Rest.take_front(*Size))))
      return {};
    if (Short)
      return endsAt(fmt::format("in the head of part {}", Number));
    if (!Size || *Size > LargestSize)
      return {};
    if (*Size > Rest.size())
      return endsInside(fmt::format("part {}", Number), Rest, *Size);
    Last = Rest.take_front(*Size);
    Rest = Rest.drop_front(*Size);
    if (!isMessage(Last))
      return {};
  }
  if (Last.empty() || isFirstPart(Last) || !bytesField(Last, 1).empty())
    return endsAt("before the part with its compile options");
  return whole();
}

Framing FrameWalker::records(StringRef Rest) const {
  if (endsInsideRiegeli(Rest))
    return endsAt("inside its records");
  return whole();
}

/// What an executable holds after its header.
Framing FrameWalker::program(StringRef Rest) const {
  if (Rest.starts_with(RiegeliSignature) || RiegeliSignature.starts_with(Rest))
    return records(Rest);
  Framing Message = message(Rest);
  if (isWhole(Message))
    return Message;
  // All that is stored as one message begins with its first field.
  if (Rest.starts_with("\n") && isKnown(Message))
    return Message;
  return parts(Rest);
}

/// An executable after a header with its size, which IFRT writes (2025 on).
Framing FrameWalker::executable(StringRef Rest) const {
  StringRef Header = Rest;
  std::optional<uint64_t> Size = takeVarint(Header);
  if (!Size || *Size > LargestSize)
    return {};
  constexpr size_t Front = 32;
  bool Named = Header.take_front(Front).contains("pjrt_ifrt");
  if (*Size > Header.size())
    return Named ? endsInside("its header", Header, *Size) : Framing();
  Rest = Header.drop_front(*Size);
  if (!Named && !isMessage(Header.take_front(*Size)))
    return {};
  Framing F = program(Rest);
  if (Named && !isKnown(F) && Rest.size() < Least)
    return endsAt(fmt::format("{} of them after its header", Rest.size()));
  return Named || isWhole(F) ? F : Framing();
}

/// Bytes that are large, and the last few ones, have no frame around them
/// (PEP 3154).
Framing FrameWalker::pickle() const {
  constexpr char Frame = '\x95';
  constexpr size_t Unframed = 4;
  StringRef Rest = File.drop_front(2);
  while (!Rest.empty()) {
    char Op = Rest.front();
    size_t Width = 0;
    if (Op == Frame || StringRef("\x8d\x8e\x96").contains(Op))
      Width = 8;
    else if (Op == 'B' || Op == 'X')
      Width = 4;
    else if (Rest.size() < Unframed && Rest.ends_with("."))
      return whole();
    else if (Rest.size() < Unframed)
      break;
    else
      return {};
    Rest = Rest.drop_front();
    if (Rest.size() < Width)
      break;
    uint64_t Size = Width == 8 ? llvm::support::endian::read64le(Rest.data())
                               : llvm::support::endian::read32le(Rest.data());
    Rest = Rest.drop_front(Width);
    if (Size > LargestSize)
      return {};
    if (Size > Rest.size())
      return endsInside(Op == Frame ? "a frame" : "a string", Rest, Size);
    bool Last = Op == Frame && Rest.take_front(Size).ends_with(".");
    Rest = Rest.drop_front(Size);
    if (Last && (Rest.empty() || isPickle(Rest)))
      return whole();
  }
  return endsAt("before the end of its pickle");
}

Framing FrameWalker::file() const {
  if (File.size() < Least)
    return {Framing::Kind::CutOff,
            fmt::format("it has {} bytes, too few for an HLO module: was it "
                        "cut off?",
                        File.size()),
            ""};
  if (isPickle(File))
    return pickle();
  // An entry of jax's compilation cache begins with the time, 4 bytes.
  StringRef Entry = File.drop_front(4);
  for (StringRef Rest : {File, Entry})
    if (Framing F = executable(Rest); isKnown(F))
      return F;
  for (StringRef Rest : {File, Entry})
    if (Rest.starts_with("\n") || Rest.starts_with(RiegeliSignature))
      if (Framing F = program(Rest); isKnown(F))
        return F;
  for (StringRef Rest : {File, Entry})
    if (Framing F = parts(Rest); isKnown(F))
      return F;
  // Other messages may begin with any field.
  Framing F = message(File);
  return isWhole(F) ? F : Framing();
}

Framing hlobuf::framingOf(StringRef Bytes) { return FrameWalker(Bytes).file(); }
