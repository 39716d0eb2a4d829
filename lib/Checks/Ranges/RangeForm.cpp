// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of BufferLiveRange is named after a value whose instruction is in the
// sequence, occurs once, and is inside the steps (0 <= start < T, start <= end
// <= T; T itself means live out). XLA prints a map from values to time bounds
// (hlo_live_range.cc, since 2021-04-07). A value that needs no memory may have
// a row and no allocation (GPU's view colors, 2026-07-22), so there an unknown
// name only counts if it is not in the sequence either.

#include "Checks/Check.h"

using namespace hlobuf;

namespace {
class RangeForm {
public:
  RangeForm(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()), RowOf(D.Used.size(), NoRow) {}

  void run();

private:
  static constexpr uint32_t NoRow = ~uint32_t(0);

  void checkKey(uint32_t Row, UsedId U);
  void checkUnknownKey(uint32_t Row);
  void checkBounds(const LiveRangeRow &Row, UsedId U);
  UsedId missingHere() const;
  Finding about(Finding F, UsedId U) const {
    if (U)
      F.about(D[U].Tag.Name);
    if (U && Ctx.valueOf(U))
      F.about(Ctx.valueOf(U));
    return F;
  }

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  std::vector<uint32_t> RowOf;
  /// The end of the program; where the sequence is broken, at least that.
  int32_t Steps = 0;
  /// The value of the last row that has one.
  UsedId Last;
};
} // namespace

/// The value without row that belongs after the last known row.
UsedId RangeForm::missingHere() const {
  size_t U = Last ? Last.index() + 1 : 0;
  constexpr size_t Far = 64;
  for (size_t End = std::min(U + Far, D.Used.size()); U < End; ++U) {
    const ValueTag &Tag = D.Used[U].Tag;
    if (Ctx.time(Tag.Name) >= 0 && !Ctx.range(Tag.Name, Tag.Index))
      return UsedId(U);
  }
  return UsedId();
}

void RangeForm::checkUnknownKey(uint32_t Number) {
  const LiveRangeRow &Row = D.Ranges[Number];
  bool InSequence = Ctx.time(Row.Name) >= 0;
  if (InSequence && !Ctx.release().until(Release::ViewColors) && !Ctx.isTPU() &&
      Ctx.backend() != Backend::CPU)
    return Diags.exempt("view-color");
  UsedId Missing = missingHere();
  RowTexts Texts = Ctx.places().row(Row);
  bool WrongIndex = InSequence && !Ctx.usedOfInstruction(Row.Name).empty();
  Finding F =
      Diags.report(WrongIndex ? Texts.Index : Texts.Name,
                   "'{}' has a live range, but is not a value of this dump",
                   D.spell(Row.Name, Row.Index));
  F.about(Row.Name);
  if (!Missing)
    return;
  F.note(Ctx.places().line(D[Missing]), "{} has none", D.spell(D[Missing].Tag));
  about(F, Missing);
}

void RangeForm::checkKey(uint32_t Number, UsedId U) {
  const LiveRangeRow &Row = D.Ranges[Number];
  uint32_t &Before = RowOf[U.index()];
  if (Before != NoRow) {
    RowTexts Texts = Ctx.places().row(Row);
    about(Diags
              .report(Texts.Name, "{} has two live ranges, {}-{} and {}-{}",
                      D.spell(D[U].Tag), D.Ranges[Before].Start,
                      D.Ranges[Before].End, Row.Start, Row.End)
              .note(Ctx.places().line(D.Ranges[Before]), "the first is here"),
          U);
    return;
  }
  Before = Number;
  if (!Ctx.isSequenceSound() || Ctx.time(Row.Name) >= 0)
    return;
  Finding F = Diags.report(Ctx.places().row(Row).Name,
                           "{} has a live range, but '{}' is not in the "
                           "instruction sequence",
                           D.spell(D[U].Tag), D.Names[Row.Name]);
  if (const SequenceRow *Stray = Ctx.strayStep())
    F.note(Ctx.places().row(*Stray).Name,
           "step {} is '{}', which appears nowhere else", Stray->Ordinal,
           D.Names[Stray->Name])
        .about(Stray->Name);
  about(F, U);
}

void RangeForm::checkBounds(const LiveRangeRow &Row, UsedId U) {
  RowTexts Texts = Ctx.places().row(Row);
  std::string Tag = U ? D.spell(D[U].Tag) : D.spell(Row.Name, Row.Index);
  if (Row.Start < 0 || Row.Start >= Steps)
    about(Diags.report(
              Texts.First,
              "live range of {} starts at step {}, but steps run from 0 to {}",
              Tag, Row.Start, Steps - 1),
          U);
  else if (Row.End > Steps)
    about(Diags.report(Texts.Second,
                       "live range of {} ends at step {}, after the end of the "
                       "program at step {}",
                       Tag, Row.End, Steps),
          U);
  else if (Row.End < Row.Start)
    about(Diags.report(
              Texts.Second,
              "live range of {} ends at step {}, before its start at step {}",
              Tag, Row.End, Row.Start),
          U);
}

void RangeForm::run() {
  Steps = Ctx.isSequenceSound()
              ? Ctx.steps()
              : std::max(Ctx.steps(), static_cast<int32_t>(std::min<uint32_t>(
                                          D.MaxStep, INT32_MAX)));
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    const LiveRangeRow &Row = D.Ranges[I];
    UsedId U = Ctx.findUsed(Row.Name, Row.Index);
    if (U) {
      checkKey(I, U);
      Last = U;
    } else {
      checkUnknownKey(I);
    }
    if (Row.Start < 0 || Row.Start >= Steps || Row.End > Steps ||
        Row.End < Row.Start)
      checkBounds(Row, U);
  }
}

void hlobuf::checkRangeForm(const CheckContext &Ctx, Reporter &Diags) {
  RangeForm(Ctx, Diags).run();
}
