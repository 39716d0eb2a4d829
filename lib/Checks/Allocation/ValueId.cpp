//===- Checks/Allocation/ValueId.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is placed once: ids are unique, and so is the pair of instruction and
// index. Inside an allocation values ascend by id, because XLA sorts them
// before printing (buffer_assignment.cc BufferAllocation::ToString,
// 2017-03-02). No exception is known; a value in a hole of another color's temp
// is listed once as a value (and once more in the block of reused buffers).
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

static void checkAscending(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t I = 1; I < D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    const Value &Before = D.Values[I - 1];
    if (V.Owner != Before.Owner || V.Tag.Id >= Before.Tag.Id)
      continue;
    R.report(A.places().value(V).Tag.Id,
             "value id {} follows id {}, expected ascending ids inside "
             "allocation {}",
             V.Tag.Id, Before.Tag.Id, D[V.Owner].Index)
        .note(A.places().value(Before).Tag.Id, "the larger id is here")
        .about(ValueId(I))
        .about(ValueId(I - 1));
  }
}

/// Reports values with an id that was there before.
static void checkUniqueIds(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  std::vector<uint32_t> Order(D.Values.size());
  for (uint32_t I = 0; I != Order.size(); ++I)
    Order[I] = I;
  llvm::stable_sort(Order, [&](uint32_t X, uint32_t Y) {
    return D.Values[X].Tag.Id < D.Values[Y].Tag.Id;
  });
  for (size_t K = 1; K < Order.size(); ++K) {
    const Value &First = D.Values[Order[K - 1]];
    const Value &Second = D.Values[Order[K]];
    if (First.Tag.Id != Second.Tag.Id)
      continue;
    R.report(A.places().value(Second).Tag.Id,
             "value {} has the same id as {}, expected unique ids",
             D.spell(Second.Tag), D.spell(First.Tag))
        .note(A.places().value(First).Tag.Id, "the id is also used here")
        .about(ValueId(Order[K]))
        .about(ValueId(Order[K - 1]));
  }
}

static void checkUniqueTags(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name) {
    llvm::ArrayRef<uint32_t> Here = A.valuesOfInstruction(NameId(Name));
    for (size_t K = 1; K < Here.size(); ++K) {
      const Value &First = D.Values[Here[K - 1]];
      const Value &Second = D.Values[Here[K]];
      if (First.Tag.Index.canonical() != Second.Tag.Index.canonical() ||
          First.Tag.Id == Second.Tag.Id)
        continue;
      R.report(A.places().value(Second).Tag.Whole,
               "value {} is placed twice, the second time as {}",
               D.spell(First.Tag), D.spell(Second.Tag))
          .note(A.places().value(First).Tag.Whole, "the other line is here")
          .about(ValueId(Here[K]))
          .about(ValueId(Here[K - 1]));
    }
  }
}

namespace hlobuf {
void checkValueId(const CheckContext &A, Reporter &R) {
  checkUniqueIds(A, R);
  checkUniqueTags(A, R);
  checkAscending(A, R);
}
} // namespace hlobuf
