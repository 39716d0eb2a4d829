// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Execution/ElementOrder.h"

using namespace hlobuf;

/// True if \p Id makes result k of operand k, one after the other, so that no
/// result may be written to the place of another operand.
static bool isCrossed(const HloNode &N, const proof::ElementQuestion &Asked) {
  return isPaired(N.Op) &&
         Asked.Read.Operand != (Asked.Result == 0 ? 0 : Asked.Result - 1);
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
