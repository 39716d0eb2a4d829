//===- Checks/Allocation/OneRelease.cpp -----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lines of a dump were printed by one release of XLA. Each form of a line
// was printed between two dates (the page of an allocation since 2026-08-10,
// operand shapes until 2025-03-11, ..; see Analysis/Eras.cpp); if no date fits
// all of them, the dump was edited, cut off, or mixed from several releases.
// Checks whose rules changed over time then use no dated rule. A warning: a
// release may have been built from patched sources.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"

using namespace hlobuf;
using llvm::StringRef;

static StringRef firstLine(const Dump &D, StringRef Place) {
  if (Place.empty())
    Place = D.assignmentText();
  return Place.take_until([](char C) { return C == '\n'; });
}

/// Names the allocation or used value whose line \p Line is, so that what
/// other checks say about it is one finding with this.
static void addSubject(const CheckContext &A, Finding &F, StringRef Line) {
  const Dump &D = A.dump();
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    if (A.places().line(D.Allocations[I]).data() == Line.data())
      F.about(AllocationId(I));
  for (uint32_t I = 0; I != D.Used.size(); ++I)
    if (A.places().line(D.Used[I]).data() == Line.data())
      F.about(D.Used[I].Tag.Name);
}

static std::string date(uint32_t Number) {
  return fmt::format("{}-{:02}-{:02}", Number / 10000, Number / 100 % 100,
                     Number % 100);
}

namespace hlobuf {
void checkOneRelease(const CheckContext &A, Reporter &R) {
  const ReleaseWindow &When = A.release();
  if (!When.impossible())
    return;
  StringRef Old = firstLine(A.dump(), When.BeforePlace);
  StringRef New = firstLine(A.dump(), When.FromPlace);
  Finding F = R.report(
      Old,
      "this line is from before {} ({}), but other lines are from {} or later "
      "({}): was the dump edited, cut off, or mixed?",
      date(When.Before), When.BeforeReason, date(When.From), When.FromReason);
  F.note(New, "the newer line is here");
  addSubject(A, F, Old);
  addSubject(A, F, New);
}
} // namespace hlobuf
