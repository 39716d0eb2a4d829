// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/MemorySummary.h"
#include "Support/Format.h"
#include <set>

using namespace hlobuf;

namespace {
/// What rows alone show.
struct RowSummarizer {
  void addRows(ArrayRef<HeldRow> Rows);
  void addKept(const HeldRow &Row);
  void addGroups(ArrayRef<HeldRow> Rows);
  void addTree(ArrayRef<HeldRow> Rows);

  const SummaryOptions &Options;
  /// Bytes that are kept for the backward pass.
  std::map<std::string, uint64_t> KeptByLoop = {};
  MemorySummary Summary = {};
};

struct Summarizer : RowSummarizer {
  MemorySummary run();

  void addAllocations();
  void addSpaces();
  HeldRow rowOf(const HeldValue &V);
  void addHeld();
  void addStated();
  void addSavings();
  void addDonation();

  const MemoryUse &Memory;
  const ValueNames &Names;
  const ModuleAnalysis *Module;
  const MemoryAnswers &Answers;
  const Facts &DumpFacts = Memory.facts();
  const Dump &D = DumpFacts.dump();
};
} // namespace

void Summarizer::addAllocations() {
  for (const Allocation &Alloc : D.Allocations) {
    Summary.Total += Alloc.Size;
    Summary.ByKind[static_cast<size_t>(kindOf(Alloc))] += Alloc.Size;
  }
}

void Summarizer::addSpaces() {
  Summary.Times = Memory.times();
  Summary.Capacity = Options.Capacity;
  Summary.Chip = Options.Chip;
  Summary.Table = Options.Table;
  Summary.Top = Options.Top;
  for (const SpaceUse &Space : Memory.spaces()) {
    if (Space.Color == 0)
      Summary.Main = Summary.Spaces.size();
    SpaceSummary &Sum = Summary.Spaces.emplace_back();
    static_cast<SpaceTotals &>(Sum) = Space;
    if (!Memory.isTimed())
      continue;
    Sum.Instruction = Memory.instructionAt(Space.PeakStep);
    if (NameId Name = Memory.nameAt(Space.PeakStep)) {
      ValueName Called = Names.ofInstruction(Name);
      Sum.OpName = Called.OpName;
      Sum.Source = Called.Source;
    }
    for (const HeldValue &V : Memory.heldAtPeak(Space)) {
      Sum.Unpadded += V.Unpadded;
      Sum.Idle += V.Idle;
    }
  }
}

HeldRow Summarizer::rowOf(const HeldValue &V) {
  const Value &Val = D[V.Value];
  HeldRow Row{Names.named(V)};
  if (Val.Shape)
    Row.Shape = D.Shapes[Val.Shape].isTuple() ? "tuple table"
                                              : D.Shapes.plainText(Val.Shape);
  Row.Allocation = D[Val.Owner].Index;
  Row.Idle = V.Idle;
  return Row;
}

/// Without times, every temp counts with its whole allocation.
static std::vector<HeldValue> allocationsAsRows(const Dump &D) {
  std::vector<HeldValue> Out;
  for (const Allocation &Alloc : D.Allocations)
    if (Alloc.color() == 0 && !Alloc.Values.empty() && !Alloc.ThreadLocal)
      Out.push_back(HeldValue{ValueId(Alloc.Values.Begin), kindOf(Alloc),
                              Alloc.Size, Alloc.Size});
  std::ranges::stable_sort(Out, std::greater(), &HeldValue::Bytes);
  return Out;
}

/// What the backward pass needs, and the loop that keeps the most of it.
void RowSummarizer::addKept(const HeldRow &Row) {
  if (!Row.Called.ForBackward)
    return;
  Summary.ResidualBytes += Row.Bytes;
  if (Row.Called.Role != ValueRole::Collected)
    return;
  uint64_t &Bytes = KeptByLoop[Row.Called.LoopText];
  Bytes += Row.Bytes;
  if (Bytes > Summary.KeptByLoop) {
    Summary.KeptByLoop = Bytes;
    Summary.KeepingLoop = Row.Called.LoopText;
  }
}

void Summarizer::addHeld() {
  if (!Summary.Main)
    return;
  std::vector<HeldValue> Whole;
  if (!Memory.isTimed())
    Whole = allocationsAsRows(D);
  ArrayRef<HeldValue> Values = Whole;
  if (Memory.isTimed())
    Values = Memory.heldAtPeak(*Memory.space(0));
  std::vector<HeldRow> Rows;
  for (const HeldValue &V : Values)
    Rows.push_back(rowOf(V));
  addRows(Rows);
}

void RowSummarizer::addRows(ArrayRef<HeldRow> Rows) {
  for (const HeldRow &Row : Rows) {
    Summary.BytesByKind[static_cast<size_t>(Row.Kind)] += Row.Bytes;
    addKept(Row);
  }
  Summary.Largest.assign(
      Rows.begin(), Rows.begin() + std::min<size_t>(Rows.size(), Options.Top));
  addTree(Rows);
  addGroups(Rows);
}

/// Smaller groups of one line, or of one list of arguments, are one.
static constexpr uint64_t SmallGroup = 50;
/// Operations that a group names.
static constexpr size_t MaxOps = 3;

/// `params['layers'][*]` of `params['layers'][*]['up']`; empty if it is in no
/// list.
static StringRef listOf(StringRef Label) {
  size_t End = Label.rfind("[*]");
  return End == StringRef::npos ? StringRef() : Label.take_front(End + 3);
}

/// Joins groups of one key into the first of them; an empty key joins none.
static std::vector<HeldGroup>
joinGroups(ArrayRef<HeldGroup> Groups,
           function_ref<std::string(const HeldGroup &)> KeyOf) {
  std::map<std::string, size_t> Known;
  std::vector<HeldGroup> Out;
  std::vector<std::set<std::string>> Shapes, Ops;
  for (const HeldGroup &Group : Groups) {
    std::string Key = KeyOf(Group);
    auto [Entry, New] = Known.try_emplace(Key, Out.size());
    if (New || Key.empty()) {
      Out.push_back(Group);
      Shapes.push_back({Group.First.Shape});
      Ops.push_back({lastScope(Group.Label).str()});
      continue;
    }
    HeldGroup &Whole = Out[Entry->second];
    Whole.Count += Group.Count;
    Whole.Bytes += Group.Bytes;
    Whole.Idle += Group.Idle;
    Shapes[Entry->second].insert(Group.First.Shape);
    Whole.Shapes = static_cast<unsigned>(Shapes[Entry->second].size());
    std::string Op = lastScope(Group.Label).str();
    if (Group.First.Kind == MemoryKind::Parameter)
      Whole.Label = (listOf(Group.Label) + "[...]").str();
    else if (Ops[Entry->second].size() < MaxOps &&
             Ops[Entry->second].insert(Op).second)
      Whole.Label = (lastScope(Whole.Label) + ", " + Op).str();
  }
  return Out;
}

void RowSummarizer::addGroups(ArrayRef<HeldRow> Rows) {
  std::vector<HeldGroup> Groups;
  using Key = std::tuple<std::string, std::string, std::string, MemoryKind,
                         std::string>;
  std::map<Key, size_t> Known;
  for (const HeldRow &Row : Rows) {
    std::string Label = withoutIndices(Row.Called.OpName);
    auto [Entry, New] =
        Known.try_emplace(Key(Label + Row.Called.reader(), Row.Called.Source,
                              Row.Shape, Row.Kind, Row.Called.keeper()),
                          Groups.size());
    if (New)
      Groups.push_back({Row, 0, 0, 0, Row.Called.OpName});
    HeldGroup &Group = Groups[Entry->second];
    Group.Bytes += Row.Bytes;
    Group.Idle += Row.Idle;
    ++Group.Count;
    if (Group.First.Called.OpName != Row.Called.OpName)
      Group.Label = Label;
  }
  auto BySize = [](const HeldGroup &X, const HeldGroup &Y) {
    return X.Bytes > Y.Bytes;
  };
  llvm::stable_sort(Groups, BySize);
  auto LineOf = [](const HeldGroup &Group) {
    return Group.First.Called.Source.empty() || Group.Label.empty() ||
                   Group.First.Kind == MemoryKind::Parameter
               ? ""
               : fmt::format("{}|{}|{}", Group.First.Called.Source,
                             static_cast<unsigned>(Group.First.Kind),
                             Group.First.Called.keeper());
  };
  Groups = joinGroups(Groups, [&](const HeldGroup &Group) {
    std::string Line = LineOf(Group);
    return Line.empty() ? "" : Line + "|" + Group.First.Shape;
  });
  Groups = joinGroups(Groups, [&](const HeldGroup &Group) {
    if (Group.Bytes >= Summary.main()->Peak / SmallGroup)
      return std::string();
    return Group.First.Kind == MemoryKind::Parameter ? listOf(Group.Label).str()
                                                     : LineOf(Group);
  });
  llvm::stable_sort(Groups, BySize);
  Summary.NumGroups = Groups.size();
  if (Groups.size() > Options.Top)
    Groups.resize(Options.Top);
  Summary.Groups = std::move(Groups);
}

/// Arguments by their names, others by the scopes of their operations.
static std::vector<std::string> pathOf(const HeldRow &Row) {
  const std::string &OpName = Row.Called.OpName;
  if (Row.Kind == MemoryKind::Parameter)
    return {"arguments", withoutIndices(OpName.empty() ? Row.Name : OpName)};
  return OpName.empty() ? std::vector<std::string>{"(no op_name)", Row.Shape}
                        : splitScopes(OpName);
}

void RowSummarizer::addTree(ArrayRef<HeldRow> Rows) {
  MemoryTree Tree;
  for (const HeldRow &Row : Rows)
    Tree.add(pathOf(Row), Row.Bytes);
  // Nodes of less than one part in fifty say nothing.
  Summary.Tree = Tree.lines(std::max<uint64_t>(1, Summary.main()->Peak / 50),
                            3 * size_t(Options.Top));
}

/// XLA adds up the bytes of the elements of each live value, one by one, in all
/// memory spaces (xla/hlo/utils/hlo_live_range.cc, 2020;
/// xla/service/buffer_assignment.cc, ToVerboseString, 2023).
void Summarizer::addStated() {
  if (!D.complete(Section::Peak) || D.UnboundedPeak || !Summary.Main)
    return;
  StatedPeak &Stated = Summary.Stated.emplace();
  Stated.Step = D.PeakStep;
  Stated.Bytes = sumOf(D.Peak, &PeakRow::Bytes);
  if (Memory.times() == TimeSource::Dump && Stated.Step >= 0 &&
      Stated.Step <= Memory.steps())
    Stated.HeldBytes = Memory.space(0)->heldAt(Stated.Step);
}

void Summarizer::addSavings() {
  std::map<std::tuple<StringRef, std::string, uint64_t>, size_t> Known;
  for (const Waste &Item : Answers.Wasted) {
    // What a donation did not save is told with the others.
    if (Item.Small || (Item.Kind == WasteKind::UnusedDonation &&
                       D[D[Item.Value].Owner].MaybeLiveOut))
      continue;
    // Why it is copied is told with the copies.
    std::string Message = Item.Kind == WasteKind::Copy
                              ? StringRef(Item.Message).split(": ").first.str()
                              : Item.Message;
    StringRef Check = checkOf(Item.Kind);
    // Donations are of different arguments, and add up.
    bool Joined = Item.Kind != WasteKind::PossibleDonation &&
                  Item.Kind != WasteKind::UnusedDonation;
    auto [Entry, New] = Known.try_emplace(
        std::tuple(Check, Item.Hint, Item.Saved), Summary.Savings.size());
    if (!New && Joined)
      ++Summary.Savings[Entry->second].Count;
    else
      Summary.Savings.push_back(
          {Check, std::move(Message), Item.Hint, Item.Saved});
  }
  std::ranges::stable_sort(Summary.Savings, std::greater(), &WasteRow::Saved);
  if (Summary.Savings.size() > Options.Top)
    Summary.Savings.resize(Options.Top);
}

void Summarizer::addDonation() {
  if (!D.complete(Section::Module) || !D.Module.Entry)
    return;
  std::set<std::pair<uint32_t, uint32_t>> Returned;
  for (const Allocation &Alloc : D.Allocations)
    if (Alloc.isParameter() && Alloc.MaybeLiveOut)
      Returned.emplace(Alloc.ParameterNumber,
                       Alloc.ParameterIndex.canonical().bits());
  DonationSummary Sum;
  for (const HloAlias &Item : D.Module.Aliases)
    Sum.Effective +=
        Returned.count({Item.Parameter, Item.Index.canonical().bits()});
  Sum.Missed = static_cast<unsigned>(D.Module.Aliases.size()) - Sum.Effective;
  for (const Waste &Item : Answers.Wasted) {
    if (Item.Kind == WasteKind::UnusedDonation &&
        !D[D[Item.Value].Owner].MaybeLiveOut)
      Sum.Missed += Item.Count;
    if (Item.Kind == WasteKind::PossibleDonation || Item.ByDonation) {
      Sum.Possible += Item.Count;
      Sum.PossibleBytes += Item.Saved;
    }
  }
  Summary.Donation = Sum;
}

MemorySummary Summarizer::run() {
  addAllocations();
  addSpaces();
  addHeld();
  addStated();
  addSavings();
  addDonation();
  Summary.Copies = Answers.Copies;
  Summary.Donated = Answers.Donations;
  Summary.Stored = Answers.Stored;
  Summary.Recomputed = Answers.Recomputed;
  if (!Options.Explained.empty()) {
    WhyAnswers Why(Memory, Names, Module, Answers);
    for (const std::string &Question : Options.Explained)
      Summary.Answers.push_back(Why.answer(Question));
  }
  return std::move(Summary);
}

MemorySummary hlobuf::summarizeMemory(const MemoryUse &Memory,
                                      const ValueNames &Names,
                                      const ModuleAnalysis *Module,
                                      const MemoryAnswers &Answers,
                                      const SummaryOptions &Options) {
  return Summarizer{{Options}, Memory, Names, Module, Answers}.run();
}

MemorySummary hlobuf::summarizeRows(ArrayRef<SpaceTotals> Spaces,
                                    ArrayRef<HeldRow> Rows,
                                    const SummaryOptions &Options) {
  RowSummarizer S{Options};
  S.Summary.Main = 0;
  S.Summary.Table = Options.Table;
  S.Summary.Top = Options.Top;
  for (const SpaceTotals &Space : Spaces) {
    S.Summary.Total += Space.Allocated;
    static_cast<SpaceTotals &>(S.Summary.Spaces.emplace_back()) = Space;
  }
  S.addRows(Rows);
  return std::move(S.Summary);
}
