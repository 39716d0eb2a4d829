//===- Driver/CommentLines.h - Finding comment lines ------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_COMMENTLINES_H
#define HLOBUF_DRIVER_COMMENTLINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>

namespace hlobuf {

/// Calls \p Visit(number, line) for each line of \p Text that begins with
/// `//`; numbers count from 1.
template <typename VisitFn>
void forEachComment(llvm::StringRef Text, VisitFn Visit) {
  uint32_t Number = 1;
  const char *End = Text.end();
  for (const char *At = Text.begin(); At != End; ++Number) {
    const void *Found = std::memchr(At, '\n', static_cast<size_t>(End - At));
    const char *Stop = Found ? static_cast<const char *>(Found) : End;
    llvm::StringRef Line(At, static_cast<size_t>(Stop - At));
    if (Line.starts_with("//"))
      Visit(Number, Line);
    At = Found ? Stop + 1 : End;
  }
}

/// The first line at or behind \p Number that is no comment, given the numbers
/// of all comment lines in ascending order.
inline uint32_t behindComments(llvm::ArrayRef<uint32_t> Comments,
                               uint32_t Number) {
  const uint32_t *At = llvm::lower_bound(Comments, Number);
  while (At != Comments.end() && *At == Number) {
    ++At;
    ++Number;
  }
  return Number;
}

} // namespace hlobuf

#endif // HLOBUF_DRIVER_COMMENTLINES_H
