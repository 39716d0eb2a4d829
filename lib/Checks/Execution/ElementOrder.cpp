// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Execution/ElementOrder.h"

using namespace hlobuf;

/// True if \p Id makes result k of operand k, one after the other, so that no
/// result may be written to the place of another operand.
static bool isCrossed(const HloNode &N, const proof::ElementQuestion &Asked) {
  return isPaired(N.Op) &&
         Asked.Read.Operand != (Asked.Result == 0 ? 0 : Asked.Result - 1);
}

/// A sort in the fusion \p Id; invalid if there is none.
static HloId sortIn(const Program &P, HloId Id) {
  if (P[Id].Op == Opcode::Fusion && !P.calls(Id).empty())
    for (HloId Inner : P.order(P.calls(Id)[0].Callee))
      if (P[Inner].Op == Opcode::Sort)
        return Inner;
  return HloId();
}

/// True if the fusion that is \p Asked about is \p Sort alone, and hands it the
/// operand of that result: a sort reads all elements along a dimension.
static bool isSortInPlace(const Program &P, HloId Sort,
                          const proof::ElementQuestion &Asked) {
  Part At = {P.root(P[Sort].Parent), Asked.Result};
  while (At.Id != Sort) {
    auto From = P.forwardedPart(At.Id, At.Ordinal);
    if (!From)
      return false;
    At = {P.operands(At.Id)[From->Operand], From->Ordinal};
  }
  HloId Operand = P.operands(Sort)[At.Ordinal == 0 ? 0 : At.Ordinal - 1];
  return P[Operand].Op == Opcode::Parameter &&
         P[Operand].number() == Asked.Read.Operand;
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
  if (P[Asked.Id].Op == Opcode::CustomCall || isCrossed(P[Asked.Id], Asked)) {
    // Its text shows nothing about its elements.
    Answer.Worst.Verdict = ReadVerdict::Anywhere;
    Answer.Sound = false;
    return Answer;
  }
  if (HloId Sort = sortIn(P, Asked.Id);
      Sort && !isSortInPlace(P, Sort, Asked)) {
    Answer.Doubt = "what a sort in a fusion reads is not known";
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
