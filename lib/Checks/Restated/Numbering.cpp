// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is numbered follows its numbers, and nothing is there twice:
// - allocations are 0, 1, 2, ... as printed: XLA renumbers them after it
//   combined the temps (buffer_assignment.cc CombineTempAllocations, 2017);
// - so are the steps, whose number the heading has: a running counter
//   (hlo_live_range.cc, 2021-04-07). A computation that is called twice is
//   listed once, and instruction names are unique in a module;
// - values ascend by id in their allocation, in 'Used values' and among the
//   live ranges, because XLA sorts them before it prints (BufferAllocation::
//   ToString, 2017; ToString, 2019-09-09; hlo_live_range.cc). Each is placed
//   once; one in a hole of another color's temp is in that one's block of
//   reused buffers, too.
// No exception is known. A module that is not fully scheduled prints `max 0`
// and no steps.

#include "Checks/Check.h"

using namespace hlobuf;

namespace {
/// A row with a number: how messages call it, and where the number is.
struct NumberedRow {
  std::string Name;
  StringRef Where;
  ValueId Value;
  NameId Instruction;
};

struct Numbering {
  void checkAllocations();
  void checkValues();
  void checkUsed();
  void checkSteps();
  void checkRanges();

  /// Calls \p Report(row, expected number) for rows whose \p NumberOf(row) is
  /// not 0, 1, 2, ...
  template <typename NumberFn, typename ReportFn>
  void count(size_t NumRows, NumberFn NumberOf, ReportFn Report);
  Finding report(const NumberedRow &Row, const NumberedRow &Before,
                 const std::string &Expected);
  void reportTwice(const NumberedRow &Second, const NumberedRow &First,
                   StringRef Text);

  NumberedRow value(uint32_t I) const {
    TagTexts Tag = Ctx.places().value(D.Values[I]).Tag;
    return {"value " + Tag.Whole.str(), Tag.Id, ValueId(I), NameId()};
  }
  NumberedRow used(uint32_t I) const {
    TagTexts Tag = Ctx.places().tag(D.Used[I]);
    return {"used value " + Tag.Whole.str(), Tag.Id, Ctx.valueOf(UsedId(I)),
            D.Used[I].Tag.Name};
  }
  NumberedRow range(uint32_t I) const {
    const LiveRangeRow &Row = D.Ranges[I];
    return {"the live range of " + D.spell(Row.Name, Row.Index),
            Ctx.places().row(Row).Name, Ctx.findValue(Row.Name, Row.Index),
            Row.Name};
  }
  NumberedRow step(uint32_t I) const {
    const SequenceRow &Row = D.Sequence[I];
    return {fmt::format("step {} ('{}')", Row.Ordinal, D.Names[Row.Name]),
            Ctx.places().row(Row).First, ValueId(), Row.Name};
  }
  NumberedRow allocation(uint32_t I) const {
    const Allocation &Row = D.Allocations[I];
    return {fmt::format("allocation {}", Row.Index),
            Ctx.places().header(Row).Index, ValueId(), NameId()};
  }

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D = Ctx.dump();
};
} // namespace

/// \p Row is not \p Expected, which would follow from \p Before.
Finding Numbering::report(const NumberedRow &Row, const NumberedRow &Before,
                          const std::string &Expected) {
  bool First = Row.Where.data() == Before.Where.data();
  Finding F = Diags.report(
      {Row.Where, Row.Value, Row.Instruction, Before.Value, Before.Instruction},
      "{} {}{}, expected {}", Row.Name, First ? "comes first" : "follows ",
      First ? "" : Before.Name, Expected);
  if (!First)
    F.note(Before.Where, "the previous one is here");
  return F;
}

void Numbering::reportTwice(const NumberedRow &Second, const NumberedRow &First,
                            StringRef Text) {
  Diags
      .report({Second.Where, Second.Value, Second.Instruction, First.Value,
               First.Instruction},
              "{} has the same {} as {}, expected unique {}s", Second.Name,
              Text, First.Name, Text)
      .note(First.Where, "the {} is also used here", Text);
}

/// A gap that goes on is reported once, and so are two rows that are exchanged.
template <typename NumberFn, typename ReportFn>
void Numbering::count(size_t NumRows, NumberFn NumberOf, ReportFn Report) {
  uint64_t Expected = 0;
  for (uint32_t I = 0; I != NumRows; ++I, ++Expected) {
    uint64_t Number = NumberOf(I);
    if (Number == Expected)
      continue;
    Report(I, std::to_string(Expected));
    uint64_t Next = I + 1 < NumRows ? NumberOf(I + 1) : Expected + 1;
    if (Number == Expected + 1 && Next == Expected) {
      ++I;
      ++Expected;
    } else if (Next != Expected + 1) {
      Expected = Number;
    }
  }
}

void Numbering::checkAllocations() {
  count(
      D.Allocations.size(), [&](uint32_t I) { return D.Allocations[I].Index; },
      [&](uint32_t I, const std::string &Expected) {
        Finding F =
            report(allocation(I), allocation(I == 0 ? 0 : I - 1), Expected);
        F.about(AllocationId(I));
        if (D.Allocations[I].Index < D.Allocations.size())
          F.about(AllocationId(D.Allocations[I].Index));
      });
}

void Numbering::checkSteps() {
  ArrayRef<SequenceRow> Steps = D.Sequence;
  count(
      D.Sequence.size(), [&](uint32_t I) { return Steps[I].Ordinal; },
      [&](uint32_t I, const std::string &Expected) {
        report(step(I), step(I == 0 ? 0 : I - 1), "step " + Expected)
            .about(Section::Sequence);
      });
  std::vector<uint32_t> First(D.Names.size(), ~0U);
  for (uint32_t I = 0; I != Steps.size(); ++I) {
    uint32_t &Before = First[Steps[I].Name.index()];
    if (Before == ~0U) {
      Before = I;
      continue;
    }
    Diags
        .report(
            {Ctx.places().row(Steps[I]).Name, Section::Sequence, Steps[I].Name},
            "'{}' is in the instruction sequence twice, as step {} and step {}",
            D.Names[Steps[I].Name], Steps[Before].Ordinal, Steps[I].Ordinal)
        .note(Ctx.places().row(Steps[Before]).Name, "its first step is here");
  }
  // A heading that goes with the last number is right: rows are missing, or
  // there twice, and were reported.
  bool FitsLast =
      !Steps.empty() && D.MaxStep == uint64_t(Steps.back().Ordinal) + 1;
  if (!FitsLast && D.MaxStep != Steps.size())
    Diags.report({Ctx.places().liveHeader().First, Section::Sequence},
                 "the heading says {} steps, but the instruction sequence has "
                 "{} rows",
                 D.MaxStep, Steps.size());
}

void Numbering::checkValues() {
  DenseMap<uint32_t, uint32_t> ById;
  for (auto [I, V] : llvm::enumerate(D.Values)) {
    if (auto [First, IsNew] = ById.try_emplace(V.Tag.Id, I); !IsNew)
      reportTwice(value(I), value(First->second), "id");
    if (I != 0 && V.Owner == D.Values[I - 1].Owner &&
        V.Tag.Id < D.Values[I - 1].Tag.Id)
      report(value(I), value(I - 1), "ascending ids inside an allocation");
  }
  for (NameId Name : ids<NameId>(D.Names.size())) {
    ArrayRef<uint32_t> Values = Ctx.valuesOfInstruction(Name);
    for (size_t K = 1; K < Values.size(); ++K) {
      const ValueTag &First = D.Values[Values[K - 1]].Tag;
      const ValueTag &Second = D.Values[Values[K]].Tag;
      if (First.Index.canonical() == Second.Index.canonical() &&
          First.Id != Second.Id)
        reportTwice(value(Values[K]), value(Values[K - 1]), "position");
    }
  }
}

void Numbering::checkUsed() {
  for (uint32_t I = 1; I < D.Used.size(); ++I)
    if (D.Used[I].Tag.Id <= D.Used[I - 1].Tag.Id)
      report(used(I), used(I - 1), "ascending ids");
}

void Numbering::checkRanges() {
  // The last row with a known value, and that value's id.
  uint32_t Last = 0;
  uint32_t Before = 0;
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    UsedId U = Ctx.findUsed(D.Ranges[I].Name, D.Ranges[I].Index);
    if (!U)
      continue;
    if (D[U].Tag.Id < Before)
      report(range(I), range(Last), "ascending ids");
    Before = D[U].Tag.Id;
    Last = I;
  }
}

void hlobuf::checkNumbering(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  Numbering Check{Ctx, Diags};
  Check.checkAllocations();
  Check.checkValues();
  if (D.complete(Section::Used))
    Check.checkUsed();
  if (D.complete(Section::Sequence))
    Check.checkSteps();
  if (D.complete(Section::Ranges) && D.complete(Section::Used))
    Check.checkRanges();
}
