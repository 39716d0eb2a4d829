//===- Checks/Restated/RestatedSection.cpp --------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Restated/RestatedSection.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
using llvm::StringRef;

RestatedSection::~RestatedSection() = default;

std::string RestatedSection::describeExtra(size_t) const { return "line"; }

/// Drops a column of a tree from the front of \p Text; false if there is none.
static bool consumeConnector(StringRef &Text) {
  for (StringRef Column : {" ", "\u2502", "\u251c\u2500\u2500", "\u2514\u2500\u2500"})
    if (Text.consume_front(Column))
      return true;
  return false;
}

llvm::SmallVector<StringRef, 6> LineFormat::split(StringRef Line) const {
  llvm::SmallVector<StringRef, 6> Texts(Fields.size());
  if (!Line.consume_back(End))
    return {};
  for (size_t I = Fields.size(); I-- != 0;) {
    StringRef Before = Fields[I].Before;
    size_t At = I == 0 ? (Line.starts_with(Before) ? 0 : StringRef::npos)
                       : Line.rfind(Before);
    if (At == StringRef::npos)
      return {};
    Texts[I] = Line.drop_front(At + Before.size()).trim(" \t");
    for (bool More = I == 0; More;)
      More = consumeConnector(Texts[0]);
    Line = Line.take_front(At);
  }
  return Texts;
}

/// What \p Stated has and \p Derived has not, and the opposite: all between the
/// words that both begin and end with.
static std::pair<StringRef, StringRef> differentText(StringRef Stated,
                                                     StringRef Derived) {
  size_t Most = std::min(Stated.size(), Derived.size());
  size_t Begin = 0;
  while (Begin < Most && Stated[Begin] == Derived[Begin])
    ++Begin;
  auto Splits = [](StringRef Text, size_t At) {
    if (At == 0 || At == Text.size())
      return false;
    bool InCharacter = (Text[At] & 0xC0) == 0x80;
    return InCharacter || (isNameByte(Text[At - 1]) && isNameByte(Text[At]));
  };
  while (Splits(Stated, Begin) || Splits(Derived, Begin))
    --Begin;
  size_t End = 0;
  while (End < Most - Begin &&
         Stated[Stated.size() - End - 1] == Derived[Derived.size() - End - 1])
    ++End;
  while (End != 0 && (Splits(Stated, Stated.size() - End) ||
                      Splits(Derived, Derived.size() - End)))
    --End;
  return {Stated.drop_front(Begin).drop_back(End).ltrim(' '),
          Derived.drop_front(Begin).drop_back(End).ltrim(' ')};
}

namespace {
/// Walks over the stated and the derived lines at once.
class SectionComparer {
public:
  SectionComparer(RestatedSection &S, Reporter &R) : S(S), R(R) {}

  void run();

private:
  using Role = RestatedField::Role;
  /// What an unclear difference is, if its table has keys.
  using Explanation = std::optional<LineDifference>;

  bool isSame(size_t Derived, size_t Stated) const;
  LineDifference judge() const;
  bool isUnclear(const LineDifference &D) const;
  Explanation explainByKeys() const;
  const RestatedField *wrongField(size_t Derived, size_t Stated,
                                  bool OnlyOwn) const;
  StringRef keyOf(const LineFormat &Format, StringRef Line) const;
  void step(LineFault Fault);
  void nextTable();
  void report(const LineDifference &D);
  Finding reportEdited(const LineDifference &D);
  Finding reportText(StringRef Line, StringRef Wanted, StringRef Name);

  RestatedSection &S;
  Reporter &R;
  /// The lines at hand.
  size_t Derived = 0, Stated = 0;
  /// The derived lines at which a table begins, by their text; made when
  /// needed.
  llvm::StringMap<std::vector<size_t>> Starts;
};
} // namespace

void hlobuf::compareRestated(RestatedSection &S, Reporter &R) {
  SectionComparer(S, R).run();
}

/// Both are past the end, or both lines are there and the same.
bool SectionComparer::isSame(size_t D, size_t L) const {
  bool NoneDerived = D >= S.derivedLines();
  bool NoneStated = L >= S.statedLines();
  if (NoneDerived || NoneStated)
    return NoneDerived && NoneStated;
  return S.isSame(D, L);
}

void SectionComparer::run() {
  std::optional<uint32_t> Reported;
  while (Derived < S.derivedLines() && Stated < S.statedLines()) {
    if (S.isSame(Derived, Stated)) {
      ++Derived;
      ++Stated;
      continue;
    }
    LineDifference D = judge();
    bool Unclear = isUnclear(D);
    uint32_t Table = S.table(Derived);
    if (Reported != Table)
      report(Unclear || D.Fault == LineFault::Missing ||
                     D.Fault == LineFault::Extra
                 ? explainByKeys().value_or(D)
                 : D);
    Reported = Table;
    if (Unclear)
      nextTable();
    else
      step(D.Fault);
  }
  if (Reported || (Derived == S.derivedLines() && Stated == S.statedLines()))
    return;
  bool Ends = Stated == S.statedLines();
  report({Ends ? LineFault::Missing : LineFault::Extra, Derived, Stated});
}

/// How the lines at hand differ, judged by the lines after them.
LineDifference SectionComparer::judge() const {
  LineDifference D{LineFault::Edited, Derived, Stated};
  if (isSame(Derived + 1, Stated) && isSame(Derived, Stated + 1))
    return {LineFault::Misplaced, Derived, Stated, nullptr, Stated + 1};
  if (isSame(Derived + 1, Stated + 1))
    D.Fault = LineFault::Edited;
  else if (isSame(Derived + 1, Stated))
    D.Fault = LineFault::Missing;
  else if (isSame(Derived, Stated + 1))
    D.Fault = LineFault::Extra;
  if (D.Fault != LineFault::Edited)
    return D;
  const LineFormat *Format = S.format(Derived);
  StringRef Key = Format ? keyOf(*Format, S.stated(Stated)) : StringRef();
  if (!Key.empty() && Key != keyOf(*Format, S.derived(Derived)))
    D.Fault = LineFault::Replaced;
  else
    D.Field = wrongField(Derived, Stated, /*OnlyOwn=*/false);
  return D;
}

/// True if the lines after \p D do not agree either.
bool SectionComparer::isUnclear(const LineDifference &D) const {
  return (D.Fault == LineFault::Edited || D.Fault == LineFault::Replaced) &&
         !isSame(Derived + 1, Stated + 1);
}

StringRef SectionComparer::keyOf(const LineFormat &Format,
                                 StringRef Line) const {
  llvm::SmallVector<StringRef, 6> Texts = Format.split(Line);
  for (size_t I = 0; I != Texts.size(); ++I)
    if (Format.Fields[I].What == Role::Key)
      return Texts[I];
  return "";
}

/// The first field that differs, one that says something about its row alone
/// before those that depend on others. Null if there is none.
const RestatedField *SectionComparer::wrongField(size_t D, size_t L,
                                                 bool OnlyOwn) const {
  const LineFormat *Format = S.format(D);
  if (!Format)
    return nullptr;
  std::string Line = S.derived(D);
  auto Wanted = Format->split(Line);
  auto Found = Format->split(S.stated(L));
  if (Found.empty())
    return nullptr;
  for (Role What : {Role::Own, Role::Running}) {
    for (size_t I = 0; I != Wanted.size(); ++I)
      if (Format->Fields[I].What == What && Found[I] != Wanted[I])
        return &Format->Fields[I];
    if (OnlyOwn)
      break;
  }
  return nullptr;
}

/// Joins the rest of the table by the keys of its rows: a row that says
/// something else about itself, else one that is not derived, else a derived
/// one that is not there.
SectionComparer::Explanation SectionComparer::explainByKeys() const {
  const LineFormat *Format = S.format(Derived);
  if (!Format)
    return std::nullopt;
  llvm::StringMap<llvm::SmallVector<size_t, 1>> Rows;
  size_t End = Derived;
  for (; End < S.derivedLines() && S.format(End) == Format &&
         S.table(End) == S.table(Derived);
       ++End)
    Rows[keyOf(*Format, S.derived(End))].push_back(End);
  for (auto &Row : Rows)
    std::reverse(Row.second.begin(), Row.second.end());
  Explanation Extra;
  std::vector<bool> Seen(End - Derived);
  // Where the derived line at hand is.
  size_t Place = Stated;
  for (size_t L = Stated; L < S.statedLines(); ++L) {
    StringRef Line = S.stated(L);
    if (Format->split(Line).empty())
      break;
    auto Row = Rows.find(keyOf(*Format, Line));
    if (Row == Rows.end() || Row->second.empty()) {
      if (!Extra)
        Extra = {LineFault::Extra, L == Stated ? Derived : End, L};
      continue;
    }
    size_t D = Row->second.pop_back_val();
    Seen[D - Derived] = true;
    if (D == Derived)
      Place = L;
    if (const RestatedField *Field = wrongField(D, L, /*OnlyOwn=*/true))
      return LineDifference{LineFault::Edited, D, L, Field};
  }
  auto Lost = llvm::find(Seen, false);
  size_t Number = Derived + static_cast<size_t>(Lost - Seen.begin());
  if (Lost != Seen.end() && Extra)
    return LineDifference{LineFault::Replaced, Number, Extra->Stated};
  if (Lost != Seen.end())
    return LineDifference{LineFault::Missing, Number, Stated};
  if (!Extra && Place != Stated)
    return LineDifference{LineFault::Misplaced, Derived, Stated, nullptr,
                          Place};
  return Extra;
}

void SectionComparer::step(LineFault Fault) {
  size_t Both = Fault == LineFault::Misplaced ? 2 : 1;
  if (Fault != LineFault::Extra)
    Derived += Both;
  if (Fault != LineFault::Missing)
    Stated += Both;
}

/// Goes on where a later table begins, as derived.
void SectionComparer::nextTable() {
  if (Starts.empty())
    for (size_t I = 1; I < S.derivedLines(); ++I)
      if (S.table(I) != S.table(I - 1))
        Starts[S.derived(I)].push_back(I);
  for (++Stated; Stated < S.statedLines(); ++Stated) {
    auto Found = Starts.find(S.stated(Stated));
    if (Found == Starts.end())
      continue;
    auto Next = llvm::upper_bound(Found->second, Derived);
    if (Next == Found->second.end())
      continue;
    Derived = *Next;
    return;
  }
}

void SectionComparer::report(const LineDifference &D) {
  bool AtEnd = D.Stated == S.statedLines();
  StringRef Last =
      S.statedLines() == 0 ? S.heading() : S.stated(S.statedLines() - 1);
  StringRef Where = AtEnd ? Last : S.stated(D.Stated);
  std::string Wanted = D.Derived < S.derivedLines()
                           ? S.describe(D.Derived)
                           : fmt::format("the end of the {}", S.noun());
  Finding F(nullptr);
  switch (D.Fault) {
  case LineFault::Edited:
    F = reportEdited(D);
    break;
  case LineFault::Misplaced:
    F = R.report(Where, "expected {} before this line{}{}", Wanted,
                 S.order().empty() ? "" : "; ", S.order());
    F.note(S.stated(D.Place), "it is here");
    break;
  case LineFault::Missing:
    F = AtEnd ? R.report(Where, "the {} ends after this line, expected {}",
                         S.noun(), Wanted)
              : R.report(Where, "expected {} before this line", Wanted);
    break;
  case LineFault::Replaced:
  case LineFault::Extra: {
    const LineFormat *Format =
        D.Derived < S.derivedLines() ? S.format(D.Derived) : nullptr;
    StringRef Key = Format ? keyOf(*Format, Where) : StringRef();
    F = D.Derived == Derived || D.Fault == LineFault::Replaced
            ? R.report(Key.empty() ? Where : Key, "unexpected {}, expected {}",
                       S.describeExtra(D.Stated), Wanted)
            : R.report(Where, "unexpected {}", S.describeExtra(D.Stated));
    break;
  }
  }
  S.explain(F, D);
}

/// Reports what of \p Line is not as in \p Wanted.
Finding SectionComparer::reportText(StringRef Line, StringRef Wanted,
                                    StringRef Name) {
  auto [Found, Lost] = differentText(Line, Wanted);
  if (Found.empty())
    return R.report(Found.data() ? Found : Line, "{} lacks '{}'", Name, Lost);
  if (Lost.empty())
    return R.report(Found, "unexpected '{}' in {}", Found, Name);
  return R.report(Found, "{} has '{}', expected '{}'", Name, Found, Lost);
}

Finding SectionComparer::reportEdited(const LineDifference &D) {
  StringRef Line = S.stated(D.Stated);
  std::string Wanted = S.derived(D.Derived);
  std::string Name = S.describe(D.Derived);
  if (!D.Field && (Line.empty() || Wanted.empty()))
    return R.report(Line, "unexpected line, expected {}", Name);
  if (!D.Field)
    return reportText(Line, Wanted, Name);
  const LineFormat &Format = *S.format(D.Derived);
  auto Number = static_cast<size_t>(D.Field - Format.Fields.begin());
  StringRef Found = Format.split(Line)[Number];
  StringRef Expected = Format.split(Wanted)[Number];
  if (D.Field->Phrase.empty())
    return reportText(Found, Expected, Name);
  auto [Before, After] = D.Field->Phrase.split("{}");
  StringRef Quote = Before.ends_with("'") ? "'" : "";
  return R.report(Found, "{} has {}{}{}, expected {}{}{}{}", Name, Before,
                  Found, After, Quote, Expected, Quote, S.reason(D));
}
