//===- Checks/Values/UseOperand.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A use `x, operand k {i}` of a value says that operand k of x is an
// instruction where the value is at index i (HloValue::ComputeUses,
// hlo_value.cc, 2017 on; the text of x is the same instruction). Where x has no
// text, some position of the value still has that very index, printed or not:
// braces are printed in both if and only if the instruction's shape is a
// tuple. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

/// True if \p U is positioned at (\p Name, \p Index), printed like that.
static bool isAt(const CheckContext &A, UsedId U, NameId Name,
                 ShapeIndex Index) {
  const Dump &D = A.dump();
  return llvm::any_of(A.positionsAt(Name, Index), [&](uint32_t Number) {
    return Number >= D[U].Positions.Begin && Number < D[U].Positions.End &&
           D.Positions[Number].Index == Index;
  });
}

/// Reports a use whose operand \p P is not a position of \p U.
static void reportOperand(const CheckContext &A, Reporter &R, UsedId U,
                          const Use &Row, const Instruction &I, NameId P) {
  const Dump &D = A.dump();
  RowTexts Texts = A.places().row(Row);
  StringRef Where = Texts.Name;
  std::string Hint;
  for (uint32_t K = 0; K != D.operands(I).size() && Hint.empty(); ++K)
    if (isAt(A, U, D.operands(I)[K], Row.Index)) {
      Where = Texts.First;
      Hint = fmt::format("; operand {} is", K);
    }
  if (Hint.empty() && !Texts.Index.empty() &&
      llvm::any_of(A.positionsAt(P), [&](uint32_t Number) {
        return A.ownerOfPosition(Number) == U;
      }))
    Where = Texts.Index;
  Finding F =
      R.report(Where, "operand {} of {} is {}, which is not a position of {}{}",
               Row.Operand, D.Names[Row.Name], D.spell(P, Row.Index),
               A.places().tag(D[U]).Whole, Hint);
  F.note(A.places().operand(I, Row.Operand), "the operand").about(Row.Name);
  // The row that may be wrong, or the one after which a row may be missing.
  llvm::ArrayRef<Position> All = D.positions(D[U]);
  const Position *Near =
      llvm::find_if(All, [&](const Position &At) { return At.Name == P; });
  F.note(Near == All.end() ? lastPositionRow(A, U)
                           : A.places().line(*Near).ltrim(),
         "a position of the value");
  aboutUsed(A, F, U);
}

/// Checks one use against the text of its instruction.
static void checkText(const CheckContext &A, Reporter &R, UsedId U,
                      const Use &Row, const Instruction &I) {
  const Dump &D = A.dump();
  llvm::ArrayRef<NameId> Operands = D.operands(I);
  if (Row.Operand < Operands.size()) {
    if (!isAt(A, U, Operands[Row.Operand], Row.Index))
      reportOperand(A, R, U, Row, I, Operands[Row.Operand]);
    return;
  }
  Finding F =
      R.report(A.places().row(Row).First,
               "{} is listed as operand {} of {}, whose operand count is {}",
               A.places().tag(D[U]).Whole, Row.Operand, D.Names[Row.Name],
               Operands.size());
  F.note(opcodeIn(A, I), "the instruction").about(Row.Name);
  aboutUsed(A, F, U);
}

/// Checks that some position has the index of \p Row.
static void checkIndex(const CheckContext &A, Reporter &R, UsedId U,
                       const Use &Row, llvm::ArrayRef<uint32_t> Known) {
  if (std::binary_search(Known.begin(), Known.end(), Row.Index.bits()))
    return;
  const Dump &D = A.dump();
  RowTexts Texts = A.places().row(Row);
  bool Printed = Row.Index.printed();
  Finding F =
      R.report(Printed ? Texts.Index : Texts.First,
               "{} is used {}{}, but has no position {}{}",
               A.places().tag(D[U]).Whole, Printed ? "at " : "without an index",
               Printed ? D.Indices.text(Row.Index) : "",
               Printed ? "there" : "without one", "");
  F.note(lastPositionRow(A, U), "its last position").about(Row.Name);
  aboutUsed(A, F, U);
}

namespace hlobuf {
void checkUseOperand(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  std::vector<uint32_t> Known;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    Known.clear();
    for (const Position &P : D.positions(D.Used[I]))
      if (Known.empty() || Known.back() != P.Index.bits())
        Known.push_back(P.Index.bits());
    llvm::sort(Known);
    for (const Use &Row : D.uses(D.Used[I])) {
      if (const Instruction *User = A.instruction(Row.Name))
        checkText(A, R, UsedId(I), Row, *User);
      else
        checkIndex(A, R, UsedId(I), Row, Known);
    }
  }
  if (!D.complete(Section::Texts))
    R.notCheckedWithout(A, Section::Texts,
                        "no instruction texts to tell which operand is used");
}
} // namespace hlobuf
