// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Decompress.h"
#include "Support/Format.h"
#include <memory>
#include <zlib.h>
#include <zstd.h>

using namespace hlobuf;

static constexpr size_t ChunkBytes = size_t(1) << 18;

static bool isGzip(StringRef Bytes) { return Bytes.starts_with("\x1f\x8b"); }

static bool isZstd(StringRef Bytes) {
  return Bytes.starts_with("\x28\xb5\x2f\xfd");
}

bool hlobuf::isCompressed(StringRef Bytes) {
  return isGzip(Bytes) || isZstd(Bytes);
}

bool hlobuf::isZlib(StringRef Bytes) {
  if (Bytes.size() < 2 || Bytes[0] != '\x78')
    return false;
  return (0x7800 + static_cast<uint8_t>(Bytes[1])) % 31 == 0;
}

Error hlobuf::fileTooLarge() {
  return makeError("files over 4 GiB are not supported");
}

namespace {
/// Takes decompressed bytes as long as they are wanted.
struct Unpacked {
  /// Fails if there are too many.
  Error add(StringRef Chunk) {
    Text += Chunk;
    if (Text.size() > MaxBytes)
      return fileTooLarge();
    if (!WasProbed && Text.size() >= ProbeBytes) {
      WasProbed = true;
      Refused = IsWanted && !IsWanted(Text);
    }
    return Error::success();
  }
  bool isRefused() const { return Refused; }

  uint64_t MaxBytes;
  function_ref<bool(StringRef)> IsWanted;
  std::string Text = {};
  bool WasProbed = false;
  bool Refused = false;
};
} // namespace

static Error inflateMembers(z_stream &Stream, StringRef Bytes, Unpacked &Out) {
  std::unique_ptr<char[]> Chunk(new char[ChunkBytes]);
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
  // No file is larger than this counts.
  Stream.avail_in = static_cast<uInt>(Bytes.size());
  for (;;) {
    Stream.next_out = reinterpret_cast<Bytef *>(Chunk.get());
    Stream.avail_out = ChunkBytes;
    int Status = inflate(&Stream, Z_NO_FLUSH);
    if (Error Failed = Out.add({Chunk.get(), ChunkBytes - Stream.avail_out}))
      return Failed;
    if (Out.isRefused())
      return Error::success();
    if (Status == Z_STREAM_END) {
      if (Stream.avail_in == 0)
        return Error::success();
      if (inflateReset(&Stream) != Z_OK)
        return makeError("damaged gzip data");
      continue;
    }
    if (Status == Z_BUF_ERROR && Stream.avail_in == 0)
      return makeError("the {} data is cut off",
                       isGzip(Bytes) ? "gzip" : "zlib");
    if (Status != Z_OK)
      return makeError("damaged gzip data");
  }
}

static Error gunzip(StringRef Bytes, Unpacked &Out) {
  z_stream Stream = {};
  constexpr int GzipOrZlib = 15 + 32;
  if (inflateInit2(&Stream, GzipOrZlib) != Z_OK)
    return makeError("cannot start zlib");
  Error Failed = inflateMembers(Stream, Bytes, Out);
  inflateEnd(&Stream);
  return Failed;
}

static Error unzstd(StringRef Bytes, Unpacked &Text) {
  struct FreeStream {
    void operator()(ZSTD_DStream *S) const { ZSTD_freeDStream(S); }
  };
  std::unique_ptr<ZSTD_DStream, FreeStream> Stream(ZSTD_createDStream());
  if (!Stream)
    return makeError("cannot start zstd");
  std::unique_ptr<char[]> Chunk(new char[ChunkBytes]);
  ZSTD_inBuffer In = {Bytes.data(), Bytes.size(), 0};
  size_t Pending = 0;
  while (In.pos < In.size || Pending != 0) {
    ZSTD_outBuffer Out = {Chunk.get(), ChunkBytes, 0};
    size_t Before = In.pos;
    Pending = ZSTD_decompressStream(Stream.get(), &Out, &In);
    if (ZSTD_isError(Pending))
      return makeError("damaged zstd data");
    if (Error Failed = Text.add({Chunk.get(), Out.pos}))
      return Failed;
    if (Text.isRefused())
      break;
    if (In.pos == Before && Out.pos == 0)
      return makeError("the zstd data is cut off");
  }
  return Error::success();
}

Expected<std::string>
hlobuf::decompress(StringRef Bytes, uint64_t MaxBytes,
                   function_ref<bool(StringRef)> IsWanted) {
  Unpacked Out{MaxBytes, IsWanted};
  bool Zlib = isGzip(Bytes) || isZlib(Bytes);
  if (Error Failed = Zlib ? gunzip(Bytes, Out) : unzstd(Bytes, Out))
    return std::move(Failed);
  return std::move(Out.Text);
}
