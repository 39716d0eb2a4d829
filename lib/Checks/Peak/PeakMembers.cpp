//===- Checks/Peak/PeakMembers.cpp ----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list below `Live ranges at N (peak)` holds one row for each live range
// with start <= N <= end, and no other (hlo_live_range.cc ToString, since
// 2021-04-07; never truncated). Until 2025-04-14 rows print the instruction's
// name only, once for each of its live values. Where the list fits the true
// peak and not N, N is wrong, and peak-moment says so.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Facts/Peak.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A row of the list that stands for no live value.
struct WrongRow {
  enum Kind { Unknown, Twice, Dead } Why;
  uint32_t Row;
  /// Its row of BufferLiveRange, if it has one.
  uint32_t Range;
  /// The row that lists it already.
  uint32_t Other = 0;
};

class PeakMembers {
public:
  PeakMembers(const CheckContext &A, Reporter &R) : A(A), R(R), D(A.dump()) {}

  void run();

private:
  void compare(int32_t Step);
  void compareNames(int32_t Step);
  size_t mistakes() const { return Wrong.size() + Missing.size(); }
  void reportWrong(const WrongRow &Row, std::optional<uint32_t> Instead);
  void reportMissing(uint32_t Range);
  bool isBehind(const PeakRow &Row, uint32_t Range) const;
  void about(Finding &F, NameId Name, ShapeIndex Index) const;
  std::string spell(uint32_t Range) const {
    return D.spell(D.Ranges[Range].Name, D.Ranges[Range].Index);
  }

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  int32_t Step = 0;
  std::vector<WrongRow> Wrong;
  /// Rows of BufferLiveRange that are live and not listed.
  std::vector<uint32_t> Missing;
};
} // namespace

static bool isLive(const LiveRangeRow &Row, int32_t Step) {
  return Row.Start <= Step && Step <= Row.End;
}

void PeakMembers::about(Finding &F, NameId Name, ShapeIndex Index) const {
  F.about(Name);
  UsedId U = A.findUsed(Name, Index);
  if (ValueId V = U ? A.valueOf(U) : ValueId())
    F.about(V);
}

void PeakMembers::compare(int32_t At) {
  Step = At;
  Wrong.clear();
  Missing.clear();
  if (D.PeakRows == PeakForm::Name && !D.Peak.empty())
    return compareNames(At);
  constexpr uint32_t None = ~uint32_t(0);
  std::vector<uint32_t> ListedBy(D.Ranges.size(), None);
  for (uint32_t I = 0; I != D.Peak.size(); ++I) {
    std::optional<uint32_t> Range = A.rangeRow(D.Peak[I].Name, D.Peak[I].Index);
    if (!Range)
      Wrong.push_back({WrongRow::Unknown, I, 0});
    else if (ListedBy[*Range] != None)
      Wrong.push_back({WrongRow::Twice, I, *Range, ListedBy[*Range]});
    else if (!isLive(D.Ranges[*Range], Step))
      Wrong.push_back({WrongRow::Dead, I, *Range});
    if (Range)
      ListedBy[*Range] = I;
  }
  for (uint32_t I = 0; I != D.Ranges.size(); ++I)
    if (isLive(D.Ranges[I], Step) && ListedBy[I] == None)
      Missing.push_back(I);
}

/// Counts how often each name is expected and listed.
void PeakMembers::compareNames(int32_t At) {
  constexpr uint32_t None = ~uint32_t(0);
  std::vector<uint32_t> Expected(D.Names.size(), 0);
  std::vector<uint32_t> Range(D.Names.size(), None);
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    Range[D.Ranges[I].Name.index()] = I;
    Expected[D.Ranges[I].Name.index()] += isLive(D.Ranges[I], At);
  }
  for (uint32_t I = 0; I != D.Peak.size(); ++I) {
    uint32_t Name = D.Peak[I].Name.index();
    if (Expected[Name] != 0)
      --Expected[Name];
    else if (Range[Name] == None)
      Wrong.push_back({WrongRow::Unknown, I, 0});
    else
      Wrong.push_back({WrongRow::Dead, I, Range[Name]});
  }
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    uint32_t Name = D.Ranges[I].Name.index();
    if (isLive(D.Ranges[I], At) && Expected[Name] != 0) {
      --Expected[Name];
      Missing.push_back(I);
    }
  }
}

void PeakMembers::reportWrong(const WrongRow &Row,
                              std::optional<uint32_t> Instead) {
  const PeakRow &Peak = D.Peak[Row.Row];
  RowTexts Texts = A.places().row(Peak);
  std::string Name = D.spell(Peak.Name, Peak.Index);
  bool OnlyIndex = Instead && D.Ranges[*Instead].Name == Peak.Name;
  StringRef Where = OnlyIndex ? Texts.Index : Texts.Name;
  Finding F =
      Row.Why == WrongRow::Unknown
          ? R.report(Where, "peak list has '{}', which has no live range", Name)
      : Row.Why == WrongRow::Twice
          ? R.report(Where, "peak list has '{}' twice", Name)
          : R.report(Where,
                     "peak list has '{}', whose live range, {}-{}, does not "
                     "include step {}",
                     Name, D.Ranges[Row.Range].Start, D.Ranges[Row.Range].End,
                     Step);
  if (Row.Why == WrongRow::Twice)
    F.note(A.places().line(D.Peak[Row.Other]), "the other row is here");
  if (Row.Why == WrongRow::Dead)
    F.note(A.places().line(D.Ranges[Row.Range]), "its live range is here");
  about(F, Peak.Name, Peak.Index);
  if (!Instead)
    return;
  const LiveRangeRow &Range = D.Ranges[*Instead];
  F.note(A.places().line(Range), "'{}' is live at step {} but not listed",
         spell(*Instead), Step);
  about(F, Range.Name, Range.Index);
}

/// True if \p Row belongs after the row that \p Range should have.
bool PeakMembers::isBehind(const PeakRow &Row, uint32_t Range) const {
  const LiveRangeRow &Lost = D.Ranges[Range];
  if (D.PeakRows != PeakForm::Cumulative)
    return A.rangeRow(Row.Name, Row.Index).value_or(0) > Range;
  const Instruction *I = A.instruction(Lost.Name);
  ShapeId Part = I && I->Result
                     ? D.Shapes.at(I->Result, D.Indices.steps(Lost.Index))
                     : ShapeId();
  uint64_t Bytes =
      Part ? logicalBytes(D.Shapes, Part).value_or(0) : uint64_t(0);
  if (Row.Bytes != Bytes)
    return Row.Bytes < Bytes;
  if (Row.Name != Lost.Name)
    return D.Names[Row.Name] > D.Names[Lost.Name];
  return D.Indices.less(Lost.Index, Row.Index);
}

void PeakMembers::reportMissing(uint32_t Range) {
  const LiveRangeRow &Lost = D.Ranges[Range];
  const PeakRow *Next =
      llvm::partition_point(
          D.Peak, [&](const PeakRow &Row) { return !isBehind(Row, Range); }) -
      D.Peak.begin() + D.Peak.data();
  bool AtEnd = Next == D.Peak.data() + D.Peak.size();
  StringRef Where = D.Peak.empty() ? A.places().peakHeader().First
                    : AtEnd        ? A.places().line(D.Peak.back())
                                   : A.places().line(*Next);
  Finding F = R.report(Where,
                       "'{}' is live at step {} but missing from the peak "
                       "list, expected it {} this line",
                       spell(Range), Step, AtEnd ? "after" : "before");
  F.note(A.places().line(Lost), "its live range, {}-{}, is here", Lost.Start,
         Lost.End)
      .about(Section::Stack);
  about(F, Lost.Name, Lost.Index);
  if (!D.Peak.empty()) {
    const PeakRow &Neighbor = AtEnd ? D.Peak.back() : *Next;
    about(F, Neighbor.Name, Neighbor.Index);
  }
}

void PeakMembers::run() {
  compare(D.PeakStep);
  if (mistakes() == 0)
    return;
  size_t AtStated = mistakes();
  std::optional<PeakMoment> Peak = findPeak(A);
  if (Peak && Peak->Step != D.PeakStep) {
    compare(Peak->Step);
    if (mistakes() >= AtStated)
      compare(D.PeakStep);
  }
  for (size_t I = 0; I != Wrong.size(); ++I)
    reportWrong(Wrong[I],
                I < Missing.size() ? std::optional(Missing[I]) : std::nullopt);
  for (size_t I = Wrong.size(); I < Missing.size(); ++I)
    reportMissing(Missing[I]);
}

namespace hlobuf {
void checkPeakMembers(const CheckContext &A, Reporter &R) {
  if (A.dump().UnboundedPeak)
    return R.notChecked("a dimension is unbounded");
  if (!A.areRangesSound())
    return R.notChecked("the live ranges are incomplete");
  PeakMembers(A, R).run();
}
} // namespace hlobuf
