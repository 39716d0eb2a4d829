// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// Where one value ends at the step at which another one starts, an instruction
// reads the first while it writes the second. Then they have the same place
// (the instruction works in place) or share no byte, because live ranges count
// as closed when XLA places values, and in-place operands are placed exactly on
// their users. A result of another size is not excepted, also outside temps,
// where all offsets are 0: CanShareOperandBufferWithUser wants equal shapes.
// Builds for GPU between 2026-06-17 and 2026-08-06 really broke this rule in
// allocations with a block `reused by buffers of a different color`; that is a
// true defect.
//
// A value is live as long as the dump states: module-ranges compares that with
// the module. Where the dump states no ranges, execution-proof shows that what
// is read is not overwritten.
//
// TPU's alternate memory (temps of another color than 0) is placed by the
// memory space assignment, which trusts last uses, not ends of ranges, in each
// branch of a conditional on its own, and half-open steps; broken pairs there
// are warnings, but an instruction that reads one value and writes a part of
// its bytes as another is an error in any order of steps. What nobody uses
// counts where it is written, and phis are not. Exceptions:
// - a value whose last user is a conditional is free again in a branch after
//   its last use there (205 of 3,127 TPU dumps): it counts where it is written;
// - contexts of SparseCore chains share one place (libtpu 0.0.51, v5p and up).

#include "Checks/Sharing/Sharing.h"
#include "Facts/Occupancy.h"
#include "Facts/Overlap.h"
#include "Program/StatedSteps.h"
#include "Proof/Kernel.h"

using namespace hlobuf;

namespace {
/// The values of one place in time, found once for both rules.
struct OverlapCheck {
  void run();

  bool isExecutionShown() const;
  void check(const Allocation &Alloc);
  std::optional<StepRange> held(ValueId V);
  StepRange rangeOf(ValueId V) const;
  bool readsAndWrites(ValueId Read, ValueId Written) const;

  void report(Severity Level, ValueId Later, ValueId Earlier);
  void reportTouching(ValueId Ending, ValueId Starting);
  void tell(Finding &F, ValueId Earlier, ValueId Later, std::string Action);

  bool isConstant(ValueId V) const {
    return hlobuf::isConstant(Ctx, D[V].Tag.Name);
  }

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D = Ctx.dump();
  bool AnyConditional = false;
};
} // namespace

/// Constants are there before the first step, and the next run finds them: the
/// range that is stated is that of their computation.
StepRange OverlapCheck::rangeOf(ValueId V) const {
  StepRange Range = *Ctx.range(V);
  if (isConstant(V))
    Range = {0, std::max(Range.End, Ctx.steps())};
  return Range;
}

/// True if nothing that is read was overwritten before, and no result is in a
/// part of an operand.
bool OverlapCheck::isExecutionShown() const {
  const proof::Proof *Shown = Ctx.proof();
  if (!Shown || !Shown->Obstacle.empty() || Shown->Book.faults().any())
    return false;
  auto Count = [&](proof::Kind K, proof::OutcomeKind How) {
    return Shown->Book.tally(K)[size_t(How)];
  };
  size_t Bad = Count(proof::Kind::Read, proof::OutcomeKind::Gap);
  for (proof::Kind K :
       {proof::Kind::Fits, proof::Kind::OnePlace, proof::Kind::AtStart,
        proof::Kind::Read, proof::Kind::Written, proof::Kind::InFlight,
        proof::Kind::AtEnd})
    Bad += Count(K, proof::OutcomeKind::Violated);
  // A result in the place of its operand overlaps nothing, whatever the order.
  auto IsPart = [](const proof::Ledger::Row &R) {
    return R.How == proof::OutcomeKind::Violated &&
           proof::Breach(R.Code) == proof::Breach::PartlyThere;
  };
  Bad += llvm::any_of(Shown->Book.rows(proof::Topic::InPlace), IsPart);
  return Bad == 0;
}

void OverlapCheck::run() {
  bool Timed = D.complete(Section::Ranges);
  bool Compared = Timed;
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.Values.size() < 2 || !Timed)
      continue;
    explainContexts(Ctx, Diags, Alloc);
    if (!isAlternate(Ctx, Alloc) || areLastUsesKnown(Ctx))
      check(Alloc);
    else
      Compared = false;
  }
  if (Compared)
    Diags.Proof.Assumption = "the stated live ranges";
  else if (isExecutionShown())
    Diags.Proof.Assumption = "what execution reads";
  else if (Timed)
    Diags.notChecked("alternate memory: the last uses are unknown");
  else
    Diags.notCheckedWithout(Ctx, Section::Ranges);
  if (AnyConditional && !D.complete(Section::Module))
    Diags.notCheckedWithout(Ctx, Section::Module,
                            "alternate memory: the last uses are unknown");
}

/// The timeline: \p Later does \p Action to \p Earlier.
void OverlapCheck::tell(Finding &F, ValueId Earlier, ValueId Later,
                        std::string Action) {
  addStep(F, Ctx, rangeOf(Earlier).Start, Earlier, spellDefinition(D, Earlier),
          StepRole::Defines);
  addStep(F, Ctx, rangeOf(Later).Start, Later, std::move(Action));
  addEnd(F, Ctx, Earlier, rangeOf(Earlier).End);
}

void OverlapCheck::report(Severity Level, ValueId Later, ValueId Earlier) {
  StepRange First = rangeOf(Earlier), Second = rangeOf(Later);
  bool Dead = Second.Start == Second.End;
  Finding F = Diags.reportAs(Level, Ctx.places().value(D[Later]).Offset,
                             "{}{} overlaps live value {} in {}",
                             Dead ? "unused value " : "", D.spell(D[Later].Tag),
                             D.spell(D[Earlier].Tag),
                             sharedBytes(D, D[Later], D[Earlier]));
  tell(F, Earlier, Later,
       fmt::format("{}{}", spellOverwrite(D[Later], D[Earlier]),
                   Dead ? ", and nobody reads it" : ""));
  if (isConstant(Later) || isConstant(Earlier))
    F.why(Ctx.places().value(D[isConstant(Later) ? Later : Earlier]).Tag.Whole,
          "a constant is there from the first step to the last");
  else
    F.why(Ctx.places().row(D.Ranges[*Ctx.rangeRow(Later)]).First,
          "the live range {}-{} begins before the live range {}-{} of {} ends",
          Second.Start, Second.End, First.Start, First.End,
          spellName(D, Earlier));
  notePlace(F, Ctx, Earlier);
  noteRange(F, Ctx, Earlier);
  F.about(Later).about(Earlier);
}

/// The steps, closed, at which \p V holds its bytes; nothing if time does not
/// tell.
std::optional<StepRange> OverlapCheck::held(ValueId V) {
  if (!Ctx.range(V))
    return std::nullopt;
  if (isConstant(V) && D[V].Size != 0)
    return rangeOf(V);
  Occupancy O = findOccupancy(Ctx, V);
  AnyConditional |= O.Kind == HoldPolicy::Conditional;
  Diags.exempt("conditional-reader", O.Kind == HoldPolicy::Conditional);
  if (O.Kind != HoldPolicy::Unknown)
    return O.Steps;
  Diags.exempt("no-known-end", D[V].Size != 0);
  return std::nullopt;
}

/// Alternate memory is placed by half-open steps, which excuses all but an
/// instruction that reads the one and writes the other.
void OverlapCheck::check(const Allocation &Alloc) {
  bool Alternate = isAlternate(Ctx, Alloc);
  std::vector<TimedBytes> Ranges;
  for (uint32_t Line = Alloc.Values.Begin; Line != Alloc.Values.End; ++Line)
    if (std::optional<StepRange> Steps = held(ValueId(Line)))
      Ranges.push_back(timedBytes(D, ValueId(Line), *Steps));
  findOverlaps(Ranges, [&](uint32_t Later, uint32_t Earlier) {
    if (haveSameLiteral(Ctx, D.Values[Later].Tag.Name,
                        D.Values[Earlier].Tag.Name) &&
        D.Values[Later].samePlace(D.Values[Earlier]))
      return;
    report(Alternate ? Severity::Warning : Severity::Error, ValueId(Later),
           ValueId(Earlier));
  });
  findTouching(Ranges, [&](uint32_t Ending, uint32_t Starting) {
    if (!Alternate || readsAndWrites(ValueId(Ending), ValueId(Starting)))
      reportTouching(ValueId(Ending), ValueId(Starting));
  });
}

/// True if the instruction that writes \p Written reads \p Read itself, and has
/// done both when it ends: no order of steps excuses that they share bytes.
bool OverlapCheck::readsAndWrites(ValueId Read, ValueId Written) const {
  const ValueTag &Tag = D[Written].Tag;
  if (Tag.Phi || isTransfer(Ctx.opcode(Tag.Name)))
    return false;
  UsedId U = Ctx.usedOf(Read);
  IndexRange Uses = U ? D.useRows(D[U]) : IndexRange();
  StatedSteps Steps(Ctx);
  for (uint32_t Number = Uses.Begin; Number != Uses.End; ++Number)
    if (D.Uses[Number].Name == Tag.Name && Steps.reads(Number))
      return !isConcatBitcast(Ctx, Tag.Name);
  return false;
}

void OverlapCheck::reportTouching(ValueId Ending, ValueId Starting) {
  const Value &V = D[Ending], &W = D[Starting];
  if (V.samePlace(W))
    return;
  Finding F =
      Diags.report({Ctx.places().value(W).Offset, Starting, Ending},
                   "{} starts at {}, where {} is still read, and shares {} "
                   "with it; they must have the same place or no common byte",
                   D.spell(W.Tag), spellStep(D, rangeOf(Starting).Start),
                   D.spell(V.Tag), sharedBytes(D, V, W));
  tell(F, Ending, Starting, spellOverwrite(W, V));
  F.why(Ctx.places().value(V).Offset,
        "a result may replace an operand only at the same first byte, with the "
        "same size");
  notePlace(F, Ctx, Ending);
  noteRange(F, Ctx, Ending);
  noteRange(F, Ctx, Starting);
}

void hlobuf::checkBufferOverlap(const CheckContext &Ctx, Reporter &Diags) {
  OverlapCheck{Ctx, Diags}.run();
}
