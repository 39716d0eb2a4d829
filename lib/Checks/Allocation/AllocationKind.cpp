// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocation has one kind. `preallocated-temp` is printed if and only if
// none of parameter, constant, thread-local and maybe-live-out holds
// (buffer_assignment.h IsPreallocatedTempBuffer, 2017). Parameter, constant and
// thread-local exclude each other, because XLA stops at the first that applies
// (AssignSpecialHloBuffer); thread-local memory is never an output, and an
// allocation that prints the output's shape is maybe-live-out. A parameter or a
// constant may well be maybe-live-out.
//
// Only a temp may be without values: TPU makes one for its alternate memory
// even if nothing was placed there (libtpu 0.0.11 to 0.0.51, one module in
// six).
//
// Each color and page has one temp, because XLA combines them
// (buffer_assignment.cc CombineTempAllocations, 2017). Several are wanted where
// --xla_multiheap_size_constraint_per_heap bounds the size of each (up to six
// of color 0 were seen on CPU): hence a lint.
//
// Every allocation prints `, page N` or none does: the number is printed unless
// it is -1, and it is 0 from the start (buffer_assignment.cc, 2026-08-10).
// Memory with pages of its own (`page_size_kib`) would print larger numbers: no
// dump does, so that is a warning.

#include "Checks/Check.h"
#include <map>

using namespace hlobuf;

/// Two texts of a header that must not stand together.
static bool checkExclusive(const CheckContext &Ctx, Reporter &Diags,
                           AllocationId Id) {
  const Allocation &Alloc = Ctx.dump()[Id];
  // Where a header has a flag; null if it has not.
  struct Flag {
    const char *Name;
    StringRef Where;
  };
  AllocationTexts Texts = Ctx.places().header(Alloc);
  auto Exclude = [&](Flag First, Flag Second) {
    if (!First.Where.data() || !Second.Where.data())
      return false;
    Diags.report({Second.Where, Id}, "allocation {} is both {} and {}",
                 Alloc.Index, First.Name, Second.Name);
    return true;
  };
  Flag Parameter = {"a parameter", Texts.Parameter};
  Flag Constant = {"constant", Texts.Constant};
  Flag Local = {"thread-local", Texts.ThreadLocal};
  Flag Output = {"the output", Texts.OutputShape};
  Flag LiveOut = {"maybe-live-out", Texts.MaybeLiveOut};
  Flag Temp = {"preallocated-temp", Texts.PreallocatedTemp};
  return Exclude(Parameter, Constant) || Exclude(Parameter, Local) ||
         Exclude(Constant, Local) || Exclude(Output, Local) ||
         Exclude(Local, LiveOut) || Exclude(Parameter, Temp) ||
         Exclude(Constant, Temp) || Exclude(Local, Temp) ||
         Exclude(LiveOut, Temp);
}

static void checkOne(const CheckContext &Ctx, Reporter &Diags,
                     AllocationId Id) {
  const Allocation &Alloc = Ctx.dump()[Id];
  int Kinds = Alloc.isParameter() + Alloc.Constant + Alloc.ThreadLocal;
  bool Several = Kinds > 1 || (Alloc.ThreadLocal && Alloc.MaybeLiveOut) ||
                 (Alloc.ThreadLocal && Alloc.hasOutputShape()) ||
                 (Alloc.PreallocatedTemp && (Kinds || Alloc.MaybeLiveOut));
  if (Several && checkExclusive(Ctx, Diags, Id))
    return;
  StringRef End = Ctx.places().orEnd(StringRef(), Alloc);
  if (Alloc.hasOutputShape() && !Alloc.MaybeLiveOut)
    Diags.report({End, Id},
                 "allocation {} holds the output, but is not maybe-live-out",
                 Alloc.Index);
  else if (!Kinds && !Alloc.MaybeLiveOut && !Alloc.PreallocatedTemp) {
    if (!Alloc.HasUnknown)
      Diags.report({End, Id},
                   "allocation {} has no kind, expected parameter, constant, "
                   "thread-local, maybe-live-out or preallocated-temp",
                   Alloc.Index);
    else
      Diags.notChecked("an allocation has an unknown attribute");
  } else if (Alloc.Values.empty() && !Alloc.PreallocatedTemp)
    Diags.report(
        {Ctx.places().header(Alloc).Index, Id},
        "allocation {} has no values, expected at least one outside temps",
        Alloc.Index);
}

/// One temp for each color and page.
static void checkTemps(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  std::map<std::pair<int32_t, int32_t>, AllocationId> First;
  for (auto [I, Alloc] : llvm::enumerate(D.Allocations)) {
    if (!Alloc.PreallocatedTemp)
      continue;
    auto [Entry, New] = First.try_emplace(
        {Alloc.color(), Alloc.Page.value_or(0)}, AllocationId(I));
    if (!New)
      Diags
          .reportAs(Severity::Lint, {Ctx.places().line(Alloc), AllocationId(I)},
                    "temp allocation {} has color {} too, expected one per "
                    "color and page",
                    Alloc.Index, Alloc.color())
          .note(Ctx.places().line(D[Entry->second]), "the first one is here");
  }
}

static void checkPages(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  auto Pages = static_cast<size_t>(llvm::count_if(
      D.Allocations, [](const Allocation &X) { return X.Page.has_value(); }));
  size_t Without = D.Allocations.size() - Pages;
  // The fewer are the wrong ones.
  bool Expected = Pages >= Without;
  for (auto [I, Alloc] : llvm::enumerate(D.Allocations)) {
    StringRef Where =
        Ctx.places().orEnd(Ctx.places().header(Alloc).Page, Alloc);
    if (Alloc.Page.value_or(0) != 0)
      Diags.reportAs(*Alloc.Page < 0 ? Severity::Error : Severity::Warning,
                     {Where, AllocationId(I)},
                     "allocation {} is on page {}, expected 0", Alloc.Index,
                     *Alloc.Page);
    else if (Alloc.Page.has_value() != Expected)
      Diags.report(
          {Where, AllocationId(I)},
          "allocation {} has {} page, but {} of {} allocations have {}",
          Alloc.Index, Expected ? "no" : "a", std::max(Pages, Without),
          D.Allocations.size(), Expected ? "one" : "none");
  }
}

void hlobuf::checkAllocationKind(const CheckContext &Ctx, Reporter &Diags) {
  for (AllocationId Id : ids<AllocationId>(Ctx.dump().Allocations.size()))
    checkOne(Ctx, Diags, Id);
  checkTemps(Ctx, Diags);
  checkPages(Ctx, Diags);
}
