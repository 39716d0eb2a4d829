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
#include "Facts/ReportLines.h"

using namespace hlobuf;
using llvm::StringRef;

using Role = RestatedField::Role;
static constexpr RestatedField ValueFields[] = {
    {Role::Running, "", "cumulative size '{}'"},
    {Role::Running, "(", "percentage '{}'"},
    {Role::Own, "%); ", "size '{}'"},
    {Role::Key, "; ", "row for offset {}"},
    {Role::Own, "; ", "number of values '{}'"},
    {Role::Own, "; ", "shapes '{}'"},
};
static constexpr LineFormat ValueRow = {ValueFields, ""};
static constexpr RestatedField AllocationFields[] = {
    {Role::Running, "", "cumulative size '{}'"},
    {Role::Running, "(", "percentage '{}'"},
    {Role::Running, "%); ", "remaining size '{}'"},
    {Role::Key, "; allocation ", "row for allocation {}"},
    {Role::Own, ": ", ""},
};
static constexpr LineFormat AllocationRow = {AllocationFields, ":"};

namespace {
class MemoryReport : public RestatedSection {
public:
  MemoryReport(const CheckContext &Ctx, Reporter &Diags, StringRef Text)
      : Ctx(Ctx), D(Ctx.dump()), Diags(Diags), There(reportLines(Text)),
        Expected(D, Text,
                 reportForm(Text) == ReportForm::ByAllocation &&
                     (!Ctx.release().since(Release::ReportTiesSorted) ||
                      Ctx.release().impossible())) {}

  size_t statedLines() const override { return There.size(); }
  size_t derivedLines() const override { return Expected.lines().size(); }
  StringRef stated(size_t Line) const override { return There[Line]; }
  std::string derived(size_t Line) const override {
    return Expected.text(Line).str();
  }
  bool isSame(size_t Derived, size_t Stated) const override {
    return Expected.text(Derived) == There[Stated];
  }
  const LineFormat *format(size_t Line) const override;
  StringRef noun() const override { return "report"; }
  StringRef order() const override {
    return "rows are ordered by size (descending)";
  }
  StringRef heading() const override {
    return D.file(FileRole::Report).Text.take_front(0);
  }
  std::string describe(size_t Line) const override;
  void explain(Finding &F, const LineDifference &Found) override;

private:
  using Kind = ReportLineKind;

  const ReportLine &info(size_t Line) const { return Expected.lines()[Line]; }
  ValueId valueBehind(const ReportLine &L, StringRef Shapes) const;
  void noteLostLine(Finding &F, AllocationId Owner);

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  std::vector<StringRef> There;
  Report Expected;
  /// The only used value without a value line, once it was looked for.
  std::optional<UsedId> Lost;
};
} // namespace

const LineFormat *MemoryReport::format(size_t Line) const {
  Kind What = info(Line).Kind;
  return What == Kind::ValueRow        ? &ValueRow
         : What == Kind::AllocationRow ? &AllocationRow
                                       : nullptr;
}

std::string MemoryReport::describe(size_t Line) const {
  const ReportLine &L = info(Line);
  switch (L.Kind) {
  case Kind::ValueRow:
    return fmt::format("the row for offset {} of allocation {}", L.At,
                       D[L.Owner].Index);
  case Kind::AllocationRow:
    return RestatedSection::describe(Line);
  case Kind::AllocationHeader:
    return fmt::format("the header of allocation {}", D[L.Owner].Index);
  case Kind::Total:
    return "the total";
  case Kind::Space:
  case Kind::Fixed:
  case Kind::Rest:
    break;
  }
  StringRef Wanted = Expected.text(Line).trim();
  return Wanted.empty() ? "an empty line" : fmt::format("'{}'", Wanted);
}

/// The value of a row that is shown as its cause: where the report has the
/// shapes \p Shapes, one whose shape is not among them, else the largest.
ValueId MemoryReport::valueBehind(const ReportLine &L, StringRef Shapes) const {
  ValueId Best;
  IndexRange Members = D[L.Owner].Values;
  for (uint32_t Number = Members.Begin; Number != Members.End; ++Number) {
    const Value &V = D.Values[Number];
    if (V.Offset != L.At)
      continue;
    if (!Shapes.empty() && V.Shape &&
        !Shapes.contains(D.Shapes.plainText(V.Shape)))
      return ValueId(Number);
    if (!Best || V.Size > D[Best].Size)
      Best = ValueId(Number);
  }
  return Best;
}

void MemoryReport::explain(Finding &F, const LineDifference &Found) {
  if (Found.Derived == derivedLines()) {
    F.note(There[Found.Stated], "if several processes wrote the report, give "
                                "each its own folder (--xla_dump_to)");
    if (Diags.count() == 1)
      F.asUnreadable();
    return;
  }
  const ReportLine &L = info(Found.Derived);
  if (L.Kind == Kind::Total)
    F.about(Section::Total);
  if (!L.Owner || L.Kind == Kind::Total || L.Kind == Kind::Space)
    return;
  noteLostLine(F, L.Owner);
  if (L.Kind == Kind::ValueRow) {
    ReportRow Row;
    if (Found.Field && Found.Field->What == Role::Own)
      parseReportRow(There[Found.Stated], Row);
    ValueId V = valueBehind(L, Row.Shapes);
    F.about(V).note(Ctx.places().value(D[V]).Tag.Whole, "{} is at this offset",
                    D.spell(D[V].Tag));
    return;
  }
  const Allocation &Owner = D[L.Owner];
  F.about(L.Owner).note(Ctx.places().header(Owner).Size,
                        "allocation {} has {} bytes and {} values", Owner.Index,
                        Owner.Size, Owner.Values.size());
}

/// Where a used value has no value line, shows where \p Owner may have lost it.
void MemoryReport::noteLostLine(Finding &F, AllocationId Owner) {
  if (!Lost) {
    Lost = UsedId();
    size_t Count = 0;
    for (size_t U = 0; U != D.Used.size(); ++U)
      if (!Ctx.valueOf(UsedId(U)) && ++Count == 1)
        Lost = UsedId(U);
    if (Count > 1 || !D.complete(Section::Used))
      Lost = UsedId();
  }
  if (!*Lost)
    return;
  const ValueTag &Tag = D[*Lost].Tag;
  llvm::ArrayRef<Value> Values = D.values(D[Owner]);
  const auto *Behind = llvm::partition_point(
      Values, [&](const Value &V) { return V.Tag.Id < Tag.Id; });
  F.about(Tag.Name).note(
      Values.empty()           ? Ctx.places().line(D[Owner])
      : Behind == Values.end() ? Ctx.places().line(Values.back())
                               : Ctx.places().line(*Behind),
      "{} has no value line; it may belong next to this one", D.spell(Tag));
}

void hlobuf::checkMemoryReport(const CheckContext &Ctx, Reporter &Diags) {
  StringRef Text = Ctx.dump().text(Section::Report);
  if (Text.empty()) {
    Diags.notChecked("the memory usage report is empty");
    return;
  }
  if (Ctx.dump().ReportIsExact)
    return;
  size_t Return = Text.find("\r\n");
  if (Return != StringRef::npos) {
    Diags.report(Text.substr(Return, 1),
                 "line ends with a carriage return, expected only a newline");
    return;
  }
  MemoryReport Report(Ctx, Diags, Text);
  compareRestated(Report, Diags);
  if (Diags.count() == 0 && !Text.ends_with("\n"))
    Diags.report(Text.take_back(0), "the report ends in the middle of a line");
}
