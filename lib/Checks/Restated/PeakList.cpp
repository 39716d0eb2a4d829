// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list below `Live ranges at N (peak)` follows from the live ranges and
// the shapes (hlo_live_range.cc ToString, since 2021-04-07; never truncated):
// - one row for each live range with start <= N <= end. Where the list fits
//   the true peak and not N, N is wrong, and peak-moment says so;
// - the logical bytes of the value's shape: elements times element size, 8 per
//   element of a tuple, 8 for opaque values, 0 for tokens, without tiles
//   (ShapeUtil::ByteSizeOf). Until 2025-04-14 the name alone, and the bytes of
//   the whole instruction's shape;
// - since 2025-05-16 by bytes descending, then by name and index, with running
//   sums; before by value id, as the live ranges;
// - since 2026-08-05 one sentence instead, if and only if the shape of a live
//   value's instruction has a dimension without bound (`?`). Before, XLA
//   crashed, so a list next to such a shape is wrong in every release.
// No exception is known.

#include "Checks/Restated/RestatedSection.h"
#include "Facts/Peak.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;

namespace {
/// A derived row, and the live range that it stands for.
struct DerivedRow {
  uint32_t Range;
  uint64_t Bytes;
  uint64_t Cumulative;
};

struct PeakList : RestatedSection {
  PeakList(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {}

  void compare();

  size_t statedLines() const override { return D.Peak.size(); }
  size_t derivedLines() const override { return Rows.size(); }
  StringRef stated(size_t Line) const override {
    return Ctx.places().line(D.Peak[Line]);
  }
  std::string derived(size_t Line) const override;
  bool isSame(size_t Derived, size_t Stated) const override;
  StringRef own(StringRef Line) const override {
    return Line.split(" (cumulative").first;
  }
  StringRef noun() const override { return "peak list"; }
  StringRef heading() const override { return Ctx.places().peakHeader().First; }
  void explain(Finding &F, std::optional<size_t> Derived,
               std::optional<size_t> Stated) override;

  void derive(int32_t AtStep);
  bool isListed() const;
  ShapeId shapeOf(const LiveRangeRow &Range) const;
  uint64_t statedBytes(const LiveRangeRow &Range);
  /// Name and index as far as rows print them.
  template <typename RowT>
  std::pair<uint32_t, uint32_t> key(const RowT &Row) const {
    return {Row.Name.index(),
            D.PeakRows == PeakForm::Name ? 0 : Row.Index.canonical().bits()};
  }
  std::string name(uint32_t Range) const {
    const LiveRangeRow &Row = D.Ranges[Range];
    return D.PeakRows == PeakForm::Name ? D.Names[Row.Name].str()
                                        : D.spell(Row.Name, Row.Index);
  }
  const LiveRangeRow *rangeOf(const PeakRow &Row) const;
  void about(Finding &F, NameId Name, ShapeIndex Index) const;

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  int32_t Step = 0;
  std::vector<DerivedRow> Rows;
  /// By key; made when needed.
  DenseMap<std::pair<uint32_t, uint32_t>, uint64_t> StatedBytes;
};
} // namespace

static bool isLive(const LiveRangeRow &Row, int32_t Step) {
  return Row.Start <= Step && Step <= Row.End;
}

/// The shape whose bytes a row prints; invalid if it is not known.
ShapeId PeakList::shapeOf(const LiveRangeRow &Range) const {
  const Instruction *I = Ctx.instruction(Range.Name);
  if (!I || !I->Result || D.PeakRows == PeakForm::Name)
    return I ? I->Result : ShapeId();
  return D.Shapes.at(I->Result, D.Indices.steps(Range.Index));
}

/// What the list says about a value of unknown shape.
uint64_t PeakList::statedBytes(const LiveRangeRow &Range) {
  Diags.notCheckedWithout(Ctx, Section::Texts,
                          "the size of a live value is unknown");
  if (StatedBytes.empty())
    for (const PeakRow &Row : D.Peak)
      StatedBytes.try_emplace(key(Row), Row.Bytes);
  return StatedBytes.lookup(key(Range));
}

void PeakList::derive(int32_t AtStep) {
  Step = AtStep;
  Rows.clear();
  for (uint32_t I = 0; I != D.Ranges.size(); ++I) {
    if (!isLive(D.Ranges[I], Step))
      continue;
    ShapeId Shape = shapeOf(D.Ranges[I]);
    std::optional<uint64_t> Bytes =
        Shape ? logicalBytes(D.Shapes, Shape) : std::nullopt;
    Rows.push_back({I, Bytes ? *Bytes : statedBytes(D.Ranges[I]), 0});
  }
  if (D.PeakRows != PeakForm::Cumulative)
    return;
  llvm::sort(Rows, [&](const DerivedRow &X, const DerivedRow &Y) {
    if (X.Bytes != Y.Bytes)
      return X.Bytes > Y.Bytes;
    const LiveRangeRow &Left = D.Ranges[X.Range];
    const LiveRangeRow &Right = D.Ranges[Y.Range];
    if (Left.Name != Right.Name)
      return D.Names[Left.Name] < D.Names[Right.Name];
    return D.Indices.less(Left.Index, Right.Index);
  });
  uint64_t Sum = 0;
  for (DerivedRow &Row : Rows)
    Row.Cumulative = Sum += Row.Bytes;
}

bool PeakList::isSame(size_t Derived, size_t Stated) const {
  const DerivedRow &Row = Rows[Derived];
  const LiveRangeRow &Range = D.Ranges[Row.Range];
  const PeakRow &Peak = D.Peak[Stated];
  return key(Peak) == key(Range) && Peak.Bytes == Row.Bytes &&
         (D.PeakRows != PeakForm::Cumulative ||
          Peak.Cumulative == Row.Cumulative);
}

std::string PeakList::derived(size_t Line) const {
  const DerivedRow &Row = Rows[Line];
  std::string Text =
      fmt::format("    {}: {} bytes", name(Row.Range), Row.Bytes);
  if (D.PeakRows == PeakForm::Cumulative)
    Text += fmt::format(" (cumulative: {} bytes)", Row.Cumulative);
  return Text;
}

const LiveRangeRow *PeakList::rangeOf(const PeakRow &Row) const {
  if (std::optional<uint32_t> Range = Ctx.rangeRow(Row.Name, Row.Index))
    return &D.Ranges[*Range];
  auto Entry = llvm::find_if(D.Ranges, [&](const LiveRangeRow &Range) {
    return D.PeakRows == PeakForm::Name && Range.Name == Row.Name;
  });
  return Entry == D.Ranges.end() ? nullptr : &*Entry;
}

void PeakList::about(Finding &F, NameId Name, ShapeIndex Index) const {
  UsedId U = Ctx.findUsed(Name, Index);
  F.about(Name).about(U ? Ctx.valueOf(U) : ValueId());
}

/// Shows the live ranges of both, which is why one is there and the other is
/// not, and the shape.
void PeakList::explain(Finding &F, std::optional<size_t> Derived,
                       std::optional<size_t> Stated) {
  F.about(Section::Stack);
  const LiveRangeRow *Listed = nullptr;
  if (Stated) {
    const PeakRow &Row = D.Peak[*Stated];
    about(F, Row.Name, Row.Index);
    Listed = rangeOf(Row);
    if (Listed)
      F.note(Ctx.places().line(*Listed), "its live range is here");
  }
  if (!Derived)
    return;
  const LiveRangeRow &Range = D.Ranges[Rows[*Derived].Range];
  about(F, Range.Name, Range.Index);
  if (Listed != &Range)
    F.note(Ctx.places().line(Range), "'{}' is live at step {}",
           name(Rows[*Derived].Range), Step);
  else if (ShapeId Shape = shapeOf(Range))
    F.note(Ctx.places().text(*Ctx.instruction(Range.Name)).ShapeText,
           "its shape is {}", D.Shapes.text(Shape));
}

bool PeakList::isListed() const {
  return Rows.size() == D.Peak.size() &&
         llvm::all_of(llvm::seq<size_t>(0, Rows.size()),
                      [&](size_t I) { return isSame(I, I); });
}

void PeakList::compare() {
  derive(D.PeakStep);
  if (isListed())
    return;
  // Does the list belong to the true peak?
  std::optional<PeakMoment> Peak = findPeak(Ctx);
  if (Peak && Peak->Step != D.PeakStep) {
    derive(Peak->Step);
    if (isListed())
      return;
    derive(D.PeakStep);
  }
  compareRestated(*this, Diags);
}

/// The sentence is there if and only if a live value has no bound. False if
/// there is no list to compare.
static bool checkSentence(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  StringRef Heading =
      D.liveText().drop_front(D.PeakLine).take_until([](char C) {
        return C == '\n';
      });
  bool AllKnown = true;
  for (const LiveRangeRow &Row : D.Ranges) {
    const Instruction *I = Ctx.instruction(Row.Name);
    AllKnown &= I && I->Result;
    if (!I || !I->Result || !D.Shapes[I->Result].Unbounded)
      continue;
    if (!D.UnboundedPeak)
      Diags
          .report({Heading, Row.Name},
                  "a peak is printed, but '{}' has an unbounded dimension",
                  D.Names[Row.Name])
          .note(Ctx.places().text(*I).ShapeText, "its shape is here");
    return false;
  }
  if (!D.UnboundedPeak)
    return true;
  if (AllKnown)
    Diags.report({Heading, Section::Peak},
                 "no live value has an unbounded dimension, expected a peak");
  else
    Diags.notChecked("the size of a live value is unknown");
  return false;
}

void hlobuf::checkPeakList(const CheckContext &Ctx, Reporter &Diags) {
  if (Ctx.dump().complete(Section::Texts) ? !checkSentence(Ctx, Diags)
                                          : Ctx.dump().UnboundedPeak)
    return;
  if (!Ctx.areRangesSound())
    return Diags.notChecked("the live ranges are incomplete");
  PeakList(Ctx, Diags).compare();
}
