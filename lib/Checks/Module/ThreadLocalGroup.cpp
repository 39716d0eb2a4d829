//===- Checks/Module/ThreadLocalGroup.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread-local allocation is never reused: it holds the values of one
// HloBuffer, which must alias (AssignSpecialHloBuffer in
// xla/service/buffer_assignment.cc, 2017: each gets an allocation of its own).
// The module shows which must alias. thread-local-allocation compares places
// only.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

static void checkAllocation(const ModuleAnalysis &W, const Allocation &Alloc,
                            Reporter &R) {
  const Facts &A = W.facts();
  const Dump &D = A.dump();
  ValueId First;
  HloValueId Known;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    HloValueId V = W.find(D.Values[I].Tag.Name, D.Values[I].Tag.Index);
    if (!V)
      continue; // module-values says so
    if (!Known) {
      First = ValueId(I);
      Known = V;
    }
    if (W.aliases().same(V, Known))
      continue;
    const Value &Line = D.Values[I];
    Finding F = R.report(
        A.places().value(Line).Tag.Whole,
        "{} shares thread-local allocation {} with {}, but the module does not "
        "make them alias, and thread-local allocations are never reused",
        D.spell(Line.Tag), Alloc.Index, D.spell(D[First].Tag));
    F.note(A.places().value(D[First]).Tag.Whole, "{} is placed here",
           D.spell(D[First].Tag));
    for (HloValueId Member : {Known, V})
      F.note(W.program().place(W.flow()[Member].Definition),
             "{} is defined here", W.flow().spell(Member));
    F.about(ValueId(I));
  }
}

namespace hlobuf {
void checkThreadLocalGroup(const CheckContext &A, Reporter &R) {
  const ModuleAnalysis *W = usableModule(A, R);
  if (!W)
    return;
  for (const Allocation &Alloc : A.dump().Allocations)
    if (Alloc.ThreadLocal && Alloc.Values.size() > 1)
      checkAllocation(*W, Alloc, R);
}
} // namespace hlobuf
