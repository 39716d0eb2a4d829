// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction whose result overlaps bytes of an operand that it reads does
// so element by element: what it reads there is what the same element
// overwrites, or what the instruction never changes. Otherwise the result
// depends on the order in which elements are computed.
//
// XLA means to guarantee it with three rules that nothing compares:
// GetFusionInstructionInPlaceInputOutputPairs (hlo_dataflow_analysis.cc, 2020;
// alias_info.cc, 2025) makes a fusion alias the operand of its root's update
// whatever else it reads of it, CanShareOperandBufferWithUser lets elementwise
// users take the place of a dying operand, and CanEmitFusedDynamicUpdateSlice-
// InPlace (ir_emission_utils.cc) decides how it is emitted. CPU up to jaxlib
// 0.12.0 fuses a shifted slice with the update of what it is taken from, and
// computes wrong numbers.
//
// Work in place by definition: control flow, asynchronous operations, sort,
// all-reduce and collective-broadcast operand by operand (NCCL's are in place:
// gpu/nvptx_alias_info.cc, 2025), operand 1 of ragged-all-to-all and of
// triangular-solve, the output operand of collective-permute, what a
// custom-call declares to alias, in a fusion too where nothing else there uses
// that operand (GPU: dynamic-slice fusions, 2024-2026). What a fusion declares
// counts where its body hands the operand on unchanged (async collectives on
// TPU).
//
// Start indices are read before the first element is written, or again for
// each: what shares bytes with them is not decided. Nor is what a sort, a
// collective or a custom call in a fusion reads, unless nothing else reads it.
// Emitters of kOutput and kCustom fusions go through tiles, so that another
// order is wrong for sure only under an update at their root, and where
// elements are computed from many others; not a scatter on TPU, where fused
// updates are copied to memory of the fusion's own first. What is not decided
// is open, and a warning where no dump that is known to be sound has such a
// place.

#include "Checks/Execution/ElementOrder.h"
#include "Checks/Execution/Violations.h"
#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "HLO/ArrayOrder.h"

using namespace hlobuf;

namespace {
/// A result and an operand that have common bytes.
struct SharedPlace {
  uint32_t Part;
  uint32_t Operand;
  uint32_t OperandPart;
  ValueId Result;
  ValueId Source;
};

struct InPlaceHazards {
  void report(const proof::Obligation &Owed, const proof::Evidence &Shown);
  void reportPart(const proof::Obligation &Owed, const proof::Evidence &Shown);
  void doubt(const proof::Obligation &Owed, const proof::Evidence &Shown);

  ElementAnswer ask(HloId Id, const SharedPlace &S);
  Finding add(Severity Level, HloId Id, const SharedPlace &S,
              StringRef Overwrites, StringRef Reason);
  void addWhere(Finding &F, const SharedPlace &S) const;
  std::string consequence() const;
  void explain(Finding &F, HloId Id, const SharedPlace &S);
  void addStep(Finding &F, HloId Id, int32_t Step, StepRole Role,
               std::string Action);
  const Shape &shape(HloId Id, uint32_t Part) const {
    return P.trees().shape(P.trees().part(P[Id].Shape, Part));
  }
  HloId operand(HloId Id, uint32_t K) const { return P.operands(Id)[K]; }

  const ModuleAnalysis &Analysis;
  Reporter &Diags;
  const Program &P = Analysis.program();
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  InPlaceReads Reads = InPlaceReads(P);
  /// Of the pair at hand, the worst read.
  ElementHazard Worst = {};
};
} // namespace

/// `elements [0, 4), bytes [0, 16)`; empty if \p Span is.
static std::string spellSpan(ElementSpan Span, const Shape &S) {
  if (Span.End <= Span.Begin)
    return "";
  uint64_t Bits = storedBits(S);
  return fmt::format("elements [{}, {}), bytes [{}, {})", Span.Begin, Span.End,
                     Span.Begin * Bits / 8, (Span.End * Bits + 7) / 8);
}

/// What happens to which element.
std::string InPlaceHazards::consequence() const {
  switch (Worst.Verdict) {
  case ReadVerdict::Behind:
    return fmt::format("element {} gets the new value of element {}",
                       Worst.Written, Worst.Read);
  case ReadVerdict::Ahead:
    return fmt::format(
        "element {} is computed from element {}, whose old value is there only "
        "if elements are written one by one in ascending order",
        Worst.Written, Worst.Read);
  default:
    return "elements may get new values of others instead of the old ones";
  }
}

void InPlaceHazards::addStep(Finding &F, HloId Id, int32_t Step, StepRole Role,
                             std::string Action) {
  Event E = eventAt(Analysis, Id);
  E.Step.Step = Step;
  hlobuf::addStep(F, std::move(E), P.spell(Id), std::move(Action), Role);
}

/// As the module spells it: `tuple#1` for what it has no name for.
static std::string spellInText(const Program &P, HloId Id) {
  if (!P.isHidden(Id))
    return P.spell(Id);
  return fmt::format("{}#{}", spellInText(P, P.operands(Id)[0]),
                     P[Id].number());
}

void InPlaceHazards::addWhere(Finding &F, const SharedPlace &S) const {
  const Value &V = D[S.Result];
  F.why(DumpFacts.places().value(V).Offset,
        "operand and result are both in bytes [{}, {}) of allocation {}",
        V.Offset, V.end(), D[V.Owner].Index);
}

void InPlaceHazards::explain(Finding &F, HloId Id, const SharedPlace &S) {
  HloId From = operand(Id, S.Operand);
  const Shape &Source = shape(From, S.OperandPart);
  int32_t Step = Analysis.schedule().time(Id);
  std::string Read = spellSpan(Worst.Reads, Source);
  std::string Written = spellSpan(Worst.Writes, Source);
  addStep(F, From, Analysis.schedule().time(From), StepRole::Defines,
          spellDefinition(D, S.Source));
  addStep(F, Worst.Reader ? Worst.Reader : Id, Step, StepRole::Reads,
          fmt::format("reads {}{}operand {}", Read, Read.empty() ? "" : " of ",
                      S.Operand));
  addStep(F, Worst.Writer ? Worst.Writer : Id, Step, StepRole::Overwrites,
          "OVERWRITES " +
              (Written.empty() ? "it before all of it is read" : Written));
  for (auto [Scalar, Value] : Worst.Scalars)
    F.why(P.place(Scalar), "it goes wrong where {} is {}",
          spellInText(P, Scalar), Value);
  addWhere(F, S);
  notePlace(F, DumpFacts, S.Source);
  notePlace(F, DumpFacts, S.Result);
}

ElementAnswer InPlaceHazards::ask(HloId Id, const SharedPlace &S) {
  auto IsThere = [&](OperandPart Other) {
    HloValueId V =
        Analysis.flow().at(operand(Id, Other.Operand), Other.Ordinal);
    ValueId Line = V ? Analysis.lineOf(V) : ValueId();
    return Line && D[Line].Owner == D[S.Result].Owner &&
           D[Line].Offset == D[S.Result].Offset;
  };
  return askElements(P, Reads,
                     {Id, S.Part, {S.Operand, S.OperandPart}, IsThere});
}

Finding InPlaceHazards::add(Severity Level, HloId Id, const SharedPlace &S,
                            StringRef Overwrites, StringRef Text) {
  return Diags.reportAs(
      Level, {P.place(Id), S.Result, S.Source, Subject(P, Id)},
      "{} {} its operand {}, {}, before it has read all of it: {}", P.spell(Id),
      Overwrites, S.Operand, P.spell(operand(Id, S.Operand)), Text);
}

static SharedPlace placeOf(const proof::Obligation &Owed,
                           const proof::Evidence &Shown) {
  return {Owed.Part, Owed.Operand, Owed.OperandPart, Shown.By, Shown.Lost};
}

void InPlaceHazards::report(const proof::Obligation &Owed,
                            const proof::Evidence &Shown) {
  HloId Id = Owed.At;
  SharedPlace S = placeOf(Owed, Shown);
  Worst = ask(Id, S).Worst;
  Finding F = add(Severity::Error, Id, S, "overwrites", consequence());
  explain(F, Id, S);
  if (Analysis.firstDifference())
    F.about(Section::Module);
}

/// A result that begins elsewhere than the operand that it meets.
void InPlaceHazards::reportPart(const proof::Obligation &Owed,
                                const proof::Evidence &Shown) {
  HloId Id = Owed.At;
  SharedPlace S = placeOf(Owed, Shown);
  HloId From = operand(Id, S.Operand);
  Finding F =
      Diags.report({P.place(Id), S.Result, S.Source, Subject(P, Id)},
                   "{} shares {} with its operand {}, {}: a result begins "
                   "where an operand begins, or shares no byte with it",
                   P.spell(Id), sharedBytes(D, D[S.Result], D[S.Source]),
                   S.Operand, P.spell(From));
  addStep(F, From, Analysis.schedule().time(From), StepRole::Defines,
          spellDefinition(D, S.Source));
  addStep(F, Id, Analysis.schedule().time(Id), StepRole::Overwrites,
          spellOverwrite(D[S.Result], D[S.Source]));
  notePlace(F, DumpFacts, S.Source);
  notePlace(F, DumpFacts, S.Result);
  if (Analysis.firstDifference())
    F.about(Section::Module);
}

/// What is not decided is said where it is.
void InPlaceHazards::doubt(const proof::Obligation &Owed,
                           const proof::Evidence &Shown) {
  SharedPlace S = placeOf(Owed, Shown);
  // What a rule without elements left open has no places.
  if (!S.Result)
    return;
  ElementAnswer Answer = ask(Owed.At, S);
  if (Answer.Sound || Answer.Doubt.empty())
    return;
  Finding F = add(Severity::Warning, Owed.At, S, "may overwrite", Answer.Doubt);
  addWhere(F, S);
}

void hlobuf::checkInPlaceHazard(const CheckContext &Ctx, Reporter &Diags) {
  auto Tell = [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
    InPlaceHazards Hazards{Analysis, Diags};
    const proof::Ledger &Book = Ctx.proof()->Book;
    auto IsTold = [&](HloId Id) {
      return llvm::any_of(Book.rows(proof::Topic::Written), [&](const auto &R) {
        return R.At == Id && R.How == proof::OutcomeKind::Violated;
      });
    };
    for (const Violation &V : Found)
      if (V.How == proof::Breach::SlicesApart && IsTold(V.Owed.At))
        continue; // clobbered-read says it
      else if (V.How == proof::Breach::ElementsOverwritten)
        Hazards.report(V.Owed, V.Shown);
      else if (V.How == proof::Breach::PartlyThere)
        Hazards.reportPart(V.Owed, V.Shown);
      else
        reportViolations(Analysis, &V, Diags);
    for (const auto &R : Book.rows(proof::Topic::InPlace))
      if (R.How == proof::OutcomeKind::Gap &&
          proof::Reason(R.Code) == proof::Reason::NeedsIntegerSets && R.Visited)
        Hazards.doubt(R.owed(), Book.outcome(R).evidence());
  };
  tellViolations(Ctx, Diags, Tell);
}
