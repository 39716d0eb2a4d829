//===- Checks/CopyStartColor.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy-start crosses memory spaces: its destination {0} has another color
// than its source, and its sync flag {2} is 4 bytes of color 2. Only the
// assignment of values to alternate memory makes these copies on TPU
// (memory_space_assignment.cc, 2020); more than 8,000 of them agree. On other
// backends copy-start also copies to the host and has no flag.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

static constexpr int32_t FlagColor = 2;
static constexpr uint64_t FlagBytes = 4;

static void checkCrossing(const Analysis &A, Reporter &R, NameId Copy) {
  const Dump &D = A.dump();
  UsedId To = A.findUsed(Copy, ShapeIndex::element(0));
  UsedId From = A.valueAt(Copy, ShapeIndex::element(1));
  if (!To || !From || !D[To].Tag.HasColor || !D[From].Tag.HasColor ||
      D[To].Tag.Color != D[From].Tag.Color)
    return;
  R.report(A.places().tag(D[To]).Color,
           "copy {} has color {}, as has its source {}, expected another color",
           D.spell(D[To].Tag), D[To].Tag.Color, D.spell(D[From].Tag))
      .note(A.places().tag(D[From]).Whole, "the source is here")
      .about(Copy);
}

static void checkFlag(const Analysis &A, Reporter &R, NameId Copy) {
  const Dump &D = A.dump();
  ValueId Flag = A.findValue(Copy, ShapeIndex::element(2));
  if (!Flag)
    return;
  const Value &V = D[Flag];
  ValueTexts Texts = A.places().value(V);
  if (V.Tag.HasColor && V.Tag.Color != FlagColor)
    R.report(Texts.Tag.Color, "sync flag {} has color {}, expected {}",
             D.spell(V.Tag), V.Tag.Color, FlagColor)
        .about(Flag);
  else if (V.Size != FlagBytes)
    R.report(Texts.Size, "sync flag {} has {} bytes, expected {}",
             D.spell(V.Tag), V.Size, FlagBytes)
        .about(Flag);
}

namespace hlobuf {
void checkCopyStartColor(const Analysis &A, Reporter &R) {
  const Dump &D = A.dump();
  for (const Instruction &I : D.Instructions) {
    if (I.Op.Op != Opcode::CopyStart || I.Op.Sugar)
      continue;
    if (!A.isTPU()) {
      R.notChecked("copy-start of another backend than TPU");
      return;
    }
    checkCrossing(A, R, I.Name);
    checkFlag(A, R, I.Name);
  }
}
} // namespace hlobuf
