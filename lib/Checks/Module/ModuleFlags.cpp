// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an allocation is follows from the values in it: a constant, a parameter
// of the entry, thread-local if all of them live in computations called by
// reduce, sort and the like, and maybe-live-out if one reaches the entry's
// root (buffer_assignment.cc, AssignBuffersForComputations, 2019-2026).

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

static std::string spellFlags(const Dump &D, const ExpectedFlags &Flags) {
  std::string Text;
  auto Add = [&](const std::string &Flag) {
    Text += (Text.empty() ? "" : ", ") + Flag;
  };
  if (Flags.Parameter)
    Add(fmt::format("parameter {} at index {}", Flags.Parameter->first,
                    D.Indices.text(Flags.Parameter->second)));
  if (Flags.Constant)
    Add("constant");
  if (Flags.ThreadLocal)
    Add("thread-local");
  if (Flags.MaybeLiveOut)
    Add("maybe-live-out");
  return Text.empty() ? "a plain temp" : Text;
}

/// By allocation; computed once for all differences.
static Finding describe(const ModuleAnalysis &Analysis, Reporter &Diags,
                        Severity Level, const Difference &Found,
                        llvm::ArrayRef<ExpectedFlags> Expected) {
  const Dump &D = Analysis.facts().dump();
  const Allocation &Alloc = D.Allocations[Found.Row];
  return Diags
      .reportAs(Level, Analysis.facts().places().line(Alloc),
                "allocation {} is {}, but according to the module it is {}",
                Alloc.Index, spellFlags(D, statedFlags(Alloc)),
                spellFlags(D, Expected[Found.Row]))
      .about(AllocationId(Found.Row));
}

void hlobuf::checkModuleFlags(const CheckContext &Ctx, Reporter &Diags) {
  std::vector<ExpectedFlags> Expected;
  reportDifferences(Ctx, Diags, DerivedPart::Flags,
                    [&](const ModuleAnalysis &Analysis, Reporter &,
                        Severity Level, const Difference &Found) {
                      if (Expected.empty())
                        Expected = expectedFlags(Analysis.derived());
                      return describe(Analysis, Diags, Level, Found, Expected);
                    });
}
