// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two values that are live together use disjoint bytes, and a value that is
// never read is not written into the middle of a live one: it is written
// nevertheless. That is what XLA's heap simulator is for
// (heap_simulator.cc, MakeFreeChunksList, 2017) and what it tests before a
// value may join another one's allocation (buffer_assignment.cc,
// LiveRangeInterferes). Values that must alias are not an exception: their
// ranges are cut where the next one starts (hlo_live_range.cc, 2022-06-24; a
// step earlier before).
//
// Where one value ends at the step at which another one starts, an instruction
// reads the first while it writes the second. Then they have the same place
// (the instruction works in place) or share no byte, because live ranges count
// as closed when XLA places values, and in-place operands are placed exactly on
// their users. A result of another size is not excepted, also outside temps,
// where all offsets are 0: CanShareOperandBufferWithUser wants equal shapes.
// Builds for GPU between 2026-06-17 and 2026-08-06 really broke this rule in
// allocations with a block `reused by buffers of a different color`; that is a
// true defect.
//
// A value is live as long as the module implies, whose values and places must
// be those of the dump for a proof; else as long as the dump states.
//
// TPU's alternate memory (temps of another color than 0) is placed by the
// memory space assignment, which trusts last uses, not ends of ranges, in each
// branch of a conditional on its own, and half-open steps; broken pairs there
// are warnings, but an instruction that reads one value and writes a part of
// its bytes as another is an error in any order of steps. What nobody uses
// counts where it is written, and phis are not. Exceptions:
// - a value whose last user is a conditional is free again in a branch after
//   its last use there (205 of 3,127 TPU dumps); only the module shows where;
// - contexts of SparseCore chains share one place (libtpu 0.0.51, v5p and up).

#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Dataflow/LiveOccupancy.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Occupancy.h"
#include "Facts/Overlap.h"
#include "Program/StatedSteps.h"

using namespace hlobuf;

namespace {
/// The values of one place in time, found once for both rules.
class OverlapCheck {
public:
  OverlapCheck(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {
    const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
    if (!Analysis || !Analysis->derivesTime())
      return;
    Agrees = !Analysis->differs(DerivedPart::Values) &&
             !Analysis->differs(DerivedPart::Places);
    if (Agrees || !D.complete(Section::Ranges))
      takeRangesOf(*Analysis);
  }

  void run();

private:
  void takeRangesOf(const ModuleAnalysis &Analysis);
  bool canCompare();
  llvm::SmallVector<StepRange, 2> held(ValueId V);
  void check(const Allocation &Alloc);
  void report(Severity Level, ValueId Later, ValueId Earlier);

  bool isConstant(ValueId V) const {
    return hlobuf::isConstant(Ctx, D[V].Tag.Name);
  }
  StepRange rangeOf(ValueId V) const;
  std::string spellStep(int32_t Step) const;
  void addStart(Finding &F, ValueId V, std::string Action, StepRole Role);
  void addEnd(Finding &F, ValueId V, int32_t Step);
  void noteRange(Finding &F, ValueId V);
  void tell(Finding &F, ValueId Earlier, ValueId Later, std::string Action);

  bool readsAndWrites(ValueId Read, ValueId Written) const;
  void reportTouching(ValueId Ending, ValueId Starting);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  bool AnyConditional = false;
  /// Null where stated live ranges count.
  const ModuleAnalysis *Module = nullptr;
  /// Values and places are those of the module.
  bool Agrees = false;
  std::optional<LiveOccupancy> Holds;
  /// By value line; invalid without a live range.
  std::vector<HloValueId> Flow;
};
} // namespace

void OverlapCheck::takeRangesOf(const ModuleAnalysis &Analysis) {
  Module = &Analysis;
  Holds.emplace(Analysis);
  Flow.resize(D.Values.size());
  for (size_t I = 0; I != Analysis.flow().values().size(); ++I)
    if (ValueId Line = Analysis.lineOf(HloValueId(I));
        Line && Analysis.ranges()[HloValueId(I)])
      Flow[Line.index()] = HloValueId(I);
}

/// Constants are there before the first step, and the next run finds them: the
/// range that is stated or derived is that of their computation.
StepRange OverlapCheck::rangeOf(ValueId V) const {
  StepRange Range = Module ? *Module->ranges()[Flow[V.index()]] : *Ctx.range(V);
  if (isConstant(V))
    Range = {0, std::max(Range.End,
                         Module ? Module->schedule().steps() : Ctx.steps())};
  return Range;
}

/// True if there are live ranges. Says why not, and what they rest on.
bool OverlapCheck::canCompare() {
  if (!Module && D.complete(Section::Ranges)) {
    Diags.assume("the stated live ranges");
    return true;
  }
  if (Agrees)
    return true;
  Diags.notCheckedWithout(Ctx, Section::Ranges);
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (Analysis && !Analysis->isTimed())
    Diags.notChecked("the module is not scheduled");
  else if (!D.complete(Section::Module))
    Diags.notCheckedWithout(Ctx, Section::Module);
  return Module;
}

void OverlapCheck::run() {
  bool Timed = canCompare();
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.Values.size() < 2)
      continue;
    reportTupleTables(Ctx, Diags, Alloc);
    if (!Timed)
      continue;
    if (!Module)
      explainContexts(Ctx, Diags, Alloc);
    if (Module || !isAlternate(Ctx, Alloc) || canCompareAlternate(Ctx, Diags))
      check(Alloc);
  }
  if (AnyConditional)
    Diags.notCheckedWithout(Ctx, Section::Module,
                            "alternate memory: the last uses are unknown");
}

/// `step 9 (fusion.2)`, or `the end of the program`.
std::string OverlapCheck::spellStep(int32_t Step) const {
  if (!Module)
    return hlobuf::spellStep(D, Step);
  if (Step < 0 || Step >= Module->schedule().steps())
    return "the end of the program";
  HloId Id = Module->schedule().sequence()[static_cast<size_t>(Step)];
  return fmt::format("step {} ({})", Step, Module->program().spell(Id));
}

void OverlapCheck::addStart(Finding &F, ValueId V, std::string Action,
                            StepRole Role) {
  int32_t Step = rangeOf(V).Start;
  if (!Module)
    return addStep(F, Ctx, Step, V, std::move(Action), Role);
  Event E = eventAt(*Module, Module->flow()[Flow[V.index()]].Definition);
  E.Step.Step = Step;
  addStep(F, std::move(E), spellName(D, V), std::move(Action), Role,
          elementBits(D, V));
}

/// Who reads \p V at \p Step, its last one.
void OverlapCheck::addEnd(Finding &F, ValueId V, int32_t Step) {
  if (!Module)
    return hlobuf::addEnd(F, Ctx, V, Step);
  HloValueId Value = Flow[V.index()];
  if (Step < 0 || Step >= Module->schedule().steps()) {
    Event E = eventAt(*Module, Module->flow()[Value].Definition);
    E.Step.Step = Step;
    return addStep(F, std::move(E), spellName(D, V),
                   "is live until the end of the program", StepRole::Other);
  }
  HloId Id = Module->schedule().sequence()[static_cast<size_t>(Step)];
  std::optional<uint32_t> Read;
  Module->flow().forEachUse(
      Value, [&](HloId User, uint32_t Operand, const FlowPosition &) {
        if (User == Id && !Read)
          Read = Operand;
      });
  Event E = eventAt(*Module, Id);
  std::string Reader = E.Step.Subject;
  addStep(F, std::move(E), std::move(Reader),
          Read ? fmt::format("reads {} as operand {}", spellName(D, V), *Read)
               : fmt::format("{} is live until here", spellName(D, V)),
          Read ? StepRole::Reads : StepRole::Other);
}

void OverlapCheck::noteRange(Finding &F, ValueId V) {
  if (!Module)
    return hlobuf::noteRange(F, Ctx, V);
  StepRange Range = rangeOf(V);
  F.note(Module->program().place(Module->flow()[Flow[V.index()]].Definition),
         "{} is defined here and lives from {} to {}", D.spell(D[V].Tag),
         spellStep(Range.Start), spellStep(Range.End));
}

/// The timeline: \p Later does \p Action to \p Earlier.
void OverlapCheck::tell(Finding &F, ValueId Earlier, ValueId Later,
                        std::string Action) {
  addStart(F, Earlier, spellDefinition(D, Earlier), StepRole::Defines);
  addStart(F, Later, std::move(Action), StepRole::Overwrites);
  addEnd(F, Earlier, rangeOf(Earlier).End);
}

void OverlapCheck::report(Severity Level, ValueId Later, ValueId Earlier) {
  StepRange First = rangeOf(Earlier), Second = rangeOf(Later);
  bool Dead = Second.Start == Second.End;
  Finding F = Diags.reportAs(Level, Ctx.places().value(D[Later]).Offset,
                             "{}{} overlaps live value {} in {}",
                             Dead ? "unused value " : "", D.spell(D[Later].Tag),
                             D.spell(D[Earlier].Tag),
                             sharedBytes(D, D[Later], D[Earlier]));
  tell(F, Earlier, Later,
       fmt::format("{}{}", spellOverwrite(D[Later], D[Earlier]),
                   Dead ? ", and nobody reads it" : ""));
  if (Module)
    F.why(Ctx.places().value(D[Earlier]).Offset,
          "both are needed from step {} to step {}", Second.Start,
          std::min(First.End, Second.End));
  else if (isConstant(Later) || isConstant(Earlier))
    F.why(Ctx.places().value(D[isConstant(Later) ? Later : Earlier]).Tag.Whole,
          "a constant is there from the first step to the last");
  else
    F.why(Ctx.places().row(D.Ranges[*Ctx.rangeRow(Later)]).First,
          "the live range {}-{} begins before the live range {}-{} of {} ends",
          Second.Start, Second.End, First.Start, First.End,
          spellName(D, Earlier));
  notePlace(F, Ctx, Earlier);
  noteRange(F, Earlier);
  F.about(Later).about(Earlier);
}

/// The steps, closed, at which \p V holds its bytes.
llvm::SmallVector<StepRange, 2> OverlapCheck::held(ValueId V) {
  if (isConstant(V) && D[V].Size != 0)
    return {rangeOf(V)};
  if (Module)
    return Holds->held(Flow[V.index()]);
  Occupancy O = findOccupancy(Ctx, V);
  AnyConditional |= O.Kind == HoldPolicy::Conditional;
  Diags.exempt("conditional-reader", O.Kind == HoldPolicy::Conditional);
  if (O.Kind == HoldPolicy::Unknown)
    return {};
  return {O.Steps};
}

/// Alternate memory is placed by half-open steps, which excuses all but an
/// instruction that reads the one and writes the other.
void OverlapCheck::check(const Allocation &Alloc) {
  bool Alternate = isAlternate(Ctx, Alloc);
  std::vector<TimedBytes> Ranges;
  for (uint32_t Line = Alloc.Values.Begin; Line != Alloc.Values.End; ++Line) {
    if (Module ? !Flow[Line] : !Ctx.range(ValueId(Line)))
      continue;
    llvm::SmallVector<StepRange, 2> AllSteps = held(ValueId(Line));
    Diags.exempt("no-known-end", AllSteps.empty() && D.Values[Line].Size != 0);
    for (StepRange Steps : AllSteps)
      Ranges.push_back(timedBytes(D, ValueId(Line), Steps));
  }
  findOverlaps(Ranges, [&](uint32_t Later, uint32_t Earlier) {
    if (haveSameLiteral(Ctx, D.Values[Later].Tag.Name,
                        D.Values[Earlier].Tag.Name) &&
        D.Values[Later].samePlace(D.Values[Earlier]))
      return;
    report(Alternate ? Severity::Warning : Severity::Error, ValueId(Later),
           ValueId(Earlier));
  });
  findTouching(Ranges, [&](uint32_t Ending, uint32_t Starting) {
    if (!Alternate || readsAndWrites(ValueId(Ending), ValueId(Starting)))
      reportTouching(ValueId(Ending), ValueId(Starting));
  });
}

/// True if the instruction that writes \p Written reads \p Read itself, and has
/// done both when it ends: no order of steps excuses that they share bytes.
bool OverlapCheck::readsAndWrites(ValueId Read, ValueId Written) const {
  const ValueTag &Tag = D[Written].Tag;
  if (Tag.Phi || isTransfer(Ctx.opcode(Tag.Name)))
    return false;
  if (!Module) {
    UsedId U = Ctx.usedOf(Read);
    IndexRange Uses = U ? D.useRows(D[U]) : IndexRange();
    StatedSteps Steps(Ctx);
    for (uint32_t Number = Uses.Begin; Number != Uses.End; ++Number)
      if (D.Uses[Number].Name == Tag.Name && Steps.reads(Number))
        return !isConcatBitcast(Ctx, Tag.Name);
    return false;
  }
  const Program &P = Module->program();
  HloId Id = Module->flow()[Flow[Written.index()]].Definition;
  Opcode Op = P[Id].Op;
  // Of a tuple, a copy reads only the table.
  bool CopiesTable = Op == Opcode::Copy && P.trees().isTuple(P[Id].Shape, 0);
  if (Op == Opcode::Unknown || P[Id].Sugar || isControlFlow(Op) ||
      isTransfer(Op) || accessesNoMemory(Op) || CopiesTable ||
      P.customCallTarget(Id, Backend::TPU) == "ConcatBitcast")
    return false;
  bool Reads = false;
  Module->flow().forEachUse(
      Flow[Read.index()],
      [&](HloId User, uint32_t, const FlowPosition &) { Reads |= User == Id; });
  return Reads;
}

void OverlapCheck::reportTouching(ValueId Ending, ValueId Starting) {
  const Value &V = D[Ending], &W = D[Starting];
  if (V.samePlace(W))
    return;
  Finding F = Diags.report(
      Ctx.places().value(W).Offset,
      "{} starts at {}, where {} is still read, and shares {} with it; they "
      "must have the same place or no common byte",
      D.spell(W.Tag), spellStep(rangeOf(Starting).Start), D.spell(V.Tag),
      sharedBytes(D, V, W));
  tell(F, Ending, Starting, spellOverwrite(W, V));
  F.why(Ctx.places().value(V).Offset,
        "a result may replace an operand only at the same first byte, with the "
        "same size");
  notePlace(F, Ctx, Ending);
  noteRange(F, Ending);
  noteRange(F, Starting);
  F.about(Starting).about(Ending);
}

void hlobuf::checkBufferOverlap(const CheckContext &Ctx, Reporter &Diags) {
  OverlapCheck(Ctx, Diags).run();
}
