// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Forwarding.h"
#include "HLO/ArrayOrder.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Goes to operand \p Operand. False if there is none, or no such part.
bool Forwarding::stepOver(Part &Output, uint32_t Operand,
                          uint32_t Ordinal) const {
  ArrayRef<HloId> Operands = P.operands(Output.Id);
  if (Operand >= Operands.size() || !Operands[Operand] ||
      Ordinal >= P.trees().parts(P[Operands[Operand]].Shape))
    return false;
  Output = {Operands[Operand], Ordinal};
  return true;
}

/// `AsyncCollectiveStart(all-gather(x))` begins a collective: its first results
/// are what the collective reads (TPU, async collective fusions).
bool Forwarding::stepOverStart(Part &Start) const {
  if (P.operands(Start.Id).size() != 1)
    return false;
  if (P.customCallTarget(Start.Id, Backend::TPU) != "AsyncCollectiveStart")
    return false;
  ShapeId Result = P[Start.Id].Shape;
  HloId Collective = P.operands(Start.Id)[0];
  for (uint32_t K = 0; K != P.operands(Collective).size(); ++K) {
    if (P.trees().elementOrdinal(Result, K) != Start.Ordinal ||
        Start.Ordinal == 0)
      continue;
    const Shape &Output =
        P.trees().shape(P.trees().part(Result, Start.Ordinal));
    Start = {Collective, 0};
    return stepOver(Start, K, 0) &&
           sameBytes(P.trees().shape(P[Start.Id].Shape), Output);
  }
  return false;
}

/// Moves \p Output from an instruction's part to where its bytes come from.
Forwarding::Step Forwarding::next(Part &Output) const {
  auto Forward = [](bool Moved) { return Moved ? Step::Forward : Step::Stop; };
  Part From = Output;
  switch (P[Output.Id].Op) {
  case Opcode::Parameter:
    return Step::Parameter;
  case Opcode::Fusion:
    return Step::Enter;
  case Opcode::Copy:
    return Forward(
        stepOver(Output, 0, Output.Ordinal) &&
        (From.Ordinal != 0 || sameBytes(P.trees().shape(P[Output.Id].Shape),
                                        P.trees().shape(P[From.Id].Shape))));
  case Opcode::CustomCall:
    return Forward(stepOverStart(Output));
  default:
    break;
  }
  if (!accessesNoMemory(P[Output.Id].Op) && !forwardsOperand(P[Output.Id].Op))
    return Step::Stop;
  std::optional<OperandPart> Source =
      P.forwardedPart(Output.Id, Output.Ordinal);
  return Forward(Source && stepOver(Output, Source->Operand, Source->Ordinal));
}

/// The root of the computation that fusion \p Output calls, or that a custom
/// call hands to another execution thread; invalid if it has no such part.
HloId Forwarding::rootWith(Part Output) const {
  bool IsFusion = P[Output.Id].Op == Opcode::Fusion;
  ComputationId Body =
      P.callee(Output.Id, IsFusion ? CallRole::Calls : CallRole::Called);
  if (!IsFusion && Body && !P.runsElsewhere(Body))
    return HloId();
  HloId Root = Body ? P.root(Body) : HloId();
  return Root && Output.Ordinal < P.trees().parts(P[Root].Shape) ? Root
                                                                 : HloId();
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
  Part Output = From;
  while (true) {
    auto [Entry, IsNew] = Known.try_emplace(key(Output), Part());
    Part Origin = Entry->second;
    if (IsNew) {
      Levels.back().Path.push_back(key(Output));
      Step Kind = next(Output);
      if (Kind == Step::Forward)
        continue;
      if (HloId Root = Kind == Step::Enter ? rootWith(Output) : HloId()) {
        Levels.back().Fusion = Output.Id;
        Levels.emplace_back();
        Output.Id = Root;
        continue;
      }
      Origin = Kind == Step::Parameter ? Output : Part();
    }
    for (IdPair Same : Levels.back().Path)
      Known[Same] = Origin;
    Levels.pop_back();
    if (Levels.empty())
      return Origin.Id ? std::optional(Origin) : std::nullopt;
    // After the fusion it goes on at an operand, or nowhere.
    Output = {Levels.back().Fusion, 0};
    if (!Origin.Id || !stepOver(Output, P[Origin.Id].number(), Origin.Ordinal))
      return std::nullopt;
  }
}

Forwarding::Origin Forwarding::origin(Part Output) {
  constexpr unsigned MaxSteps = 64;
  HloId Fusion;
  for (unsigned I = 0; I != MaxSteps; ++I) {
    Part Next = Output;
    Step Kind = next(Next);
    if (Kind == Step::Enter && !Fusion) {
      if (std::optional<OperandPart> From = find(Output.Id, Output.Ordinal)) {
        stepOver(Output, From->Operand, From->Ordinal);
        continue;
      }
      Next.Id = rootWith(Output);
      if (Next.Id)
        Fusion = Output.Id;
    } else if (Kind != Step::Forward) {
      return {Fusion, Output};
    }
    if (!Next.Id)
      return {Fusion, Output};
    Output = Next;
  }
  return {Fusion, Output};
}

std::optional<OperandPart> Forwarding::find(HloId Id, uint32_t Ordinal) {
  if (Ordinal >= P.trees().parts(P[Id].Shape) ||
      P.trees().isTuple(P[Id].Shape, Ordinal))
    return std::nullopt;
  Part Output = {Id, Ordinal};
  if (P[Id].Op == Opcode::Copy)
    return next(Output) == Step::Forward
               ? std::optional(OperandPart{0, Output.Ordinal})
               : std::nullopt;
  bool Calls = P[Id].Op == Opcode::Fusion || P[Id].Op == Opcode::CustomCall;
  HloId Root = Calls ? rootWith(Output) : HloId();
  std::optional<Part> Origin =
      Root ? findParameter({Root, Ordinal}) : std::nullopt;
  if (!Origin || !stepOver(Output, P[Origin->Id].number(), Origin->Ordinal))
    return std::nullopt;
  return OperandPart{P[Origin->Id].number(), Origin->Ordinal};
}
