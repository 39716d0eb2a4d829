//===- Checks/Values/Phi.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `(phi)` value merges several values, so it is only on a while, on a
// conditional, and on the parameter of a loop's body or condition, which is
// parameter 0 of it; other values of such a parameter are phis too. Phis are
// made while values are propagated, after all others, and so have larger ids
// (HloDataflowAnalysis::Phi, Propagate; 2017 on). No exception is known. The
// opcode can be judged only where an instruction text is printed.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

static StringRef phiText(const TagTexts &Tag) {
  return Tag.Phi.empty() ? Tag.Whole : Tag.Phi;
}

/// A phi is defined by an instruction that merges values.
static void checkOpcode(const CheckContext &A, Reporter &R, UsedId U,
                        const Instruction &I) {
  const Dump &D = A.dump();
  bool Joins = mayDefinePhis(I.Op.Op);
  bool First = I.Op.Op != Opcode::Parameter || I.ParameterNumber == 0;
  if (Joins && First)
    return;
  TagTexts Tag = A.places().tag(D[U]);
  InstructionText Text = A.places().text(I);
  Finding F = Joins
                  ? R.report(phiText(Tag),
                             "{} is a phi, but parameter {} is not a loop's: a "
                             "loop has only parameter 0",
                             Tag.Whole, I.ParameterNumber)
                  : R.report(phiText(Tag),
                             "{} is a phi, but opcode {} does not merge values",
                             Tag.Whole, Text.OpcodeText);
  F.note(Joins ? Text.Operands : Text.OpcodeText, "the instruction")
      .about(I.Name);
  aboutUsed(A, F, U);
}

/// The values of a parameter are all phis or all not; the fewer are wrong.
static void checkMixed(const CheckContext &A, Reporter &R,
                       const Instruction &I) {
  const Dump &D = A.dump();
  UsedId Phi, Plain;
  size_t NumPhis = 0;
  llvm::ArrayRef<uint32_t> Group = A.usedOfInstruction(I.Name);
  for (uint32_t U : Group) {
    bool IsPhi = D.Used[U].Tag.Phi;
    NumPhis += IsPhi;
    (IsPhi ? Phi : Plain) = UsedId(U);
  }
  if (!Phi || !Plain)
    return;
  bool PhiIsWrong = NumPhis <= Group.size() - NumPhis;
  TagTexts Wrong = A.places().tag(D[PhiIsWrong ? Phi : Plain]);
  TagTexts Other = A.places().tag(D[PhiIsWrong ? Plain : Phi]);
  Finding F = R.report(phiText(Wrong),
                       "{} is {} phi, but {} of the same parameter is{}",
                       Wrong.Whole, PhiIsWrong ? "a" : "not a", Other.Whole,
                       PhiIsWrong ? " not" : "");
  F.note(Other.Whole, "the other value").about(I.Name);
  aboutUsed(A, F, PhiIsWrong ? Phi : Plain);
}

/// The fewer values that are on the wrong side of each other are wrong.
static void checkIds(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  UsedId LastPlain, FirstPhi;
  for (uint32_t I = 0; I != D.Used.size(); ++I) {
    const ValueTag &Tag = D.Used[I].Tag;
    if (Tag.Phi && (!FirstPhi || Tag.Id < D[FirstPhi].Tag.Id))
      FirstPhi = UsedId(I);
    if (!Tag.Phi && (!LastPlain || Tag.Id > D[LastPlain].Tag.Id))
      LastPlain = UsedId(I);
  }
  if (!LastPlain || !FirstPhi || D[LastPlain].Tag.Id < D[FirstPhi].Tag.Id)
    return;
  size_t LowPhis = llvm::count_if(D.Used, [&](const UsedValue &U) {
    return U.Tag.Phi && U.Tag.Id <= D[LastPlain].Tag.Id;
  });
  size_t HighPlain = llvm::count_if(D.Used, [&](const UsedValue &U) {
    return !U.Tag.Phi && U.Tag.Id >= D[FirstPhi].Tag.Id;
  });
  bool PhiIsWrong = LowPhis <= HighPlain;
  UsedId Wrong = PhiIsWrong ? FirstPhi : LastPlain;
  UsedId Other = PhiIsWrong ? LastPlain : FirstPhi;
  TagTexts Tag = A.places().tag(D[Wrong]);
  Finding F =
      R.report(PhiIsWrong ? phiText(Tag) : Tag.Whole,
               "{} is {} phi, but its id is {} that of {}; phis have "
               "the largest ids",
               Tag.Whole, PhiIsWrong ? "a" : "not a",
               PhiIsWrong ? "below" : "above", A.places().tag(D[Other]).Whole);
  F.note(A.places().tag(D[Other]).Whole, "the other value");
  aboutUsed(A, F, Wrong);
}

namespace hlobuf {
void checkPhi(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  for (uint32_t U = 0; U != D.Used.size(); ++U) {
    const ValueTag &Tag = D.Used[U].Tag;
    if (!Tag.Phi)
      continue;
    if (const Instruction *I = A.instruction(Tag.Name))
      checkOpcode(A, R, UsedId(U), *I);
  }
  for (const Instruction &I : D.Instructions)
    if (I.Op.Op == Opcode::Parameter)
      checkMixed(A, R, I);
  checkIds(A, R);
  if (!D.complete(Section::Texts))
    R.notCheckedWithout(A, Section::Texts,
                        "no instruction texts to tell which opcodes have phis");
}
} // namespace hlobuf
