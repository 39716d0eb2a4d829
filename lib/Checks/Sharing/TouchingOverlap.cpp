//===- Checks/Sharing/TouchingOverlap.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where one value ends at the step at which another one starts, an instruction
// reads the first while it writes the second. Then they have the same place
// (the instruction works in place) or share no byte: live ranges count as
// closed when XLA places values (heap_simulator.cc, RunComputation;
// buffer_assignment.cc, LiveRangeInterferes; 2017), and in-place operands are
// placed exactly on their users. A result of another size is not excepted, also
// outside temps, where all offsets are 0: CanShareOperandBufferWithUser wants
// equal shapes. Builds for GPU between 2026-06-17 and 2026-08-06 really broke
// this rule in allocations with a block `reused by buffers of a different
// color`; that is a true defect.
//
// TPU's alternate memory (temps of another color than 0) is held until the
// last use, so both stated ends and last uses are looked at there. Steps are
// half-open there, which excuses values that have nothing to do with each
// other; where the instruction itself reads the one and writes the other it is
// an error, else a warning. Exceptions:
// - the result of ConcatBitcast overlaps its operands by design;
// - a value that a conditional uses may end earlier in a branch;
// - the stated end of a value that nobody touches in the step before a
//   conditional defines the other one is not its own, but that of an operand
//   of the conditional in its group (2 of 2,000 random programs);
// - private stacks and contexts of SparseCore chains, as in BufferOverlap.cpp.
//
//===----------------------------------------------------------------------===//

#include "Checks/Sharing/Sharing.h"
#include "Checks/Sharing/Stacks.h"
#include "Facts/Occupancy.h"

using namespace hlobuf;

namespace {
class TouchingCheck {
public:
  TouchingCheck(const CheckContext &A, Reporter &R)
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
  }

private:
  void checkPlain(const Allocation &Alloc);
  void checkAlternate(const Allocation &Alloc);
  bool usedByConditional(ValueId V) const;
  bool hasForeignEnd(ValueId V, ValueId Next) const;
  bool readsAndWrites(ValueId Read, ValueId Written) const;
  void report(Severity Level, ValueId Ending, ValueId Starting, int32_t Step);

  const CheckContext &A;
  Reporter &R;
  const Dump &D;
  Stacks OnStacks;
};
} // namespace

/// True if the instruction that writes \p Written reads \p Read itself, and has
/// done both when it ends: no order of steps excuses that they share bytes.
bool TouchingCheck::readsAndWrites(ValueId Read, ValueId Written) const {
  const ValueTag &Tag = D[Written].Tag;
  const Instruction *I = A.instruction(Tag.Name);
  UsedId U = A.usedOf(Read);
  if (!I || !U || Tag.Phi || I->Op.Sugar || I->Op.Op == Opcode::Unknown ||
      isControlFlow(I->Op.Op) || accessesNoMemory(I->Op.Op) ||
      isTransfer(I->Op.Op))
    return false;
  return llvm::any_of(
      D.uses(D[U]), [&](const Use &Reader) { return Reader.Name == Tag.Name; });
}

void TouchingCheck::report(Severity Level, ValueId Ending, ValueId Starting,
                           int32_t Step) {
  const Value &V = D[Ending], &W = D[Starting];
  if (V.samePlace(W))
    return;
  Finding F = R.reportAs(
      Level, A.places().value(W).Offset,
      "{} starts at {}, where {} is still read, and shares {} with it; they "
      "must have the same place or no common byte",
      D.spell(W.Tag), spellStep(D, Step), D.spell(V.Tag), sharedBytes(D, V, W));
  addDefinition(F, A, Ending);
  addStep(F, A, Step, Starting, spellOverwrite(W, V));
  addEnd(F, A, Ending, Step);
  F.why(A.places().value(V).Offset,
        "a result may replace an operand only at the same first byte, with the "
        "same size");
  notePlace(F, A, Ending);
  noteRange(F, A, Ending);
  noteRange(F, A, Starting);
  F.about(Starting).about(Ending);
}

void TouchingCheck::checkPlain(const Allocation &Alloc) {
  std::vector<TimedBytes> Stated;
  Stated.reserve(Alloc.Values.size());
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(A, ValueId(V));
    if (O.Kind != HoldPolicy::Unknown)
      Stated.push_back(timedBytes(D, ValueId(V), O.Stated));
  }
  findTouching(Stated, Stated, [&](uint32_t Ending, uint32_t Starting) {
    report(Severity::Error, ValueId(Ending), ValueId(Starting),
           A.range(ValueId(Starting))->Start);
  });
}

bool TouchingCheck::usedByConditional(ValueId V) const {
  UsedId U = A.usedOf(V);
  return U && llvm::any_of(D.uses(D[U]), [&](const Use &Reader) {
           return A.opcode(Reader.Name) == Opcode::Conditional;
         });
}

/// The end of \p V was handed down from an operand of the conditional that
/// defines \p Next.
bool TouchingCheck::hasForeignEnd(ValueId V, ValueId Next) const {
  UsedId U = A.usedOf(V);
  if (!U || A.opcode(D[Next].Tag.Name) != Opcode::Conditional)
    return false;
  int32_t Last = lastUse(A, U).value_or(-1);
  for (const Position &P : D.positions(D[U]))
    Last = std::max(Last, A.time(P.Name));
  return Last < A.range(Next)->Start - 1;
}

void TouchingCheck::checkAlternate(const Allocation &Alloc) {
  std::vector<TimedBytes> Starting, ByStatedEnd, ByLastUse;
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(A, ValueId(V));
    R.exempt("concat-bitcast", O.IsConcat);
    if (O.Kind == HoldPolicy::Unknown || O.IsConcat)
      continue;
    Starting.push_back(timedBytes(D, ValueId(V), O.Stated));
    bool Split = usedByConditional(ValueId(V));
    R.exempt("conditional-reader", Split);
    if (!Split)
      ByStatedEnd.push_back(Starting.back());
    if (O.Kind == HoldPolicy::LastUse && (Split || O.Held != O.Stated))
      ByLastUse.push_back(timedBytes(D, ValueId(V), O.Held));
  }
  auto Report = [&](uint32_t Ending, uint32_t Next) {
    bool Certain = readsAndWrites(ValueId(Ending), ValueId(Next));
    report(Certain ? Severity::Error : Severity::Warning, ValueId(Ending),
           ValueId(Next), A.range(ValueId(Next))->Start);
  };
  OnStacks.findTouching(Alloc, ByStatedEnd, Starting,
                        [&](uint32_t Ending, uint32_t Next) {
                          if (!hasForeignEnd(ValueId(Ending), ValueId(Next)))
                            Report(Ending, Next);
                          else
                            R.exempt("foreign-end");
                        });
  OnStacks.findTouching(Alloc, ByLastUse, Starting, Report);
}

namespace hlobuf {
void checkTouchingOverlap(const CheckContext &A, Reporter &R) {
  TouchingCheck(A, R).run();
}
} // namespace hlobuf
