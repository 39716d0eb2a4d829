// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All lines of a dump were printed by one release of XLA. Each form of a line
// was printed between two dates (the page of an allocation since 2026-08-10,
// operand shapes until 2025-03-11, ..; see Facts/ReleaseWindow.cpp); if no date
// fits all of them, the dump was edited, cut off, or mixed from several
// releases. Checks whose rules changed over time then use no dated rule. A
// warning: a release may have been built from patched sources.
//
// Every allocation prints `, page N` or none does: the number is printed unless
// it is -1, and it is 0 from the start (buffer_assignment.cc, 2026-08-10).
// Memory with pages of its own (`page_size_kib`) would print larger numbers on
// the further temps of a color: no dump does, so that is a lint, and any other
// page than 0 a warning.

#include "Checks/Check.h"
#include <set>

using namespace hlobuf;
using llvm::StringRef;

static StringRef firstLine(const Dump &D, StringRef Place) {
  if (Place.empty())
    Place = D.assignmentText();
  return Place.take_until([](char C) { return C == '\n'; });
}

/// Names the allocation or used value whose line \p Line is, so that what
/// other checks say about it is one finding with this.
static void addSubject(const CheckContext &Ctx, Finding &F, StringRef Line) {
  const Dump &D = Ctx.dump();
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    if (Ctx.places().line(D.Allocations[I]).data() == Line.data())
      F.about(AllocationId(I));
  for (uint32_t I = 0; I != D.Used.size(); ++I)
    if (Ctx.places().line(D.Used[I]).data() == Line.data())
      F.about(D.Used[I].Tag.Name);
}

static void checkDates(const CheckContext &Ctx, Reporter &Diags) {
  const ReleaseWindow &Window = Ctx.release();
  if (!Window.impossible())
    return;
  StringRef Old = firstLine(Ctx.dump(), Window.BeforePlace);
  StringRef New = firstLine(Ctx.dump(), Window.FromPlace);
  Finding F = Diags.report(
      Old,
      "this line is from before {} ({}), but other lines are from {} or later "
      "({}): was the dump edited, cut off, or mixed?",
      dateText(Window.Before), Window.BeforeReason, dateText(Window.From),
      Window.FromReason);
  F.note(New, "the newer line is here");
  addSubject(Ctx, F, Old);
  addSubject(Ctx, F, New);
}

/// Numbers other than 0: plausible on the further temps of a color only.
static void checkNumbers(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::set<int32_t> FirstPages;
  for (const Allocation &Alloc : D.Allocations)
    if (Alloc.PreallocatedTemp && Alloc.Page == 0)
      FirstPages.insert(Alloc.color());
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (Alloc.Page.value_or(0) == 0)
      continue;
    bool Plausible =
        Alloc.PreallocatedTemp && FirstPages.count(Alloc.color()) != 0;
    Severity Level = *Alloc.Page < 0 ? Severity::Error
                     : Plausible     ? Severity::Lint
                                     : Severity::Warning;
    Diags
        .reportAs(Level, Ctx.places().header(Alloc).Page,
                  "allocation {} is on page {}, expected 0", Alloc.Index,
                  *Alloc.Page)
        .about(AllocationId(I));
  }
}

static void checkPages(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  checkNumbers(Ctx, Diags);
  auto Pages = static_cast<size_t>(llvm::count_if(
      D.Allocations, [](const Allocation &X) { return X.Page.has_value(); }));
  size_t Without = D.Allocations.size() - Pages;
  if (Pages == 0 || Without == 0)
    return;
  // The fewer are the wrong ones.
  bool Expected = Pages >= Without;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (Alloc.Page.has_value() == Expected)
      continue;
    Diags
        .reportAs(Severity::Error,
                  Ctx.places().orEnd(Ctx.places().header(Alloc).Page, Alloc),
                  "allocation {} has {} page, but {} of {} allocations have {}",
                  Alloc.Index, Expected ? "no" : "a", std::max(Pages, Without),
                  D.Allocations.size(), Expected ? "one" : "none")
        .about(AllocationId(I));
  }
}

void hlobuf::checkOneRelease(const CheckContext &Ctx, Reporter &Diags) {
  checkPages(Ctx, Diags);
  checkDates(Ctx, Diags);
}
