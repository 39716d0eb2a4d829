//===- Checks/Values/SequenceMembership.cpp -------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// InstructionSequence holds every instruction of the computations that are
// flattened into one order (HloLiveRange::FlattenSchedule, hlo_live_range.cc,
// 2021-06 on). Values with a live range live in those computations, and so do
// the instructions at their positions and uses; and every instruction of the
// sequence is where some value is. Values of thread-local computations have no
// live range and are left out. The second half needs live ranges that prove
// that every value is listed. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A name that values mention but that is not in the sequence.
struct Absent {
  NameId Name;
  UsedId Owner;
  StringRef Where;
};

class Membership {
public:
  Membership(const CheckContext &A, Reporter &R)
      : A(A), D(A.dump()), R(R), InSequence(D.Names.size(), false),
        Mentioned(D.Names.size(), false) {}

  void check() {
    for (const SequenceRow &Row : D.Sequence) {
      if (InSequence[Row.Name.index()])
        Repeated = &Row;
      InSequence[Row.Name.index()] = true;
    }
    for (uint32_t U = 0; U != D.Used.size(); ++U)
      collect(UsedId(U));
    collectUnknown();
    pair();
    for (const Absent &X : Missing)
      reportMissing(X);
    for (const SequenceRow *Row : Unknown)
      reportUnknown(*Row);
  }

private:
  void collect(UsedId U) {
    for (const Position &P : D.positions(D[U]))
      Mentioned[P.Name.index()] = true;
    if (!A.range(D[U].Tag.Name, D[U].Tag.Index))
      return;
    for (const Position &P : D.positions(D[U]))
      if (isNew(P.Name))
        Missing.push_back({P.Name, U, A.places().row(P).Name});
    for (const Use &Row : D.uses(D[U]))
      if (isNew(Row.Name))
        Missing.push_back({Row.Name, U, A.places().row(Row).Name});
  }

  /// True for the first mention of a name that is not in the sequence.
  bool isNew(NameId Name) {
    if (InSequence[Name.index()])
      return false;
    InSequence[Name.index()] = true;
    return true;
  }

  void collectUnknown() {
    if (!A.isFull()) {
      R.notCheckedWithout(A, Section::Ranges, SomeUnlisted);
      return;
    }
    for (const SequenceRow &Row : D.Sequence)
      if (!Mentioned[Row.Name.index()])
        Unknown.push_back(&Row);
  }

  /// One name too few and one too many are one mistake: of the places that
  /// name the absent instruction and the one in the sequence, the rarer is
  /// wrong.
  void pair() {
    if (Missing.size() != 1 || Unknown.size() != 1)
      return;
    const Absent &X = Missing.front();
    const SequenceRow &Row = *Unknown.front();
    size_t Mentions = A.positionsAt(X.Name).size() + A.usesBy(X.Name).size();
    StringRef InRow = A.places().row(Row).Name;
    bool RowIsWrong = Mentions > 1 || (A.usesBy(Row.Name).empty() &&
                                       A.usedOfInstruction(Row.Name).empty());
    Finding F = RowIsWrong ? R.report(InRow,
                                      "no value has a position at {}, and {} "
                                      "is missing from the sequence",
                                      InRow, D.Names[X.Name])
                           : R.report(X.Where,
                                      "{} is missing from the sequence, and no "
                                      "value has a position at {}",
                                      D.Names[X.Name], InRow);
    F.note(RowIsWrong ? X.Where : InRow, "the other name")
        .about(X.Name)
        .about(Row.Name);
    aboutUsed(A, F, X.Owner);
    Missing.clear();
    Unknown.clear();
  }

  void reportMissing(const Absent &X) {
    Finding F = R.report(
        X.Where,
        "{} is missing from the sequence, but {} has a use or position there",
        D.Names[X.Name], A.places().tag(D[X.Owner]).Whole);
    F.about(X.Name);
    if (Repeated && Missing.size() == 1)
      F.note(A.places().row(*Repeated).Name, "in the sequence twice")
          .about(Repeated->Name);
    // A line that was lost also breaks the numbering.
    if (!A.isSequenceSound())
      F.about(Section::Sequence);
    aboutUsed(A, F, X.Owner);
  }

  void reportUnknown(const SequenceRow &Row) {
    R.report(A.places().row(Row).Name,
             "no value has a position at {}, step {} of the sequence",
             D.Names[Row.Name], Row.Ordinal)
        .about(Row.Name);
  }

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  std::vector<bool> InSequence, Mentioned;
  std::vector<Absent> Missing;
  std::vector<const SequenceRow *> Unknown;
  /// A row with a name that was seen before.
  const SequenceRow *Repeated = nullptr;
};
} // namespace

namespace hlobuf {
void checkSequenceMembership(const CheckContext &A, Reporter &R) {
  if (A.dump().Sequence.empty()) {
    R.notChecked("the sequence is empty");
    return;
  }
  Membership(A, R).check();
}
} // namespace hlobuf
