// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A live range starts at the step of the instruction that defines its value;
// that of a parameter at the first step of its computation, 0 for parameters
// of ENTRY, even where the parameter itself is scheduled later
// (hlo_live_range.cc CalculateBufferStartEndMap, since 2021-04-07). Exception:
// values of the root of an asynchronous computation start at the async-start
// if that comes later (newer than 2026-08-22: jax 0.12.0 on CUDA and ROCm,
// libtpu 0.0.51).

#include "Checks/Check.h"

using namespace hlobuf;

/// True if \p P is a result of an asynchronous start: `{1..}` of `xxx-start`.
/// The sugar collective-permute-start is spelled like an opcode of its own.
static bool isAsyncResult(const CheckContext &Ctx, const Position &P) {
  const Dump &D = Ctx.dump();
  llvm::SmallVector<uint32_t, 4> Steps = D.Indices.steps(P.Index);
  const Instruction *I = Ctx.instruction(P.Name);
  llvm::StringRef Text = I ? opcodeText(I->Op.Op) : D.Names[P.Name];
  return !Steps.empty() && Steps.front() == 1 &&
         (Text.contains("-start") || (I && isAsync(I->Op.Op)));
}

/// True if some value of \p Name is also a result of an async-start at \p Step.
static bool isRootOfAsync(const CheckContext &Ctx, NameId Name, int32_t Step) {
  if (Ctx.release().until(Release::AsyncRootStart))
    return false;
  const Dump &D = Ctx.dump();
  for (uint32_t U : Ctx.usedOfInstruction(Name))
    for (const Position &P : D.positions(D.Used[U]))
      if (Ctx.time(P.Name) == Step && isAsyncResult(Ctx, P))
        return true;
  return false;
}

/// True if \p Name is the dynamic-update-slice of an async body whose start is
/// step \p Step: since 2026-08-03 the start holds the value that is updated,
/// and only the done the new one.
static bool isAsyncUpdate(const CheckContext &Ctx, NameId Name, int32_t Step) {
  if (Ctx.release().until(Release::AsyncUpdateSliceForwards) ||
      Ctx.opcode(Name) != Opcode::DynamicUpdateSlice)
    return false;
  const Dump &D = Ctx.dump();
  for (uint32_t Number : Ctx.usesBy(Name)) {
    UsedId Updated = Ctx.ownerOfUse(Number);
    if (D.Uses[Number].Operand != 0 || !Updated)
      continue;
    for (const Position &P : D.positions(D[Updated]))
      if (Ctx.time(P.Name) == Step && isAsyncResult(Ctx, P))
        return true;
  }
  return false;
}

/// What defines the value of \p U, as far as start times go.
enum class Definition { Instruction, EntryParameter, Parameter, Unknown };

static Definition definitionOf(const CheckContext &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  const ValueTag &Tag = D[U].Tag;
  const Instruction *I = Ctx.instruction(Tag.Name);
  ValueId V = Ctx.valueOf(U);
  bool OfEntry = V && D[D[V].Owner].isParameter() && !Tag.Phi;
  if (I && I->Op.Op != Opcode::Parameter)
    return Definition::Instruction;
  if (I)
    return OfEntry ? Definition::EntryParameter : Definition::Parameter;
  // Without text a donated parameter looks like what its allocation hosts.
  return Definition::Unknown;
}

static void report(const CheckContext &Ctx, Reporter &Diags,
                   const LiveRangeRow &Row, UsedId U, int32_t Step,
                   Definition Kind) {
  const Dump &D = Ctx.dump();
  llvm::StringRef Where = Ctx.places().row(Row).First;
  std::string Tag = D.spell(D[U].Tag);
  llvm::StringRef Name = D.Names[Row.Name];
  Finding F =
      Kind == Definition::EntryParameter
          ? Diags.report(
                Where,
                "live range of parameter {} starts at step {}, expected "
                "0",
                Tag, Row.Start)
      : Kind == Definition::Instruction
          ? Diags.report(
                Where,
                "live range of {} starts at step {}, but '{}' is step {}", Tag,
                Row.Start, Name, Step)
          : Diags.report(
                Where,
                "live range of {} starts at step {}, after '{}', step {}", Tag,
                Row.Start, Name, Step);
  F.note(Ctx.places().line(D.Sequence[Step]), "'{}' is here", Name);
  if (ValueId V = Ctx.valueOf(U))
    F.about(V);
}

/// All values of one parameter start together.
static void checkSiblings(const CheckContext &Ctx, Reporter &Diags,
                          uint32_t Number, UsedId U) {
  const Dump &D = Ctx.dump();
  const LiveRangeRow &Row = D.Ranges[Number];
  unsigned Same = 0;
  unsigned Others = 0;
  // A parameter of many values is looked at once, from its first row.
  llvm::ArrayRef<uint32_t> All = Ctx.usedOfInstruction(Row.Name);
  if (All.empty() || D.Used[All.front()].Tag.Index != D[U].Tag.Index)
    return;
  for (uint32_t Sibling : All) {
    std::optional<StepRange> Range =
        Ctx.range(Row.Name, D.Used[Sibling].Tag.Index);
    if (Range)
      ++(Range->Start == Row.Start ? Same : Others);
  }
  if (Others == 0)
    return;
  for (uint32_t Sibling : All) {
    ValueId V = Ctx.valueOf(UsedId(Sibling));
    std::optional<uint32_t> At = V ? Ctx.rangeRow(V) : std::nullopt;
    if (!At)
      continue;
    const LiveRangeRow &Its = D.Ranges[*At];
    if ((Its.Start == Row.Start) == (Same >= Others))
      continue;
    Diags
        .report(Ctx.places().row(Its).First,
                "live range of {} starts at step {}, but other parts of the "
                "parameter do not",
                D.spell(D.Used[Sibling].Tag), Its.Start)
        .about(V);
  }
}

void hlobuf::checkRangeStart(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  if (!Ctx.isSequenceSound())
    return Diags.notChecked("the instruction sequence is broken");
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    const LiveRangeRow &Row = D.Ranges[I];
    UsedId U = Ctx.findUsed(Row.Name, Row.Index);
    int32_t Step = Ctx.time(Row.Name);
    if (!U || Step < 0)
      continue;
    Definition Kind = definitionOf(Ctx, U);
    switch (Kind) {
    case Definition::Instruction:
      if (Row.Start != Step && !isRootOfAsync(Ctx, Row.Name, Row.Start) &&
          !isAsyncUpdate(Ctx, Row.Name, Row.Start))
        report(Ctx, Diags, Row, U, Step, Kind);
      break;
    case Definition::EntryParameter:
      if (Row.Start != 0)
        report(Ctx, Diags, Row, U, Step, Kind);
      break;
    case Definition::Parameter:
    case Definition::Unknown:
      if (Row.Start > Step && !isRootOfAsync(Ctx, Row.Name, Row.Start))
        report(Ctx, Diags, Row, U, Step, Kind);
      else if (Kind == Definition::Parameter)
        checkSiblings(Ctx, Diags, I, U);
      break;
    }
  }
}
