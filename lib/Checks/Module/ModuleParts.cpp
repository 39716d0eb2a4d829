// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a dump states and its program implies, part by part: how each difference
// is told. What the program implies is derived in lib/Dataflow, from the module
// or, as far as they tell, from instruction texts, positions and uses.
//
// - The sequence is the schedule of the module's computations, each callee put
//   before its caller's step (FlattenSchedule in
//   xla/hlo/utils/hlo_live_range.cc, 2019-2026). Without is_scheduled=true in
//   the header the order inside a computation is taken from the dump; then it
//   must still be one: operands first, callees in their places. Without the
//   module: a step is where some value is, and every instruction where a live
//   value is or is used is a step.
// - A value has a buffer if and only if the program's dataflow defines it in a
//   computation that gets buffers, and it is a phi if different values meet
//   there (hlo_dataflow_analysis.cc, 2019-2026). Releases differ in which of
//   the phis that one value reaches they keep (hlo_phi_graph.cc): all are
//   legal. Alias sets with a constant, where no constant is allocated, and
//   those of a view color (2026-07-22 on) have live ranges and no allocation.
// - The positions of a value are its definition and all that the program only
//   forwards from there; its uses are the operands at which it is read
//   (HloValue::ComputeUses in xla/service/hlo_value.cc, 2019-2026). A tuple or
//   copy that only passes an element on is a use only as a root. The order of
//   neither means anything.
// - What an allocation is follows from the values in it
//   (AssignBuffersForComputations in buffer_assignment.cc, 2019-2026), and so
//   does a size on CPU and GPU: the largest of the alias set. Without the
//   module: whose parameter's it is, and whether a value in it is at the root.
// - A live range begins where its value is defined and ends where the module
//   holds or reads it last; ranges of one alias set end where the next begins
//   (hlo_live_range.cc, by the rules of the dump's release). Without the
//   module: where it begins, and that it ends inside the steps, not before its
//   value is read last unless another one in its place begins there; for
//   outputs and parameters that are not donated at the end, for others not.

#include "Checks/Module/ModuleDifference.h"
#include "Checks/Values/UsedRows.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

/// Where row \p Number of the sequence, or the last one, names its instruction.
static StringRef stepName(const ModuleAnswer &M, int32_t Number) {
  auto Row = std::min(static_cast<size_t>(Number), M.D.Sequence.size() - 1);
  return M.LinePlaces.row(M.D.Sequence[Row]).Name;
}

static Finding lateOperand(const ModuleAnswer &M, const Difference &Diff) {
  HloId Operand = M.P.operands(Diff.Id)[Diff.Operand];
  int32_t Step = M.Analysis.schedule().time(Operand);
  Finding F =
      M.tell(stepName(M, static_cast<int32_t>(Diff.Row)), Diff.Id, NameId(),
             "step {} ({}) comes before its operand {}, which is at step {}",
             Diff.Row, M.P.spell(Diff.Id), M.P.spell(Operand), Step);
  if (Step >= 0)
    F.note(stepName(M, Step), "{} is at this step", M.P.spell(Operand));
  return F;
}

static Finding describeStep(const ModuleAnswer &M, const Difference &Diff) {
  bool Texts = M.P.isFromTexts();
  if (Diff.Kind == DifferenceKind::Missing) {
    if (Texts)
      return M.tell(
          M.P.place(Diff.Id), HloId(), M.P[Diff.Id].Name,
          "{} is missing from the sequence, but a live value is there",
          M.P.spell(Diff.Id));
    int32_t Step = M.Analysis.schedule().time(Diff.Id);
    return M.tell(stepName(M, Step), Diff.Id, NameId(),
                  "the module schedules {} at step {}, but it is missing from "
                  "the sequence",
                  M.P.spell(Diff.Id), Step);
  }
  if (Diff.Kind == DifferenceKind::Unequal && Diff.Operand != ~0u)
    return lateOperand(M, Diff);
  NameId Stated = M.D.Sequence[Diff.Row].Name;
  StringRef Where = stepName(M, static_cast<int32_t>(Diff.Row));
  if (Diff.Kind == DifferenceKind::Invented)
    return M.tell(Where, HloId(), Stated, "{} {}",
                  Texts ? "no value has a position at"
                        : "the module has no instruction",
                  M.D.Names[Stated]);
  Finding F = M.tell(Where, Diff.Id, Stated,
                     "step {} is {}, but the module schedules {} here",
                     Diff.Row, M.D.Names[Stated], M.P.spell(Diff.Id));
  if (HloId Id = M.P.find(Stated))
    F.note(M.P.place(Id), "{}, its step {}, is here", M.D.Names[Stated],
           M.Analysis.schedule().time(Id));
  return F;
}

static Finding describeValue(const ModuleAnswer &M, const Difference &Diff) {
  const DataflowAnalysis &Flow = M.Analysis.flow();
  if (Diff.Kind == DifferenceKind::Missing) {
    HloId Id = Flow[Diff.Value].Definition;
    return M.tell(M.P.place(Id), HloId(), M.P[Id].Name,
                  "value {}{} has no buffer assigned", Flow.spell(Diff.Value),
                  Flow[Diff.Value].Phi ? " (phi)" : "");
  }
  const ValueTag &Tag = M.D[Diff.Line].Tag;
  TagTexts Texts = M.LinePlaces.value(M.D[Diff.Line]).Tag;
  HloId Id = M.P.find(Tag.Name);
  if (!Id)
    return M.report({Texts.Name, Diff.Line}, "the module has no instruction {}",
                    M.D.Names[Tag.Name]);
  if (Diff.Kind == DifferenceKind::Unequal)
    return M
        .tell(Texts.Whole, Id, NameId(), "{} is {}, but in the module {}",
              M.D.spell(Tag), Tag.Phi ? "a phi" : "not a phi",
              Tag.Phi ? "only one value reaches it"
                      : "several values meet here")
        .about(Diff.Line);
  Finding F = M.tell(Texts.Whole, Id, NameId(),
                     "{} has a buffer, but {} defines no value there",
                     M.D.spell(Tag), M.source("the instruction"));
  if (HloValueId V = Flow.at(Id, Tag.Index))
    F.note(M.P.place(Flow[V].Definition), "it only forwards {}", Flow.spell(V));
  return F.about(Diff.Line);
}

/// The index of part \p Ordinal of \p Id, as positions and uses print it.
static std::string spellIndex(const ModuleAnswer &M, HloId Id,
                              uint32_t Ordinal) {
  ShapeId Shape = M.P[Id].Shape;
  return M.P.trees().shape(Shape).isTuple()
             ? M.D.Indices.text(M.P.trees().index(Shape, Ordinal))
             : "";
}

static Finding describePosition(const ModuleAnswer &M, const Difference &Diff) {
  const UsedValue &U = M.D[Diff.Used];
  if (Diff.Kind == DifferenceKind::Missing)
    return M
        .tell(M.LinePlaces.tag(U).Whole, Diff.Id, U.Tag.Name,
              "{} is also at {}{}, which is missing from its positions",
              M.D.spell(U.Tag), M.P.spell(Diff.Id),
              spellIndex(M, Diff.Id, Diff.Ordinal))
        .note(lastPositionRow(M.DumpFacts, Diff.Used), "its last position");
  const Position &Row = M.D.Positions[Diff.Row];
  HloId Id = M.P.find(Row.Name);
  HloValueId Actual = Id ? M.Analysis.flow().at(Id, Row.Index) : HloValueId();
  return M.tell(
      M.LinePlaces.line(Row).ltrim(), Id, U.Tag.Name, "{} is not at {}{}",
      M.D.spell(U.Tag), M.D.spell(Row.Name, Row.Index),
      Actual ? ", which holds " + M.Analysis.flow().spell(Actual) : "");
}

/// Why the texts deny the use in \p Row of \p U; empty if they do not tell.
static std::string whyNotRead(const ModuleAnswer &M, UsedId U, const Use &Row) {
  HloId User = M.P.isFromTexts() ? M.P.find(Row.Name) : HloId();
  if (!User || M.P[User].Inner)
    return "";
  if (M.P[User].Opaque && M.DumpFacts.positionsAt(Row.Name).empty())
    return ": no value has a position there";
  if (Row.Operand >= M.P.operands(User).size())
    return "";
  NameId Operand = M.P[M.P.operands(User)[Row.Operand]].Name;
  if (!Operand || M.DumpFacts.isAt(U, Operand, Row.Index))
    return "";
  return fmt::format(": that is {}, which is not among its positions",
                     M.D.Names[Operand]);
}

static Finding describeUse(const ModuleAnswer &M, const Difference &Diff) {
  if (!Diff.Used) {
    NameId Operand = M.P[M.P.operands(Diff.Id)[Diff.Operand]].Name;
    const Instruction &I = *M.DumpFacts.instruction(M.P[Diff.Id].Name);
    return M
        .tell(M.LinePlaces.operand(I, Diff.Operand), HloId(), I.Name,
              "operand {} of {} is {}, which is not a position of any value",
              Diff.Operand, M.P.spell(Diff.Id), M.D.Names[Operand])
        .about(Operand);
  }
  const UsedValue &U = M.D[Diff.Used];
  if (Diff.Kind == DifferenceKind::Missing) {
    std::string Index =
        spellIndex(M, M.P.operands(Diff.Id)[Diff.Operand], Diff.Ordinal);
    return M
        .tell(M.LinePlaces.tag(U).Whole, Diff.Id, U.Tag.Name,
              "{} reads {} as operand {}{}{}, which is missing from its uses",
              M.P.spell(Diff.Id), M.D.spell(U.Tag), Diff.Operand,
              Index.empty() ? "" : " ", Index)
        .note(lastUseRow(M.DumpFacts, Diff.Used), "its last use");
  }
  const Use &Row = M.D.Uses[Diff.Row];
  Finding F =
      M.tell(M.LinePlaces.line(Row).ltrim(), M.P.find(Row.Name), U.Tag.Name,
             "{} does not read {} as operand {}{}{}", M.D.Names[Row.Name],
             M.D.spell(U.Tag), Row.Operand,
             Row.Index.printed() ? " " + M.D.Indices.text(Row.Index) : "",
             whyNotRead(M, Diff.Used, Row));
  if (M.P.isFromTexts())
    F.note(lastPositionRow(M.DumpFacts, Diff.Used), "its last position");
  return F;
}

static std::string spellFlags(const Dump &D, const ExpectedFlags &Flags) {
  SmallVector<std::string, 4> Texts;
  if (Flags.Parameter)
    Texts.push_back(fmt::format("parameter {} at index {}",
                                Flags.Parameter->first,
                                D.Indices.text(Flags.Parameter->second)));
  if (Flags.Constant)
    Texts.push_back("constant");
  if (Flags.ThreadLocal)
    Texts.push_back("thread-local");
  if (Flags.MaybeLiveOut)
    Texts.push_back("maybe-live-out");
  return Texts.empty() ? "a plain temp"
                       : fmt::format("{}", fmt::join(Texts, ", "));
}

/// The row before which that of \p V belongs, or the last one.
static StringRef rowBehind(const ModuleAnswer &M, HloValueId V) {
  if (M.D.Ranges.empty())
    return M.LinePlaces.liveHeader().First;
  constexpr size_t Far = 64;
  UsedId Own = M.Analysis.usedOf(V);
  for (size_t U = Own.index();
       Own && U < M.D.Used.size() && U < Own.index() + Far; ++U)
    if (auto Row =
            M.DumpFacts.rangeRow(M.D.Used[U].Tag.Name, M.D.Used[U].Tag.Index))
      return M.LinePlaces.line(M.D.Ranges[*Row]);
  return M.LinePlaces.line(M.D.Ranges.back());
}

static Finding describeRange(const ModuleAnswer &M, const Difference &Diff) {
  const LiveRangeRow *Row =
      Diff.Kind == DifferenceKind::Missing ? nullptr : &M.D.Ranges[Diff.Row];
  if (Diff.Kind == DifferenceKind::Invented) {
    uint32_t Same =
        M.DumpFacts.rangeRow(Row->Name, Row->Index).value_or(Diff.Row);
    StringRef Where = M.LinePlaces.line(*Row).ltrim();
    if (Same != Diff.Row)
      return M
          .tell(Where, HloId(), Row->Name, "{} has two live ranges",
                M.D.spell(Row->Name, Row->Index))
          .note(M.LinePlaces.line(M.D.Ranges[Same]), "the first is here");
    return M.tell(Where, HloId(), Row->Name,
                  "{} has a live range, but the {} has no such value",
                  M.D.spell(Row->Name, Row->Index),
                  M.P.isFromTexts() ? "dump" : "module's schedule");
  }
  HloId Id = M.Analysis.flow()[Diff.Value].Definition;
  StepRange Derived = *M.Analysis.ranges()[Diff.Value];
  if (!Row)
    return M
        .tell(M.P.place(Id), HloId(), M.P[Id].Name,
              "{} lives from step {} to {}, but has no live range",
              M.Analysis.flow().spell(Diff.Value), Derived.Start, Derived.End)
        .note(rowBehind(M, Diff.Value), "it belongs next to this one");
  bool StartsWrong = Row->Start != Derived.Start;
  RowTexts Texts = M.LinePlaces.row(*Row);
  Finding F = M.tell(StartsWrong ? Texts.First : Texts.Second, Id, Row->Name,
                     "{} has live range {}-{}, but {} implies {}-{}",
                     M.D.spell(Row->Name, Row->Index), Row->Start, Row->End,
                     M.source("the sequence"), Derived.Start, Derived.End);
  int32_t Step = StartsWrong ? Derived.Start : Derived.End;
  HloId Actual = Step >= 0 && Step < M.Analysis.schedule().steps()
                     ? M.Analysis.schedule().sequence()[size_t(Step)]
                     : HloId();
  if (Actual && Actual != Id)
    F.note(M.P.place(Actual), "step {} is {}", Step, M.P.spell(Actual));
  return F;
}

/// A misspelled opcode is not a newer opcode.
static void checkSpelling(const CheckContext &Ctx, Reporter &Diags) {
  for (const Instruction &I : Ctx.dump().Instructions) {
    if (I.Op.Op != Opcode::Unknown && !I.Op.Sugar)
      continue;
    StringRef Text = Ctx.places().text(I).OpcodeText;
    // What sugar wraps is spelled there.
    if (I.Op.Sugar &&
        parseOpcode(Text.take_front(Text.rfind('-'))).Op != Opcode::Unknown)
      continue;
    if (Opcode Other = findSimilarOpcode(Text); Other != Opcode::Unknown)
      Diags.reportAs(Severity::Warning, {Text, I.Name},
                     "unknown opcode '{}'; did you mean '{}'?", Text,
                     opcodeText(Other));
  }
}

void hlobuf::checkModuleSequence(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Sequence, describeStep);
}

void hlobuf::checkModuleValues(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Values, describeValue);
  if (Diags.Proof.FromTexts)
    checkSpelling(Ctx, Diags);
}

void hlobuf::checkModulePositions(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Positions, describePosition);
}

void hlobuf::checkModuleUses(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Uses, describeUse);
}

void hlobuf::checkModuleFlags(const CheckContext &Ctx, Reporter &Diags) {
  std::optional<HeaderFlags> Expected;
  auto Describe = [&](const ModuleAnswer &M, const Difference &Diff) {
    if (!Expected)
      Expected.emplace(M.Analysis.derived());
    AllocationId Id(Diff.Row);
    const Allocation &Alloc = M.D[Id];
    return M.report({M.LinePlaces.line(Alloc), Id},
                    "allocation {} is {}, but according to {} it is {}",
                    Alloc.Index, spellFlags(M.D, statedFlags(Alloc)),
                    M.source("its values"), spellFlags(M.D, (*Expected)[Id]));
  };
  reportDifferences(Ctx, Diags, DerivedPart::Flags, Describe);
}

void hlobuf::checkModuleSizes(const CheckContext &Ctx, Reporter &Diags) {
  std::vector<std::optional<uint64_t>> Expected;
  auto Describe = [&](const ModuleAnswer &M, const Difference &Diff) {
    if (Expected.empty())
      Expected = expectedSizes(M.Analysis.derived());
    const Value &V = M.D[Diff.Line];
    HloId Id = M.Analysis.flow()[Diff.Value].Definition;
    return M
        .tell(M.LinePlaces.value(V).Size, Id, NameId(),
              "{} has {} bytes, but the module's shapes need {}",
              M.D.spell(V.Tag), V.Size, *Expected[Diff.Value.index()])
        .about(Diff.Line);
  };
  reportDifferences(Ctx, Diags, DerivedPart::Sizes, Describe);
}

void hlobuf::checkModuleRanges(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Ranges, describeRange);
}
