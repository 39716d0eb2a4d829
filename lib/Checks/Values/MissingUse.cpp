//===- Checks/Values/MissingUse.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction that reads an operand shows up as a use of each value
// which that operand holds (HloValue::ComputeUses and MayUseOperandValue,
// hlo_value.cc, 2017 on). get-tuple-element and copy read only the top of
// their operand, tuple and domain nothing (`root-use` has the rest). Operands
// that no value is positioned at are reported only where the live ranges prove
// that every value is listed. Since 2026-06-02 a value without uses prints
// `(none)`. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;

static void reportUse(const CheckContext &A, Reporter &R, const Instruction &I,
                      uint32_t Operand, uint32_t PositionNumber) {
  const Dump &D = A.dump();
  const Position &P = D.Positions[PositionNumber];
  UsedId U = A.ownerOfPosition(PositionNumber);
  Finding F =
      R.report(lastUseRow(A, U), "{} has no use by {}, whose operand {} is {}",
               A.places().tag(D[U]).Whole, D.Names[I.Name], Operand,
               D.spell(P.Name, P.Index));
  F.note(A.places().operand(I, Operand), "the operand")
      .note(A.places().line(P).ltrim(), "the value's position is here")
      .about(I.Name);
  aboutUsed(A, F, U);
}

static void reportUnknown(const CheckContext &A, Reporter &R,
                          const Instruction &I, uint32_t Operand) {
  const Dump &D = A.dump();
  NameId P = D.operands(I)[Operand];
  R.report(A.places().operand(I, Operand),
           "operand {} of {} is {}, which is not a position of any value",
           Operand, D.Names[I.Name], D.Names[P])
      .about(I.Name)
      .about(P);
}

/// A value without uses says so, in dumps where any does.
static void checkNone(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (llvm::none_of(D.Used, [](const UsedValue &U) { return U.PrintedNone; }))
    return;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    const UsedValue &U = D.Used[I];
    if (!U.Uses.empty() || U.PrintedNone || U.UsesUninitialized)
      continue;
    Finding F =
        R.report(lastUseRow(A, UsedId(I)), "{} has neither uses nor '(none)'",
                 A.places().tag(U).Whole);
    aboutUsed(A, F, UsedId(I));
  }
}

namespace hlobuf {
void checkMissingUse(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  bool Full = A.isFull();
  UseSet Uses;
  for (const Instruction &I : D.Instructions) {
    if (I.Operands.empty())
      continue;
    bool Reads = !usesNothing(I.Op.Op);
    bool Shallow = Reads && usesTopAtMost(I.Op.Op);
    if (Reads)
      Uses.load(A, I.Name);
    llvm::ArrayRef<NameId> Operands = D.operands(I);
    for (uint32_t K = 0; K != Operands.size(); ++K) {
      llvm::ArrayRef<uint32_t> Held =
          Shallow ? A.positionsAt(Operands[K], ShapeIndex::root())
                  : A.positionsAt(Operands[K]);
      if (Held.empty() && Full)
        reportUnknown(A, R, I, K);
      if (!Reads)
        continue;
      for (uint32_t Number : Held)
        if (!Uses.has(K, D.Positions[Number].Index, A.ownerOfPosition(Number)))
          reportUse(A, R, I, K, Number);
    }
  }
  checkNone(A, R);
  if (!Full)
    R.notCheckedWithout(A, Section::Ranges, SomeUnlisted);
}
} // namespace hlobuf
