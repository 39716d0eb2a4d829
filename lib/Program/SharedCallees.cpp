// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/SharedCallees.h"

using namespace hlobuf;

/// True if \p Caller runs: what is never called, calls nobody.
static bool isReached(const Program &P, HloId Caller) {
  ComputationId C = P[Caller].Parent;
  return P.classOf(C) != ComputationClass::None || P.isEmbedded(C);
}

std::vector<SharedCallee> hlobuf::sharedCallees(const Program &P) {
  std::vector<SharedCallee> All;
  for (size_t C = 0; C != P.module().Computations.size(); ++C) {
    SharedCallee Found;
    Found.Callee = ComputationId(C);
    if (P.classOf(Found.Callee) != ComputationClass::Global)
      continue;
    Found.Async = true;
    for (HloId Caller : P.callers(Found.Callee)) {
      Opcode Op = P[Caller].Op;
      // The later elements of an async chain repeat what its start calls.
      if (continuesAsync(Op) || !isReached(P, Caller))
        continue;
      Found.Callers.push_back(Caller);
      Found.Async &= !isSynchronousCall(Op);
    }
    // What `reduce-scatter-start` names is only applied, as by others.
    bool Applied = Found.Async && P.isEmbedded(Found.Callee);
    if (Found.Callers.size() > 1 && !Applied)
      All.push_back(std::move(Found));
  }
  return All;
}
