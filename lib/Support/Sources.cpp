// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Sources.h"
#include "Support/Decompress.h"
#include "Support/FileGuard.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>

using namespace hlobuf;

namespace fs = llvm::sys::fs;

/// Reads \p File, which may have no size and no end.
static Expected<std::string>
readStream(fs::file_t File, uint64_t MaxBytes,
           function_ref<bool(StringRef)> IsWanted) {
  std::string Text;
  std::vector<char> Chunk(size_t(1) << 16);
  bool WasProbed = !IsWanted;
  while (true) {
    Expected<size_t> Size = fs::readNativeFile(File, Chunk);
    if (!Size)
      return Size.takeError();
    Text.append(Chunk.data(), *Size);
    if (*Size == 0)
      return Text;
    if (Text.size() > MaxBytes)
      return fileTooLarge();
    if (WasProbed || Text.size() < ProbeBytes)
      continue;
    WasProbed = true;
    if (!isCompressed(Text) && !IsWanted(Text))
      return Text;
  }
}

namespace {
/// The bytes of a file: mapped if it is one, else read once.
struct FileBytes {
  std::unique_ptr<llvm::MemoryBuffer> Mapped;
  std::string Read;

  StringRef text() const { return Mapped ? Mapped->getBuffer() : Read; }
};
} // namespace

static Expected<FileBytes> readOpen(fs::file_t File, StringRef Path,
                                    uint64_t MaxBytes,
                                    function_ref<bool(StringRef)> IsWanted) {
  FileBytes Bytes;
  fs::file_status Status;
  if (Path != "-" && !fs::status(File, Status) && fs::is_regular_file(Status)) {
    if (Status.getSize() > MaxBytes)
      return fileTooLarge();
    auto Buffer = llvm::MemoryBuffer::getOpenFile(
        File, Path, Status.getSize(), /*RequiresNullTerminator=*/false);
    if (!Buffer)
      return llvm::errorCodeToError(Buffer.getError());
    Bytes.Mapped = std::move(*Buffer);
    return Bytes;
  }
  Expected<std::string> Text = readStream(File, MaxBytes, IsWanted);
  if (!Text)
    return Text.takeError();
  Bytes.Read = std::move(*Text);
  return Bytes;
}

static Expected<FileBytes> readBytes(StringRef Path, uint64_t MaxBytes,
                                     function_ref<bool(StringRef)> IsWanted) {
  if (Path == "-")
    return readOpen(fs::getStdinHandle(), Path, MaxBytes, IsWanted);
  Expected<fs::file_t> File = fs::openNativeFileForRead(Path);
  if (!File)
    return File.takeError();
  Expected<FileBytes> Bytes = readOpen(*File, Path, MaxBytes, IsWanted);
  [[maybe_unused]] std::error_code Ignored = fs::closeFile(*File);
  return Bytes;
}

bool hlobuf::isBinary(StringRef Start) {
  constexpr size_t Enough = 4096;
  return llvm::any_of(Start.take_front(Enough), [](char C) {
    auto Byte = static_cast<unsigned char>(C);
    return Byte < '\t' || (Byte > '\r' && Byte < ' ');
  });
}

static bool endsLinesInCrLf(StringRef Text) {
  size_t End = Text.find('\n');
  return End != StringRef::npos && End != 0 && Text[End - 1] == '\r';
}

/// \p Text with LF where it has CR LF.
static std::string withoutCr(StringRef Text) {
  std::string Out;
  Out.reserve(Text.size());
  while (!Text.empty()) {
    size_t End = std::min(Text.find("\r\n"), Text.size());
    Out += Text.take_front(End);
    Text = Text.drop_front(std::min(Text.size(), End + 1));
  }
  return Out;
}

/// \p Bytes unpacked, as far as \p IsWanted wants, with LF for CR LF; nothing
/// if they are so already.
static Expected<std::optional<std::string>>
decoded(StringRef Bytes, uint64_t MaxBytes,
        function_ref<bool(StringRef)> IsWanted) {
  std::optional<std::string> Text;
  if (isCompressed(Bytes)) {
    Expected<std::string> Unpacked =
        decompress(Bytes, MaxBytes, [&](StringRef Start) {
          return !IsWanted || isCompressed(Start) || IsWanted(Start);
        });
    if (!Unpacked)
      return Unpacked.takeError();
    Text = std::move(*Unpacked);
  }
  StringRef Read = Text ? StringRef(*Text) : Bytes;
  if (endsLinesInCrLf(Read) && !isBinary(Read))
    Text = withoutCr(Read);
  return Text;
}

Expected<StringRef> Sources::open(StringRef Path,
                                  function_ref<bool(StringRef)> IsWanted) {
  Expected<FileBytes> Bytes = readBytes(Path, MaxBytes, IsWanted);
  if (!Bytes)
    return Bytes.takeError();
  keepFile(Path);
  auto Text = decoded(Bytes->text(), MaxBytes, IsWanted);
  if (!Text)
    return Text.takeError();
  if (*Text)
    return add(Path, std::move(**Text));
  if (!Bytes->Mapped)
    return add(Path, std::move(Bytes->Read));
  StringRef Mapped = Bytes->text();
  All.push_back({Path.str(), Mapped, std::move(Bytes->Mapped), nullptr});
  return Mapped;
}

StringRef Sources::add(StringRef Name, std::string Text,
                       std::vector<uint32_t> Numbers) {
  auto Owned = std::make_unique<std::string>(std::move(Text));
  addView(Name == "-" ? "<stdin>" : Name, *Owned, std::move(Numbers));
  All.back().Owned = std::move(Owned);
  return All.back().Text;
}

void Sources::addView(StringRef Name, StringRef Text,
                      std::vector<uint32_t> Numbers) {
  All.push_back({Name.str(), Text, nullptr, nullptr, std::move(Numbers)});
}

size_t Sources::bytes() const {
  return sumOf(All, [](const Source &S) { return S.Text.size(); });
}

static std::vector<uint32_t> findLineStarts(StringRef Text) {
  std::vector<uint32_t> Starts = {0};
  for (size_t End = Text.find('\n'); End != StringRef::npos;
       End = Text.find('\n', End + 1))
    Starts.push_back(static_cast<uint32_t>(End + 1));
  return Starts;
}

Place Sources::place(StringRef Where) const {
  for (const Source &S : All) {
    if (Where.data() < S.Text.begin() || Where.data() > S.Text.end())
      continue;
    if (S.LineStarts.empty())
      S.LineStarts = findLineStarts(S.Text);
    auto Offset = static_cast<uint32_t>(Where.data() - S.Text.begin());
    auto Next = llvm::upper_bound(S.LineStarts, Offset);
    uint32_t Start = *std::prev(Next);
    StringRef Line =
        S.Text.drop_front(Start).take_until([](char C) { return C == '\n'; });
    size_t Number = size_t(Next - S.LineStarts.begin());
    // After the last newline there is a line that has no number.
    if (!S.Numbers.empty())
      Number = S.Numbers[std::min(Number, S.Numbers.size()) - 1];
    return {S.Name, Line, Number, size_t(Offset - Start) + 1};
  }
  return {};
}
