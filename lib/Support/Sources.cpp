//===- Support/Sources.cpp ------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Sources.h"
#include "Support/Decompress.h"
#include <algorithm>
#include <cstring>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace hlobuf;
using llvm::StringRef;

llvm::Expected<StringRef> Sources::open(StringRef Path) {
  auto Buffer =
      Path == "-"
          ? llvm::MemoryBuffer::getSTDIN()
          : llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), "%s",
                                   Buffer.getError().message().c_str());
  StringRef Bytes = (*Buffer)->getBuffer();
  if (isCompressed(Bytes)) {
    llvm::Expected<std::string> Text = decompress(Bytes, MaxBytes);
    if (!Text)
      return Text.takeError();
    return add(Path, std::move(*Text));
  }
  if (Bytes.size() > MaxBytes)
    return llvm::createStringError(std::errc::file_too_large,
                                   "files over 4 GiB are not supported");
  Source S;
  S.Name = Path == "-" ? "<stdin>" : Path.str();
  S.Text = Bytes;
  S.Mapped = std::move(*Buffer);
  All.push_back(std::move(S));
  return Bytes;
}

StringRef Sources::add(StringRef Name, std::string Text) {
  Source S;
  S.Name = Name == "-" ? "<stdin>" : Name.str();
  S.Owned = std::make_unique<std::string>(std::move(Text));
  S.Text = *S.Owned;
  All.push_back(std::move(S));
  return All.back().Text;
}

void Sources::addView(StringRef Name, StringRef Text) {
  Source S;
  S.Name = Name.str();
  S.Text = Text;
  All.push_back(std::move(S));
}

void Sources::relax() {
#ifdef __linux__
  // MemoryBuffer::dontNeedIfMmap does nothing with glibc.
  constexpr size_t Large = size_t(1) << 20;
  for (Source &S : All)
    if (S.Mapped && S.Text.size() >= Large &&
        S.Mapped->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap)
      ::madvise(const_cast<char *>(S.Text.data()), S.Text.size(),
                MADV_DONTNEED);
#endif
}

static std::vector<uint32_t> findLineStarts(StringRef Text) {
  std::vector<uint32_t> Starts = {0};
  for (size_t At = Text.find('\n'); At != StringRef::npos;
       At = Text.find('\n', At + 1))
    Starts.push_back(static_cast<uint32_t>(At + 1));
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
    return {S.Name, Line, size_t(Next - S.LineStarts.begin()),
            size_t(Offset - Start) + 1};
  }
  return {};
}
