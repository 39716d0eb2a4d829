// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory usage report is a function of the allocations and their values,
// so the dump gives it back byte for byte. XLA prints both from one
// BufferAssignment (buffer_assignment.cc, MemoryUsageReport 2024-10-04, by
// memory space since 2026-03-10).
//
// Until 2025-10-27 rows of equal size and the shapes in a row are in hash
// order (jaxlib 0.4.35 to 0.7.2): they are accepted in any order, and where a
// table is cut any of the equally large rows may be shown.

#include "Checks/Restated/RestatedSection.h"
#include "Facts/Report.h"

using namespace hlobuf;

namespace {
struct MemoryReport : RestatedSection {
  MemoryReport(const CheckContext &Ctx, StringRef Text)
      : Ctx(Ctx), D(Ctx.dump()), Stated(reportLines(Text)),
        Expected(D, Text,
                 reportForm(Text) == ReportForm::ByAllocation &&
                     (!Ctx.release().since(Release::ReportTiesSorted) ||
                      Ctx.release().impossible())) {}

  size_t statedLines() const override { return Stated.size(); }
  size_t derivedLines() const override { return Expected.lines().size(); }
  StringRef stated(size_t Line) const override { return Stated[Line]; }
  std::string derived(size_t Line) const override {
    return Expected.text(Line).str();
  }
  bool isSame(size_t Derived, size_t Line) const override {
    return Expected.text(Derived) == Stated[Line];
  }
  StringRef own(StringRef Line) const override {
    StringRef Row = withoutSums(Line);
    return Row.empty() ? Line : Row;
  }
  StringRef noun() const override { return "memory usage report"; }
  StringRef heading() const override {
    return D.file(FileRole::Report).Text.take_front(0);
  }
  void explain(Finding &F, std::optional<size_t> Derived,
               std::optional<size_t> Line) override;

  ValueId valueBehind(const ReportLine &L) const;
  void aboutLostValue(Finding &F);

  const CheckContext &Ctx;
  const Dump &D;
  std::vector<StringRef> Stated;
  Report Expected;
};
} // namespace

/// The largest value of the row \p L.
ValueId MemoryReport::valueBehind(const ReportLine &L) const {
  ValueId Largest;
  IndexRange Members = D[L.Owner].Values;
  for (uint32_t Number = Members.Begin; Number != Members.End; ++Number) {
    const Value &V = D.Values[Number];
    if (V.Offset == L.Row && (!Largest || V.Size > D[Largest].Size))
      Largest = ValueId(Number);
  }
  return Largest;
}

void MemoryReport::explain(Finding &F, std::optional<size_t> Derived,
                           std::optional<size_t> Line) {
  if (!Derived) {
    F.note(Stated[*Line], "if several processes wrote the report, give each "
                          "its own folder (--xla_dump_to)");
    if (*Line >= derivedLines())
      F.asUnreadable();
    return;
  }
  const ReportLine &L = Expected.lines()[*Derived];
  if (StringRef(derived(*Derived)).starts_with("Total"))
    F.about(Section::Total);
  if (!L.Owner)
    return;
  aboutLostValue(F);
  if (L.Row) {
    ValueId V = valueBehind(L);
    F.about(V).note(Ctx.places().value(D[V]).Tag.Whole, "{} is at this offset",
                    D.spell(D[V].Tag));
    return;
  }
  const Allocation &Owner = D[L.Owner];
  F.about(L.Owner).note(Ctx.places().header(Owner).Size,
                        "allocation {} has {} bytes and {} values", Owner.Index,
                        Owner.Size, Owner.Values.size());
}

/// Where one used value has no value line, rows may lack it.
void MemoryReport::aboutLostValue(Finding &F) {
  if (!D.complete(Section::Used))
    return;
  UsedId Row;
  for (UsedId U : ids<UsedId>(D.Used.size())) {
    if (Ctx.valueOf(U))
      continue;
    if (Row)
      return;
    Row = U;
  }
  if (Row)
    F.about(D[Row].Tag.Name);
}

void hlobuf::checkMemoryReport(const CheckContext &Ctx, Reporter &Diags) {
  StringRef Text = Ctx.dump().text(Section::Report);
  if (Text.empty())
    return Diags.notChecked("the memory usage report is empty");
  if (Ctx.dump().ReportIsExact)
    return;
  size_t Return = Text.find("\r\n");
  if (Return != StringRef::npos) {
    Diags.report(Text.substr(Return, 1),
                 "line ends with a carriage return, expected only a newline");
    return;
  }
  MemoryReport Report(Ctx, Text);
  compareRestated(Report, Diags);
  if (Diags.count() == 0 && !Text.ends_with("\n"))
    Diags.report(Text.take_back(0), "the report ends in the middle of a line");
}
