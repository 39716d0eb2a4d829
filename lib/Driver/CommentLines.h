// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding comment lines.

#ifndef HLOBUF_DRIVER_COMMENTLINES_H
#define HLOBUF_DRIVER_COMMENTLINES_H

#include "Support/Sources.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace hlobuf {

/// Calls \p Visit(place, line) for each line of \p Text, which is one of
/// \p Texts or a part of one, that begins with `//`.
template <typename VisitFn>
void forEachComment(const Sources &Texts, llvm::StringRef Text, VisitFn Visit) {
  while (!Text.empty()) {
    auto [Line, Below] = Text.split('\n');
    if (Line.starts_with("//"))
      Visit(Texts.place(Line), Line);
    Text = Below;
  }
}

/// The first line at or after \p Number that is not a comment, given the
/// numbers of all comment lines in ascending order.
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
