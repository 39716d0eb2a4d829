// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Execution/ElementOrder.h"

using namespace hlobuf;

/// True if \p Id makes result k of operand k, one after the other, so that no
/// result may be written to the place of another operand.
static bool isCrossed(const HloNode &N, const proof::ElementQuestion &Asked) {
  return isPaired(N.Op) &&
         Asked.Read.Operand != (Asked.Result == 0 ? 0 : Asked.Result - 1);
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
  auto Wrong = llvm::find_if(Hazards, [&](const ElementHazard &Hazard) {
    return Hazard.Verdict != ReadVerdict::Undecided &&
           !copiesUpdates(P, Asked.Id, Chain) &&
           isCertain(P, Asked.Id, Hazard, Chain);
  });
  if (Wrong != Hazards.end()) {
    Answer.Sound = false;
    Answer.Worst = std::move(*Wrong);
  } else if (Hazards.empty()) {
    Answer.Sound = true;
  }
  return Answer;
}
