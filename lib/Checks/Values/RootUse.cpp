//===- Checks/Values/RootUse.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuple does not read its operands, a copy reads only the top of its
// operand; their further uses are listed if and only if the instruction is the
// root of its computation (HloValue::ComputeUses, hlo_value.cc, 2017 on: a
// value that leaves the computation there is used by it). So of one tuple, or
// of the inner parts of one copy, all such uses are listed or none, and of the
// entry computation's root all. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A use that is listed if its instruction is a root.
struct Expected {
  uint32_t Operand;
  /// Number of the position that the operand gives the value.
  uint32_t PositionNumber;
};
} // namespace

/// The uses that \p I makes as a root; those that are missing go to \p Missing.
static size_t countListed(const CheckContext &A, const Instruction &I,
                          const UseSet &Uses,
                          llvm::SmallVectorImpl<Expected> &Missing) {
  const Dump &D = A.dump();
  size_t Listed = 0;
  llvm::ArrayRef<NameId> Operands = D.operands(I);
  for (uint32_t K = 0; K != Operands.size(); ++K)
    for (uint32_t Number : A.positionsAt(Operands[K])) {
      ShapeIndex Index = D.Positions[Number].Index;
      if (I.Op.Op == Opcode::Copy && Index.isRoot())
        continue;
      if (Uses.has(K, Index, A.ownerOfPosition(Number)))
        ++Listed;
      else
        Missing.push_back({K, Number});
    }
  return Listed;
}

static void reportMissing(const CheckContext &A, Reporter &R,
                          const Instruction &I, Expected Use, StringRef Why) {
  const Dump &D = A.dump();
  const Position &P = D.Positions[Use.PositionNumber];
  UsedId U = A.ownerOfPosition(Use.PositionNumber);
  Finding F = R.report(lastUseRow(A, U),
                       "{} has no use by the root {}, whose operand {} is {}",
                       A.places().tag(D[U]).Whole, D.Names[I.Name], Use.Operand,
                       D.spell(P.Name, P.Index));
  F.note(A.places().operand(I, Use.Operand), "the operand; {}", Why)
      .about(I.Name);
  aboutUsed(A, F, U);
}

/// Of a few listed uses among many missing ones, the listed are wrong.
static void reportListed(const CheckContext &A, Reporter &R,
                         const Instruction &I, size_t NumMissing) {
  const Dump &D = A.dump();
  for (uint32_t Number : A.usesBy(I.Name)) {
    const Use &Row = D.Uses[Number];
    if (I.Op.Op == Opcode::Copy && Row.Index.isRoot())
      continue;
    UsedId U = A.ownerOfUse(Number);
    Finding F =
        R.report(A.places().line(Row).ltrim(),
                 "{} has a use by {}, which is not a root: {} other values "
                 "that it holds have none",
                 A.places().tag(D[U]).Whole, D.Names[I.Name], NumMissing);
    F.note(opcodeIn(A, I), "the instruction").about(I.Name);
    aboutUsed(A, F, U);
  }
}

namespace hlobuf {
void checkRootUse(const CheckContext &A, Reporter &R) {
  UseSet Uses;
  llvm::SmallVector<Expected, 8> Missing;
  for (const Instruction &I : A.dump().Instructions) {
    if (I.Op.Op != Opcode::Tuple && I.Op.Op != Opcode::Copy)
      continue;
    Uses.load(A, I.Name);
    Missing.clear();
    size_t Listed = countListed(A, I, Uses, Missing);
    bool EntryRoot = I.Name == A.entryRoot();
    if (Missing.empty() || (Listed == 0 && !EntryRoot))
      continue;
    if (!EntryRoot && Listed < Missing.size()) {
      reportListed(A, R, I, Missing.size());
      continue;
    }
    for (Expected Use : Missing)
      reportMissing(A, R, I, Use,
                    EntryRoot ? "the entry computation's root"
                              : "its other operands have uses, as at a root");
  }
}
} // namespace hlobuf
