//===- Checks/Allocation/ConstantAllocation.cpp ---------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants and constant allocations belong to each other. An allocation is
// `constant` because a value of its group is defined by a constant
// (buffer_assignment.cc AssignSpecialHloBuffer, 2018-07-24): an error if there
// is none. That test comes before all others, so a constant is never placed
// elsewhere: a warning, because a group that begins with an entry parameter
// would be placed as a parameter (no dump shows one). Builds that allocate no
// buffers for constants (some for GPU) print no such value at all.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

/// A `constant` allocation holds a constant.
static void checkHolds(const CheckContext &A, Reporter &R, AllocationId Id) {
  const Dump &D = A.dump();
  const Allocation &Alloc = D[Id];
  for (const Value &V : D.values(Alloc)) {
    Opcode Op = A.opcode(V.Tag.Name);
    if (Op == Opcode::Constant || Op == Opcode::Unknown)
      return;
  }
  if (Alloc.Values.empty())
    return;
  const Value &V = D.values(Alloc).front();
  R.report(A.places().header(Alloc).Constant,
           "allocation {} is constant, but {} is defined by {}", Alloc.Index,
           D.spell(V.Tag), opcodeText(A.opcode(V.Tag.Name)))
      .note(A.places().value(V).Tag.Whole, "the value is here")
      .about(Id)
      .about(ValueId(Alloc.Values.Begin));
}

namespace hlobuf {
void checkConstantAllocation(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    if (D.Allocations[I].Constant)
      checkHolds(A, R, AllocationId(I));
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    if (D[V.Owner].Constant || A.opcode(V.Tag.Name) != Opcode::Constant)
      continue;
    R.reportAs(Severity::Warning, A.places().value(V).Tag.Whole,
               "value {} is a constant, but allocation {} is not constant",
               D.spell(V.Tag), D[V.Owner].Index)
        .note(A.places().line(D[V.Owner]), "expected a constant allocation")
        .about(ValueId(I))
        .about(V.Owner);
  }
}
} // namespace hlobuf
