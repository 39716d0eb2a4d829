//===- Checks/ReadOnlyAllocation.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The allocation of a constant, or of a parameter that is not donated, is read
// only and holds one value: XLA places nothing else there (buffer_assignment.cc
// IsReadOnly and MaybeAssignBuffer, 2018). A donated parameter's allocation is
// always maybe-live-out. Before 2019-09 a parameter's allocation could also
// hold the phi of a loop that only passes it on (TensorFlow 1.14): not checked
// there.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace hlobuf {
void checkReadOnlyAllocation(const Analysis &A, Reporter &R) {
  const Dump &D = A.dump();
  if (D.Values2019 != ValueForm::Tagged) {
    R.notChecked("value lines of before 2019-09");
    return;
  }
  for (uint32_t K = 0; K != D.Allocations.size(); ++K) {
    const Allocation &Alloc = D.Allocations[K];
    bool ReadOnly =
        Alloc.Constant || (Alloc.isParameter() && !Alloc.MaybeLiveOut);
    if (!ReadOnly || Alloc.Values.size() < 2)
      continue;
    Opcode Own = Alloc.Constant ? Opcode::Constant : Opcode::Parameter;
    // The owner is the first value of that opcode, or just the first one.
    uint32_t Owner = Alloc.Values.Begin;
    while (Owner != Alloc.Values.End &&
           A.opcode(D.Values[Owner].Tag.Name) != Own)
      ++Owner;
    if (Owner == Alloc.Values.End)
      Owner = Alloc.Values.Begin;
    uint32_t Other =
        Owner == Alloc.Values.Begin ? Owner + 1 : Alloc.Values.Begin;
    R.report(A.places().value(D.Values[Other]).Tag.Whole,
             "value {} shares {} allocation {} with {}, expected one value",
             D.spell(D.Values[Other].Tag),
             Alloc.Constant ? "constant" : "read-only parameter", Alloc.Index,
             D.spell(D.Values[Owner].Tag))
        .note(A.places().line(Alloc), "the allocation is never written")
        .about(ValueId(Other))
        .about(AllocationId(K));
  }
}
} // namespace hlobuf
