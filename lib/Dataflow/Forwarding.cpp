// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Forwarding.h"
#include "HLO/ArrayOrder.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Goes to operand \p Operand. False if there is none, or no such part.
bool Forwarding::stepOver(Part &Node, uint32_t Operand,
                          uint32_t Ordinal) const {
  ArrayRef<HloId> Operands = P.operands(Node.Id);
  if (Operand >= Operands.size() || !Operands[Operand] ||
      Ordinal >= P.trees().parts(P[Operands[Operand]].Shape))
    return false;
  Node = {Operands[Operand], Ordinal};
  return true;
}

/// `AsyncCollectiveStart(all-gather(x))` begins a collective: its first results
/// are what the collective reads (TPU, async collective fusions).
bool Forwarding::stepOverStart(Part &Node) const {
  if (P.operands(Node.Id).size() != 1)
    return false;
  if (P.customCallTarget(Node.Id, Backend::TPU) != "AsyncCollectiveStart")
    return false;
  ShapeId Result = P[Node.Id].Shape;
  HloId Collective = P.operands(Node.Id)[0];
  for (uint32_t K = 0; K != P.operands(Collective).size(); ++K) {
    if (P.trees().elementOrdinal(Result, K) != Node.Ordinal ||
        Node.Ordinal == 0)
      continue;
    const Shape &Output = P.trees().shape(P.trees().part(Result, Node.Ordinal));
    Node = {Collective, 0};
    return stepOver(Node, K, 0) &&
           sameBytes(P.trees().shape(P[Node.Id].Shape), Output);
  }
  return false;
}

/// Moves \p Node from an instruction's part to where its bytes come from.
Forwarding::Step Forwarding::next(Part &Node) const {
  auto Forward = [](bool Moved) { return Moved ? Step::Forward : Step::Stop; };
  Part From = Node;
  switch (P[Node.Id].Op) {
  case Opcode::Parameter:
    return Step::Parameter;
  case Opcode::Fusion:
    return Step::Enter;
  case Opcode::Copy:
    return Forward(
        stepOver(Node, 0, Node.Ordinal) &&
        (From.Ordinal != 0 || sameBytes(P.trees().shape(P[Node.Id].Shape),
                                        P.trees().shape(P[From.Id].Shape))));
  case Opcode::CustomCall:
    return Forward(stepOverStart(Node));
  default:
    break;
  }
  if (!accessesNoMemory(P[Node.Id].Op) && !forwardsOperand(P[Node.Id].Op))
    return Step::Stop;
  std::optional<OperandPart> Source = P.forwardedPart(Node.Id, Node.Ordinal);
  return Forward(Source && stepOver(Node, Source->Operand, Source->Ordinal));
}

/// The root of the computation that fusion \p Node calls, or that a custom
/// call hands to another execution thread; invalid if it has no such part.
HloId Forwarding::rootWith(Part Node) const {
  bool IsFusion = P[Node.Id].Op == Opcode::Fusion;
  ComputationId Body =
      P.callee(Node.Id, IsFusion ? CallRole::Calls : CallRole::Called);
  if (!IsFusion && Body && !P.runsElsewhere(Body))
    return HloId();
  HloId Root = Body ? P.root(Body) : HloId();
  return Root && Node.Ordinal < P.trees().parts(P[Root].Shape) ? Root : HloId();
}

/// The parameter of its computation that \p From is; invalid if it is none.
/// Nested fusions are followed with a stack of our own, and no part is visited
/// twice: broken modules may nest deeply, or in a circle.
std::optional<Forwarding::Part> Forwarding::findParameter(Part From) {
  // Most are a step or two from it: to remember them would take more room than
  // to go there again.
  constexpr unsigned FewSteps = 8;
  Part Near = From;
  for (unsigned I = 0; I != FewSteps; ++I) {
    Step Kind = next(Near);
    if (Kind == Step::Enter)
      break;
    if (Kind != Step::Forward)
      return Kind == Step::Parameter ? std::optional(Near) : std::nullopt;
  }
  struct Level {
    /// Parts that are all the same bytes.
    SmallVector<IdPair, 8> Path;
    /// The fusion that was entered from here.
    HloId Fusion;
  };
  SmallVector<Level, 2> Levels(1);
  Part Node = From;
  while (true) {
    auto [Entry, IsNew] = Known.try_emplace(key(Node), Part());
    Part Param = Entry->second;
    if (IsNew) {
      Levels.back().Path.push_back(key(Node));
      Step Kind = next(Node);
      if (Kind == Step::Forward)
        continue;
      if (HloId Root = Kind == Step::Enter ? rootWith(Node) : HloId()) {
        Levels.back().Fusion = Node.Id;
        Levels.emplace_back();
        Node.Id = Root;
        continue;
      }
      Param = Kind == Step::Parameter ? Node : Part();
    }
    for (IdPair Same : Levels.back().Path)
      Known[Same] = Param;
    Levels.pop_back();
    if (Levels.empty())
      return Param.Id ? std::optional(Param) : std::nullopt;
    // After the fusion it goes on at an operand, or nowhere.
    Node = {Levels.back().Fusion, 0};
    if (!Param.Id || !stepOver(Node, P[Param.Id].number(), Param.Ordinal))
      return std::nullopt;
  }
}

Forwarding::Origin Forwarding::origin(Part Node) {
  constexpr unsigned MaxSteps = 64;
  HloId Fusion;
  for (unsigned I = 0; I != MaxSteps; ++I) {
    Part Next = Node;
    Step Kind = next(Next);
    if (Kind == Step::Enter && !Fusion) {
      if (std::optional<OperandPart> From = find(Node.Id, Node.Ordinal)) {
        stepOver(Node, From->Operand, From->Ordinal);
        continue;
      }
      Next.Id = rootWith(Node);
      if (Next.Id)
        Fusion = Node.Id;
    } else if (Kind != Step::Forward) {
      return {Fusion, Node};
    }
    if (!Next.Id)
      return {Fusion, Node};
    Node = Next;
  }
  return {Fusion, Node};
}

std::optional<OperandPart> Forwarding::find(HloId Id, uint32_t Ordinal) {
  if (Ordinal >= P.trees().parts(P[Id].Shape) ||
      P.trees().isTuple(P[Id].Shape, Ordinal))
    return std::nullopt;
  Part Node = {Id, Ordinal};
  if (P[Id].Op == Opcode::Copy)
    return next(Node) == Step::Forward
               ? std::optional(OperandPart{0, Node.Ordinal})
               : std::nullopt;
  bool Calls = P[Id].Op == Opcode::Fusion || P[Id].Op == Opcode::CustomCall;
  HloId Root = Calls ? rootWith(Node) : HloId();
  std::optional<Part> Param =
      Root ? findParameter({Root, Ordinal}) : std::nullopt;
  if (!Param || !stepOver(Node, P[Param->Id].number(), Param->Ordinal))
    return std::nullopt;
  return OperandPart{P[Param->Id].number(), Param->Ordinal};
}
