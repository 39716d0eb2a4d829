// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Riegeli.h"
#include "Proto/Wire.h"
#include "Support/Decompress.h"
#include "llvm/Support/Endian.h"
#include <snappy.h>

using namespace hlobuf;

const StringRef hlobuf::RiegeliSignature("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8);

static constexpr size_t BlockBytes = size_t(1) << 16;
static constexpr size_t BlockHeader = 24;
static constexpr size_t ChunkHeader = 40;

static constexpr size_t BlockContent = BlockBytes - BlockHeader;

/// The bytes of \p File without the header that begins each block.
static size_t contentSize(StringRef File) {
  size_t Rest = File.size() % BlockBytes;
  return File.size() / BlockBytes * BlockContent +
         (Rest > BlockHeader ? Rest - BlockHeader : 0);
}

/// The bytes [\p Offset, \p Offset + \p Size) of that content. No more is
/// copied: what begins like a file may be one among many.
static std::string content(StringRef File, size_t Offset, size_t Size) {
  std::string Out;
  Out.reserve(Size);
  while (Out.size() != Size) {
    size_t Inside = Offset % BlockContent;
    size_t Amount = std::min(BlockContent - Inside, Size - Out.size());
    Out += File.substr(
        Offset / BlockContent * BlockBytes + BlockHeader + Inside, Amount);
    Offset += Amount;
  }
  return Out;
}

/// Unpacks a buffer of a chunk whose compression is \p Type; null if it was.
static const char *unpack(char Type, StringRef Packed, uint64_t MaxBytes,
                          std::string &Out) {
  if (Type == 0) {
    Out = Packed.str();
    return nullptr;
  }
  if (Type == 'b')
    return "its records are compressed with brotli, which is not supported";
  if (Type != 's' && Type != 'z')
    return "its records are compressed in an unknown way";
  std::optional<uint64_t> Size = takeVarint(Packed);
  if (!Size || *Size > MaxBytes)
    return "a compressed record is damaged";
  if (Type == 'z') {
    Expected<std::string> Text = decompress(Packed, MaxBytes);
    if (!Text) {
      llvm::consumeError(Text.takeError());
      return "a compressed record is damaged";
    }
    Out = std::move(*Text);
    return nullptr;
  }
  size_t Length = 0;
  // No 3 bytes stand for more than 64.
  constexpr size_t MostGrowth = 22;
  if (!snappy::GetUncompressedLength(Packed.data(), Packed.size(), &Length) ||
      Length > MaxBytes || Length != *Size ||
      Length / MostGrowth > Packed.size() ||
      !snappy::Uncompress(Packed.data(), Packed.size(), &Out))
    return "a compressed record is damaged";
  return nullptr;
}

/// Adds the records of a simple chunk.
static const char *readSimple(StringRef Data, uint64_t MaxBytes,
                              RiegeliRecords &Records) {
  if (Data.empty())
    return "a record is damaged";
  char Type = Data.front();
  Data = Data.drop_front();
  std::optional<uint64_t> Packed = takeVarint(Data);
  if (!Packed || *Packed > Data.size())
    return "a record is damaged";
  std::string Sizes;
  auto Values = std::make_unique<std::string>();
  if (const char *Reason =
          unpack(Type, Data.take_front(*Packed), MaxBytes, Sizes))
    return Reason;
  if (const char *Reason =
          unpack(Type, Data.drop_front(*Packed), MaxBytes, *Values))
    return Reason;
  constexpr size_t Most = 1 << 20;
  StringRef Rest = *Values;
  Records.Owned.push_back(std::move(Values));
  for (StringRef Left = Sizes; !Left.empty();) {
    std::optional<uint64_t> Size = takeVarint(Left);
    if (!Size || *Size > Rest.size())
      return "a record is damaged";
    if (Records.All.size() == Most)
      return "it has too many records";
    Records.All.push_back(Rest.take_front(*Size));
    Rest = Rest.drop_front(*Size);
  }
  return nullptr;
}

namespace {
/// The header of a chunk.
struct Chunk {
  char Type = 0;
  /// Bytes of its data, packed and unpacked.
  uint64_t Size = 0;
  uint64_t Decoded = 0;
  /// Bytes that the whole chunk has at least, its header included.
  uint64_t Total = 0;
};
} // namespace

/// The chunk at \p Offset of the content of \p File, which has \p End bytes;
/// nothing if none begins there.
static std::optional<Chunk> chunkAt(StringRef File, size_t Offset, size_t End) {
  if (End - Offset < ChunkHeader)
    return std::nullopt;
  std::string Header = content(File, Offset, ChunkHeader);
  auto Number = [&](size_t Begin) {
    return llvm::support::endian::read64le(Header.data() + Begin);
  };
  Chunk C;
  C.Type = Header[24];
  C.Size = Number(8);
  C.Decoded = Number(32);
  uint64_t Count = Number(24) >> 8;
  // What follows the file does not begin like a chunk.
  constexpr uint64_t Largest = uint64_t(1) << 40;
  if (!StringRef("sprtm").contains(C.Type) || C.Size > Largest ||
      C.Decoded > Largest || Count > Largest)
    return std::nullopt;
  C.Total = ChunkHeader + std::max(C.Size, Count);
  return C;
}

RiegeliRecords hlobuf::readRiegeli(StringRef Bytes, uint64_t MaxBytes) {
  RiegeliRecords Records;
  const size_t End = contentSize(Bytes);
  size_t Offset = 0;
  while (std::optional<Chunk> C = chunkAt(Bytes, Offset, End)) {
    if (C->Size > End - Offset - ChunkHeader || C->Decoded > MaxBytes) {
      Records.Trouble = "its last record is cut off";
      break;
    }
    const char *Reason = nullptr;
    if (C->Type == 'r')
      Reason = readSimple(content(Bytes, Offset + ChunkHeader, C->Size),
                          MaxBytes, Records);
    else if (C->Type == 't')
      Reason = "its records are transposed, which is not supported";
    if (Reason && !Records.Trouble)
      Records.Trouble = Reason;
    Offset += std::min<uint64_t>(C->Total, End - Offset);
    MaxBytes -= std::min(MaxBytes, C->Decoded);
  }
  size_t Blocks = Offset / BlockContent + 1;
  Records.Size = std::min(Bytes.size(), Offset + Blocks * BlockHeader);
  return Records;
}

bool hlobuf::endsInsideRiegeli(StringRef Bytes) {
  const size_t End = contentSize(Bytes);
  size_t Offset = 0;
  while (std::optional<Chunk> C = chunkAt(Bytes, Offset, End)) {
    if (C->Total > End - Offset)
      return true;
    Offset += C->Total;
  }
  return End - Offset < ChunkHeader && (Offset == 0 || Offset != End);
}

SplitManifest::SplitManifest(ArrayRef<StringRef> Records) {
  constexpr int64_t Assembly = 3, Binary = 4;
  if (Records.empty())
    return;
  Type = bytesField(Records.front(), 1);
  if (!Type.starts_with("xla."))
    return;
  bool AnyMerged = false;
  Good = forEachMessage(Records.front(), 2, [&](StringRef Record) {
    StringRef Override = bytesField(Record, 3);
    size_t Parts = 0;
    forEachMessage(Override, 1, [&](StringRef Part) {
      int64_t Number = numberAt(Part, 1);
      Plain &= ++Parts == 1 && (Number == Assembly || Number == Binary);
    });
    IsMerged.push_back(!Override.data());
    AnyMerged |= IsMerged.back();
    Plain &= IsMerged.back() || !AnyMerged;
  });
  Plain &= Records.size() == IsMerged.size() + 1;
}
