//===- Checks/Values/PositionOwner.cpp ------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every (instruction, index) there is one value
// (HloDataflowAnalysis in SSA form, 2017 on): no two values list the same
// position. Only where a computation has several callers, or an async chain
// crosses a loop, a place may hold one of several values. Such places begin at
// a parameter, or at an async instruction of a dump with loops; where one of
// those is shared by two values, the rule is switched off. No real dump with
// such a place is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
/// Two rows of different values at one place.
struct Conflict {
  uint32_t First, Second;
};
} // namespace

/// Calls \p Visit for each two rows at one place that belong to two values.
template <typename Fn>
static void forEachConflict(const CheckContext &A, Fn Visit) {
  const Dump &D = A.dump();
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name) {
    ArrayRef<uint32_t> Here = A.positionsAt(NameId(Name));
    for (size_t I = 1; I < Here.size(); ++I) {
      const Position &P = D.Positions[Here[I - 1]];
      const Position &Q = D.Positions[Here[I]];
      if (P.Index.canonical() == Q.Index.canonical() &&
          A.ownerOfPosition(Here[I - 1]) != A.ownerOfPosition(Here[I]))
        Visit(Conflict{Here[I - 1], Here[I]});
    }
  }
}

/// True if several values may rightly meet first at \p Name.
static bool mayJoin(const CheckContext &A, NameId Name) {
  const Dump &D = A.dump();
  const Instruction *I = A.instruction(Name);
  if (I && isAsync(I->Op.Op))
    return llvm::any_of(D.Instructions, [](const Instruction &Other) {
      return Other.Op.Op == Opcode::While;
    });
  // A parameter that defines nothing has no text, and reads nothing.
  return !I && D.complete(Section::Texts) && A.usesBy(Name).empty() &&
         A.usedOfInstruction(Name).empty();
}

/// True if row \p Number is the definition of its value, or a place that the
/// value's uses explain.
static bool isDefinition(const CheckContext &A, uint32_t Number) {
  const Dump &D = A.dump();
  const ValueTag &Tag = D[A.ownerOfPosition(Number)].Tag;
  const Position &P = D.Positions[Number];
  return P.Name == Tag.Name && P.Index.canonical() == Tag.Index.canonical();
}

static void report(const CheckContext &A, Reporter &R, Conflict C) {
  const Dump &D = A.dump();
  if (isDefinition(A, C.Second))
    std::swap(C.First, C.Second);
  const Position &P = D.Positions[C.Second];
  UsedId Owner = A.ownerOfPosition(C.Second);
  UsedId Other = A.ownerOfPosition(C.First);
  Finding F = R.report(A.places().line(P).ltrim(),
                       "{} is a position of {}, but also of {}",
                       D.spell(P.Name, P.Index), A.places().tag(D[Owner]).Whole,
                       A.places().tag(D[Other]).Whole);
  F.note(A.places().line(D.Positions[C.First]).ltrim(), "listed here too")
      .about(P.Name);
  aboutUsed(A, F, Owner);
  aboutUsed(A, F, Other);
}

namespace hlobuf {
void checkPositionOwner(const CheckContext &A, Reporter &R) {
  bool Joins = false;
  forEachConflict(A, [&](Conflict C) {
    Joins |= mayJoin(A, A.dump().Positions[C.First].Name);
  });
  if (Joins) {
    R.notChecked("a position may hold one of several values");
    return;
  }
  forEachConflict(A, [&](Conflict C) { report(A, R, C); });
}
} // namespace hlobuf
