// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Forwarding.h"
#include "HLO/ArrayOrder.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Goes to operand \p Operand. False if there is none, or no such part.
bool Forwarding::stepOver(Part &At, uint32_t Operand, uint32_t Ordinal) const {
  ArrayRef<HloId> Operands = P.operands(At.Id);
  if (Operand >= Operands.size() || !Operands[Operand] ||
      Ordinal >= P.trees().parts(P[Operands[Operand]].Shape))
    return false;
  At = {Operands[Operand], Ordinal};
  return true;
}

/// `AsyncCollectiveStart(all-gather(x))` begins a collective: its first results
/// are what the collective reads (TPU, async collective fusions).
bool Forwarding::stepOverStart(Part &At) const {
  if (P.operands(At.Id).size() != 1)
    return false;
  if (P.customCallTarget(At.Id, Backend::TPU) != "AsyncCollectiveStart")
    return false;
  ShapeId Result = P[At.Id].Shape;
  HloId Collective = P.operands(At.Id)[0];
  for (uint32_t K = 0; K != P.operands(Collective).size(); ++K) {
    if (P.trees().elementOrdinal(Result, K) != At.Ordinal || At.Ordinal == 0)
      continue;
    const Shape &Output = P.trees().shape(P.trees().part(Result, At.Ordinal));
    At = {Collective, 0};
    return stepOver(At, K, 0) &&
           sameBytes(P.trees().shape(P[At.Id].Shape), Output);
  }
  return false;
}

/// Moves \p At from an instruction's part to where its bytes come from.
Forwarding::Step Forwarding::next(Part &At) const {
  auto Forward = [](bool Moved) { return Moved ? Step::Forward : Step::Stop; };
  Part From = At;
  switch (P[At.Id].Op) {
  case Opcode::Parameter:
    return Step::Parameter;
  case Opcode::Fusion:
    return Step::Enter;
  case Opcode::Copy:
    return Forward(
        stepOver(At, 0, At.Ordinal) &&
        (From.Ordinal != 0 || sameBytes(P.trees().shape(P[At.Id].Shape),
                                        P.trees().shape(P[From.Id].Shape))));
  case Opcode::CustomCall:
    return Forward(stepOverStart(At));
  default:
    break;
  }
  if (!accessesNoMemory(P[At.Id].Op) && !forwardsOperand(P[At.Id].Op))
    return Step::Stop;
  std::optional<OperandPart> Source = P.forwardedPart(At.Id, At.Ordinal);
  return Forward(Source && stepOver(At, Source->Operand, Source->Ordinal));
}

/// The root of the computation that fusion \p At calls, or that a custom call
/// hands to another execution thread; invalid if it has no such part.
HloId Forwarding::rootWith(Part At) const {
  bool IsFusion = P[At.Id].Op == Opcode::Fusion;
  ComputationId Body =
      P.callee(At.Id, IsFusion ? CallRole::Calls : CallRole::Called);
  if (!IsFusion && Body && !P.runsElsewhere(Body))
    return HloId();
  HloId Root = Body ? P.root(Body) : HloId();
  return Root && At.Ordinal < P.trees().parts(P[Root].Shape) ? Root : HloId();
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
  Part At = From;
  while (true) {
    auto [Entry, IsNew] = Known.try_emplace(key(At), Part());
    Part Found = Entry->second;
    if (IsNew) {
      Levels.back().Path.push_back(key(At));
      Step Kind = next(At);
      if (Kind == Step::Forward)
        continue;
      if (HloId Root = Kind == Step::Enter ? rootWith(At) : HloId()) {
        Levels.back().Fusion = At.Id;
        Levels.emplace_back();
        At.Id = Root;
        continue;
      }
      Found = Kind == Step::Parameter ? At : Part();
    }
    for (IdPair Same : Levels.back().Path)
      Known[Same] = Found;
    Levels.pop_back();
    if (Levels.empty())
      return Found.Id ? std::optional(Found) : std::nullopt;
    // After the fusion it goes on at an operand, or nowhere.
    At = {Levels.back().Fusion, 0};
    if (!Found.Id || !stepOver(At, P[Found.Id].number(), Found.Ordinal))
      return std::nullopt;
  }
}

Forwarding::Origin Forwarding::origin(Part At) {
  constexpr unsigned MaxSteps = 64;
  HloId Fusion;
  for (unsigned I = 0; I != MaxSteps; ++I) {
    Part Next = At;
    Step Kind = next(Next);
    if (Kind == Step::Enter && !Fusion) {
      if (std::optional<OperandPart> From = find(At.Id, At.Ordinal)) {
        stepOver(At, From->Operand, From->Ordinal);
        continue;
      }
      Next.Id = rootWith(At);
      if (Next.Id)
        Fusion = At.Id;
    } else if (Kind != Step::Forward) {
      return {Fusion, At};
    }
    if (!Next.Id)
      return {Fusion, At};
    At = Next;
  }
  return {Fusion, At};
}

std::optional<OperandPart> Forwarding::find(HloId Id, uint32_t Ordinal) {
  if (Ordinal >= P.trees().parts(P[Id].Shape) ||
      P.trees().isTuple(P[Id].Shape, Ordinal))
    return std::nullopt;
  Part At = {Id, Ordinal};
  if (P[Id].Op == Opcode::Copy)
    return next(At) == Step::Forward ? std::optional(OperandPart{0, At.Ordinal})
                                     : std::nullopt;
  bool Calls = P[Id].Op == Opcode::Fusion || P[Id].Op == Opcode::CustomCall;
  HloId Root = Calls ? rootWith(At) : HloId();
  std::optional<Part> Found =
      Root ? findParameter({Root, Ordinal}) : std::nullopt;
  if (!Found || !stepOver(At, P[Found->Id].number(), Found->Ordinal))
    return std::nullopt;
  return OperandPart{P[Found->Id].number(), Found->Ordinal};
}
