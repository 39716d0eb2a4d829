//===- Checks/Module/ModuleOverlap.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that the module keeps alive together use disjoint bytes, and where
// one ends as the other starts their places are equal or disjoint. As
// buffer-overlap, but by live ranges that are derived
// from the module: it needs nothing of the dump but the places, and is not
// fooled by a stated range that is too short. For TPU's alternate memory the
// last reads count, in each branch of a conditional on its own, and values that
// nobody reads count where they are written; findings there are warnings, as
// placement itself does not follow live ranges, and its steps are half-open. An
// instruction that reads one value and writes a part of its bytes as another is
// an error in any order of steps.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Checks/Sharing/Stacks.h"
#include "Dataflow/ExecutionPlan.h"
#include "Dataflow/LiveOccupancy.h"
#include "Facts/Occupancy.h"

using namespace hlobuf;

namespace {
class ModuleOverlap {
public:
  ModuleOverlap(const CheckContext &Ctx, const ModuleAnalysis &Analysis,
                Reporter &Diags)
      : Analysis(Analysis), Ctx(Ctx), D(Ctx.dump()), Diags(Diags),
        Holds(Analysis), OnStacks(Ctx, Diags) {}

  void run();

private:
  void check(const Allocation &Alloc, std::vector<TimedBytes> &Held);
  void report(ValueId Later, ValueId Earlier);
  void reportTouching(ValueId Ending, ValueId Starting);
  std::string spellStep(int32_t Step) const;
  bool readsAndWrites(HloValueId Read, HloValueId Written) const;
  StepRange rangeOf(ValueId Line) const {
    return *Analysis.ranges()[Flow[Line.index()]];
  }
  void addStep(Finding &F, HloId Id, int32_t Step, std::string Subject,
               std::string Action);
  void addEnd(Finding &F, ValueId V);
  void explain(Finding &F, ValueId Earlier, ValueId Later);

  const ModuleAnalysis &Analysis;
  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  LiveOccupancy Holds;
  Stacks OnStacks;
  /// By value line.
  std::vector<HloValueId> Flow;
};
} // namespace

std::string ModuleOverlap::spellStep(int32_t Step) const {
  if (Step < 0 || Step >= Analysis.schedule().steps())
    return "the end of the program";
  HloId Id = Analysis.schedule().sequence()[static_cast<size_t>(Step)];
  return fmt::format("step {} ({})", Step, Analysis.program().spell(Id));
}

void ModuleOverlap::addStep(Finding &F, HloId Id, int32_t Step,
                            std::string Subject, std::string Action) {
  const Program &P = Analysis.program();
  std::string Source =
      P.isHidden(Id) ? ""
                     : Ctx.sourceLine(P.module().attributes(P.module()[Id]));
  F.step(P.place(Id),
         {Step, std::move(Subject), std::move(Action), std::move(Source)});
}

/// Who reads \p V at its last step.
void ModuleOverlap::addEnd(Finding &F, ValueId V) {
  int32_t Step = rangeOf(V).End;
  HloValueId Value = Flow[V.index()];
  HloId Definition = Analysis.flow()[Value].Definition;
  if (Step < 0 || Step >= Analysis.schedule().steps())
    return addStep(F, Definition, Step, spellName(D, V),
                   "is live until the end of the program");
  HloId Id = Analysis.schedule().sequence()[static_cast<size_t>(Step)];
  std::optional<uint32_t> Read;
  Analysis.flow().forEachUse(
      Value, [&](HloId User, uint32_t Operand, const FlowPosition &) {
        if (User == Id && !Read)
          Read = Operand;
      });
  addStep(F, Id, Step, Analysis.program().spell(Id),
          Read ? fmt::format("reads {} as operand {}", spellName(D, V), *Read)
               : fmt::format("{} is live until here", spellName(D, V)));
}

/// True if the instruction that defines \p Written reads \p Read itself, and
/// has done both when it ends.
bool ModuleOverlap::readsAndWrites(HloValueId Read, HloValueId Written) const {
  const Program &P = Analysis.program();
  HloId Id = Analysis.flow()[Written].Definition;
  Opcode Op = P[Id].Op;
  if (Analysis.flow()[Written].Phi || Op == Opcode::Unknown || P[Id].Sugar ||
      isControlFlow(Op) || isTransfer(Op) || isConcatBitcast(P, Id))
    return false;
  llvm::ArrayRef<HloId> Operands = operandsRead(P, Analysis.schedule(), Id);
  bool Found = false;
  Analysis.flow().forEachUse(
      Read, [&](HloId User, uint32_t Operand, const FlowPosition &) {
        Found |= User == Id && Operand < Operands.size();
      });
  return Found;
}

/// What happens, and where both are placed and defined.
void ModuleOverlap::explain(Finding &F, ValueId Earlier, ValueId Later) {
  auto Definition = [&](ValueId V) {
    return Analysis.flow()[Flow[V.index()]].Definition;
  };
  addStep(F, Definition(Earlier), rangeOf(Earlier).Start, spellName(D, Earlier),
          spellDefinition(D, Earlier));
  addStep(F, Definition(Later), rangeOf(Later).Start, spellName(D, Later),
          spellOverwrite(D[Earlier], D[Later]));
  addEnd(F, Earlier);
  notePlace(F, Ctx, Earlier);
  for (ValueId Line : {Earlier, Later}) {
    StepRange Range = rangeOf(Line);
    F.note(Analysis.program().place(Definition(Line)),
           "{} is defined here and lives from {} to {}", D.spell(D[Line].Tag),
           spellStep(Range.Start), spellStep(Range.End));
  }
  F.about(Later).about(Earlier);
}

void ModuleOverlap::report(ValueId Later, ValueId Earlier) {
  bool Alternate = isAlternate(Ctx, D[D[Later].Owner]);
  StepRange First = rangeOf(Earlier);
  StepRange Second = rangeOf(Later);
  Finding F =
      Diags.reportAs(Alternate ? Severity::Warning : Severity::Error,
                     Ctx.places().value(D[Later]).Offset,
                     "according to the module, {} overlaps live value {} in {}",
                     D.spell(D[Later].Tag), D.spell(D[Earlier].Tag),
                     sharedBytes(D, D[Later], D[Earlier]));
  explain(F, Earlier, Later);
  F.why(Ctx.places().value(D[Earlier]).Offset,
        "both are needed from step {} to step {}", Second.Start,
        std::min(First.End, Second.End));
}

void ModuleOverlap::reportTouching(ValueId Ending, ValueId Starting) {
  const Value &V = D[Ending];
  const Value &Next = D[Starting];
  if (V.samePlace(Next))
    return;
  Finding F =
      Diags.report(Ctx.places().value(Next).Offset,
                   "{} is written at {}, where {} is still read, and "
                   "shares {} with it",
                   D.spell(Next.Tag), spellStep(rangeOf(Starting).Start),
                   D.spell(V.Tag), sharedBytes(D, V, Next));
  explain(F, Ending, Starting);
  F.why(Ctx.places().value(V).Offset,
        "they must have the same place or no common byte");
}

void ModuleOverlap::check(const Allocation &Alloc,
                          std::vector<TimedBytes> &Held) {
  Held.clear();
  for (uint32_t Line = Alloc.Values.Begin; Line != Alloc.Values.End; ++Line)
    if (HloValueId V = Flow[Line]) {
      llvm::SmallVector<StepRange, 2> AllSteps = Holds.held(V);
      Diags.exempt("no-known-end",
                   AllSteps.empty() && D.Values[Line].Size != 0);
      for (StepRange Steps : AllSteps)
        Held.push_back(timedBytes(D, ValueId(Line), Steps));
    }
  OnStacks.findOverlaps(Alloc, Held, [&](uint32_t Later, uint32_t Earlier) {
    report(ValueId(Later), ValueId(Earlier));
  });
  // Alternate memory is placed by half-open steps, which excuses all but an
  // instruction that reads the one and writes the other.
  bool Alternate = isAlternate(Ctx, Alloc);
  OnStacks.findTouching(
      Alloc, Held, Held, [&](uint32_t Ending, uint32_t Starting) {
        if (!Alternate || readsAndWrites(Flow[Ending], Flow[Starting]))
          reportTouching(ValueId(Ending), ValueId(Starting));
      });
}

void ModuleOverlap::run() {
  Flow.resize(D.Values.size());
  for (size_t I = 0; I != Analysis.flow().values().size(); ++I)
    if (ValueId Line = Analysis.lineOf(HloValueId(I));
        Line && Analysis.ranges()[HloValueId(I)])
      Flow[Line.index()] = HloValueId(I);
  std::vector<TimedBytes> Held;
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.Values.size() < 2)
      continue;
    check(Alloc, Held);
  }
}

void hlobuf::checkModuleOverlap(const CheckContext &Ctx, Reporter &Diags) {
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  if (!Analysis->isTimed())
    return Diags.notChecked("the module is not scheduled");
  ModuleOverlap(Ctx, *Analysis, Diags).run();
}
