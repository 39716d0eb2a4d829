// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Sharing/Sharing.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Occupancy.h"
#include <algorithm>

using namespace hlobuf;

std::string hlobuf::sharedBytes(const Dump &D, const Value &V, const Value &W) {
  return fmt::format("bytes [{}, {}) of allocation {}",
                     std::max(V.Offset, W.Offset), std::min(V.end(), W.end()),
                     D[V.Owner].Index);
}

std::string hlobuf::spellOverwrite(const Value &Later, const Value &Earlier) {
  return fmt::format("OVERWRITES bytes [{}, {})",
                     std::max(Later.Offset, Earlier.Offset),
                     std::min(Later.end(), Earlier.end()));
}

std::string hlobuf::spellStep(const Dump &D, int32_t Step) {
  if (Step >= 0 && static_cast<size_t>(Step) < D.Sequence.size())
    return fmt::format("step {} ({})", Step,
                       D.Names[D.Sequence[static_cast<size_t>(Step)].Name]);
  if (static_cast<size_t>(Step) == D.Sequence.size())
    return fmt::format("step {} (the end of the program)", Step);
  return fmt::format("step {}", Step);
}

bool hlobuf::areLastUsesKnown(const CheckContext &Ctx) {
  const Dump &D = Ctx.dump();
  return D.complete(Section::Used) && D.complete(Section::Texts) &&
         Ctx.isSequenceSound();
}

void hlobuf::explainContexts(const CheckContext &Ctx, Reporter &Diags,
                             const Allocation &Alloc) {
  const Value *First = nullptr;
  for (const Value &V : Ctx.dump().values(Alloc)) {
    Diags.exempt("sparsecore-context", isSharedContext(Ctx, V));
    // Alternate memory is not compared at all without texts.
    if (V.Size == 0 || isAlternate(Ctx, Alloc) || !mayBeSharedContext(Ctx, V))
      continue;
    First = First ? First : &V;
  }
  if (First)
    Diags.notChecked(
        fmt::format("possible contexts of SparseCore chains in allocation {}, "
                    "from {} on: needs instruction texts or the HLO module",
                    Alloc.Index, Ctx.dump().spell(First->Tag)));
}

void hlobuf::notePlace(Finding &F, const Facts &DumpFacts, ValueId V) {
  const Value &Val = DumpFacts.dump()[V];
  F.note(DumpFacts.places().value(Val).Offset,
         "{} occupies bytes [{}, {}) here", DumpFacts.dump().spell(Val.Tag),
         Val.Offset, Val.end());
}

void hlobuf::noteRange(Finding &F, const Facts &DumpFacts, ValueId V) {
  const Dump &D = DumpFacts.dump();
  std::optional<uint32_t> Row = DumpFacts.rangeRow(V);
  if (!Row)
    return;
  const LiveRangeRow &Range = D.Ranges[*Row];
  F.note(DumpFacts.places().row(Range).First, "{} is live from {} to {}",
         D.spell(D[V].Tag), spellStep(D, Range.Start), spellStep(D, Range.End));
}

std::string hlobuf::spellName(const Dump &D, ValueId V) {
  return D.spell(D[V].Tag.Name, D[V].Tag.Index);
}

std::string hlobuf::spellDefinition(const Dump &D, ValueId V) {
  const Value &Val = D[V];
  std::string Shape;
  if (Val.Shape)
    Shape = D.Shapes[Val.Shape].isTuple() ? "a tuple index table"
                                          : D.Shapes.plainText(Val.Shape);
  return fmt::format("defined: {}{}bytes [{}, {}) of allocation {}", Shape,
                     Shape.empty() ? "" : ", ", Val.Offset, Val.end(),
                     D[Val.Owner].Index);
}

int32_t hlobuf::firstStep(const Facts &DumpFacts, ValueId V) {
  if (std::optional<StepRange> Range = DumpFacts.range(V))
    return Range->Start;
  return DumpFacts.time(DumpFacts.dump()[V].Tag.Name);
}

static bool isStep(const Dump &D, int32_t Step) {
  return Step >= 0 && static_cast<size_t>(Step) < D.Sequence.size();
}

unsigned hlobuf::elementBits(const Dump &D, ValueId V) {
  ShapeId Shape = D[V].Shape;
  return Shape && D.Shapes[Shape].isArray() ? D.Shapes[Shape].Bits : 0;
}

static StringRef spellOpcode(Opcode Op) {
  return Op == Opcode::Unknown ? "" : opcodeText(Op);
}

Event hlobuf::eventAt(const ModuleAnalysis &Analysis, HloId Id) {
  const Program &P = Analysis.program();
  Event E{P.place(Id), {}, P[Id].Name};
  E.Step.Step = Analysis.schedule().time(Id);
  E.Step.Subject = P.spell(Id);
  E.Step.Opcode = spellOpcode(P[Id].Op);
  if (!P.isHidden(Id))
    E.Step.Source = P.facts().sourceLine(P.module().attributes(P.module()[Id]));
  return E;
}

/// Where the instruction \p Name, of \p Step, is: in the module if there is
/// one, else in the sequence; empty if it is in neither.
static StringRef placeOf(const Facts &DumpFacts, NameId Name, int32_t Step) {
  const Dump &D = DumpFacts.dump();
  HloId Id = D.complete(Section::Module) ? D.Module.find(Name) : HloId();
  if (Id)
    return D.Module.text(D.Module[Id]).split(' ').first;
  return isStep(D, Step) ? DumpFacts.places().row(D.Sequence[size_t(Step)]).Name
                         : StringRef();
}

Event hlobuf::eventAt(const Facts &DumpFacts, NameId Name) {
  const Dump &D = DumpFacts.dump();
  int32_t Step = DumpFacts.time(Name);
  Event E{placeOf(DumpFacts, Name, Step), {}, Name};
  E.Step.Step = Step;
  E.Step.Subject = D.Names[Name].str();
  E.Step.Opcode = spellOpcode(DumpFacts.opcode(Name));
  if (const Instruction *I = DumpFacts.instruction(Name))
    E.Step.Source = DumpFacts.sourceLine(*I);
  return E;
}

void hlobuf::addStep(Finding &F, Event E, std::string Subject,
                     std::string Action, StepRole Role, unsigned Bits) {
  E.Step.Subject = std::move(Subject);
  E.Step.Action = std::move(Action);
  E.Step.Role = Role;
  E.Step.Bits = Bits;
  F.step(E.Where, std::move(E.Step));
}

void hlobuf::addStep(Finding &F, const Facts &DumpFacts, int32_t Step,
                     ValueId V, std::string Action, StepRole Role) {
  const Dump &D = DumpFacts.dump();
  Event E = eventAt(DumpFacts, D[V].Tag.Name);
  E.Step.Step = Step;
  E.Where = isStep(D, Step) ? placeOf(DumpFacts, D[V].Tag.Name, Step)
                            : DumpFacts.places().value(D[V]).Tag.Whole;
  addStep(F, std::move(E), spellName(D, V), std::move(Action), Role,
          elementBits(D, V));
}

void hlobuf::addDefinition(Finding &F, const Facts &DumpFacts, ValueId V) {
  addStep(F, DumpFacts, firstStep(DumpFacts, V), V,
          spellDefinition(DumpFacts.dump(), V), StepRole::Defines);
}

void hlobuf::addEnd(Finding &F, const Facts &DumpFacts, ValueId V,
                    int32_t Step) {
  const Dump &D = DumpFacts.dump();
  if (!isStep(D, Step))
    return addStep(F, DumpFacts, Step, V,
                   "is live until the end of the program", StepRole::Other);
  Event E = eventAt(DumpFacts, D.Sequence[static_cast<size_t>(Step)].Name);
  std::string Reader = E.Step.Subject;
  UsedId U = DumpFacts.usedOf(V);
  for (const Use &Use : U ? D.uses(D[U]) : ArrayRef<hlobuf::Use>())
    if (Use.Name == E.Name)
      return addStep(
          F, std::move(E), std::move(Reader),
          fmt::format("reads {} as operand {}", spellName(D, V), Use.Operand),
          StepRole::Reads);
  addStep(F, std::move(E), std::move(Reader),
          fmt::format("{} is live until here", spellName(D, V)),
          StepRole::Other);
}
