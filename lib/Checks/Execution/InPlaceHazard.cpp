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
// Start indices are read before the first element is written. Emitters of
// kOutput and kCustom fusions go through tiles, so that another order is wrong
// for sure only under an update at their root, and where elements are computed
// from many others; not a scatter on TPU, where fused updates are copied to
// memory of the fusion's own first. What is not decided is a warning: no dump
// that is known to be sound has such a place.

#include "Checks/AboutInstruction.h"
#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Elements/InPlaceReads.h"
#include "Elements/OperandAccesses.h"
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

class InPlaceHazards {
public:
  InPlaceHazards(const ModuleAnalysis &Analysis, Reporter &Diags)
      : Analysis(Analysis), P(Analysis.program()), DumpFacts(Analysis.facts()),
        D(DumpFacts.dump()), Diags(Diags), Reads(P) {}
  void run();

private:
  using Place = std::pair<uint32_t, uint64_t>;
  void check(HloId Id);
  void findShared(HloId Id, llvm::SmallVectorImpl<SharedPlace> &Shared);
  bool isInPlaceByDefinition(HloId Id, const SharedPlace &S) const;
  bool isInPlaceInBody(HloId Id, const SharedPlace &S) const;
  bool follow(HloId &Id, uint32_t &Part, bool Alone) const;
  void check(HloId Id, const SharedPlace &S,
             llvm::ArrayRef<ReadOperand> Operands);
  Finding add(Severity Level, HloId Id, const SharedPlace &S,
              llvm::StringRef Overwrites, llvm::StringRef Reason);
  void addWhere(Finding &F, const SharedPlace &S) const;
  void doubt(HloId Id, const SharedPlace &S, llvm::StringRef Reason);
  void report(HloId Id, const SharedPlace &S);
  std::string consequence() const;
  void explain(Finding &F, HloId Id, const SharedPlace &S);
  void addStep(Finding &F, HloId Id, int32_t Step, StepRole Role,
               std::string Action);
  const Shape &shape(HloId Id, uint32_t Part) const {
    return P.trees().shape(P.trees().part(P[Id].Shape, Part));
  }
  HloId operand(HloId Id, uint32_t K) const { return P.operands(Id)[K]; }

  const ModuleAnalysis &Analysis;
  const Program &P;
  const Facts &DumpFacts;
  const Dump &D;
  Reporter &Diags;
  InPlaceReads Reads;
  /// Of the pair at hand, the worst read.
  ElementHazard Worst;
};
} // namespace

/// True if \p Id reads nothing itself, or is asynchronous.
static bool readsNothing(const HloNode &N) {
  return accessesNoMemory(N.Op) || isControlFlow(N.Op) || endedBy(N.Op) ||
         isTransfer(N.Op) || N.Sugar;
}

/// Results that have the place of an operand.
void InPlaceHazards::findShared(HloId Id,
                                llvm::SmallVectorImpl<SharedPlace> &Shared) {
  const DataflowAnalysis &Flow = Analysis.flow();
  auto LineAt = [&](HloId Reader, uint32_t Part, HloValueId V) {
    ValueId Line =
        V && shape(Reader, Part).isArray() ? Analysis.lineOf(V) : ValueId();
    return Line && D[Line].Size != 0 ? Line : ValueId();
  };
  llvm::SmallDenseMap<Place, llvm::SmallVector<std::pair<uint32_t, ValueId>, 1>,
                      4>
      Results;
  for (uint32_t Part = 0; Part != P.trees().parts(P[Id].Shape); ++Part) {
    HloValueId V = Flow.definedAt(Id, Part);
    if (!V || Flow[V].Phi)
      continue;
    if (ValueId Line = LineAt(Id, Part, V))
      Results[{D[Line].Owner.index(), D[Line].Offset}].push_back({Part, Line});
  }
  for (uint32_t K = 0; K != P.operands(Id).size() && !Results.empty(); ++K) {
    HloId Source = operand(Id, K);
    if (!Flow.hasLocations(Source))
      continue;
    for (uint32_t Part = 0; Part != P.trees().parts(P[Source].Shape); ++Part) {
      ValueId Line = LineAt(Source, Part, Flow.at(Source, Part));
      if (!Line)
        continue;
      for (auto [ResultPart, Result] :
           Results.lookup({D[Line].Owner.index(), D[Line].Offset}))
        if (Result != Line && D[Result].Size == D[Line].Size)
          Shared.push_back({ResultPart, K, Part, Result, Line});
    }
  }
}

bool InPlaceHazards::isInPlaceByDefinition(HloId Id,
                                           const SharedPlace &S) const {
  if (isPermute(P[Id].Op))
    return S.Operand == 1 && P.isInPlacePermute(Id);
  switch (P[Id].Op) {
  case Opcode::RaggedAllToAll:
  case Opcode::TriangularSolve:
    return S.Operand == 1;
  case Opcode::CustomCall: {
    // Known to the compiler by name (gpu/buffer_sharing.cc, 2022): the matrix
    // that is factored, and the one that a product is added to.
    llvm::StringRef Target = P.customCallTarget(Id, Backend::GPU);
    if ((Target == "__cusolver$cholesky" && S.Operand == 0) ||
        (Target.starts_with("__cublas$") && S.Operand == 2) ||
        P.customCallTarget(Id, Backend::TPU) == "ConcatBitcast")
      return true;
    ShapeIndex Output = P.trees().index(P[Id].Shape, S.Part);
    ShapeIndex Input =
        P.trees().index(P[operand(Id, S.Operand)].Shape, S.OperandPart);
    return llvm::any_of(
        declaredAliases(P.module().attributes(P.module()[Id]), D.Indices),
        [&](const DeclaredAlias &Item) {
          return Item.Operand == S.Operand &&
                 Item.Output.canonical() == Output.canonical() &&
                 Item.Index.canonical() == Input.canonical();
        });
  }
  case Opcode::Fusion:
    return !DumpFacts.isTPU() && isInPlaceInBody(Id, S);
  default:
    return false;
  }
}

/// Goes from part \p Part of \p Id to what it is, byte for byte; if \p Alone,
/// nothing else may use what is on the way. False if it does not get there.
bool InPlaceHazards::follow(HloId &Id, uint32_t &Part, bool Alone) const {
  for (;;) {
    if (Alone && !P.isReadOnce(Id))
      return false;
    if (!accessesNoMemory(P[Id].Op) || readsNoElement(P[Id].Op))
      return true;
    auto Sources = findAccesses(P, Id, Part);
    if (Sources.size() != 1)
      return false;
    Id = operand(Id, Sources[0].Operand);
    Part = Sources[0].Part;
  }
}

/// A fusion of slices on GPU runs one custom call, which may work in place.
bool InPlaceHazards::isInPlaceInBody(HloId Id, const SharedPlace &S) const {
  ComputationId Body = P.callee(Id, CallRole::Calls);
  HloId Call = Body ? P.root(Body) : HloId();
  SharedPlace Inner = S;
  if (!Call || Inner.Part >= P.trees().parts(P[Call].Shape) ||
      !follow(Call, Inner.Part, false) || P[Call].Op != Opcode::CustomCall)
    return false;
  for (uint32_t K = 0; K != P.operands(Call).size(); ++K) {
    HloId From = operand(Call, K);
    uint32_t Part = 0;
    Inner.Operand = K;
    Inner.OperandPart = 0;
    if (follow(From, Part, true) && P[From].Op == Opcode::Parameter &&
        P[From].number() == S.Operand && Part == S.OperandPart)
      return isInPlaceByDefinition(Call, Inner);
  }
  return false;
}

/// True if \p Id makes result k of operand k, one after the other, so that no
/// result may be written to the place of another operand.
static bool isCrossed(const HloNode &N, const SharedPlace &S) {
  return isPaired(N.Op) && S.Operand != (S.Part == 0 ? 0 : S.Part - 1);
}

/// Checks result S.Part, which has the place of an operand.
void InPlaceHazards::check(HloId Id, const SharedPlace &S,
                           llvm::ArrayRef<ReadOperand> Operands) {
  InPlaceChain Chain = Reads.chain(Id, S.Part);
  if (Chain.HasOperand) {
    // It may be another operand that is the same value.
    HloId From = operand(Id, Chain.Begin.Operand);
    HloValueId V = Analysis.flow().at(From, Chain.Begin.Part);
    ValueId Line = V ? Analysis.lineOf(V) : ValueId();
    Chain.HasOperand = Line && D[Line].Owner == D[S.Source].Owner &&
                       D[Line].Offset == D[S.Source].Offset;
  }
  bool Reported = false;
  for (ElementHazard &Hazard :
       Reads.find(Id, S.Part, {S.Operand, S.OperandPart}, Chain, Operands)) {
    if (Hazard.Verdict == ReadVerdict::Undecided) {
      // TPU orders the loops of such fusions, and GPU the threads of their one
      // loop, in a way that nothing shows.
      if (Hazard.Reason == OtherLoop && (DumpFacts.isTPU() || isOneLoop(P, Id)))
        Diags.notChecked(
            fmt::format("the order of a fusion's loops: operand {} "
                        "of {}",
                        S.Operand, P.spell(Id)));
      else if (!Reported)
        doubt(Id, S, Hazard.Reason);
      continue;
    }
    Worst = std::move(Hazard);
    if (copiesUpdates(P, Id, Chain)) {
      Diags.notChecked(
          fmt::format("the order of a fusion's loops: operand {} of {}",
                      S.Operand, P.spell(Id)));
    } else if (isCertain(P, Id, Worst, Chain)) {
      report(Id, S);
      Reported = true;
    } else {
      doubt(Id, S,
            "in which order tiles are read and written in place is "
            "not known");
    }
  }
}

void InPlaceHazards::check(HloId Id) {
  if (readsNothing(P[Id]) || P.isHidden(Id))
    return;
  llvm::SmallVector<SharedPlace, 2> Shared;
  findShared(Id, Shared);
  llvm::erase_if(Shared, [&](const SharedPlace &S) {
    return isInPlaceByDefinition(Id, S);
  });
  if (Shared.empty())
    return;
  llvm::SmallVector<ReadOperand, 2> Operands;
  for (const SharedPlace &S : Shared)
    Operands.push_back({S.Operand, S.OperandPart});
  for (const SharedPlace &S : Shared) {
    if (P[Id].Op == Opcode::CustomCall || isCrossed(P[Id], S)) {
      // Its text shows nothing about its elements.
      Worst = ElementHazard();
      Worst.Verdict = ReadVerdict::Anywhere;
      report(Id, S);
    } else {
      check(Id, S, Operands);
    }
  }
}

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
    return fmt::format("element {} is computed from element {}, whose old "
                       "value is there only if elements are written one by one "
                       "in ascending order",
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

Finding InPlaceHazards::add(Severity Level, HloId Id, const SharedPlace &S,
                            llvm::StringRef Overwrites, llvm::StringRef Text) {
  Finding F =
      Diags.reportAs(Level, P.place(Id),
                     "{} {} its operand {}, {}, before it has read all of "
                     "it: {}",
                     P.spell(Id), Overwrites, S.Operand,
                     P.spell(operand(Id, S.Operand)), Text);
  F.about(S.Result).about(S.Source);
  aboutInstruction(F, P, Id);
  return F;
}

void InPlaceHazards::report(HloId Id, const SharedPlace &S) {
  bool IsGuess = Analysis.isGuess(S.Result) || Analysis.isGuess(S.Source);
  Finding F = add(IsGuess ? Severity::Warning : Severity::Error, Id, S,
                  "overwrites", consequence());
  explain(F, Id, S);
  if (Analysis.firstDifference())
    F.about(Section::Module);
}

/// What is not decided is said where it is.
void InPlaceHazards::doubt(HloId Id, const SharedPlace &S,
                           llvm::StringRef Reason) {
  Finding F = add(Severity::Warning, Id, S, "may overwrite", Reason);
  addWhere(F, S);
}

void InPlaceHazards::run() {
  P.forEachSlot([&](HloId Id) {
    if (P.classOf(P[Id].Parent) == ComputationClass::Global &&
        Analysis.flow().hasLocations(Id))
      check(Id);
  });
}

void hlobuf::checkInPlaceHazard(const CheckContext &Ctx, Reporter &Diags) {
  if (const ModuleAnalysis *Analysis = usableModule(Ctx, Diags))
    InPlaceHazards(*Analysis, Diags).run();
}
