//===- Checks/Sharing/BufferOverlap.cpp ----------------------------------===//
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
// The table of addresses of a tuple-shaped value shares bytes with other
// tables only, and only exactly: XLA gives each group of tuples an allocation
// that nothing else may use (AssignBuffersForComputations and
// MaybeAssignBuffer, 2017) before it packs allocations end to end. That needs
// no live range.
//
// TPU's alternate memory (temps of another color than 0) is placed by the
// memory space assignment, which trusts last uses, not stated ends; broken
// pairs there are warnings, unless one instruction itself reads the one and
// writes the other. Exceptions:
// - a value whose last user is a conditional is free again in a branch after
//   its last use there (205 of 3,127 TPU dumps); only the module shows where;
// - a value without uses has no known end;
// - ConcatBitcast's result overlaps its operands by design;
// - the stated end of a value that nobody touches in the step before a
//   conditional defines the next one is not its own, but that of an operand
//   of the conditional in its group (2 of 2,000 random programs);
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
/// The tables of one allocation by place, disjoint.
class Tables {
public:
  Tables(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {}

  void check(llvm::ArrayRef<uint32_t> Lines) {
    collect(Lines);
    if (List.empty())
      return;
    for (uint32_t V : Lines)
      if (!isTable(D.Values[V]) && D.Values[V].Size != 0)
        checkOther(ValueId(V));
  }

private:
  struct Table {
    uint32_t Value;
    bool Reported;
  };

  bool isTable(const Value &V) const {
    return V.Shape && D.Shapes[V.Shape].isTuple();
  }
  void collect(llvm::ArrayRef<uint32_t> Lines);
  void checkOther(ValueId V);
  void report(ValueId Table, ValueId Other);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  std::vector<Table> List;
};
} // namespace

void Tables::report(ValueId Table, ValueId Other) {
  const Value &T = D[Table], &V = D[Other];
  Finding F = Diags.report(Ctx.places().value(V).Offset,
                           "{} shares {} with the tuple index table {}, {}",
                           D.spell(V.Tag), sharedBytes(D, T, V), D.spell(T.Tag),
                           isTable(V) ? "which has another place"
                                      : "which only tuples may share");
  bool TableFirst = firstStep(Ctx, Table) <= firstStep(Ctx, Other);
  ValueId Old = TableFirst ? Table : Other;
  ValueId New = TableFirst ? Other : Table;
  addDefinition(F, Ctx, Old);
  addStep(F, Ctx, firstStep(Ctx, New), New, spellOverwrite(V, T));
  F.why(Ctx.places().value(T).Offset,
        "the table of {} holds pointers that readers of the tuple follow",
        spellName(D, Table));
  notePlace(F, Ctx, Table);
  F.about(Other).about(Table);
}

/// Reports tables that overlap without being at the same place.
void Tables::collect(llvm::ArrayRef<uint32_t> Lines) {
  List.clear();
  for (uint32_t V : Lines)
    if (isTable(D.Values[V]) && D.Values[V].Size != 0)
      List.push_back({V, false});
  llvm::sort(List, [&](const Table &P, const Table &Q) {
    return std::tuple(D.Values[P.Value].Offset, P.Value) <
           std::tuple(D.Values[Q.Value].Offset, Q.Value);
  });
  size_t Kept = 0;
  for (const Table &Now : List) {
    const Value &V = D.Values[Now.Value];
    const Value *Last = Kept ? &D.Values[List[Kept - 1].Value] : nullptr;
    if (!Last || Last->end() <= V.Offset)
      List[Kept++] = Now;
    else if (Last->Offset != V.Offset || Last->Size != V.Size)
      report(ValueId(List[Kept - 1].Value), ValueId(Now.Value));
  }
  List.resize(Kept);
}

void Tables::checkOther(ValueId V) {
  const Value &Val = D[V];
  auto At = llvm::partition_point(List, [&](const Table &T) {
    return D.Values[T.Value].end() <= Val.Offset;
  });
  if (At == List.end() || D.Values[At->Value].Offset >= Val.end() ||
      At->Reported)
    return;
  At->Reported = true;
  report(ValueId(At->Value), V);
}

namespace {
/// The values of one place in time, found once for both rules.
class OverlapCheck {
public:
  OverlapCheck(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()), OnStacks(Ctx, Diags) {}

  void run();

private:
  void checkPlain(const Allocation &Alloc);
  void checkAlternate(const Allocation &Alloc);
  void checkAlternateEnds(const Allocation &Alloc);
  void exempt(const Occupancy &O);
  void report(Severity Level, ValueId Later, ValueId Earlier);

  bool usedByConditional(ValueId V) const;
  bool hasForeignEnd(ValueId V, ValueId Next) const;
  bool readsAndWrites(ValueId Read, ValueId Written) const;
  void reportTouching(Severity Level, ValueId Ending, ValueId Starting);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  Stacks OnStacks;
  bool AnyConditional = false;
};
} // namespace

void OverlapCheck::run() {
  Tables OfTuples(Ctx, Diags);
  bool Timed = D.complete(Section::Ranges);
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.Values.size() < 2)
      continue;
    OnStacks.forEach(
        Alloc, [&](llvm::ArrayRef<uint32_t> Lines) { OfTuples.check(Lines); });
    if (!Timed)
      continue;
    explainContexts(Ctx, Diags, Alloc);
    if (!isAlternate(Ctx, Alloc)) {
      checkPlain(Alloc);
    } else if (canCompareAlternate(Ctx, Diags)) {
      checkAlternate(Alloc);
      checkAlternateEnds(Alloc);
    }
  }
  if (!Timed)
    Diags.notCheckedWithout(Ctx, Section::Ranges);
  // With the module, module-overlap distinguishes the branches.
  const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
  if (AnyConditional && !(Analysis && Analysis->derivesTime()))
    Diags.notCheckedWithout(Ctx, Section::Module,
                            "alternate memory: the last uses are unknown");
}

void OverlapCheck::report(Severity Level, ValueId Later, ValueId Earlier) {
  StepRange First = *Ctx.range(Earlier), Second = *Ctx.range(Later);
  bool Dead = Second.Start == Second.End;
  Finding F = Diags.reportAs(Level, Ctx.places().value(D[Later]).Offset,
                             "{}{} overlaps live value {} in {}",
                             Dead ? "unused value " : "", D.spell(D[Later].Tag),
                             D.spell(D[Earlier].Tag),
                             sharedBytes(D, D[Later], D[Earlier]));
  addDefinition(F, Ctx, Earlier);
  addStep(F, Ctx, Second.Start, Later,
          fmt::format("{}{}", spellOverwrite(D[Later], D[Earlier]),
                      Dead ? ", and nobody reads it" : ""));
  addEnd(F, Ctx, Earlier, First.End);
  F.why(Ctx.places().row(D.Ranges[*Ctx.rangeRow(Later)]).First,
        "the live range {}-{} begins before the live range {}-{} of {} ends",
        Second.Start, Second.End, First.Start, First.End,
        spellName(D, Earlier));
  notePlace(F, Ctx, Earlier);
  noteRange(F, Ctx, Earlier);
  F.about(Later).about(Earlier);
}

void OverlapCheck::checkPlain(const Allocation &Alloc) {
  std::vector<TimedBytes> Held, Stated;
  Held.reserve(Alloc.Values.size());
  Stated.reserve(Alloc.Values.size());
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(Ctx, ValueId(V));
    if (O.Kind == HoldPolicy::Unknown)
      continue;
    Held.push_back(timedBytes(D, ValueId(V), O.Held));
    Stated.push_back(timedBytes(D, ValueId(V), O.Stated));
  }
  findOverlaps(Held, [&](uint32_t Later, uint32_t Earlier) {
    report(Severity::Error, ValueId(Later), ValueId(Earlier));
  });
  findTouching(Stated, Stated, [&](uint32_t Ending, uint32_t Starting) {
    reportTouching(Severity::Error, ValueId(Ending), ValueId(Starting));
  });
}

void OverlapCheck::exempt(const Occupancy &O) {
  bool Dead = O.Stated.Start == O.Stated.End;
  Diags.exempt("conditional-reader",
               O.Kind == HoldPolicy::Conditional && !Dead);
  Diags.exempt("no-known-end", O.Kind == HoldPolicy::Unused && !Dead);
  Diags.exempt("concat-bitcast", O.Kind == HoldPolicy::Concat && !Dead);
}

/// Values of ConcatBitcast are compared with unused values only, and values
/// without a known end are compared only if they are dead.
void OverlapCheck::checkAlternate(const Allocation &Alloc) {
  std::vector<TimedBytes> Held, Concats;
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(Ctx, ValueId(V));
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
    std::optional<StepRange> Range = Ctx.range(ValueId(Later));
    if (Range->Start == Range->End)
      report(Severity::Warning, ValueId(Later), ValueId(Earlier));
  });
}

/// True if the instruction that writes \p Written reads \p Read itself, and has
/// done both when it ends: no order of steps excuses that they share bytes.
bool OverlapCheck::readsAndWrites(ValueId Read, ValueId Written) const {
  const ValueTag &Tag = D[Written].Tag;
  const Instruction *I = Ctx.instruction(Tag.Name);
  UsedId U = Ctx.usedOf(Read);
  if (!I || !U || Tag.Phi || I->Op.Sugar || I->Op.Op == Opcode::Unknown ||
      isControlFlow(I->Op.Op) || accessesNoMemory(I->Op.Op) ||
      isTransfer(I->Op.Op))
    return false;
  return llvm::any_of(
      D.uses(D[U]), [&](const Use &Reader) { return Reader.Name == Tag.Name; });
}

void OverlapCheck::reportTouching(Severity Level, ValueId Ending,
                                  ValueId Starting) {
  const Value &V = D[Ending], &W = D[Starting];
  if (V.samePlace(W))
    return;
  int32_t Step = Ctx.range(Starting)->Start;
  Finding F = Diags.reportAs(
      Level, Ctx.places().value(W).Offset,
      "{} starts at {}, where {} is still read, and shares {} with it; they "
      "must have the same place or no common byte",
      D.spell(W.Tag), spellStep(D, Step), D.spell(V.Tag), sharedBytes(D, V, W));
  addDefinition(F, Ctx, Ending);
  addStep(F, Ctx, Step, Starting, spellOverwrite(W, V));
  addEnd(F, Ctx, Ending, Step);
  F.why(Ctx.places().value(V).Offset,
        "a result may replace an operand only at the same first byte, with the "
        "same size");
  notePlace(F, Ctx, Ending);
  noteRange(F, Ctx, Ending);
  noteRange(F, Ctx, Starting);
  F.about(Starting).about(Ending);
}

bool OverlapCheck::usedByConditional(ValueId V) const {
  UsedId U = Ctx.usedOf(V);
  return U && llvm::any_of(D.uses(D[U]), [&](const Use &Reader) {
           return Ctx.opcode(Reader.Name) == Opcode::Conditional;
         });
}

/// The end of \p V was handed down from an operand of the conditional that
/// defines \p Next.
bool OverlapCheck::hasForeignEnd(ValueId V, ValueId Next) const {
  UsedId U = Ctx.usedOf(V);
  if (!U || Ctx.opcode(D[Next].Tag.Name) != Opcode::Conditional)
    return false;
  int32_t Last = lastUse(Ctx, U).value_or(-1);
  for (const Position &P : D.positions(D[U]))
    Last = std::max(Last, Ctx.time(P.Name));
  return Last < Ctx.range(Next)->Start - 1;
}

void OverlapCheck::checkAlternateEnds(const Allocation &Alloc) {
  std::vector<TimedBytes> Starting, ByStatedEnd, ByLastUse;
  for (uint32_t V = Alloc.Values.Begin; V != Alloc.Values.End; ++V) {
    Occupancy O = findOccupancy(Ctx, ValueId(V));
    Diags.exempt("concat-bitcast", O.IsConcat);
    if (O.Kind == HoldPolicy::Unknown || O.IsConcat)
      continue;
    Starting.push_back(timedBytes(D, ValueId(V), O.Stated));
    bool Split = usedByConditional(ValueId(V));
    Diags.exempt("conditional-reader", Split);
    if (!Split)
      ByStatedEnd.push_back(Starting.back());
    if (O.Kind == HoldPolicy::LastUse && (Split || O.Held != O.Stated))
      ByLastUse.push_back(timedBytes(D, ValueId(V), O.Held));
  }
  auto Report = [&](uint32_t Ending, uint32_t Next) {
    bool Certain = readsAndWrites(ValueId(Ending), ValueId(Next));
    reportTouching(Certain ? Severity::Error : Severity::Warning,
                   ValueId(Ending), ValueId(Next));
  };
  OnStacks.findTouching(Alloc, ByStatedEnd, Starting,
                        [&](uint32_t Ending, uint32_t Next) {
                          if (!hasForeignEnd(ValueId(Ending), ValueId(Next)))
                            Report(Ending, Next);
                          else
                            Diags.exempt("foreign-end");
                        });
  OnStacks.findTouching(Alloc, ByLastUse, Starting, Report);
}

void hlobuf::checkBufferOverlap(const CheckContext &Ctx, Reporter &Diags) {
  OverlapCheck(Ctx, Diags).run();
}
