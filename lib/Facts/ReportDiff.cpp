//===- Facts/ReportDiff.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/ReportDiff.h"
#include "Support/LineCursor.h"
#include "llvm/ADT/StringSet.h"
#include <unordered_map>

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// Walks over both reports at once.
class ReportDiffer {
public:
  ReportDiffer(const Dump &D, const Report &Expected,
               llvm::ArrayRef<StringRef> There)
      : D(D), Expected(Expected), There(There) {}

  std::vector<ReportDifference> run();

private:
  using Kind = ReportLineKind;

  // Lines by number; a null text after the end.
  StringRef wanted(size_t Line) const {
    return Line < Expected.lines().size() ? Expected.text(Line) : StringRef();
  }
  StringRef there(size_t Line) const {
    return Line < There.size() ? There[Line] : StringRef();
  }
  bool same(size_t Line, size_t ThereLine) const {
    StringRef W = wanted(Line);
    StringRef T = there(ThereLine);
    return W == T && (W.data() == nullptr) == (T.data() == nullptr);
  }
  const ReportLine &info(size_t Line) const { return Expected.lines()[Line]; }

  ReportFault judge() const;
  void step(ReportFault F);
  void nextAllocation();
  void nextTable();

  const Dump &D;
  const Report &Expected;
  llvm::ArrayRef<StringRef> There;
  /// The lines at hand, in Expected and There.
  size_t I = 0, J = 0;
  /// Numbers of the expected headers, by the printed index; made when needed.
  std::unordered_map<uint32_t, size_t> Headers;
};
} // namespace

std::vector<ReportDifference>
hlobuf::diffReport(const Dump &D, const Report &Expected,
                   llvm::ArrayRef<StringRef> There) {
  return ReportDiffer(D, Expected, There).run();
}

std::vector<ReportDifference> ReportDiffer::run() {
  std::vector<ReportDifference> Found;
  std::optional<uint32_t> Block;
  while (I < Expected.lines().size() && J < There.size()) {
    if (same(I, J)) {
      ++I;
      ++J;
      continue;
    }
    ReportFault F = judge();
    if (Block != info(I).Block)
      Found.push_back({F, I, J});
    Block = info(I).Block;
    step(F);
  }
  if (!Found.empty())
    return Found;
  if (I < Expected.lines().size())
    Found.push_back({ReportFault::Missing, I, J});
  else if (J < There.size())
    Found.push_back({ReportFault::Extra, I, J});
  return Found;
}

/// How the lines at hand differ, judged by the lines after them.
ReportFault ReportDiffer::judge() const {
  if (same(I + 1, J) && same(I, J + 1))
    return ReportFault::Exchanged;
  if (same(I + 1, J + 1))
    return ReportFault::Edited;
  if (same(I + 1, J))
    return ReportFault::Missing;
  if (same(I, J + 1))
    return ReportFault::Extra;
  return ReportFault::Unclear;
}

void ReportDiffer::step(ReportFault F) {
  switch (F) {
  case ReportFault::Exchanged:
    I += 2;
    J += 2;
    return;
  case ReportFault::Edited:
    ++I;
    ++J;
    return;
  case ReportFault::Missing:
    ++I;
    return;
  case ReportFault::Extra:
    ++J;
    return;
  case ReportFault::Unclear:
    if (Expected.form() == ReportForm::BySpace)
      nextTable();
    else
      nextAllocation();
    return;
  }
}

/// Goes on at the next header of an allocation that is still to come.
void ReportDiffer::nextAllocation() {
  if (Headers.empty())
    for (size_t Line = 0; Line < Expected.lines().size(); ++Line)
      if (info(Line).Kind == Kind::AllocationHeader)
        Headers.try_emplace(D[info(Line).Owner].Index, Line);
  // A header that was edited itself is left behind.
  if (info(I).Kind == Kind::AllocationHeader &&
      parseAllocationHeading(there(J)) == D[info(I).Owner].Index)
    ++J;
  for (; J < There.size(); ++J) {
    std::optional<uint32_t> Index = parseAllocationHeading(there(J));
    auto Found = Index ? Headers.find(*Index) : Headers.end();
    if (Found == Headers.end() || Found->second < I)
      continue;
    I = Found->second;
    return;
  }
}

/// Goes on at the next table of values, or at the next memory space.
void ReportDiffer::nextTable() {
  auto IsStart = [&](size_t Line) {
    return info(Line).Block != info(Line - 1).Block;
  };
  do
    ++I;
  while (I < Expected.lines().size() && !IsStart(I));
  StringRef Start = wanted(I);
  if (!Start.data()) {
    J = There.size();
    return;
  }
  do
    ++J;
  while (J < There.size() && there(J) != Start &&
         !there(J).starts_with("Memory Space: "));
  if (there(J) == Start)
    return;
  while (I < Expected.lines().size() && info(I).Kind != Kind::Space)
    ++I;
}

std::pair<StringRef, StringRef> hlobuf::firstDifference(StringRef There,
                                                        StringRef Wanted) {
  size_t Begin = 0;
  while (Begin < There.size() && Begin < Wanted.size() &&
         There[Begin] == Wanted[Begin])
    ++Begin;
  while (Begin != 0 && isNameByte(There[Begin - 1]))
    --Begin;
  auto Word = [&](StringRef Text) {
    // Numbers are padded on the left: the longer one begins earlier.
    Text = Text.drop_front(Begin).ltrim(' ');
    StringRef Name = Text.take_while(isNameByte);
    return Name.empty() ? Text.take_front(1) : Name;
  };
  return {Word(There), Word(Wanted)};
}

/// What of a row does not depend on other rows; empty if \p Line is not a row.
static StringRef rowKey(StringRef Line) {
  StringRef Header = headerInRow(Line);
  if (!Header.empty())
    return Header;
  size_t At = Line.find("%); ");
  return At == StringRef::npos ? StringRef() : Line.drop_front(At + 4);
}

/// True if \p There is \p Expected up to some line.
static bool endsEarly(const Dump &D, const Report &Expected,
                      llvm::ArrayRef<StringRef> There) {
  if (There.size() >= Expected.lines().size())
    return false;
  std::vector<ReportDifference> Found = diffReport(D, Expected, There);
  return Found.size() == 1 && Found.front().Fault == ReportFault::Missing &&
         Found.front().There == There.size();
}

ReportVerdict hlobuf::judgeReport(const Dump &D, StringRef Text) {
  Report Expected(D, Text, /*TiesAnyOrder=*/true);
  llvm::StringSet<> Totals;
  llvm::StringSet<> Keys;
  for (size_t I = 0; I != Expected.lines().size(); ++I) {
    if (Expected.lines()[I].Kind == ReportLineKind::Total)
      Totals.insert(Expected.text(I));
    else if (StringRef Key = rowKey(Expected.text(I)); !Key.empty())
      Keys.insert(Key);
  }
  bool TotalsDiffer = false;
  size_t Rows = 0;
  size_t Same = 0;
  std::vector<StringRef> There = reportLines(Text);
  for (StringRef Line : There) {
    if (Line.starts_with("Total bytes"))
      TotalsDiffer |= !Totals.contains(Line);
    StringRef Key = rowKey(Line);
    Rows += !Key.empty();
    Same += !Key.empty() && Keys.contains(Key);
  }
  ReportVerdict Verdict;
  Verdict.Foreign = TotalsDiffer && 2 * Same < Rows;
  Verdict.EndsEarly = !Verdict.Foreign && endsEarly(D, Expected, There);
  return Verdict;
}
