// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Restated/RestatedSection.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;

RestatedSection::~RestatedSection() = default;

StringRef hlobuf::differentText(StringRef Text, StringRef Other) {
  auto Splits = [](StringRef Line, size_t Pos) {
    if (Pos == 0 || Pos == Line.size())
      return false;
    bool InCharacter = (Line[Pos] & 0xC0) == 0x80;
    return InCharacter || (isNameByte(Line[Pos - 1]) && isNameByte(Line[Pos]));
  };
  size_t Most = std::min(Text.size(), Other.size());
  size_t Begin = 0;
  while (Begin < Most && Text[Begin] == Other[Begin])
    ++Begin;
  while (Splits(Text, Begin) || Splits(Other, Begin))
    --Begin;
  size_t End = 0;
  while (End < Most - Begin &&
         Text[Text.size() - End - 1] == Other[Other.size() - End - 1])
    ++End;
  while (End != 0 &&
         (Splits(Text, Text.size() - End) || Splits(Other, Other.size() - End)))
    --End;
  return Text.drop_front(Begin).drop_back(End).ltrim(' ');
}

namespace {
/// A derived line and the stated one in its place.
struct LinePair {
  std::optional<size_t> Derived, Stated;
};
} // namespace

/// What to report of \p S, which is as derived before line \p Same: the first
/// line that says something else by itself, and the first derived one that
/// nothing says. Where there is neither, order or sums are wrong from \p Same
/// on.
static LinePair findDifference(const RestatedSection &S, size_t Same) {
  // How often it is derived and not stated; below 0 the opposite.
  StringMap<int64_t> Lacking;
  for (size_t Line = Same; Line != S.derivedLines(); ++Line)
    ++Lacking[S.own(S.derived(Line))];
  for (size_t Line = Same; Line != S.statedLines(); ++Line)
    --Lacking[S.own(S.stated(Line))];
  LinePair First;
  for (size_t Line = Same; Line != S.derivedLines() && !First.Derived; ++Line)
    if (Lacking.lookup(S.own(S.derived(Line))) > 0)
      First.Derived = Line;
  for (size_t Line = Same; Line != S.statedLines() && !First.Stated; ++Line)
    if (Lacking.lookup(S.own(S.stated(Line))) < 0)
      First.Stated = Line;
  if (!First.Derived && !First.Stated)
    return {Same, Same};
  return First;
}

void hlobuf::compareRestated(RestatedSection &S, Reporter &Diags) {
  size_t Least = std::min(S.derivedLines(), S.statedLines());
  size_t Same = 0;
  while (Same != Least && S.isSame(Same, Same))
    ++Same;
  if (Same == S.derivedLines() && Same == S.statedLines())
    return;
  LinePair Lines = findDifference(S, Same);
  std::string Expected = Lines.Derived ? S.derived(*Lines.Derived) : "";
  StringRef Where = Lines.Stated              ? S.stated(*Lines.Stated)
                    : Same != S.statedLines() ? S.stated(Same)
                    : Same != 0               ? S.stated(Same - 1)
                                              : S.heading();
  Finding F(nullptr);
  StringRef Different = differentText(Where, Expected);
  if (Lines.Derived && Lines.Stated)
    F = Diags.report(Different.empty() ? Where : Different,
                     "the {} has '{}', expected '{}'", S.noun(), Where.trim(),
                     StringRef(Expected).trim());
  else if (Lines.Stated)
    F = Diags.report(Where, "unexpected line '{}' in the {}", Where.trim(),
                     S.noun());
  else
    F = Diags.report(Where, "expected the line '{}' {} this one of the {}",
                     StringRef(Expected).trim(),
                     Same == S.statedLines() ? "after" : "before", S.noun());
  S.explain(F, Lines.Derived, Lines.Stated);
}
