//===- Checks/Allocation/LiveOut.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation is `maybe-live-out` if and only if one of its values is at the
// root of the entry computation, and such a value fills its allocation from
// offset 0: XLA marks the allocations of all values at the root, and refuses to
// reuse an allocation of another size for them (buffer_assignment.cc
// MaybeAssignBuffer, 2017). Donated parameters are not an exception. The root
// is not printed; it is found from the allocation with the output's shape (see
// Facts::entryRoot).
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

/// The line of \p U that is at \p Root.
static llvm::StringRef rootLine(const CheckContext &A, UsedId U, NameId Root) {
  const Dump &D = A.dump();
  for (const Position &P : D.positions(D[U]))
    if (P.Name == Root)
      return A.places().line(P);
  return A.places().line(D[U]);
}

static void checkFills(const CheckContext &A, Reporter &R, ValueId Id, UsedId U,
                       NameId Root) {
  const Dump &D = A.dump();
  const Value &V = D[Id];
  if (V.Size == D[V.Owner].Size)
    return;
  R.report(A.places().value(V).Size,
           "value {} reaches the entry root with {} bytes, but allocation {} "
           "has {} bytes",
           D.spell(V.Tag), V.Size, D[V.Owner].Index, D[V.Owner].Size)
      .note(A.places().header(D[V.Owner]).Size, "the allocation's size is here")
      .note(rootLine(A, U, Root), "it reaches the root here")
      .about(Id)
      .about(V.Owner);
}

static void checkFlag(const CheckContext &A, Reporter &R, AllocationId Id,
                      ValueId AtRoot, NameId Root) {
  const Dump &D = A.dump();
  const Allocation &Alloc = D[Id];
  if (AtRoot && !Alloc.MaybeLiveOut) {
    R.report(A.places().orEnd(llvm::StringRef(), Alloc),
             "allocation {} is not maybe-live-out, but its value {} reaches "
             "the entry root {}",
             Alloc.Index, D.spell(D[AtRoot].Tag), D.Names[Root])
        .note(rootLine(A, A.usedOf(AtRoot), Root), "it reaches the root here")
        .about(Id)
        .about(AtRoot);
  } else if (!AtRoot && Alloc.MaybeLiveOut) {
    R.report(A.places().header(Alloc).MaybeLiveOut,
             "allocation {} is maybe-live-out, but no value in it reaches the "
             "entry root {}",
             Alloc.Index, D.Names[Root])
        .about(Id);
  }
}

namespace hlobuf {
void checkLiveOut(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  NameId Root = A.entryRoot();
  if (!Root) {
    R.notChecked("the entry root is unknown");
    return;
  }
  for (uint32_t K = 0; K != D.Allocations.size(); ++K) {
    const Allocation &Alloc = D.Allocations[K];
    ValueId AtRoot;
    bool Unknown = false;
    for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
      UsedId U = A.usedOf(ValueId(I));
      if (!U)
        Unknown = true;
      else if (A.isLiveOut(U)) {
        AtRoot = ValueId(I);
        checkFills(A, R, ValueId(I), U, Root);
      }
    }
    if (!Unknown || AtRoot)
      checkFlag(A, R, AllocationId(K), AtRoot, Root);
  }
}
} // namespace hlobuf
