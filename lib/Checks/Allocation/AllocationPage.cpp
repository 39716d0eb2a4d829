//===- Checks/Allocation/AllocationPage.cpp -------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every allocation prints `, page N` or none does: the number is printed unless
// it is -1, and it is 0 from the start (buffer_assignment.cc, 2026-08-10).
// Memory with pages of its own (`page_size_kib`) would print larger numbers on
// the further temps of a color: no dump does, so that is a lint, and any other
// page than 0 a warning.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include <set>

using namespace hlobuf;

/// Numbers other than 0: plausible on the further temps of a color only.
static void checkNumbers(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
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
    R.reportAs(Level, A.places().header(Alloc).Page,
               "allocation {} is on page {}, expected 0", Alloc.Index,
               *Alloc.Page)
        .about(AllocationId(I));
  }
}

namespace hlobuf {
void checkAllocationPage(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  checkNumbers(A, R);
  auto With = static_cast<size_t>(llvm::count_if(
      D.Allocations, [](const Allocation &X) { return X.Page.has_value(); }));
  size_t Without = D.Allocations.size() - With;
  if (With == 0 || Without == 0)
    return;
  // The fewer are the wrong ones.
  bool Expected = With >= Without;
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    const Allocation &Alloc = D.Allocations[I];
    if (Alloc.Page.has_value() == Expected)
      continue;
    R.report(A.places().orEnd(A.places().header(Alloc).Page, Alloc),
             "allocation {} has {} page, but {} of {} allocations have {}",
             Alloc.Index, Expected ? "no" : "a", std::max(With, Without),
             D.Allocations.size(), Expected ? "one" : "none")
        .about(AllocationId(I));
  }
}
} // namespace hlobuf
