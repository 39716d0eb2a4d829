//===- Checks/Allocation/ThreadLocalAllocation.cpp ------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread-local allocation is never reused: it holds one group of values that
// must alias, all at the same place (buffer_assignment.cc
// AssignSpecialHloBuffer, 2017). Two values are usual only where an operation
// works in place on a parameter of its computation (SparseCore scatter fusions,
// libtpu). No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace hlobuf {
void checkThreadLocalAllocation(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (const Allocation &Alloc : D.Allocations) {
    if (!Alloc.ThreadLocal || Alloc.Values.size() < 2)
      continue;
    for (uint32_t I = Alloc.Values.Begin + 1; I != Alloc.Values.End; ++I) {
      ValueId First(I - 1), Second(I);
      if (D[First].Size == D[Second].Size &&
          D[First].Offset == D[Second].Offset)
        continue;
      // The one that does not fill the allocation is wrong.
      if (D[Second].Size == Alloc.Size && D[Second].Offset == 0)
        std::swap(First, Second);
      const Value &V = D[First];
      const Value &W = D[Second];
      ValueTexts Texts = A.places().value(W);
      R.report(V.Size != W.Size ? Texts.Size : Texts.Offset,
               "value {} occupies bytes [{}, {}) of thread-local allocation "
               "{}, expected [{}, {}) like {}",
               D.spell(W.Tag), W.Offset, W.end(), Alloc.Index, V.Offset,
               V.end(), D.spell(V.Tag))
          .note(A.places().value(V).Tag.Whole, "the other value is here")
          .about(Second);
    }
  }
}
} // namespace hlobuf
