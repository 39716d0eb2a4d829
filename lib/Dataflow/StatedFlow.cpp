// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/LocationGraph.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;

namespace {
struct StatedFlow {
  void run();

  /// What is known of one instruction before its parts are looked at.
  struct Definer {
    HloId Id;
    const Instruction &I;
    /// Some value of it is a phi.
    bool AnyPhi = false;
    /// Written as an opcode of its own, not as sugar of async-start.
    bool Genuine = false;
  };
  Definer describe(HloId Id) const;
  std::optional<OperandPart> sourceOf(const Definer &X, uint32_t Ordinal) const;
  bool defines(const Definer &X, uint32_t Ordinal) const;
  void link(HloId Id);
  void adopt(HloId Id, uint32_t Ordinal);
  ShapeIndex index(HloId Id, uint32_t Ordinal) const {
    return P.trees().index(P[Id].Shape, Ordinal);
  }

  LocationGraph &Graph;
  const Program &P = Graph.program();
  const Facts &DumpFacts = P.facts();
  const Dump &D = DumpFacts.dump();
};
} // namespace

/// In CUDA and ROCm dumps of 2026 all-gather-start, collective-permute-start
/// and all-reduce-start may be sugar of async-start: their results are then
/// values of what they wrap.
StatedFlow::Definer StatedFlow::describe(HloId Id) const {
  Definer X{Id, *DumpFacts.instruction(P[Id].Name)};
  X.Genuine = !P.trees().shape(P[Id].Shape).isTuple();
  for (uint32_t U : DumpFacts.usedOfInstruction(P[Id].Name)) {
    const ValueTag &Tag = D.Used[U].Tag;
    X.AnyPhi |= Tag.Phi;
    auto Ordinal = P.trees().ordinal(P[Id].Shape, Tag.Index);
    X.Genuine |= Ordinal && *Ordinal != 0 &&
                 D.Indices.steps(Tag.Index)[0] <= 1 &&
                 !P.trees().isTuple(P[Id].Shape, *Ordinal);
  }
  return X;
}

/// The operand's part that part \p Ordinal is, but for phis. What a loop leaves
/// unchanged has no phi; a collective-permute-start in place forwards the
/// elements of operand 0 alone.
std::optional<OperandPart> StatedFlow::sourceOf(const Definer &X,
                                                uint32_t Ordinal) const {
  if (X.I.Op.Op == Opcode::While && !P.operands(X.Id).empty())
    return OperandPart{0, Ordinal};
  if (X.I.Op.Op == Opcode::CollectivePermuteStart &&
      findAttribute(D.attributes(X.I), "slice_sizes"))
    return std::nullopt;
  return P.forwardedPart(X.Id, Ordinal);
}

/// True if the opcode defines a value at part \p Ordinal, which it does not
/// forward, in every release (InitializeInstructionValueSets in
/// hlo_dataflow_analysis.cc, 2017 on).
bool StatedFlow::defines(const Definer &X, uint32_t Ordinal) const {
  Opcode Op = X.I.Op.Op;
  auto Steps = P.trees().steps(P[X.Id].Shape, Ordinal);
  bool Table = P.trees().isTuple(P[X.Id].Shape, Ordinal);
  uint32_t First = Steps.empty() ? 0 : Steps[0];
  auto IsForwarded = [&](const ForwardRule &Rule) {
    return forwardedPath(Rule, Steps, Table).has_value();
  };
  if (definesNothing(Op) || llvm::any_of(forwardRules(Op), IsForwarded))
    return false;
  switch (Op) {
  case Opcode::Parameter:
    return !X.AnyPhi;
  case Opcode::AsyncUpdate: // defines its contexts since 2026-08-12
    return Table;
  case Opcode::CustomCall: // before 2021-10-05 aliased parts were forwarded
    return DumpFacts.release().since(Release::CustomCallForwards) ||
           !D.attributes(X.I).contains("output_to_operand_aliasing");
  case Opcode::CollectivePermuteStart:
    if (!Steps.empty() && First == 0)
      return false; // the table of operands
    break;
  default:
    break;
  }
  bool Wraps = Op == Opcode::AsyncStart ||
               (startedBy(Op) && mayBeSugar(Op) && !X.Genuine);
  return !Wraps || Table || First >= 2;
}

void StatedFlow::link(HloId Id) {
  Definer X = describe(Id);
  for (uint32_t K = 0; K != P.trees().parts(P[Id].Shape); ++K) {
    UsedId Own = DumpFacts.findUsed(P[Id].Name, index(Id, K));
    bool Phi = Own && D[Own].Tag.Phi;
    std::optional<OperandPart> From = sourceOf(X, K);
    if (Phi || (!From && defines(X, K)))
      Graph.define(Graph.location(Id, K));
    else if (From && !Graph.isLateToken(Id, K))
      if (HloId Operand = P.operands(Id)[From->Operand];
          Graph.hasLocations(Operand) &&
          From->Ordinal < P.trees().parts(P[Operand].Shape))
        Graph.forward(Graph.location(Id, K),
                      Graph.location(Operand, From->Ordinal));
  }
}

/// Takes the value that positions name at part \p Ordinal of \p Id.
void StatedFlow::adopt(HloId Id, uint32_t Ordinal) {
  UsedId U = DumpFacts.valueAt(P[Id].Name, index(Id, Ordinal));
  HloId From = U ? P.find(D[U].Tag.Name) : HloId();
  if (!From || !Graph.hasLocations(From))
    return;
  auto Part = P.trees().ordinal(P[From].Shape, D[U].Tag.Index);
  if (!Part)
    return;
  if (From == Id && *Part == Ordinal)
    Graph.define(Graph.location(Id, Ordinal));
  else if (uint32_t L = Graph.location(From, *Part);
           Graph.kind(L) == LocationKind::Definition)
    Graph.forward(Graph.location(Id, Ordinal), L);
}

void StatedFlow::run() {
  auto ForEachOpen = [&](auto Visit) {
    for (HloId Id : ids<HloId>(P.size()))
      for (uint32_t K = 0;
           Graph.hasLocations(Id) && K != P.trees().parts(P[Id].Shape); ++K)
        if (uint32_t L = Graph.location(Id, K);
            Graph.kind(Graph.find(L)) == LocationKind::None)
          Visit(Id, K);
  };
  for (HloId Id : ids<HloId>(P.size()))
    if (Graph.hasLocations(Id) && !P[Id].Opaque)
      link(Id);
  // Values where they are defined, then all other positions.
  ForEachOpen([&](HloId Id, uint32_t K) {
    if (UsedId U = DumpFacts.findUsed(P[Id].Name, index(Id, K));
        U && DumpFacts.valueAt(P[Id].Name, index(Id, K)) == U)
      adopt(Id, K);
  });
  ForEachOpen([&](HloId Id, uint32_t K) { adopt(Id, K); });
}

void hlobuf::linkStatedFlow(LocationGraph &Graph) { StatedFlow{Graph}.run(); }
