//===- Checks/Values/HiddenUser.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of an instruction that defines no value is not printed, but its
// uses must agree with each other (HloValue::ComputeUses, hlo_value.cc, 2017
// on). One operand is one instruction: at one index of it there is one value,
// and braces are printed for all of its values or for none. Operands are
// numbered from 0 without gap, because each holds some value; and the user
// itself is a position of some value. Who reads an inner part of a tuple that
// it does not forward is not a get-tuple-element, and reads all parts.
//
// Where the live ranges do not prove that every value is listed, an operand
// may hold none, and from 2026-07-22 on (views without allocation) a user may.
// Where two values share a position (`position-owner`) an operand may hold one
// of several. No other exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
class Users {
public:
  Users(const CheckContext &A, Reporter &R)
      : A(A), D(A.dump()), R(R), Full(A.isFull()), SSA(A.isSSA()),
        Placed(Full || A.release().until(20260722)) {
    if (!Full)
      R.notCheckedWithout(A, Section::Ranges, SomeUnlisted);
  }

  void check(NameId X);

private:
  void checkPair(const Use &Before, uint32_t BeforeNumber, const Use &Row,
                 uint32_t Number);
  std::vector<UsedId> valuesAt(NameId X) const;
  void checkParts(NameId X, ArrayRef<uint32_t> Uses);
  void checkGap(const Use &Row, uint32_t Number, uint32_t Expected);
  Finding report(const Use &Row, uint32_t Number, std::string Message) {
    Finding F = R.report(A.places().line(Row).ltrim(), "{}", Message);
    aboutUsed(A, F.about(Row.Name), A.ownerOfUse(Number));
    return F;
  }

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  bool Full, SSA;
  /// Every user must be a position.
  bool Placed;
  std::vector<uint32_t> Sorted;
};
} // namespace

/// Two uses of one operand, neighbors by index.
void Users::checkPair(const Use &Before, uint32_t BeforeNumber, const Use &Row,
                      uint32_t Number) {
  UsedId Owner = A.ownerOfUse(Number);
  UsedId Other = A.ownerOfUse(BeforeNumber);
  std::string Message;
  if (Before.Index.printed() != Row.Index.printed())
    Message = fmt::format(
        "operand {} of {} is printed {}", Row.Operand, D.Names[Row.Name],
        Row.Index.printed() ? "with an index here, but without one elsewhere"
                            : "without an index here, but with one elsewhere");
  else if (SSA && Before.Index == Row.Index && Owner != Other)
    Message = fmt::format("operand {} of {} is {} here, but {} elsewhere",
                          Row.Operand, D.Names[Row.Name],
                          A.places().tag(D[Owner]).Whole,
                          A.places().tag(D[Other]).Whole);
  else
    return;
  Finding F = report(Row, Number, std::move(Message));
  F.note(A.places().line(Before).ltrim(), "the other use");
  aboutUsed(A, F, Other);
}

void Users::checkGap(const Use &Row, uint32_t Number, uint32_t Expected) {
  if (Full && Row.Operand > Expected)
    report(Row, Number,
           fmt::format("{} is operand {} of {}, but no value is operand {}",
                       A.places().tag(D[A.ownerOfUse(Number)]).Whole,
                       Row.Operand, D.Names[Row.Name], Expected));
}

/// The done of such a start has no text and reads all of it.
static bool startsCollective(Opcode Op) {
  return startedBy(Op) && !isAsync(Op) && !isTransfer(Op);
}

/// The values positioned at \p X.
std::vector<UsedId> Users::valuesAt(NameId X) const {
  std::vector<UsedId> Here;
  for (uint32_t Number : A.positionsAt(X))
    Here.push_back(A.ownerOfPosition(Number));
  llvm::sort(Here);
  return Here;
}

/// The uses of one tuple operand, sorted by index. If \p X reads an inner part
/// that it does not forward, it reads them all.
void Users::checkParts(NameId X, ArrayRef<uint32_t> Uses) {
  const Use &Top = D.Uses[Uses.front()];
  if (!SSA || !Top.Index.printed() || !Top.Index.isRoot())
    return;
  // Which instruction the operand is must be beyond doubt.
  NameId Operand;
  for (const Position &P : D.positions(D[A.ownerOfUse(Uses.front())])) {
    if (!P.Index.isRoot() || P.Name == X)
      continue;
    if (Operand)
      return;
    Operand = P.Name;
  }
  std::vector<UsedId> PassedOn = valuesAt(X);
  bool ReadsAll = startsCollective(A.opcode(Operand)) ||
                  llvm::any_of(Uses.drop_front(), [&](uint32_t Number) {
                    return !std::binary_search(PassedOn.begin(), PassedOn.end(),
                                               A.ownerOfUse(Number));
                  });
  if (!ReadsAll)
    return;
  UseSet Listed;
  Listed.load(A, X);
  for (uint32_t Number : A.positionsAt(Operand)) {
    const Position &P = D.Positions[Number];
    UsedId U = A.ownerOfPosition(Number);
    if (Listed.has(Top.Operand, P.Index, U))
      continue;
    Finding F = R.report(
        lastUseRow(A, U), "{} has no use by {}, which reads other parts of {}",
        A.places().tag(D[U]).Whole, D.Names[X], D.Names[Operand]);
    F.note(A.places().line(Top).ltrim(), "it reads this part").about(X);
    aboutUsed(A, F, U);
  }
}

void Users::check(NameId X) {
  ArrayRef<uint32_t> Uses = A.usesBy(X);
  if (Uses.empty())
    return;
  Sorted.assign(Uses.begin(), Uses.end());
  llvm::stable_sort(Sorted, [&](uint32_t P, uint32_t Q) {
    return D.Uses[P].Operand < D.Uses[Q].Operand;
  });
  const Use &First = D.Uses[Sorted.front()];
  if (Placed && A.positionsAt(X).empty()) {
    report(
        First, Sorted.front(),
        fmt::format("{} has a use by {}, which is not a position of any value",
                    A.places().tag(D[A.ownerOfUse(Sorted.front())]).Whole,
                    D.Names[X]));
    return;
  }
  for (size_t Begin = 0, End = 0; Begin != Sorted.size(); Begin = End) {
    uint32_t Operand = D.Uses[Sorted[Begin]].Operand;
    while (End != Sorted.size() && D.Uses[Sorted[End]].Operand == Operand)
      ++End;
    checkParts(X, ArrayRef<uint32_t>(Sorted).slice(Begin, End - Begin));
  }
  checkGap(First, Sorted.front(), 0);
  for (size_t K = 1; K != Sorted.size(); ++K) {
    const Use &Before = D.Uses[Sorted[K - 1]];
    const Use &Row = D.Uses[Sorted[K]];
    if (Before.Operand == Row.Operand)
      checkPair(Before, Sorted[K - 1], Row, Sorted[K]);
    else
      checkGap(Row, Sorted[K], Before.Operand + 1);
  }
}

namespace hlobuf {
void checkHiddenUser(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  Users All(A, R);
  for (uint32_t Name = 0; Name != D.Names.size(); ++Name)
    if (!A.hasText(NameId(Name)))
      All.check(NameId(Name));
}
} // namespace hlobuf
