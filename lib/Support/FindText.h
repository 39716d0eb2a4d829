// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches in long texts.

#ifndef HLOBUF_SUPPORT_FINDTEXT_H
#define HLOBUF_SUPPORT_FINDTEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstring>

namespace hlobuf {

/// The offset of the first \p Wanted in \p Text at \p From or after it; npos if
/// there is none. The C library finds it several times as fast as StringRef
/// does.
inline size_t findText(llvm::StringRef Text, llvm::StringRef Wanted,
                       size_t From = 0) {
#ifdef _WIN32
  return Text.find(Wanted, From);
#else
  if (From > Text.size())
    return llvm::StringRef::npos;
  const void *Found = ::memmem(Text.data() + From, Text.size() - From,
                               Wanted.data(), Wanted.size());
  return Found ? static_cast<size_t>(static_cast<const char *>(Found) -
                                     Text.data())
               : llvm::StringRef::npos;
#endif
}

/// True if \p Wanted is in \p Text.
inline bool holdsText(llvm::StringRef Text, llvm::StringRef Wanted) {
  return findText(Text, Wanted) != llvm::StringRef::npos;
}

/// How often \p Wanted is in \p Text, as StringRef::count has it.
inline size_t countText(llvm::StringRef Text, llvm::StringRef Wanted) {
  size_t Count = 0;
  for (size_t At = findText(Text, Wanted); At != llvm::StringRef::npos;
       At = findText(Text, Wanted, At + Wanted.size()))
    ++Count;
  return Count;
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_FINDTEXT_H
