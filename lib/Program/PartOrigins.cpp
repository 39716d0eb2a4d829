// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/PartOrigins.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;

using PartList = SmallVector<Part, 2>;

ComputationId hlobuf::wrappedComputation(const Program &P, HloId Id) {
  ArrayRef<HloCall> Calls =
      isAsync(P[Id].Op) ? P.calls(Id) : ArrayRef<HloCall>();
  return Calls.empty() ? ComputationId() : Calls[0].Callee;
}

SmallVector<DeclaredAlias, 2> hlobuf::declaredAliases(const Program &P,
                                                      HloId Id) {
  const HloModule &M = P.module();
  if (P.isHidden(Id) || !M[Id].MayDeclareAliases)
    return {};
  return declaredAliases(M.attributes(M[Id]), P.facts().dump().Indices);
}

SmallVector<WorkingPair, 2> hlobuf::declaredPairs(const Program &P, HloId Id) {
  SmallVector<WorkingPair, 2> Pairs;
  for (const DeclaredAlias &Alias : declaredAliases(P, Id)) {
    if (Alias.Operand >= P.operands(Id).size())
      continue;
    HloId Operand = P.operands(Id)[Alias.Operand];
    auto Input = P.trees().ordinal(P[Operand].Shape, Alias.Index);
    auto Result = P.trees().ordinal(P[Id].Shape, Alias.Output);
    if (Input && Result)
      Pairs.push_back({Alias.Operand, *Input, *Result});
  }
  return Pairs;
}

std::optional<OperandPart> hlobuf::declaredPart(const Program &P, HloId Id,
                                                uint32_t Result) {
  for (const WorkingPair &Pair : declaredPairs(P, Id))
    if (Pair.Result == Result)
      return OperandPart{Pair.Operand, Pair.OperandPart};
  return std::nullopt;
}

bool hlobuf::usesNvshmem(const Program &P, HloId Id) {
  StringRef All = P.module().attributes(P.module()[Id]);
  return findAttribute(All, "backend_config")
      .value_or("")
      .contains_insensitive("nvshmem");
}

SmallVector<WorkingPair, 2> hlobuf::workingPairs(const Program &P, HloId Id) {
  SmallVector<WorkingPair, 2> All;
  Opcode Op = P[Id].Op;
  ArrayRef<HloId> Operands = P.operands(Id);
  auto Count = static_cast<uint32_t>(Operands.size());
  ShapeId Result = P[Id].Shape;
  bool IsTuple = P.trees().shape(Result).isTuple();
  if (isUpdate(Op) || isPaired(Op)) {
    uint32_t Each = !IsTuple                ? 1
                    : Op == Opcode::Scatter ? (Count - 1) / 2
                                            : Count;
    for (uint32_t K = 0; K != Each; ++K)
      All.push_back({K, 0, IsTuple ? P.trees().elementOrdinal(Result, K) : 0});
  } else if (isPermute(Op) && Count == 4) {
    bool Starts = Op == Opcode::CollectivePermuteStart;
    uint32_t First = Starts ? P.trees().elementOrdinal(Result, 1) : 0;
    for (uint32_t K = 0; K != P.trees().parts(P[Operands[1]].Shape); ++K)
      All.push_back({1, K, First + K});
  } else if (Op == Opcode::RaggedAllToAll || Op == Opcode::TriangularSolve) {
    All.push_back({1, 0, 0});
  } else if (Op == Opcode::SetDimensionSize) {
    All.push_back({0, 0, 0});
  }
  for (const WorkingPair &Pair : declaredPairs(P, Id))
    if (!P[Id].Sugar && !llvm::is_contained(All, Pair))
      All.push_back(Pair);
  return All;
}

static Part operandPart(const Program &P, HloId Id, uint32_t Operand,
                        ArrayRef<uint32_t> Steps) {
  ArrayRef<HloId> Operands = P.operands(Id);
  return Operand < Operands.size() ? P.partAt(Operands[Operand], Steps)
                                   : Part();
}

/// What the computation \p C returns at \p Steps.
static Part resultPart(const Program &P, ComputationId C,
                       ArrayRef<uint32_t> Steps) {
  return C ? P.partAt(P.root(C), Steps) : Part();
}

/// Markers of a call that is inlined and outlined again (xla/service/
/// call_marker.h, 2025) forward what they are given: the first as a tuple.
Part hlobuf::markedOperand(const Program &P, Part At) {
  StringRef Target = P.customCallTarget(At.Id);
  if (!Target.consume_front("__xla_internal_call_marker_"))
    return {};
  auto Steps = P.steps(At);
  if (Target == "before" && !Steps.empty())
    return operandPart(P, At.Id, Steps[0], ArrayRef(Steps).drop_front());
  return Target == "after" ? operandPart(P, At.Id, 0, Steps) : Part();
}

static PartList ofParameter(const Program &P, Part At) {
  const HloNode &N = P[At.Id];
  PartList All;
  if (N.Parent == P.module().Entry || P.isEmbedded(N.Parent))
    return All;
  auto Steps = P.steps(At);
  for (HloId Caller : P.callers(N.Parent)) {
    switch (P[Caller].Op) {
    case Opcode::Call:
      All.push_back(operandPart(P, Caller, N.number(), Steps));
      break;
    case Opcode::While:
      All.push_back(operandPart(P, Caller, 0, Steps));
      All.push_back(resultPart(P, P.callee(Caller, CallRole::Body), Steps));
      break;
    case Opcode::AsyncStart:
      if (HloId Bound = P.chains().boundOperand(P.chains().lastUpdate(Caller),
                                                N.number()))
        All.push_back(P.partAt(Bound, Steps));
      break;
    default:
      break;
    }
  }
  for (Program::CallSite Site : P.callSites(N.Parent))
    if (P[Site.Caller].Op == Opcode::Conditional)
      All.push_back(operandPart(P, Site.Caller, Site.Number + 1, Steps));
  return All;
}

/// Operands are at {0}, the results of the computation at {1}.
static PartList ofAsync(const Program &P, Part At) {
  auto Steps = P.steps(At);
  if (Steps.empty())
    return {};
  ArrayRef<uint32_t> Rest = ArrayRef(Steps).drop_front();
  if (Steps[0] == 0 && !Rest.empty())
    if (HloId Bound = P.chains().boundOperand(At.Id, Rest[0]))
      return {P.partAt(Bound, Rest.drop_front())};
  if (Steps[0] == 1)
    if (Part Result = resultPart(P, wrappedComputation(P, At.Id), Rest))
      return {Result};
  if (P[At.Id].Op == Opcode::AsyncUpdate)
    return {operandPart(P, At.Id, 0, Steps)};
  return {};
}

static PartList ofDone(const Program &P, Part At) {
  auto Steps = P.steps(At);
  if (Part Result = resultPart(P, wrappedComputation(P, At.Id), Steps))
    return {Result};
  Steps.insert(Steps.begin(), 1);
  return {operandPart(P, At.Id, 0, Steps)};
}

static PartList ofOperand(const Program &P, Part At, bool IsValue) {
  if (Part Marked = markedOperand(P, At))
    return {Marked};
  if (auto From = P.forwardedPart(At.Id, At.Ordinal))
    return {{P.operands(At.Id)[From->Operand], From->Ordinal}};
  if (IsValue)
    return {};
  // Releases that forwarded what is updated in place gave it no line.
  if (P[At.Id].Op == Opcode::SetDimensionSize)
    return {operandPart(P, At.Id, 0, P.steps(At))};
  if (P[At.Id].Op == Opcode::CustomCall)
    if (auto From = declaredPart(P, At.Id, At.Ordinal))
      return {{P.operands(At.Id)[From->Operand], From->Ordinal}};
  return {};
}

PartList hlobuf::originsOf(const Program &P, Part At, bool IsValue) {
  switch (P[At.Id].Op) {
  case Opcode::While: {
    auto Steps = P.steps(At);
    return {operandPart(P, At.Id, 0, Steps),
            resultPart(P, P.callee(At.Id, CallRole::Body), Steps)};
  }
  case Opcode::Call:
  case Opcode::Conditional: {
    PartList All;
    for (const HloCall &Call : P.calls(At.Id))
      All.push_back(resultPart(P, Call.Callee, P.steps(At)));
    return All;
  }
  case Opcode::Parameter:
    return ofParameter(P, At);
  case Opcode::AsyncStart:
  case Opcode::AsyncUpdate:
    return ofAsync(P, At);
  case Opcode::AsyncDone:
    return ofDone(P, At);
  default:
    return ofOperand(P, At, IsValue);
  }
}

std::optional<OperandPart> ProgramGraph::forwardedPart(HloId Id,
                                                       uint32_t Ordinal) const {
  const HloNode &N = (*this)[Id];
  ArrayRef<ForwardRule> Rules = forwardRules(N.Op);
  if (Rules.empty())
    return std::nullopt;
  auto Steps = Trees.steps(N.Shape, Ordinal);
  bool IsTuple = Trees.isTuple(N.Shape, Ordinal);
  for (const ForwardRule &Rule : Rules) {
    auto From = forwardedPath(Rule, Steps, IsTuple, N.number());
    if (!From || From->Operand >= operands(Id).size() ||
        !operands(Id)[From->Operand])
      continue;
    ShapeId Operand = (*this)[operands(Id)[From->Operand]].Shape;
    if (auto Part =
            Operand ? Trees.ordinal(Operand, From->Steps) : std::nullopt)
      return OperandPart{From->Operand, *Part};
  }
  return std::nullopt;
}
