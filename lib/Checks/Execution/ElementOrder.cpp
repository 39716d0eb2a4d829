// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Execution/ElementOrder.h"

using namespace hlobuf;

/// What of \p Id, which may be a fusion, makes result k of operand k, one after
/// the other; invalid if nothing does. A sort reads all along a dimension.
static HloId pairedIn(const Program &P, HloId Id) {
  if (isPaired(P[Id].Op))
    return Id;
  if (P[Id].Op == Opcode::Fusion && !P.calls(Id).empty())
    for (HloId Inner : P.order(P.calls(Id)[0].Callee))
      if (P[Inner].Op == Opcode::Sort)
        return Inner;
  return HloId();
}

/// The operand of \p Id that \p Paired makes part \p Part of; nothing where
/// more than that is computed.
static std::optional<uint32_t> madeOf(const Program &P, HloId Id, HloId Paired,
                                      uint32_t Part) {
  hlobuf::Part At = {Id == Paired ? Id : P.root(P[Paired].Parent), Part};
  while (At.Id != Paired) {
    auto From = P.forwardedPart(At.Id, At.Ordinal);
    if (!From)
      return std::nullopt;
    At = {P.operands(At.Id)[From->Operand], From->Ordinal};
  }
  uint32_t Number = At.Ordinal == 0 ? 0 : At.Ordinal - 1;
  if (Id == Paired)
    return Number;
  HloId Operand = P.operands(Paired)[Number];
  return P[Operand].Op == Opcode::Parameter
             ? std::optional<uint32_t>(P[Operand].number())
             : std::nullopt;
}

/// Why \p Hazard is not decided. TPU orders the loops of fusions, and GPU the
/// threads of their one loop, in a way that nothing shows.
static StringRef doubtOf(const Program &P, HloId Id,
                         const ElementHazard &Hazard,
                         const InPlaceChain &Chain) {
  if (Hazard.Verdict == ReadVerdict::Undecided)
    return Hazard.Reason == OtherLoop && (P.facts().isTPU() || isOneLoop(P, Id))
               ? ""
               : Hazard.Reason;
  return copiesUpdates(P, Id, Chain) ? ""
                                     : "in which order tiles are read and "
                                       "written in place is not known";
}

ElementAnswer hlobuf::askElements(const Program &P, InPlaceReads &Reads,
                                  const proof::ElementQuestion &Asked) {
  ElementAnswer Answer;
  bool Crossed = P[Asked.Id].Op == Opcode::CustomCall;
  if (HloId Paired = pairedIn(P, Asked.Id)) {
    std::optional<uint32_t> Own = madeOf(P, Asked.Id, Paired, Asked.Result);
    if (!Own) {
      Answer.Doubt = "what a sort in a fusion reads is not known";
      return Answer;
    }
    Crossed = *Own != Asked.Read.Operand;
  }
  if (Crossed) {
    // Its text shows nothing about its elements.
    Answer.Worst.Verdict = ReadVerdict::Anywhere;
    Answer.Sound = false;
    return Answer;
  }
  ReadOperand Read = {Asked.Read.Operand, Asked.Read.Ordinal};
  InPlaceChain Chain = Reads.chain(Asked.Id, Asked.Result);
  Chain.HasOperand = Chain.HasOperand &&
                     Asked.IsThere({Chain.Begin.Operand, Chain.Begin.Part});
  std::vector<ElementHazard> Hazards =
      Reads.find(Asked.Id, Asked.Result, Read, Chain, Read);
  Answer.Sound = true;
  for (ElementHazard &Hazard : Hazards) {
    if (Hazard.Verdict != ReadVerdict::Undecided &&
        isCertain(P, Asked.Id, Hazard, Chain) &&
        !copiesUpdates(P, Asked.Id, Chain)) {
      Answer.Sound = false;
      Answer.Worst = std::move(Hazard);
      return Answer;
    }
    Answer.Sound.reset();
    if (Answer.Doubt.empty())
      Answer.Doubt = doubtOf(P, Asked.Id, Hazard, Chain);
  }
  return Answer;
}

proof::Proof hlobuf::proveWithElements(const Program &P,
                                       proof::ProvedRows Proved) {
  InPlaceReads Reads(P);
  return proof::prove(
      P,
      [&](const proof::ElementQuestion &Asked) {
        return askElements(P, Reads, Asked).Sound;
      },
      Proved);
}
