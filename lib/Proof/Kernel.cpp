// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Kernel.h"
#include "Proof/Enumerate.h"
#include "Proof/Interpreter.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// Fused, and called by something else, too: bodies of fusions have no places.
static bool isFusedAndCalled(const Program &P, ComputationId C) {
  return P.isFusionBody(C) && llvm::any_of(P.callers(C), [&](HloId Caller) {
           return P[Caller].Op != Opcode::Fusion;
         });
}

static std::string obstacleTo(const Program &P) {
  std::string Reason = P.obstacle().str();
  if (Reason.empty() && P.isFusionBody(P.module().Entry))
    Reason = "the entry computation is fused";
  for (size_t C = 0; Reason.empty() && C != P.module().Computations.size(); ++C)
    if (isFusedAndCalled(P, ComputationId(C)))
      Reason = "a computation is fused, and called by others";
  return Reason;
}

/// What needs no execution.
static void decideStatic(const ProofModel &X, Ledger &L, bool Timed) {
  enumerateLines(X, L);
  decideLines(X, L);
  enumerateParts(X, L);
  decidePlaces(X, L);
  decideForwarding(X, L);
  decideSourceTypes(X, L);
  enumerateOperands(X, L);
  decideOperandTypes(X, L);
  if (Timed)
    decideOrder(X, L);
}

Proof proof::prove(const Program &P, ElementRule Elements, ProvedRows Proved) {
  size_t Expected = P.facts().dump().Values.size() + P.numSlots();
  Proof Result{Ledger(Proved == ProvedRows::Kept, Expected), obstacleTo(P)};
  if (!Result.Obstacle.empty())
    return Result;
  ProofModel X(P);
  Ledger &L = Result.Book;
  bool Timed = P.isTimed();
  decideStatic(X, L, Timed);
  enumerateAccesses(X, L);
  countAgain(X, L);
  decideSharing(X, L);
  decideEntryTypes(X, L);
  decideEnds(X, L);
  decideInPlace(X, Elements, L);
  if (!Timed) {
    Result.Obstacle = "the module is not scheduled";
    return Result;
  }
  decideSequence(X, L);
  if (!Interpreter(X, L).run())
    Result.Obstacle = "the program has too many steps to be executed";
  L.finish();
  return Result;
}
