//===- Checks/Sharing/ReadAfterOverwrite.cpp ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No instruction reads a value after another one wrote to its bytes. The
// schedule and the assignment together guarantee it: copy insertion
// (copy_insertion.cc, 2017) gives every value that is changed in place, and
// read again later, a copy of its own. Stated live ranges do not show the
// fault, because they are cut where the next value of a group starts
// (hlo_live_range.cc, NormalizeAliasedBuffers): hence no overlap to see.
//
// True defects that this rule found in libtpu, programs that compute wrong
// numbers: a copy of a broadcast that becomes the broadcast again
// (tpu-copy-normalizer, 0.0.11 to 0.0.51), and a private copy that is handed
// to other readers (post-fusion-tiling-assignment, 0.0.38 to 0.0.51).
//
// A use after the end of a range is harmless where nothing wrote to the bytes
// in between. These do not count as writers or readers:
// - phis and parameters, which are names for what is there already;
// - a copy of a value onto itself, a ConcatBitcast, and an output of a fusion
//   that is one of its operands, unchanged and in place: no byte changes. On
//   TPU chains of these are common, an async collective hands its operand from
//   fusion to fusion (libtpu 0.0.51). The fused computation shows which;
//   without the module a fusion that declares to alias an operand may have
//   changed it;
// - forwarders (tuple, get-tuple-element, bitcast): they read nothing (three
//   TPU dumps: two equal tables for two branches share one place);
// - calls, conditionals, async ops: their computations read; while reads too,
//   but forwards what it does not change (a position of the value);
// - for an operand of a conditional, a writer in another branch than the
//   reader: only the module shows them, unless operands tie them together.
// Until 2022-06-24 ranges were cut a step earlier, before the next one starts:
// the window for writers then begins a step earlier too, where none can be.
//
//===----------------------------------------------------------------------===//

#include "Checks/Sharing/Sharing.h"
#include "Checks/Sharing/Stacks.h"
#include "Dataflow/Forwarding.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Computations.h"
#include "Facts/Occupancy.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"

using namespace hlobuf;

namespace {
/// A use after the stated end of its value.
struct LateUse {
  int32_t Step;
  uint32_t Use;
  ValueId Value;
};

/// What the definition of a value does to its bytes.
enum class Effect : uint8_t {
  Writes,
  Keeps,
  /// A fusion that declares to alias an operand, without a module to look into.
  MayKeep,
};

class LateUses {
public:
  LateUses(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()), OnStacks(Ctx, Diags) {
    const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
    if (Analysis && Analysis->program().obstacle().empty() &&
        !Analysis->isOfAnotherTime()) {
      Module = &Analysis->program();
      Same.emplace(*Module);
    }
  }
  void run();

private:
  void check(llvm::ArrayRef<uint32_t> Lines);
  void compareStacks(const Allocation &Alloc);
  void collect(llvm::ArrayRef<uint32_t> Lines);
  void collect(ValueId V, UsedId U);
  void replay(llvm::ArrayRef<uint32_t> Lines);
  bool reads(const Use &Reader, UsedId U) const;
  ValueId operandValue(NameId Reader, uint32_t Operand, ShapeIndex Index);
  bool isOnOperand(ValueId V, uint32_t Operand, ShapeIndex Index);
  Effect effectByModule(ValueId V, HloId Id);
  Effect effectByText(ValueId V);
  Effect effectOf(ValueId V);
  bool mayLieInBranches(ValueId Writer, const LateUse &Late);
  std::optional<uint32_t> findWriter(const LateUse &Late,
                                     const LastWriters &Writers) const;
  void check(const LateUse &Late, const LastWriters &Writers,
             const LastWriters &Uncertain);
  void report(const LateUse &Late, ValueId Writer);
  void explain(Finding &F, const LateUse &Late, ValueId Writer);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  Stacks OnStacks;
  /// Null without a usable module.
  const Program *Module = nullptr;
  std::optional<Forwarding> Same;
  /// Values by (reader, operand, index), for readers that were asked for.
  llvm::DenseMap<std::pair<IdPair, uint32_t>, ValueId> OperandValues;
  llvm::DenseSet<uint32_t> KnownReaders;
  /// Of one allocation, and those of it that were reported.
  std::vector<LateUse> Late;
  llvm::DenseSet<uint32_t> Reported;
  std::optional<Computations> Together;
  /// Only Damaged is set, by a writer of another stack than the reader's.
  bool Quiet = false;
  bool Damaged = false;
};
} // namespace

/// True if \p Reader reads the bytes of \p U itself.
bool LateUses::reads(const Use &Reader, UsedId U) const {
  const Instruction *I = Ctx.instruction(Reader.Name);
  if (!I || I->Op.Sugar)
    return false;
  Opcode Op = I->Op.Op;
  if (Op == Opcode::While)
    return llvm::any_of(D.positions(D[U]), [&](const Position &P) {
      return P.Name == Reader.Name;
    });
  return Op != Opcode::Unknown && !isControlFlow(Op) && !accessesNoMemory(Op);
}

void LateUses::collect(ValueId V, UsedId U) {
  std::optional<StepRange> Range = Ctx.range(V);
  if (!Range || Range->Start < 0 || Range->End < Range->Start ||
      Range->End >= Ctx.steps() || D[V].Size == 0)
    return;
  const UsedValue &Used = D[U];
  for (uint32_t Number = Used.Uses.Begin; Number != Used.Uses.End; ++Number) {
    const Use &Reader = D.Uses[Number];
    int32_t Step = Ctx.time(Reader.Name);
    if (Step > Range->End && reads(Reader, U))
      Late.push_back({Step, Number, V});
  }
}

void LateUses::collect(llvm::ArrayRef<uint32_t> Lines) {
  Late.clear();
  for (uint32_t V : Lines)
    if (UsedId U = Ctx.usedOf(ValueId(V)))
      collect(ValueId(V), U);
}

/// The value that \p Reader reads at \p Index of its operand; invalid if the
/// dump does not tell.
ValueId LateUses::operandValue(NameId Reader, uint32_t Operand,
                               ShapeIndex Index) {
  auto Key = [&](uint32_t Number, ShapeIndex At) {
    return std::pair(IdPair(Reader.index(), Number), At.canonical().bits());
  };
  if (KnownReaders.insert(Reader.index()).second)
    for (uint32_t Number : Ctx.usesBy(Reader))
      OperandValues[Key(D.Uses[Number].Operand, D.Uses[Number].Index)] =
          Ctx.valueOf(Ctx.ownerOfUse(Number));
  return OperandValues.lookup(Key(Operand, Index));
}

/// True if \p V has the place of that operand of its instruction.
bool LateUses::isOnOperand(ValueId V, uint32_t Operand, ShapeIndex Index) {
  ValueId From = operandValue(D[V].Tag.Name, Operand, Index);
  return From && D[From].Owner == D[V].Owner && D[From].Offset == D[V].Offset &&
         D[From].Size == D[V].Size;
}

Effect LateUses::effectByModule(ValueId V, HloId Id) {
  auto Ordinal = Module->trees().ordinal((*Module)[Id].Shape, D[V].Tag.Index);
  auto From = Ordinal ? Same->find(Id, *Ordinal) : std::nullopt;
  if (!From)
    return Effect::Writes;
  ShapeId Operand = (*Module)[Module->operands(Id)[From->Operand]].Shape;
  ShapeIndex Index = Module->trees().index(Operand, From->Ordinal);
  return isOnOperand(V, From->Operand, Index) ? Effect::Keeps : Effect::Writes;
}

Effect LateUses::effectByText(ValueId V) {
  const ValueTag &Tag = D[V].Tag;
  const Instruction *I = Ctx.instruction(Tag.Name);
  if (!I)
    return Effect::Writes;
  if (I->Op.Op == Opcode::Copy) {
    ValueId From = operandValue(Tag.Name, 0, ShapeIndex::root());
    bool Same = From && D[From].Shape && D[V].Shape &&
                sameBytes(D.Shapes[D[From].Shape], D.Shapes[D[V].Shape]);
    return Same && isOnOperand(V, 0, ShapeIndex::root()) ? Effect::Keeps
                                                         : Effect::Writes;
  }
  if (I->Op.Op == Opcode::Fusion)
    for (const DeclaredAlias &Item : Ctx.aliases(*I))
      if (Item.Output.canonical() == Tag.Index.canonical() &&
          isOnOperand(V, Item.Operand, Item.Index))
        return Effect::MayKeep;
  return Effect::Writes;
}

Effect LateUses::effectOf(ValueId V) {
  NameId Name = D[V].Tag.Name;
  if (isConcatBitcast(Ctx, Name))
    return Effect::Keeps;
  HloId Id = Module ? Module->find(Name) : HloId();
  return Id ? effectByModule(V, Id) : effectByText(V);
}

/// Walks through the steps: all reads of a step come before its writes.
void LateUses::replay(llvm::ArrayRef<uint32_t> Lines) {
  llvm::sort(Late, [](const LateUse &P, const LateUse &Q) {
    return std::tuple(P.Step, P.Use) < std::tuple(Q.Step, Q.Use);
  });
  std::vector<std::pair<int32_t, uint32_t>> Writes;
  for (uint32_t V : Lines) {
    const ValueTag &Tag = D.Values[V].Tag;
    int32_t Step = Ctx.time(Tag.Name);
    if (Step >= 0 && !Tag.Phi && Ctx.opcode(Tag.Name) != Opcode::Parameter)
      Writes.push_back({Step, V});
  }
  llvm::sort(Writes);
  LastWriters Writers, Uncertain;
  auto Next = Writes.begin();
  Reported.clear();
  for (const LateUse &Read : Late) {
    for (; Next != Writes.end() && Next->first < Read.Step; ++Next) {
      TimedBytes Bytes = timedBytes(D, ValueId(Next->second), {});
      Effect Kind = effectOf(ValueId(Next->second));
      if (Kind != Effect::Keeps)
        (Kind == Effect::Writes ? Writers : Uncertain)
            .write(Bytes.Begin, Bytes.End, Next->first, Next->second);
    }
    check(Read, Writers, Uncertain);
  }
}

/// True if writer and reader may be in different branches of one conditional
/// that the value is passed to.
bool LateUses::mayLieInBranches(ValueId Writer, const LateUse &Read) {
  bool Passed =
      llvm::any_of(D.uses(D[Ctx.usedOf(Read.Value)]), [&](const Use &By) {
        return By.Operand > 0 && (Ctx.opcode(By.Name) == Opcode::Conditional ||
                                  !Ctx.hasText(By.Name));
      });
  if (!Passed)
    return false;
  if (!Together)
    Together.emplace(D);
  return !Together->same(D[Writer].Tag.Name, D.Uses[Read.Use].Name);
}

/// Only the module distinguishes branches, and shows what a fusion forwards.
static constexpr const char *LateInModule =
    "late reads by fusions and conditionals: needs the HLO module";

std::optional<uint32_t> LateUses::findWriter(const LateUse &Read,
                                             const LastWriters &Writers) const {
  TimedBytes Bytes = timedBytes(D, Read.Value, *Ctx.range(Read.Value));
  return Writers.findSince(Bytes.Begin, Bytes.End, Bytes.Last, [&](uint32_t W) {
    return D.Values[W].Tag.Name != D[Read.Value].Tag.Name;
  });
}

void LateUses::check(const LateUse &Read, const LastWriters &Writers,
                     const LastWriters &Uncertain) {
  if (Reported.contains(Read.Value.index()))
    return;
  std::optional<uint32_t> Writer = findWriter(Read, Writers);
  if (!Writer) {
    if (findWriter(Read, Uncertain))
      Diags.notCheckedWithout(Ctx, Section::Module, LateInModule);
    return;
  }
  if (mayLieInBranches(ValueId(*Writer), Read)) {
    // With the module, clobbered-read walks each branch on its own.
    const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
    if (!Analysis || !Analysis->derivesTime())
      Diags.notCheckedWithout(Ctx, Section::Module, LateInModule);
    return;
  }
  Reported.insert(Read.Value.index());
  report(Read, ValueId(*Writer));
}

void LateUses::report(const LateUse &Read, ValueId Writer) {
  if (Quiet) {
    Damaged |= !OnStacks.same(Read.Value.index(), Writer.index());
    return;
  }
  const Value &V = D[Read.Value], &W = D[Writer];
  NameId Reader = D.Uses[Read.Use].Name;
  Finding F = Diags.report(Ctx.places().value(V).Tag.Whole,
                           "{} reads {} after {} overwrote it", D.Names[Reader],
                           spellName(D, Read.Value), D.Names[W.Tag.Name]);
  explain(F, Read, Writer);
  F.about(Read.Value).about(Writer).about(Reader);
}

void LateUses::explain(Finding &F, const LateUse &Read, ValueId Writer) {
  const Value &V = D[Read.Value], &W = D[Writer];
  const Use &Reader = D.Uses[Read.Use];
  const Places &At = Ctx.places();
  addStep(F, Ctx, Ctx.time(V.Tag.Name), Read.Value,
          spellDefinition(D, Read.Value), StepRole::Defines);
  addStep(F, Ctx, Ctx.time(W.Tag.Name), Writer, spellOverwrite(W, V));
  addEnd(F, Ctx, Read.Value, Read.Step);
  const LiveRangeRow &Stated = D.Ranges[*Ctx.rangeRow(Read.Value)];
  F.why(At.row(Stated).Second,
        "the live range {}-{} leaves out the read at step {}", Stated.Start,
        Stated.End, Read.Step);
  F.note(At.value(W).Tag.Whole, "{} is placed at bytes [{}, {}) here",
         D.spell(W.Tag), W.Offset, W.end());
  F.note(At.line(Reader).ltrim(), "{} reads it as operand {}",
         D.Names[Reader.Name], Reader.Operand);
}

void LateUses::check(llvm::ArrayRef<uint32_t> Lines) {
  collect(Lines);
  if (!Late.empty())
    replay(Lines);
}

/// Says so if what one stack writes damages what another one reads, should they
/// be the same memory.
void LateUses::compareStacks(const Allocation &Alloc) {
  auto Lines = llvm::seq<uint32_t>(Alloc.Values.Begin, Alloc.Values.End);
  Damaged = false;
  Quiet = true;
  check(std::vector<uint32_t>(Lines.begin(), Lines.end()));
  Quiet = false;
  if (Damaged)
    OnStacks.sayCollision(Alloc);
}

void LateUses::run() {
  for (const Allocation &Alloc : D.Allocations) {
    if (Alloc.Values.size() < 2)
      continue;
    OnStacks.forEach(Alloc,
                     [&](llvm::ArrayRef<uint32_t> Lines) { check(Lines); });
    if (OnStacks.possible(Alloc))
      compareStacks(Alloc);
  }
}

void hlobuf::checkReadAfterOverwrite(const CheckContext &Ctx, Reporter &Diags) {
  if (!Ctx.isSequenceSound()) {
    Diags.notChecked("the instruction sequence is broken");
    return;
  }
  LateUses(Ctx, Diags).run();
}
