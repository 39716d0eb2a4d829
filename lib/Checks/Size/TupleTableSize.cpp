//===- Checks/Size/TupleTableSize.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuple index table, the array of pointers to a tuple's elements, has 8 bytes
// per element on CPU and GPU (ShapeUtil::ByteSizeOf, 2017). On TPU it has 4,
// rounded up to a granule that is the same in the whole dump: 512 on v4 and
// v5e, 32 on v5p, v6e and v7x (libtpu 0.0.11 to 0.0.51, more than 22,000
// tables). An empty tuple has no bytes, and neither has a table in SparseCore's
// color 7.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;

static constexpr int32_t SparseCoreColor = 7;
static constexpr uint64_t SmallGranule = 32;
static constexpr uint64_t LargeGranule = 512;

static uint64_t tableBytes(uint64_t Elements, uint64_t Granule) {
  return llvm::alignTo(4 * Elements, Granule);
}

/// The granule that explains more tables of a TPU dump.
static uint64_t findGranule(const Dump &D) {
  size_t Small = 0, Large = 0;
  for (const Value &V : D.Values) {
    const Shape &S = D.Shapes[V.Shape];
    if (!S.isTuple() || V.Tag.Color != 0)
      continue;
    Small += V.Size == tableBytes(S.Elements.size(), SmallGranule);
    Large += V.Size == tableBytes(S.Elements.size(), LargeGranule);
  }
  return Small > Large ? SmallGranule : LargeGranule;
}

namespace hlobuf {
void checkTupleTableSize(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  bool TPU = A.isTPU();
  uint64_t Granule = TPU ? findGranule(D) : 0;
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    const Value &V = D.Values[I];
    const Shape &S = D.Shapes[V.Shape];
    if (!S.isTuple())
      continue;
    uint64_t Elements = S.Elements.size();
    uint64_t Expected = 8 * Elements;
    if (TPU && V.Tag.Color == SparseCoreColor)
      Expected = 0;
    else if (TPU && V.Tag.Color == 0)
      Expected = tableBytes(Elements, Granule);
    else if (TPU)
      continue; // Never seen; value-color reports it.
    if (V.Size == Expected)
      continue;
    R.report(A.places().value(V).Size,
             "tuple index table {} has {} bytes, expected {} for {} element{}",
             D.spell(V.Tag), V.Size, Expected, Elements,
             Elements == 1 ? "" : "s")
        .about(ValueId(I));
  }
}
} // namespace hlobuf
