//===- Checks/Sharing/TouchingReader.cpp ----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a value takes over the place of another one at the step at which that
// one ends, its instruction reads that one: taking over the bytes of a dying
// operand is the only way to share them at one step (heap_simulator.cc,
// RunComputation; buffer_assignment.cc, LiveRangeInterferes; 2017). Values of
// one alias set are not an exception as far as a reader goes, but a while, a
// conditional, a call, an async op and declared aliasing make sets whose ranges
// are cut where the next member starts (hlo_live_range.cc,
// NormalizeAliasedBuffers), which then does not read the one before: with those
// the module shows the sets, and without it only modules that have none of them
// are checked; of donation the allocation says it, and a parameter that nothing
// reads ends where the output starts, even before the parameter's own step
// (GPU, jax 0.12.0). TPU's alternate memory is placed by half-open steps, so
// that there a value may start where an unrelated one ends.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Occupancy.h"

using namespace hlobuf;

namespace {
class TouchingReader {
public:
  /// \p W is null where no alias set needs to be known.
  TouchingReader(const CheckContext &A, const ModuleAnalysis *W, Reporter &R)
      : A(A), D(A.dump()), W(W), R(R) {}

  void check(const Allocation &Alloc);

private:
  bool mayTakeOver(ValueId Ending, ValueId Starting);
  bool holdsInOperand(HloId Reader, HloValueId V);
  void checkPair(ValueId Ending, ValueId Starting);

  const CheckContext &A;
  const Dump &D;
  const ModuleAnalysis *W;
  Reporter &R;
  std::vector<TimedBytes> Stated;
  /// Sorted, of one instruction at a time.
  std::vector<HloId> Operands;
  HloId OperandsOf;
};
} // namespace

static bool readsValue(const CheckContext &A, NameId Reader, ValueId V) {
  UsedId U = A.usedOf(V);
  return U && llvm::any_of(A.dump().uses(A.dump()[U]),
                           [&](const Use &Use) { return Use.Name == Reader; });
}

/// True if \p V is a donated parameter that nothing reads: it is in the alias
/// set of the output that takes its place, whatever the schedule says of the
/// two.
static bool isUnreadDonation(const CheckContext &A, ValueId V) {
  const Dump &D = A.dump();
  const Allocation &Alloc = D[D[V].Owner];
  UsedId U = A.usedOf(V);
  return Alloc.isParameter() && Alloc.MaybeLiveOut && U &&
         D.uses(D[U]).empty() && A.opcode(D[V].Tag.Name) == Opcode::Parameter;
}

/// True if an operand of \p Reader holds \p V, in whatever part.
bool TouchingReader::holdsInOperand(HloId Reader, HloValueId V) {
  if (Reader != OperandsOf) {
    OperandsOf = Reader;
    llvm::ArrayRef<HloId> All = W->program().operands(Reader);
    Operands.assign(All.begin(), All.end());
    llvm::sort(Operands);
  }
  return llvm::any_of(W->flow().positions(V), [&](const FlowPosition &At) {
    return std::binary_search(Operands.begin(), Operands.end(), At.Instruction);
  });
}

bool TouchingReader::mayTakeOver(ValueId Ending, ValueId Starting) {
  const ValueTag &Old = D[Ending].Tag, &New = D[Starting].Tag;
  if (!W)
    return Old.Phi || New.Phi || !A.hasText(New.Name) ||
           readsValue(A, New.Name, Ending) || isUnreadDonation(A, Ending);
  HloValueId Before = W->find(Old.Name, Old.Index);
  HloValueId After = W->find(New.Name, New.Index);
  return !Before || !After || W->aliases().same(Before, After) ||
         holdsInOperand(W->flow()[After].Definition, Before);
}

void TouchingReader::checkPair(ValueId Ending, ValueId Starting) {
  const Value &V = D[Ending], &Next = D[Starting];
  if (V.Offset != Next.Offset || mayTakeOver(Ending, Starting))
    return;
  Finding F = R.report(A.places().value(Next).Offset,
                       "{} takes over {} from {} at {}, but its instruction "
                       "does not read that value",
                       D.spell(Next.Tag), sharedBytes(D, V, Next),
                       D.spell(V.Tag), spellStep(D, A.range(Starting)->Start));
  int32_t Step = A.range(Starting)->Start;
  addDefinition(F, A, Ending);
  addStep(F, A, Step, Starting, spellOverwrite(Next, V));
  F.why(A.places().row(D.Ranges[*A.rangeRow(Ending)]).Second,
        "the live range of {} ends at step {}, where {} does not read it",
        spellName(D, Ending), Step, D.Names[Next.Tag.Name]);
  notePlace(F, A, Ending);
  noteRange(F, A, Ending);
  noteRange(F, A, Starting);
  F.about(Starting).about(Ending);
}

void TouchingReader::check(const Allocation &Alloc) {
  if (Alloc.Values.size() < 2)
    return;
  if (W && isAlternate(A, Alloc))
    return R.exempt("half-open-steps", Alloc.Values.size());
  Stated.clear();
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(A, ValueId(V));
    if (O.Kind != HoldPolicy::Unknown && O.Kind != HoldPolicy::Concat)
      Stated.push_back(timedBytes(D, ValueId(V), O.Stated));
  }
  findTouching(Stated, Stated, [&](uint32_t Ending, uint32_t Starting) {
    checkPair(ValueId(Ending), ValueId(Starting));
  });
}

namespace hlobuf {
void checkTouchingReader(const CheckContext &A, Reporter &R) {
  const ModuleAnalysis *W = nullptr;
  if (!A.isPlain()) {
    if (!A.moduleAnalysis())
      return R.notCheckedWithout(
          A, Section::Module,
          "with control flow, async ops or declared aliasing only the HLO "
          "module shows what aliases");
    W = usableModule(A, R);
    if (!W)
      return;
  }
  TouchingReader Check(A, W, R);
  for (const Allocation &Alloc : A.dump().Allocations)
    Check.check(Alloc);
}
} // namespace hlobuf
