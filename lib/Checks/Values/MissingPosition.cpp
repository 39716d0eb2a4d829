//===- Checks/Values/MissingPosition.cpp ----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every part of every instruction's result there is a value
// (HloDataflowAnalysis::Verify, 2017 on), so each part of its shape is a
// position of some value. The shape is in the instruction's text, or else that
// of the value at its top. Exceptions: a value without allocation is not
// listed, so the live ranges must prove that there is none; and the table {0}
// of a collective-permute-start with several operands has no value in any
// release up to 2026-08.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// An instruction whose shape is known.
struct Holder {
  NameId Name;
  ShapeId Shape;
  /// Null where the dump has no text of it.
  const Instruction *Text;
  /// Where a finding about it goes.
  StringRef Where;
};
} // namespace

/// True if a release leaves this part without a value.
static bool isException(const Holder &H, const Shape &Part,
                        llvm::ArrayRef<uint32_t> Path) {
  return H.Text && H.Text->Op.Op == Opcode::CollectivePermuteStart &&
         Part.isTuple() && Path.size() == 1 && Path[0] == 0;
}

/// Reports the parts of \p H at and below \p Path that no value is at.
static void checkPart(const CheckContext &A, Reporter &R, const Holder &H,
                      ShapeId Part, llvm::SmallVectorImpl<uint32_t> &Path) {
  const Dump &D = A.dump();
  const Shape &S = D.Shapes[Part];
  ShapeIndex Index = D.Indices.get(Path);
  if (A.positionsAt(H.Name, Index).empty() && isException(H, S, Path)) {
    R.exempt("permute-table");
  } else if (A.positionsAt(H.Name, Index).empty()) {
    StringRef Where = H.Text ? A.places().text(*H.Text).ShapeText : H.Where;
    Finding F = R.report(
        Where, "no value has a position at {}",
        D.spell(H.Name, S.isTuple() || !Path.empty() ? Index : ShapeIndex()));
    F.about(H.Name);
    if (UsedId U = A.findUsed(H.Name, Index))
      aboutUsed(A, F, U);
  }
  for (uint32_t K = 0; S.isTuple() && K != S.Elements.size(); ++K) {
    Path.push_back(K);
    checkPart(A, R, H, S.Elements[K], Path);
    Path.pop_back();
  }
}

/// An instruction without text has the shape of the value at its top.
static void checkHidden(const CheckContext &A, Reporter &R, NameId Name,
                        llvm::SmallVectorImpl<uint32_t> &Path) {
  const Dump &D = A.dump();
  llvm::ArrayRef<uint32_t> Here = A.positionsAt(Name);
  if (Here.empty() || A.hasText(Name))
    return;
  const Position &First = D.Positions[Here.front()];
  StringRef Where = A.places().line(First).ltrim();
  if (!First.Index.isRoot()) {
    Finding F = R.report(Where, "no value has a position at {}",
                         D.spell(Name, ShapeIndex::root()));
    aboutUsed(A, F.about(Name), A.ownerOfPosition(Here.front()));
    return;
  }
  ValueId V = A.valueOf(A.ownerOfPosition(Here.front()));
  if (V && D[V].Shape && D.Shapes[D[V].Shape].isTuple())
    checkPart(A, R, {Name, D[V].Shape, nullptr, Where}, D[V].Shape, Path);
}

namespace hlobuf {
void checkMissingPosition(const CheckContext &A, Reporter &R) {
  if (!A.isFull()) {
    R.notCheckedWithout(A, Section::Ranges, SomeUnlisted);
    return;
  }
  const Dump &D = A.dump();
  llvm::SmallVector<uint32_t, 4> Path;
  for (const Instruction &I : D.Instructions)
    checkPart(A, R, {I.Name, I.Result, &I, StringRef()}, I.Result, Path);
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name)
    checkHidden(A, R, NameId(Name), Path);
}
} // namespace hlobuf
