//===- Checks/Ranges/DeclaredAlias.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An item `{o}: (k, {i})` of an instruction's output_to_operand_aliasing says
// that output o is written where part i of operand k is: both have one
// allocation, offset and size. Alias analysis joins them (custom calls since
// 2021-10-05, fusions since 2022-11: hlo_dataflow_analysis.cc, later
// alias_info.cc). Asynchronous ops printed as `xxx-start` are left out: their
// numbering belongs to the wrapped instruction.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace {
class DeclaredAliasCheck {
public:
  DeclaredAliasCheck(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()) {}

  void check(const Instruction &I) {
    if (I.Op.Sugar && D.attributes(I).contains("output_to_operand_aliasing"))
      R.exempt("async-sugar");
    for (const DeclaredAlias &Item : A.aliases(I)) {
      llvm::ArrayRef<NameId> Operands = D.operands(I);
      if (Item.Operand >= Operands.size()) {
        R.report(Item.Text, "'{}' aliases operand {}, but has {} operands",
                 D.Names[I.Name], Item.Operand, Operands.size())
            .about(I.Name);
        continue;
      }
      UsedId Out = A.valueAt(I.Name, Item.Output);
      UsedId In = A.valueAt(Operands[Item.Operand], Item.Index);
      if (Out && In)
        checkPlaces(I, Item, A.valueOf(Out), A.valueOf(In));
    }
  }

private:
  void checkPlaces(const Instruction &I, const DeclaredAlias &Item, ValueId Out,
                   ValueId In);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
};
} // namespace

void DeclaredAliasCheck::checkPlaces(const Instruction &I,
                                     const DeclaredAlias &Item, ValueId Out,
                                     ValueId In) {
  if (!Out || !In)
    return;
  const Value &To = D[Out];
  const Value &From = D[In];
  if (To.Owner == From.Owner && To.Offset == From.Offset &&
      To.Size == From.Size)
    return;
  R.report(A.places().value(To).Tag.Whole,
           "{} is in bytes [{}, {}) of allocation {}, but '{}' aliases it with "
           "{}, in bytes [{}, {}) of allocation {}",
           D.spell(To.Tag), To.Offset, To.end(), D[To.Owner].Index,
           D.Names[I.Name], D.spell(From.Tag), From.Offset, From.end(),
           D[From.Owner].Index)
      .note(A.places().line(From), "{} is here", D.spell(From.Tag))
      .note(Item.Text, "the alias is declared here")
      .about(Out)
      .about(In);
}

namespace hlobuf {
void checkDeclaredAlias(const CheckContext &A, Reporter &R) {
  DeclaredAliasCheck Check(A, R);
  for (const Instruction &I : A.dump().Instructions)
    Check.check(I);
}
} // namespace hlobuf
