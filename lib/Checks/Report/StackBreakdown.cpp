//===- Checks/Report/StackBreakdown.cpp -----------------------------------===//
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
// total descending, then by name; connectors follow from the depths. No
// exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class StackBreakdown {
public:
  StackBreakdown(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()), Own(D.Stack.size()), Totals(D.Stack.size()) {}

  void run();

private:
  void checkHeading();
  bool checkStructure();
  void checkRemaining();
  void checkTotals();
  void checkPercents();
  void checkOrder();
  double percentOf(uint64_t Bytes) const {
    return 100.0 * static_cast<double>(Bytes) / static_cast<double>(Whole);
  }
  bool printsAs(uint64_t Bytes, StringRef Printed) const;

  template <typename... Ts>
  Finding report(StringRef Where, fmt::format_string<Ts...> Format,
                 Ts &&...Args) {
    Finding F = R.report(Where, Format, std::forward<Ts>(Args)...);
    return F.about(Section::Stack);
  }

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  /// Each line's own bytes: as printed, or, where the chain of `remaining`
  /// shows that to be wrong, as the chain has it.
  std::vector<uint64_t> Own;
  /// What each line's total should be.
  std::vector<uint64_t> Totals;
  /// The bytes of the whole tree: the heading, unless that is wrong.
  uint64_t Whole = 0;
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
  Whole = D.StackTotal;
  if (D.StackTotal == Sum || D.StackTotal == Printed)
    return;
  report(A.places().stackHeader().First,
         "stack breakdown covers {} bytes, but the peak list has {}",
         D.StackTotal, Sum);
  Whole = Sum;
}

/// The connector columns in front of each name follow from the depths. False if
/// the depths make no tree.
bool StackBreakdown::checkStructure() {
  // By depth: a later line of that depth has the same parent.
  llvm::SmallVector<bool, 32> Later;
  std::vector<bool> IsLast(D.Stack.size());
  for (size_t I = D.Stack.size(); I != 0; --I) {
    uint32_t Depth = D.Stack[I - 1].Depth;
    IsLast[I - 1] = Later.size() <= Depth || !Later[Depth];
    Later.resize(Depth + 1, false);
    Later[Depth] = true;
  }
  bool IsTree = true;
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
      IsTree = false;
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
    if (!Same || Rest != Connector) {
      Finding F = report(Prefix,
                         "tree connectors do not match the lines around this "
                         "one, which is {} of its siblings",
                         IsLast[I] ? "the last" : "not the last");
      if (I + 1 != D.Stack.size())
        F.note(A.places().line(D.Stack[I + 1]), "the next line is here");
    }
    Open.push_back(Node.Depth > 1 && !IsLast[I]);
  }
  return IsTree;
}

/// Without overflow: a broken tree may state anything.
static int64_t minus(int64_t Bytes, uint64_t Taken) {
  return static_cast<int64_t>(static_cast<uint64_t>(Bytes) - Taken);
}

void StackBreakdown::checkRemaining() {
  auto Left = static_cast<int64_t>(Whole);
  for (size_t I = 0; I != D.Stack.size(); ++I) {
    const StackNode &Node = D.Stack[I];
    Own[I] = Node.Current;
    int64_t Before = std::exchange(Left, minus(Left, Node.Current));
    if (Node.Remaining == Left)
      continue;
    // Does the tree go on from the expected number, or from the printed one?
    bool AtEnd = I + 1 == D.Stack.size();
    bool GoesOn =
        AtEnd ? Left == 0
              : D.Stack[I + 1].Remaining == minus(Left, D.Stack[I + 1].Current);
    StackTexts Texts = A.places().row(Node);
    if (GoesOn) {
      report(Texts.Remaining, "remaining bytes are {}, expected {}",
             Node.Remaining, Left);
      continue;
    }
    Own[I] =
        static_cast<uint64_t>(Before) - static_cast<uint64_t>(Node.Remaining);
    report(Texts.Current,
           "line has {} bytes of its own, but the remaining bytes drop by {}",
           Node.Current, static_cast<int64_t>(Own[I]));
    Left = Node.Remaining;
  }
  if (!D.Stack.empty() && Left != 0)
    report(A.places().row(D.Stack.back()).Remaining,
           "the last line leaves {} bytes remaining, expected 0", Left);
}

void StackBreakdown::checkTotals() {
  // What is below a line, by depth, built from the end.
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
    uint64_t Expected = Totals[I - 1] = Own[I - 1] + Its.Bytes;
    Below.resize(Node.Depth + 1);
    Below[Node.Depth].Bytes += Expected;
    if (!Below[Node.Depth].Last)
      Below[Node.Depth].Last = &Node;
    if (Node.Total != Expected) {
      Finding F = report(
          A.places().row(Node).Total,
          "total is {}, but this line and those below it add up to {} bytes",
          Node.Total, Expected);
      if (Its.Last)
        F.note(A.places().line(*Its.Last), "the last line below it is here");
    } else if (Expected == 0) {
      report(A.places().row(Node).Total,
             "total is 0, but lines without bytes are not printed");
    }
  }
}

/// True if \p Bytes have the percentage \p Printed.
bool StackBreakdown::printsAs(uint64_t Bytes, StringRef Printed) const {
  std::array<char, 32> Buffer;
  auto End = fmt::format_to_n(Buffer.data(), Buffer.size(), "{:.1f}",
                              percentOf(Bytes));
  return Printed == StringRef(Buffer.data(), std::min(End.size, Buffer.size()));
}

void StackBreakdown::checkPercents() {
  if (Whole == 0)
    return;
  for (size_t I = 0; I != D.Stack.size(); ++I) {
    StringRef Printed = A.places().row(D.Stack[I]).Percent;
    if (printsAs(Totals[I], Printed) || printsAs(D.Stack[I].Total, Printed))
      continue;
    report(Printed, "percentage is {}, expected {:.1f} for {} of {} bytes",
           Printed, percentOf(Totals[I]), Totals[I], Whole);
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
           "line comes after its sibling '{}'; siblings are ordered by total "
           "(descending), then by name",
           D.stackName(*Elder))
        .note(A.places().line(*Elder), "the sibling is here");
  }
}

void StackBreakdown::run() {
  checkHeading();
  bool IsTree = checkStructure();
  checkRemaining();
  if (!IsTree)
    return;
  checkTotals();
  checkPercents();
  checkOrder();
}

namespace hlobuf {
void checkStackBreakdown(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.PeakRows == PeakForm::Cumulative)
    StackBreakdown(A, R).run();
}
} // namespace hlobuf
