//===- Facts/ReportDiff.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/ReportDiff.h"
#include "Support/LineCursor.h"
#include <unordered_map>

using namespace hlobuf;
using llvm::StringRef;

std::vector<StringRef> hlobuf::reportLines(StringRef Text) {
  std::vector<StringRef> Lines;
  for (LineCursor In(Text); !In.atEnd(); In.advance())
    Lines.push_back(In.line());
  return Lines;
}

bool hlobuf::parseReportRow(StringRef Line, ReportRow &Row) {
  auto Next = [&Line](StringRef Separator, StringRef &Field) {
    size_t Size = Line.find(Separator);
    if (Size == StringRef::npos)
      return false;
    Field = Line.take_front(Size).trim(" \t");
    Line = Line.drop_front(Size + Separator.size());
    return true;
  };
  if (!Next("(", Row.Cumulative) || !Next("%); ", Row.Percent) ||
      !Next("; ", Row.Size) || !Next("; ", Row.At) || !Next("; ", Row.Count))
    return false;
  Row.Shapes = Line;
  return !Row.At.getAsInteger(10, Row.Offset);
}

std::optional<uint32_t> hlobuf::parseAllocationHeading(StringRef Text) {
  uint32_t Index;
  if (!Text.consume_front("allocation ") || Text.consumeInteger(10, Index) ||
      !Text.starts_with(": "))
    return std::nullopt;
  return Index;
}

StringRef hlobuf::headerInRow(StringRef Line) {
  size_t At = Line.find("; allocation ");
  return At == StringRef::npos ? StringRef() : Line.drop_front(At + 2);
}

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
