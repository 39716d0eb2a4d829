//===- Checks/Report/MemoryReport.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory usage report is a function of the allocations and their values,
// so the dump gives it back byte for byte. XLA prints both from one
// BufferAssignment (buffer_assignment.cc, MemoryUsageReport 2024-10-04, by
// memory space since 2026-03-10).
//
// Until 2025-10-27 rows of equal size and the shapes in a row are in hash
// order (jaxlib 0.4.35 to 0.7.2): they are accepted in any order, and where a
// table is cut any of the equally large rows may be shown.
//
// A difference gives one finding in each table (ReportDiff.h).
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Facts/ReportDiff.h"
#include <unordered_map>

using namespace hlobuf;
using llvm::StringRef;

/// The release that put rows of equal size in order.
static constexpr uint32_t TiesSorted = 20251027;

namespace {
class ReportComparer {
public:
  ReportComparer(const CheckContext &A, Reporter &R, StringRef Text)
      : A(A), D(A.dump()), R(R), Text(Text), There(reportLines(Text)),
        Expected(
            D, Text,
            reportForm(Text) == ReportForm::ByAllocation &&
                (!A.release().since(TiesSorted) || A.release().impossible())) {}

  void compare();

private:
  using Kind = ReportLineKind;

  StringRef wanted(size_t Line) const { return Expected.text(Line); }
  const ReportLine &info(size_t Line) const { return Expected.lines()[Line]; }

  void report(ReportDifference F);
  void reportDifference(StringRef Found, StringRef Expected, size_t Line);
  bool reportValueRows();
  bool reportAllocationRows();
  bool reportColumn(const ReportRow &Row, size_t Line);
  std::string describe(size_t Line) const;
  ValueId valueBehind(const ReportLine &L, StringRef Shapes) const;
  void finish(Finding F, size_t Line, StringRef Shapes = "");
  void noteLostLine(Finding &F, AllocationId Owner);

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  StringRef Text;
  std::vector<StringRef> There;
  Report Expected;
  /// The lines at hand, in Expected and There.
  size_t I = 0, J = 0;
  /// A total is wrong, and then most rows are too.
  bool WrongTotal = false;
  /// The only used value without a value line, once it was looked for.
  std::optional<UsedId> Lost;
};
} // namespace

void ReportComparer::compare() {
  for (ReportDifference F : diffReport(D, Expected, There))
    report(F);
  if (R.count() == 0 && !Text.ends_with("\n"))
    R.report(Text.take_back(0), "the report ends in the middle of a line");
}

void ReportComparer::report(ReportDifference F) {
  I = F.Expected;
  J = F.There;
  if (I == Expected.lines().size()) {
    Finding Behind = R.report(
        There[J],
        "unexpected text after the end of the report: if several processes "
        "wrote it, give each its own folder (--xla_dump_to)");
    if (R.count() == 1)
      Behind.asUnreadable();
    return;
  }
  if (J == There.size()) {
    R.report(Text.take_back(0), "the report ends here, expected {}",
             describe(I));
    return;
  }
  switch (F.Fault) {
  case ReportFault::Exchanged:
    finish(R.report(There[J], "expected this line after {}", describe(I))
               .note(There[J + 1], "it is here"),
           I);
    return;
  case ReportFault::Missing:
    finish(R.report(There[J], "expected {} before this line", describe(I)), I);
    return;
  case ReportFault::Extra:
    finish(R.report(There[J], "unexpected line, expected {}", describe(I)), I);
    return;
  case ReportFault::Edited:
  case ReportFault::Unclear:
    if (info(I).Kind == Kind::ValueRow && reportValueRows())
      return;
    if (info(I).Kind == Kind::AllocationRow && reportAllocationRows())
      return;
    reportDifference(There[J], wanted(I), I);
  }
}

std::string ReportComparer::describe(size_t Line) const {
  const ReportLine &L = info(Line);
  switch (L.Kind) {
  case Kind::ValueRow:
    return fmt::format("the row for offset {} of allocation {}", L.At,
                       D[L.Owner].Index);
  case Kind::AllocationRow:
    return fmt::format("the row for allocation {}", D[L.Owner].Index);
  case Kind::AllocationHeader:
    return fmt::format("the header of allocation {}", D[L.Owner].Index);
  case Kind::Total:
    return "the total";
  case Kind::Space:
  case Kind::Fixed:
  case Kind::Rest:
    break;
  }
  StringRef Wanted = wanted(Line).trim();
  return Wanted.empty() ? "an empty line" : fmt::format("'{}'", Wanted);
}

/// The value of a row that is shown as its cause: where the report has the
/// shapes \p Shapes, one whose shape is not among them, else the largest.
ValueId ReportComparer::valueBehind(const ReportLine &L,
                                    StringRef Shapes) const {
  ValueId Best;
  IndexRange Members = D[L.Owner].Values;
  for (uint32_t Number = Members.Begin; Number != Members.End; ++Number) {
    const Value &V = D.Values[Number];
    if (V.Offset != L.At)
      continue;
    if (!Shapes.empty() && V.Shape &&
        !Shapes.contains(D.Shapes.plainText(V.Shape)))
      return ValueId(Number);
    if (!Best || V.Size > D[Best].Size)
      Best = ValueId(Number);
  }
  return Best;
}

/// Says what \p F is about, and shows what expected line \p Line comes from.
void ReportComparer::finish(Finding F, size_t Line, StringRef Shapes) {
  const ReportLine &L = info(Line);
  WrongTotal |= L.Kind == Kind::Total;
  if (WrongTotal)
    F.about(Section::Total);
  if (!L.Owner || L.Kind == Kind::Total || L.Kind == Kind::Space)
    return;
  noteLostLine(F, L.Owner);
  if (L.Kind == Kind::ValueRow) {
    ValueId V = valueBehind(L, Shapes);
    F.about(V).note(A.places().value(D[V]).Tag.Whole, "{} is at this offset",
                    D.spell(D[V].Tag));
    return;
  }
  const Allocation &Owner = D[L.Owner];
  F.about(L.Owner).note(A.places().header(Owner).Size,
                        "allocation {} has {} bytes and {} values", Owner.Index,
                        Owner.Size, Owner.Values.size());
}

/// Where a used value has no value line, shows where \p Owner may have lost it.
void ReportComparer::noteLostLine(Finding &F, AllocationId Owner) {
  if (!Lost) {
    Lost = UsedId();
    size_t Count = 0;
    for (size_t U = 0; U != D.Used.size(); ++U)
      if (!A.valueOf(UsedId(U)) && ++Count == 1)
        Lost = UsedId(U);
    if (Count > 1 || !D.complete(Section::Used))
      Lost = UsedId();
  }
  if (!*Lost)
    return;
  const ValueTag &Tag = D[*Lost].Tag;
  llvm::ArrayRef<Value> Values = D.values(D[Owner]);
  const auto *Behind = llvm::partition_point(
      Values, [&](const Value &V) { return V.Tag.Id < Tag.Id; });
  F.about(Tag.Name).note(
      Values.empty()           ? A.places().line(D[Owner])
      : Behind == Values.end() ? A.places().line(Values.back())
                               : A.places().line(*Behind),
      "{} has no value line; it may belong next to this one", D.spell(Tag));
}

/// Reports the first word in which \p Found is not what \p Line says.
void ReportComparer::reportDifference(StringRef Found, StringRef Expected,
                                      size_t Line) {
  auto [Word, Wanted] = firstDifference(Found, Expected);
  if (Expected.empty() || Found.empty())
    finish(R.report(Found, "unexpected line, expected {}", describe(Line)),
           Line);
  else
    finish(R.report(Word, "{} has '{}', expected '{}'", describe(Line), Word,
                    Wanted),
           Line);
}

/// Reports the column in which \p Row is not what expected line \p Line says.
bool ReportComparer::reportColumn(const ReportRow &Row, size_t Line) {
  ReportRow Wanted;
  if (!parseReportRow(wanted(Line), Wanted))
    return false;
  auto Report = [&](StringRef There, StringRef Expected, StringRef What) {
    if (There == Expected)
      return false;
    auto [Word, WantedWord] = firstDifference(There, Expected);
    finish(R.report(Word.empty() ? There : Word,
                    "{} has {} '{}', expected '{}'", describe(Line), What,
                    There, Expected),
           Line, Row.Shapes);
    return true;
  };
  return Report(Row.Size, Wanted.Size, "size") ||
         Report(Row.Count, Wanted.Count, "number of values") ||
         Report(Row.Shapes, Wanted.Shapes, "shapes");
}

/// Looks for a row of values that the allocation does not have so. Sums and
/// percentages are left to reportDifference: they depend on the other rows.
bool ReportComparer::reportValueRows() {
  std::unordered_map<uint64_t, size_t> Lines;
  for (size_t L = I;
       L < Expected.lines().size() && info(L).Kind == Kind::ValueRow; ++L)
    Lines.try_emplace(info(L).At, L);
  ReportRow Row, Unknown;
  for (size_t K = J; K < There.size() && parseReportRow(There[K], Row); ++K) {
    auto Found = Lines.find(Row.Offset);
    if (Found != Lines.end()) {
      if (reportColumn(Row, Found->second))
        return true;
      Lines.erase(Found);
    } else if (!Unknown.At.data()) {
      Unknown = Row;
    }
  }
  if (!Unknown.At.data())
    return false;
  // What the first row that is not there stands for.
  size_t Line = I;
  while (!Lines.contains(info(Line).At) &&
         info(Line + 1).Kind == Kind::ValueRow)
    ++Line;
  finish(R.report(Unknown.At, "unexpected row for offset {}, expected {}",
                  Unknown.Offset, describe(Line)),
         Line);
  return true;
}

bool ReportComparer::reportAllocationRows() {
  std::unordered_map<uint32_t, size_t> Lines;
  for (size_t L = I;
       L < Expected.lines().size() && info(L).Kind == Kind::AllocationRow; ++L)
    Lines.try_emplace(D[info(L).Owner].Index, L);
  for (size_t K = J; K < There.size(); ++K) {
    StringRef Header = headerInRow(There[K]);
    std::optional<uint32_t> Index = parseAllocationHeading(Header);
    if (!Index)
      return false;
    auto Found = Lines.find(*Index);
    if (Found == Lines.end())
      return false;
    StringRef Wanted = headerInRow(wanted(Found->second));
    if (Header == Wanted)
      continue;
    reportDifference(Header, Wanted, Found->second);
    return true;
  }
  return false;
}

namespace hlobuf {
void checkMemoryReport(const CheckContext &A, Reporter &R) {
  StringRef Text = A.dump().file(FileRole::Report).Text;
  if (Text.empty()) {
    R.notChecked("the memory usage report is empty");
    return;
  }
  size_t Return = Text.find("\r\n");
  if (Return != StringRef::npos) {
    R.report(Text.substr(Return, 1),
             "line ends with a carriage return, expected only a newline");
    return;
  }
  ReportComparer(A, R, Text).compare();
}
} // namespace hlobuf
