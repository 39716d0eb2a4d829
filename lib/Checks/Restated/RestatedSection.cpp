// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Restated/RestatedSection.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
using llvm::StringRef;

RestatedSection::~RestatedSection() = default;

std::string RestatedSection::describe(size_t Derived) const {
  return "the " + format(Derived)->row(derived(Derived));
}

/// Drops a column of a tree from the front of \p Text; false if there is none.
static bool consumeConnector(StringRef &Text) {
  for (StringRef Column :
       {" ", "\u2502", "\u251c\u2500\u2500", "\u2514\u2500\u2500"})
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

StringRef LineFormat::key(StringRef Line) const {
  llvm::SmallVector<StringRef, 6> Texts = split(Line);
  for (size_t I = 0; I != Texts.size(); ++I)
    if (Fields[I].What == RestatedField::Role::Key)
      return Texts[I];
  return "";
}

std::string LineFormat::row(StringRef Line) const {
  StringRef Key = key(Line);
  for (const RestatedField &Field : Fields)
    if (Field.What == RestatedField::Role::Key && !Key.empty()) {
      auto [Before, After] = Field.Phrase.split("{}");
      return (Before + Key + After).str();
    }
  return "line";
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
class SectionComparer {
public:
  SectionComparer(RestatedSection &S, Reporter &Diags) : S(S), Diags(Diags) {}

  void run();

private:
  using Role = RestatedField::Role;

  bool isSame(size_t Derived, size_t Stated) const;
  LineDifference judge(size_t Derived, size_t Stated) const;
  LineDifference judgeRow(size_t Derived, size_t Stated) const;
  LineDifference judgeByKeys(size_t Derived, size_t Stated) const;
  const RestatedField *wrongField(size_t Derived, size_t Stated,
                                  Role What) const;
  void report(const LineDifference &D);
  Finding reportEdited(const LineDifference &D);
  Finding reportText(StringRef Line, StringRef Wanted, StringRef Name);

  RestatedSection &S;
  Reporter &Diags;
};
} // namespace

void hlobuf::compareRestated(RestatedSection &S, Reporter &Diags) {
  SectionComparer(S, Diags).run();
}

void SectionComparer::run() {
  size_t Least = std::min(S.derivedLines(), S.statedLines());
  size_t Line = 0;
  while (Line != Least && S.isSame(Line, Line))
    ++Line;
  if (Line != S.derivedLines() || Line != S.statedLines())
    report(judge(Line, Line));
}

/// Both are past the end, or both lines are there and the same.
bool SectionComparer::isSame(size_t Derived, size_t Stated) const {
  bool NoneDerived = Derived >= S.derivedLines();
  bool NoneStated = Stated >= S.statedLines();
  if (NoneDerived || NoneStated)
    return NoneDerived && NoneStated;
  return S.isSame(Derived, Stated);
}

/// How the lines at hand differ, judged by those after them.
LineDifference SectionComparer::judge(size_t Derived, size_t Stated) const {
  LineDifference D{LineFault::Edited, Derived, Stated};
  if (Derived == S.derivedLines())
    D.Fault = LineFault::Extra;
  else if (Stated == S.statedLines())
    D.Fault = LineFault::Missing;
  else if (const LineFormat *Format = S.format(Derived);
           Format && !Format->key(S.stated(Stated)).empty())
    D = isSame(Derived + 1, Stated + 1) ? judgeRow(Derived, Stated)
                                        : judgeByKeys(Derived, Stated);
  else if (isSame(Derived + 1, Stated + 1))
    D.Fault = LineFault::Edited;
  else if (isSame(Derived + 1, Stated))
    D.Fault = LineFault::Missing;
  else if (isSame(Derived, Stated + 1))
    D.Fault = LineFault::Extra;
  return D;
}

/// The first field of role \p What that differs; null if there is none.
const RestatedField *SectionComparer::wrongField(size_t Derived, size_t Stated,
                                                 Role What) const {
  const LineFormat &Format = *S.format(Derived);
  std::string Line = S.derived(Derived);
  auto Wanted = Format.split(Line);
  auto Found = Format.split(S.stated(Stated));
  for (size_t I = 0; I != Wanted.size(); ++I)
    if (Format.Fields[I].What == What && Found[I] != Wanted[I])
      return &Format.Fields[I];
  return nullptr;
}

/// How one row differs from the one that belongs there.
LineDifference SectionComparer::judgeRow(size_t Derived, size_t Stated) const {
  const LineFormat &Format = *S.format(Derived);
  if (Format.key(S.stated(Stated)) != Format.key(S.derived(Derived)))
    return {LineFault::Replaced, Derived, Stated};
  const RestatedField *Own = wrongField(Derived, Stated, Role::Own);
  return {LineFault::Edited, Derived, Stated,
          Own ? Own : wrongField(Derived, Stated, Role::Running)};
}

/// Joins the rest of the table by the keys of its rows: a row that says
/// something else about itself, else one that was not derived, else a derived
/// one that is not there or not in its place, else a sum.
LineDifference SectionComparer::judgeByKeys(size_t Derived,
                                            size_t Stated) const {
  const LineFormat &Format = *S.format(Derived);
  llvm::StringMap<llvm::SmallVector<size_t, 1>> Rows;
  size_t End = Derived;
  while (End < S.derivedLines() && S.format(End) == &Format)
    ++End;
  for (size_t I = End; I-- > Derived;)
    Rows[Format.key(S.derived(I))].push_back(I);
  std::optional<size_t> Extra;
  std::vector<bool> Seen(End - Derived);
  // Where the derived line at hand is.
  size_t Place = Stated;
  for (size_t L = Stated; L < S.statedLines(); ++L) {
    StringRef Key = Format.key(S.stated(L));
    if (Key.empty())
      break;
    auto Row = Rows.find(Key);
    if (Row == Rows.end() || Row->second.empty()) {
      Extra = Extra.value_or(L);
      continue;
    }
    size_t I = Row->second.pop_back_val();
    Seen[I - Derived] = true;
    if (I == Derived)
      Place = L;
    if (const RestatedField *Field = wrongField(I, L, Role::Own))
      return {LineFault::Edited, I, L, Field};
  }
  auto Lost = llvm::find(Seen, false);
  size_t Number = Derived + static_cast<size_t>(Lost - Seen.begin());
  if (Extra && Lost == Seen.end())
    return {LineFault::Extra, *Extra == Stated ? Derived : S.derivedLines(),
            *Extra};
  if (Extra)
    return {LineFault::Replaced, Number, *Extra};
  if (Lost != Seen.end())
    return {LineFault::Missing, Number, Stated};
  if (Place != Stated)
    return {LineFault::Misplaced, Derived, Stated, nullptr, Place};
  return judgeRow(Derived, Stated);
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
    F = Diags.report(Where, "expected {} before this line; {}", Wanted,
                     S.order());
    F.note(S.stated(D.Place), "it is here");
    break;
  case LineFault::Missing:
    F = AtEnd ? Diags.report(Where, "the {} ends after this line, expected {}",
                             S.noun(), Wanted)
              : Diags.report(Where, "expected {} before this line", Wanted);
    break;
  case LineFault::Replaced:
  case LineFault::Extra:
    size_t Like = std::min(D.Derived + 1, S.derivedLines());
    const LineFormat *Format = Like == 0 ? nullptr : S.format(Like - 1);
    StringRef Key = Format ? Format->key(Where) : StringRef();
    F = Diags.report(
        Key.empty() ? Where : Key, "unexpected {}, expected {}",
        S.describeExtra(D.Stated, Format ? Format->row(Where) : "line"),
        Wanted);
    break;
  }
  S.explain(F, D);
}

/// Reports what of \p Line is not as in \p Wanted.
Finding SectionComparer::reportText(StringRef Line, StringRef Wanted,
                                    StringRef Name) {
  auto [Found, Lost] = differentText(Line, Wanted);
  if (Found.empty())
    return Diags.report(Found.data() ? Found : Line, "{} lacks '{}'", Name,
                        Lost);
  if (Lost.empty())
    return Diags.report(Found, "unexpected '{}' in {}", Found, Name);
  return Diags.report(Found, "{} has '{}', expected '{}'", Name, Found, Lost);
}

Finding SectionComparer::reportEdited(const LineDifference &D) {
  StringRef Line = S.stated(D.Stated);
  std::string Wanted = S.derived(D.Derived);
  std::string Name = S.describe(D.Derived);
  if (!D.Field && (Line.empty() || Wanted.empty()))
    return Diags.report(Line, "unexpected line, expected {}", Name);
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
  return Diags.report(Found, "{} has {}{}{}, expected {}{}{}{}", Name, Before,
                      Found, After, Quote, Expected, Quote, D.Field->Reason);
}
