// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree below the peak list says the peak's bytes again, by call stack
// (hlo_stack_trace.cc, since 2025-07-23). From its names, depths and own bytes
// all else follows:
// - the heading is the sum of the list;
// - a line's total is its own bytes and its children's totals, and lines
//   without bytes are not printed;
// - the first line has the name of the ENTRY computation;
// - siblings come by total descending, then by name, and the connectors say
//   which is the last;
// - `remaining` starts at the heading and loses each line's own bytes.
//
// A line with bytes of its own has the name of an instruction of the peak
// list: the op_name of its metadata, or its own name, with the index of the
// value, if that is not the root; of an op_name like params['a/b'].c the last
// part. Under each name tree and list have the same bytes; a value that several
// paths lead to is split between them, but the sum stays. This is a warning, as
// it was derived from dumps. No exception is known.

#include "Checks/Restated/RestatedSection.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Dump/Printer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;

/// The last part of an op_name of the form `params['a/b'].c`; else all of it.
static StringRef lastPart(StringRef Name) {
  size_t Offset = 0;
  auto Word = [&] {
    size_t Begin = Offset;
    while (Offset < Name.size() &&
           (llvm::isAlnum(Name[Offset]) || Name[Offset] == '_'))
      ++Offset;
    return Name.slice(Begin, Offset);
  };
  StringRef Last = Word();
  if (Last.empty() || llvm::isDigit(Last.front()) || !Name.contains("['"))
    return Name;
  while (Offset < Name.size()) {
    if (Name.substr(Offset).starts_with("['")) {
      size_t End = Name.find('\'', Offset + 2);
      if (End == StringRef::npos || End == Offset + 2 ||
          !Name.substr(End).starts_with("']"))
        return Name;
      StringRef Key = Name.slice(Offset + 2, End);
      Last = Key.substr(Key.rfind('/') + 1);
      Offset = End + 2;
      continue;
    }
    if (Name[Offset++] != '.' || (Last = Word()).empty())
      return Name;
  }
  return Last;
}

/// The name of the line that counts \p Row, of instruction \p I.
static std::string nameOf(const Dump &D, const PeakRow &Row,
                          const Instruction &I) {
  auto OpName = readMetadata(D.attributes(I)).OpName;
  std::string Whole = OpName ? unescape(*OpName) : std::string();
  std::string Name =
      Whole.empty() ? D.Names[I.Name].str() : lastPart(Whole).str();
  return Row.Index.isRoot() ? Name : Name + D.Indices.text(Row.Index);
}

namespace {
struct StackTree : RestatedSection {
  StackTree(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {}

  void compare();

  size_t statedLines() const override { return D.Stack.size(); }
  size_t derivedLines() const override { return Lines.size(); }
  StringRef stated(size_t Line) const override {
    return Ctx.places().line(D.Stack[Line]);
  }
  std::string derived(size_t Line) const override;
  StringRef noun() const override { return "stack breakdown"; }
  StringRef heading() const override {
    return Ctx.places().stackHeader().First;
  }
  void explain(Finding &F, std::optional<size_t>,
               std::optional<size_t>) override {
    F.about(Section::Stack);
  }

  /// A derived line.
  struct Line {
    /// Its number in Dump::Stack, from which its name is.
    uint32_t From = 0;
    /// The line of its parent; itself for the root.
    uint32_t Parent = 0;
    bool IsLast = true;
    uint64_t Total = 0, Current = 0;
    int64_t Remaining = 0;
  };

  bool checkDepths();
  bool addUp();
  void derive();
  void compareNames();

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  /// The bytes of the whole tree: the heading, unless that is wrong.
  uint64_t Whole = 0;
  std::vector<Line> Lines;
};
} // namespace

/// Reports the first line that is deeper than below the line before.
bool StackTree::checkDepths() {
  uint32_t Most = 1;
  for (const StackNode &Node : D.Stack) {
    if (Node.Depth > Most) {
      Diags.report(
          {Ctx.places().line(Node).take_front(Node.NameOffset), Section::Stack},
          "line has depth {}, expected {} or less", Node.Depth, Most);
      return false;
    }
    Most = Node.Depth + 1;
  }
  return true;
}

/// Without overflow: a broken tree may state anything.
static int64_t minus(int64_t Bytes, uint64_t Subtracted) {
  return static_cast<int64_t>(static_cast<uint64_t>(Bytes) - Subtracted);
}

/// True if the bytes of all lines are those of the tree. Else the first line
/// is reported at which the remaining bytes are not what is left: its bytes are
/// wrong, or those of a line that is lost before it.
bool StackTree::addUp() {
  if (sumOf(D.Stack, &StackNode::Current) == Whole)
    return true;
  auto Left = static_cast<int64_t>(Whole);
  for (const StackNode &Node : D.Stack) {
    Left = minus(Left, Node.Current);
    if (Node.Remaining == Left)
      continue;
    Diags.report({Ctx.places().row(Node).Remaining, Section::Stack},
                 "line '{}' leaves {} bytes remaining, expected {}: the lines "
                 "up to here have {} of {} bytes",
                 D.stackName(Node), Node.Remaining, Left,
                 minus(int64_t(Whole), uint64_t(Left)), Whole);
    return false;
  }
  StringRef Last =
      D.Stack.empty() ? heading() : Ctx.places().row(D.Stack.back()).Remaining;
  Diags.report({Last, Section::Stack},
               "the last line leaves {} bytes remaining, expected 0", Left);
  return false;
}

void StackTree::derive() {
  size_t Count = D.Stack.size();
  std::vector<uint32_t> Parents(Count), Open;
  for (uint32_t I = 0; I != Count; ++I) {
    // The first line is the root, and a line is one deeper than its parent.
    size_t Depth = std::max<size_t>(D.Stack[I].Depth, 2);
    Open.resize(std::min(Open.size(), Depth - 1));
    Parents[I] = Open.empty() ? 0 : Open.back();
    Open.push_back(I);
  }
  std::vector<uint64_t> Totals(Count);
  for (size_t I = Count; I-- != 0;) {
    Totals[I] += D.Stack[I].Current;
    if (I != 0)
      Totals[Parents[I]] += Totals[I];
  }
  std::vector<SmallVector<uint32_t, 4>> Children(Count);
  for (uint32_t I = 1; I < Count; ++I)
    if (Totals[I] != 0)
      Children[Parents[I]].push_back(I);

  auto Less = [&](uint32_t X, uint32_t Y) {
    return std::pair(Totals[Y], D.stackName(D.Stack[X])) <
           std::pair(Totals[X], D.stackName(D.Stack[Y]));
  };
  std::vector<Line> Stack;
  if (Count != 0 && Totals[0] != 0)
    Stack.push_back({});
  auto Left = static_cast<int64_t>(Whole);
  while (!Stack.empty()) {
    Line Current = Stack.back();
    Stack.pop_back();
    Current.Total = Totals[Current.From];
    Current.Current = D.Stack[Current.From].Current;
    Current.Remaining = Left = minus(Left, Current.Current);
    auto Number = static_cast<uint32_t>(Lines.size());
    Lines.push_back(Current);
    auto &Below = Children[Current.From];
    if (!llvm::is_sorted(Below, Less))
      llvm::stable_sort(Below, Less);
    for (uint32_t Child : llvm::reverse(Below))
      Stack.push_back({Child, Number, Child == Below.back()});
  }
}

std::string StackTree::derived(size_t Number) const {
  const Line &L = Lines[Number];
  // Columns from the right, as the parents are found.
  SmallVector<StringRef, 16> Columns;
  Columns.push_back(Number == 0 ? "  "
                    : L.IsLast  ? "\u2514\u2500\u2500 "
                                : "\u251c\u2500\u2500 ");
  for (const Line *Up = &L; Up != Lines.data();) {
    Up = &Lines[Up->Parent];
    Columns.push_back(Up->IsLast ? "    " : "\u2502   ");
  }
  double Percent = 100.0 * double(L.Total) / double(Whole);
  return "  " + llvm::join(llvm::reverse(Columns), "") +
         stackLine(D.stackName(D.Stack[L.From]), fmt::format("{:.1f}", Percent),
                   L.Total, L.Current, L.Remaining);
}

/// Where tree and list have the same bytes, they have them under the same
/// names.
void StackTree::compareNames() {
  for (const PeakRow &Row : D.Peak)
    if (!Ctx.hasText(Row.Name))
      return Diags.notCheckedWithout(
          Ctx, Section::Texts, "the text of a listed instruction is missing");
  // Bytes that the list has under a name and the tree does not; below 0 the
  // opposite, in two's complement.
  StringMap<uint64_t> Lacking;
  std::vector<std::string> Names;
  for (const PeakRow &Row : D.Peak) {
    Names.push_back(nameOf(D, Row, *Ctx.instruction(Row.Name)));
    Lacking[Names.back()] += Row.Bytes;
  }
  for (const StackNode &Node : D.Stack)
    if (Node.Current != 0)
      Lacking[D.stackName(Node)] -= Node.Current;
  for (const StackNode &Node : D.Stack) {
    uint64_t &Bytes = Lacking[D.stackName(Node)];
    if (static_cast<int64_t>(Bytes) >= 0)
      continue;
    Diags.reportAs(Severity::Warning,
                   {Ctx.places().row(Node).Name, Section::Stack},
                   "line '{}' has {} bytes more than the peak list has under "
                   "that name",
                   D.stackName(Node), -Bytes);
    Bytes = 0;
  }
  for (size_t I = 0; I != Names.size(); ++I) {
    const PeakRow &Row = D.Peak[I];
    uint64_t &Bytes = Lacking[Names[I]];
    if (static_cast<int64_t>(Bytes) <= 0)
      continue;
    UsedId U = Ctx.findUsed(Row.Name, Row.Index);
    Diags.reportAs(Severity::Warning,
                   {Ctx.places().line(Row), Section::Stack, Row.Name,
                    U ? Ctx.valueOf(U) : ValueId()},
                   "stack breakdown is missing {} bytes under '{}'", Bytes,
                   Names[I]);
    Bytes = 0;
  }
}

void StackTree::compare() {
  uint64_t Sum = sumOf(D.Peak, &PeakRow::Bytes);
  uint64_t Printed = D.Peak.empty() ? 0 : D.Peak.back().Cumulative;
  bool IsListed = D.StackTotal == Sum || D.StackTotal == Printed;
  Whole = IsListed ? D.StackTotal : Sum;
  if (!IsListed)
    Diags.report({heading(), Section::Stack},
                 "stack breakdown covers {} bytes, but the peak list has {}",
                 D.StackTotal, Sum);
  if (!checkDepths() || !addUp())
    return;
  const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
  if (Analysis && Analysis->isUsable() && !D.Stack.empty())
    if (StringRef Root = D.stackName(D.Stack.front()),
        Entry = D.Module.name(D.Module[D.Module.Entry]);
        Root != Entry)
      Diags.report({Ctx.places().row(D.Stack.front()).Name, Section::Stack},
                   "the first line is '{}', but the ENTRY computation is '{}'",
                   Root, Entry);
  derive();
  compareRestated(*this, Diags);
  if (Diags.count() == 0 && Whole == Sum)
    compareNames();
}

void hlobuf::checkStackBreakdown(const CheckContext &Ctx, Reporter &Diags) {
  if (Ctx.dump().PeakRows == PeakForm::Cumulative)
    StackTree(Ctx, Diags).compare();
}
