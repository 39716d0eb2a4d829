// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of used values.

#ifndef HLOBUF_CHECKS_VALUES_USEDROWS_H
#define HLOBUF_CHECKS_VALUES_USEDROWS_H

#include "Checks/Check.h"

namespace hlobuf {

/// The line after the one that \p Where ends in, comments passed over. Where
/// the text ends there, \p Where itself.
inline StringRef lineBehind(const Dump &D, StringRef Where) {
  StringRef Text = D.usedText();
  StringRef Rest = Text.drop_front(size_t(Where.end() - Text.data()));
  do {
    size_t Newline = Rest.find('\n');
    if (Newline == StringRef::npos)
      return Where;
    Rest = Rest.drop_front(Newline + 1);
  } while (Rest.starts_with("//"));
  return Rest.take_until([](char C) { return C == '\n'; });
}

/// The last position of \p U; its heading if there is none. A position that is
/// missing is missing about there.
inline StringRef lastPositionRow(const Facts &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  ArrayRef<Position> All = D.positions(D[U]);
  return All.empty() ? lineBehind(D, Ctx.places().tag(D[U]).Whole).ltrim()
                     : Ctx.places().line(All.back()).ltrim();
}

/// The last use of \p U; the heading of its uses if there is none.
inline StringRef lastUseRow(const Facts &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  ArrayRef<Use> All = D.uses(D[U]);
  if (!All.empty())
    return Ctx.places().line(All.back()).ltrim();
  StringRef Before = D.positions(D[U]).empty()
                         ? lineBehind(D, Ctx.places().tag(D[U]).Whole)
                         : Ctx.places().line(D.positions(D[U]).back());
  return lineBehind(D, Before).ltrim();
}

/// What a finding about \p U is about.
inline Subject subjectOf(const Facts &Ctx, UsedId U) {
  ValueId V = Ctx.valueOf(U);
  return V ? Subject(V) : Subject(Ctx.dump()[U].Tag.Name);
}

} // namespace hlobuf

#endif // HLOBUF_CHECKS_VALUES_USEDROWS_H
