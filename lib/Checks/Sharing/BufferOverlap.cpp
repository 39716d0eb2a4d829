//===- Checks/Sharing/BufferOverlap.cpp -----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two values that are live together use disjoint bytes, and a value that is
// never read is not written into the middle of a live one: it is written
// nevertheless. That is what XLA's heap simulator is for
// (heap_simulator.cc, MakeFreeChunksList, 2017) and what it tests before a
// value may join another one's allocation (buffer_assignment.cc,
// LiveRangeInterferes). Values that must alias are not an exception: their
// ranges are cut where the next one starts (hlo_live_range.cc, 2022-06-24; a
// step earlier before).
//
// TPU's alternate memory (temps of another color than 0) is placed by the
// memory space assignment, which trusts last uses, not stated ends; broken
// pairs there are warnings. Exceptions:
// - a value whose last user is a conditional is free again in a branch after
//   its last use there (205 of 3,127 TPU dumps); only the module shows where;
// - a value without uses has no known end;
// - ConcatBitcast's result overlaps its operands by design;
// - async bodies may have private stacks that all start at offset 0: only
//   values of one stack are compared;
// - contexts of SparseCore chains share one place (libtpu 0.0.51, v5p and up).
//
//===----------------------------------------------------------------------===//

#include "Checks/Sharing/Sharing.h"
#include "Checks/Sharing/Stacks.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Occupancy.h"

using namespace hlobuf;

namespace {
class OverlapCheck {
public:
  OverlapCheck(const CheckContext &A, Reporter &R)
      : A(A), R(R), D(A.dump()), OnStacks(A, R) {}

  void run() {
    for (const Allocation &Alloc : D.Allocations) {
      if (Alloc.Values.size() < 2)
        continue;
      explainContexts(A, R, Alloc);
      if (!isAlternate(A, Alloc))
        checkPlain(Alloc);
      else if (canCompareAlternate(A, R))
        checkAlternate(Alloc);
    }
    // With the module, module-overlap distinguishes the branches.
    const ModuleAnalysis *W = A.moduleAnalysis();
    if (AnyConditional && !(W && W->derivesTime()))
      R.notCheckedWithout(A, Section::Module,
                          "values of alternate memory whose last user is a "
                          "conditional: needs the HLO module");
  }

private:
  void checkPlain(const Allocation &Alloc);
  void checkAlternate(const Allocation &Alloc);
  void exempt(const Occupancy &O);
  void report(Severity Level, ValueId Later, ValueId Earlier);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  Stacks OnStacks;
  bool AnyConditional = false;
};
} // namespace

void OverlapCheck::report(Severity Level, ValueId Later, ValueId Earlier) {
  StepRange First = *A.range(Earlier), Second = *A.range(Later);
  bool Dead = Second.Start == Second.End;
  Finding F =
      R.reportAs(Level, A.places().value(D[Later]).Offset,
                 "{}{} overlaps live value {} in {}",
                 Dead ? "unused value " : "", D.spell(D[Later].Tag),
                 D.spell(D[Earlier].Tag), sharedBytes(D, D[Later], D[Earlier]));
  addDefinition(F, A, Earlier);
  addStep(F, A, Second.Start, Later,
          fmt::format("{}{}", spellOverwrite(D[Later], D[Earlier]),
                      Dead ? ", and nobody reads it" : ""));
  addEnd(F, A, Earlier, First.End);
  F.why(A.places().row(D.Ranges[*A.rangeRow(Later)]).First,
        "the live range {}-{} begins before the live range {}-{} of {} ends",
        Second.Start, Second.End, First.Start, First.End,
        spellName(D, Earlier));
  notePlace(F, A, Earlier);
  noteRange(F, A, Earlier);
  F.about(Later).about(Earlier);
}

void OverlapCheck::checkPlain(const Allocation &Alloc) {
  std::vector<TimedBytes> Held;
  Held.reserve(Alloc.Values.size());
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(A, ValueId(V));
    if (O.Kind != HoldPolicy::Unknown)
      Held.push_back(timedBytes(D, ValueId(V), O.Held));
  }
  findOverlaps(Held, [&](uint32_t Later, uint32_t Earlier) {
    report(Severity::Error, ValueId(Later), ValueId(Earlier));
  });
}

void OverlapCheck::exempt(const Occupancy &O) {
  bool Dead = O.Stated.Start == O.Stated.End;
  R.exempt("conditional-reader", O.Kind == HoldPolicy::Conditional && !Dead);
  R.exempt("no-known-end", O.Kind == HoldPolicy::Unused && !Dead);
  R.exempt("concat-bitcast", O.Kind == HoldPolicy::Concat && !Dead);
}

/// Values of ConcatBitcast are compared with unused values only, and values
/// without a known end are compared only if they are dead.
void OverlapCheck::checkAlternate(const Allocation &Alloc) {
  std::vector<TimedBytes> Held, Concats;
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(A, ValueId(V));
    AnyConditional |= O.Kind == HoldPolicy::Conditional;
    exempt(O);
    if (O.Kind == HoldPolicy::Unknown)
      continue;
    TimedBytes Bytes = timedBytes(D, ValueId(V), O.Held);
    bool Dead = O.Stated.Start == O.Stated.End;
    if (O.Kind == HoldPolicy::Concat || Dead)
      Concats.push_back(Bytes);
    if (Dead || (O.Kind == HoldPolicy::LastUse && !Bytes.dead()))
      Held.push_back(Bytes);
  }
  OnStacks.findOverlaps(Alloc, Held, [&](uint32_t Later, uint32_t Earlier) {
    report(Severity::Warning, ValueId(Later), ValueId(Earlier));
  });
  OnStacks.findOverlaps(Alloc, Concats, [&](uint32_t Later, uint32_t Earlier) {
    std::optional<StepRange> Range = A.range(ValueId(Later));
    if (Range->Start == Range->End)
      report(Severity::Warning, ValueId(Later), ValueId(Earlier));
  });
}

namespace hlobuf {
void checkBufferOverlap(const CheckContext &A, Reporter &R) {
  OverlapCheck(A, R).run();
}
} // namespace hlobuf
