// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A computation that takes part in the schedule has one caller: XLA clones the
// others' (xla/hlo/transforms/simplifiers/flatten_call_graph.cc, 2017), and
// copy insertion refuses a module that is not flattened (xla/service/
// copy_insertion.cc, CallGraph::IsFlattened in call_graph.cc). Two callers
// would pass their operands in the same buffers. What reduce, sort and the like
// apply may be shared, and async chains may wrap one computation.

#include "Checks/Check.h"
#include "Program/Program.h"

using namespace hlobuf;

/// Callers that are noted; more are only counted.
static constexpr size_t MaxNoted = 4;

static void report(const Program &P, const SharedCallee &Shared,
                   Reporter &Diags) {
  const HloModule &M = P.module();
  StringRef Name = M.name(M[Shared.Callee]);
  HloId First = Shared.Callers[0];
  HloId Second = Shared.Callers[1];
  Finding F =
      Diags.report({P.place(Second), Shared.Callee},
                   "computation {} is called by both {} and {}, but XLA gives "
                   "each caller its own copy before buffer assignment",
                   Name, P.spell(First), P.spell(Second));
  for (size_t I = 0; I != std::min(Shared.Callers.size(), MaxNoted); ++I)
    if (I != 1)
      F.note(P.place(Shared.Callers[I]), "{} calls it",
             P.spell(Shared.Callers[I]));
  if (Shared.Callers.size() > MaxNoted)
    F.note(P.place(First), "and {} more", Shared.Callers.size() - MaxNoted);
}

void hlobuf::checkCallGraph(const CheckContext &Ctx, Reporter &Diags) {
  const Program *P = Ctx.program();
  if (!P || !P->obstacle().empty())
    return; // a module without ENTRY is a syntax error
  for (const SharedCallee &Shared : sharedCallees(*P))
    if (!Shared.Async)
      report(*P, Shared, Diags);
}
