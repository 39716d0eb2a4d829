//===- Checks/StackBreakdown.cpp ----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree below the peak list says the peak's bytes again, by call stack
// (hlo_stack_trace.cc, since 2025-07-23): the heading is the sum of the list; a
// line's total is its own bytes and its children's totals; `remaining` starts
// at the heading and loses each line's own bytes, down to 0; siblings come by
// total descending, then by name; connectors follow from the depths. Names at
// the ends of paths are those of the list's instructions (their op_name, or
// their own name), with the same bytes in sum: a warning, as only the module
// shows the rest of a path. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class StackBreakdown {
public:
  StackBreakdown(const Analysis &A, Reporter &R)
      : A(A), R(R), D(A.dump()), Own(D.Stack.size()) {}

  void run();

private:
  void checkHeading();
  void checkStructure();
  void checkRemaining();
  void checkTotals();
  void checkPercents();
  void checkOrder();
  void checkNames();

  template <typename... Ts>
  Finding report(StringRef Where, fmt::format_string<Ts...> Format,
                 Ts &&...Args) {
    Finding F = R.report(Where, Format, std::forward<Ts>(Args)...);
    return F.about(Section::Stack);
  }
  bool hasChild(size_t I) const {
    return I + 1 < D.Stack.size() && D.Stack[I + 1].Depth > D.Stack[I].Depth;
  }

  const Analysis &A;
  Reporter &R;
  const Dump &D;
  /// Each line's own bytes: as printed, or, where the chain of `remaining`
  /// shows that to be wrong, as the chain has it.
  std::vector<uint64_t> Own;
};
} // namespace

static uint64_t listedBytes(const Dump &D) {
  uint64_t Sum = 0;
  for (const PeakRow &Row : D.Peak)
    Sum += Row.Bytes;
  return Sum;
}

/// The heading is the sum of the list, which the last row prints.
void StackBreakdown::checkHeading() {
  uint64_t Sum = listedBytes(D);
  uint64_t Printed = D.Peak.empty() ? 0 : D.Peak.back().Cumulative;
  if (D.StackTotal != Sum && D.StackTotal != Printed)
    report(A.places().stackHeader().First,
           "stack breakdown is for {} bytes, but the peak list has {}",
           D.StackTotal, Sum);
}

/// The connector columns in front of each name follow from the depths.
void StackBreakdown::checkStructure() {
  // By depth: a later line of that depth has the same parent.
  llvm::SmallVector<bool, 32> Later;
  std::vector<bool> IsLast(D.Stack.size());
  for (size_t I = D.Stack.size(); I != 0; --I) {
    uint32_t Depth = D.Stack[I - 1].Depth;
    IsLast[I - 1] = Later.size() <= Depth || !Later[Depth];
    Later.resize(Depth + 1, false);
    Later[Depth] = true;
  }
  llvm::SmallVector<bool, 32> Open;
  for (size_t I = 0; I != D.Stack.size(); ++I) {
    const StackNode &Node = D.Stack[I];
    uint32_t Limit = I == 0 ? 1 : D.Stack[I - 1].Depth + 1;
    StringRef Line = A.places().line(Node);
    StringRef Prefix = Line.take_front(Node.NameOffset);
    if (Node.Depth > Limit || (I != 0 && Node.Depth == 1)) {
      report(Prefix, "line has depth {}, expected {} to {}", Node.Depth,
             I == 0 ? 1 : 2, Limit);
      Open.resize(Node.Depth, false);
      continue;
    }
    Open.resize(Node.Depth - 1);
    // Prefixes are rebuilt in place: no text unless one differs.
    StringRef Rest = Prefix;
    bool Same = Rest.consume_front("  ");
    for (bool HasMore : Open)
      Same = Same && Rest.consume_front(HasMore ? "\u2502   " : "    ");
    StringRef Connector = Node.Depth == 1 ? "  "
                          : IsLast[I]     ? "\u2514\u2500\u2500 "
                                          : "\u251c\u2500\u2500 ";
    if (!Same || Rest != Connector)
      report(Prefix,
             "connectors in front of this line do not fit the lines around "
             "it; the line is {} of its siblings",
             IsLast[I] ? "the last" : "not the last");
    Open.push_back(Node.Depth > 1 && !IsLast[I]);
  }
}

void StackBreakdown::checkRemaining() {
  auto Left = static_cast<int64_t>(D.StackTotal);
  for (size_t I = 0; I != D.Stack.size(); ++I) {
    const StackNode &Node = D.Stack[I];
    Own[I] = Node.Current;
    int64_t Expected = Left - static_cast<int64_t>(Node.Current);
    Left = Expected;
    if (Node.Remaining == Expected)
      continue;
    // Does the tree go on from the expected number, or from the printed one?
    bool GoesOn = I + 1 == D.Stack.size()
                      ? Expected == 0
                      : D.Stack[I + 1].Remaining ==
                            Expected -
                                static_cast<int64_t>(D.Stack[I + 1].Current);
    StackTexts Texts = A.places().row(Node);
    if (GoesOn) {
      report(Texts.Remaining, "remaining bytes are {}, expected {}",
             Node.Remaining, Expected);
      continue;
    }
    int64_t Lost = Expected + static_cast<int64_t>(Node.Current) -
                   Node.Remaining;
    report(Texts.Current,
           "line has {} bytes of its own, but the remaining bytes go down by "
           "{}",
           Node.Current, Lost);
    Own[I] = static_cast<uint64_t>(Lost);
    Left = Node.Remaining;
  }
  if (!D.Stack.empty() && Left != 0)
    report(A.places().row(D.Stack.back()).Remaining,
           "the last line leaves {} bytes remaining, expected 0", Left);
}

void StackBreakdown::checkTotals() {
  // What lies below a line, by depth, built from the end.
  struct Children {
    uint64_t Bytes = 0;
    const StackNode *Last = nullptr;
  };
  llvm::SmallVector<Children, 32> Below;
  for (size_t I = D.Stack.size(); I != 0; --I) {
    const StackNode &Node = D.Stack[I - 1];
    Children Its;
    if (Below.size() > Node.Depth + 1)
      Its = Below[Node.Depth + 1];
    uint64_t Expected = Own[I - 1] + Its.Bytes;
    Below.resize(Node.Depth + 1);
    Below[Node.Depth].Bytes += Expected;
    if (!Below[Node.Depth].Last)
      Below[Node.Depth].Last = &Node;
    if (Node.Total != Expected) {
      Finding F = report(A.places().row(Node).Total,
                         "total is {}, but the line and those below it have "
                         "{} bytes",
                         Node.Total, Expected);
      if (Its.Last)
        F.note(A.places().line(*Its.Last), "the last line below it is here");
    } else if (Expected == 0) {
      report(A.places().row(Node).Total,
             "total is 0, but a line without bytes is not printed");
    }
  }
}

void StackBreakdown::checkPercents() {
  if (D.StackTotal == 0)
    return;
  for (const StackNode &Node : D.Stack) {
    std::string Expected =
        fmt::format("{:.1f}", 100.0 * static_cast<double>(Node.Total) /
                                  static_cast<double>(D.StackTotal));
    StringRef Printed = A.places().row(Node).Percent;
    if (Printed != Expected)
      report(Printed, "percentage is {}, expected {} for {} of {} bytes",
             Printed, Expected, Node.Total, D.StackTotal);
  }
}

void StackBreakdown::checkOrder() {
  // By depth: the line before with the same parent.
  llvm::SmallVector<const StackNode *, 32> Before;
  for (const StackNode &Node : D.Stack) {
    if (Before.size() < Node.Depth + 1)
      Before.resize(Node.Depth + 1, nullptr);
    Before.truncate(Node.Depth + 1);
    const StackNode *Elder = std::exchange(Before[Node.Depth], &Node);
    if (!Elder || Elder->Total > Node.Total ||
        (Elder->Total == Node.Total && D.stackName(*Elder) < D.stackName(Node)))
      continue;
    report(A.places().row(Node).Name,
           "line comes after its sibling '{}'; siblings come by total "
           "descending, then by name",
           D.stackName(*Elder))
        .note(A.places().line(*Elder), "the sibling is here");
  }
}

/// The last part of an op_name of the form `params['a/b'].c`; else all of it.
static StringRef lastPart(StringRef Name) {
  size_t At = 0;
  auto Word = [&] {
    size_t Begin = At;
    while (At < Name.size() && (llvm::isAlnum(Name[At]) || Name[At] == '_'))
      ++At;
    return Name.slice(Begin, At);
  };
  StringRef Last = Word();
  if (Last.empty() || llvm::isDigit(Last.front()) || !Name.contains("['"))
    return Name;
  while (At < Name.size()) {
    if (Name.substr(At).starts_with("['")) {
      size_t End = Name.find('\'', At + 2);
      if (End == StringRef::npos || End == At + 2 ||
          !Name.substr(End).starts_with("']"))
        return Name;
      StringRef Key = Name.slice(At + 2, End);
      Last = Key.substr(Key.rfind('/') + 1);
      At = End + 2;
      continue;
    }
    if (Name[At++] != '.' || (Last = Word()).empty())
      return Name;
  }
  return Last;
}

/// The name of the line that counts \p Row.
static std::string leafOf(const Analysis &A, const PeakRow &Row) {
  const Dump &D = A.dump();
  auto OpName = findMetadata(D.attributes(*A.instruction(Row.Name)), "op_name");
  std::string Whole = OpName ? unescape(*OpName) : std::string();
  StringRef Leaf = Whole.empty() ? D.Names[Row.Name] : lastPart(Whole);
  return Leaf.str() +
         (Row.Index.isRoot() ? std::string() : D.Indices.text(Row.Index));
}

void StackBreakdown::checkNames() {
  if (listedBytes(D) != D.StackTotal)
    return;
  for (const PeakRow &Row : D.Peak)
    if (!A.hasText(Row.Name))
      return R.notChecked("the text of a listed instruction is missing");
  // Bytes that the list has under a name and the tree does not.
  llvm::StringMap<int64_t> Missing;
  for (const PeakRow &Row : D.Peak)
    Missing[leafOf(A, Row)] += static_cast<int64_t>(Row.Bytes);
  for (size_t I = 0; I != D.Stack.size(); ++I)
    if (Own[I] != 0)
      Missing[D.stackName(D.Stack[I])] -= static_cast<int64_t>(Own[I]);
  for (const StackNode &Node : D.Stack) {
    auto Found = Missing.find(D.stackName(Node));
    if (Node.Current == 0 || Found == Missing.end() || Found->second >= 0)
      continue;
    R.reportAs(Severity::Warning, A.places().row(Node).Name,
               "line '{}' has {} bytes that the peak list does not have under "
               "that name",
               D.stackName(Node), -Found->second)
        .about(Section::Stack);
    Found->second = 0;
  }
  for (const PeakRow &Row : D.Peak) {
    auto Found = Missing.find(leafOf(A, Row));
    if (Found->second <= 0)
      continue;
    Finding F = R.reportAs(Severity::Warning, A.places().line(Row),
                           "the stack breakdown lacks {} bytes named '{}'",
                           Found->second, Found->first());
    F.about(Section::Stack).about(Row.Name);
    UsedId U = A.findUsed(Row.Name, Row.Index);
    if (ValueId V = U ? A.valueOf(U) : ValueId())
      F.about(V);
    Found->second = 0;
  }
}

void StackBreakdown::run() {
  checkHeading();
  checkStructure();
  checkRemaining();
  checkTotals();
  checkPercents();
  checkOrder();
  checkNames();
}

namespace hlobuf {
void checkStackBreakdown(const Analysis &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.PeakRows == PeakForm::Cumulative)
    StackBreakdown(A, R).run();
}
} // namespace hlobuf
