//===- Checks/Ranges/UseBeforeDefinition.cpp ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction that defines a value comes before all others that hold or
// read it: a schedule is a topological order, and InstructionSequence is the
// schedule (hlo_live_range.cc, since 2021-04-07). Phis are exempt: they take
// their value from a loop's previous round. So is a dump where a position
// belongs to two values: a computation that is called twice is listed once, at
// its first call.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;

namespace {
class UseBeforeDefinition {
public:
  UseBeforeDefinition(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()) {}

  void check(const UsedValue &U) {
    int32_t Defined = A.time(U.Tag.Name);
    if (U.Tag.Phi)
      return R.exempt("phi");
    if (Defined < 0)
      return;
    for (const Position &P : D.positions(U).drop_front(!U.Positions.empty()))
      if (P.Name != U.Tag.Name && isBefore(P.Name, Defined))
        report(U, A.places().row(P).Name, P.Name, "holds");
    for (const Use &Read : D.uses(U))
      if (isBefore(Read.Name, Defined) || Read.Name == U.Tag.Name)
        report(U, A.places().row(Read).Name, Read.Name, "reads");
  }

private:
  bool isBefore(NameId Name, int32_t Step) const {
    int32_t Time = A.time(Name);
    return Time >= 0 && Time < Step;
  }
  void report(const UsedValue &U, llvm::StringRef Where, NameId Name,
              llvm::StringRef Verb);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
};
} // namespace

void UseBeforeDefinition::report(const UsedValue &U, llvm::StringRef Where,
                                 NameId Name, llvm::StringRef Verb) {
  const SequenceRow &Early = D.Sequence[A.time(Name)];
  const SequenceRow &Late = D.Sequence[A.time(U.Tag.Name)];
  Finding F = R.report(
      Where, "'{}' {} {} at step {}, before its definition at step {}",
      D.Names[Name], Verb, D.spell(U.Tag), A.time(Name), A.time(U.Tag.Name));
  F.note(A.places().line(Late), "'{}' is defined here", D.Names[U.Tag.Name])
      .note(A.places().line(Early), "'{}' {} it here", D.Names[Name], Verb);
  UsedId Id(static_cast<size_t>(&U - D.Used.data()));
  if (ValueId V = A.valueOf(Id))
    F.about(V);
  F.about(Name);
}

namespace hlobuf {
void checkUseBeforeDefinition(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  if (!A.isSequenceSound())
    return R.notChecked("the instruction sequence is broken");
  if (!A.isSSA())
    return R.notChecked("a position belongs to two values");
  UseBeforeDefinition Check(A, R);
  for (const UsedValue &U : D.Used)
    Check.check(U);
}
} // namespace hlobuf
