//===- Checks/Thunks/ThunkOrder.cpp - thunk-order -------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thunks run in the order of the schedule: it is the order for which the
// assignment was made. On a CPU the executor runs thunks side by side, along
// edges that follow from their slices and from the resources that they share
// (xla/runtime/execution_graph.cc, 2024), so that conflicting thunks keep this
// order. Collectives of one sequence share a communicator: without it devices
// may start them in different orders, and hang (CollectiveThunk::resource_uses,
// collective_thunk.cc). Executables before 2025-03-28 do not store that.
//
//===----------------------------------------------------------------------===//

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/ThunkCoverage.h"

using namespace hlobuf;

/// \p Id is a collective, or has one inside (WhileThunk::resource_uses).
static bool communicates(const ThunkProgram &T, ThunkId Id) {
  for (uint32_t I = Id.index(); I != T[Id].End; ++I)
    if (T.Thunks[I].Kind == ThunkKind::Collective)
      return true;
  return false;
}

/// Kernels have shapes next to their slices since 2026-01-28: a release that
/// stores resources, too.
static bool storesShapes(const ThunkProgram &T) {
  return llvm::any_of(T.Thunks, [&](const Thunk &Each) {
    return Each.Kind == ThunkKind::Kernel &&
           llvm::any_of(T.slices(Each),
                        [](const ThunkSlice &S) { return S.Shape.valid(); });
  });
}

static void checkCommunicators(const ThunkGraph &G, Reporter &Diags) {
  const ThunkProgram &T = G.thunks();
  for (size_t S = 0; S != T.Sequences.size(); ++S) {
    llvm::SmallVector<std::pair<ThunkId, uint32_t>, 4> Collectives;
    uint32_t Number = 0;
    T.forEach(T.Sequences[S], [&](ThunkId Id) {
      if (communicates(T, Id))
        Collectives.push_back({Id, Number});
      ++Number;
    });
    if (Collectives.size() < 2)
      continue;
    if (T.Resources.empty() && !storesShapes(T))
      return Diags.notChecked("which collectives share a communicator, which "
                              "jaxlib 0.5.3 and older do not store");
    for (auto [Id, Own] : Collectives) {
      bool Shares = llvm::any_of(T.Resources, [&, Own = Own](const auto &Each) {
        return Each.Communicator && Each.In.index() == S &&
               llvm::is_contained(Each.Users, Own);
      });
      if (!Shares)
        noteInstruction(
            Diags.report(
                T[Id].Text,
                "{} shares no communicator with the other collectives of "
                "its sequence: nothing orders them",
                G.name(Id)),
            G, Id);
    }
  }
}

void hlobuf::checkThunkOrder(const CheckContext &Ctx, Reporter &Diags) {
  const ThunkGraph *G = usableThunks(Ctx, Diags);
  if (!G)
    return;
  ThunkCoverage Coverage(*G);
  for (auto [Early, Late] : Coverage.disordered())
    noteInstruction(
        Diags
            .report(G->thunks()[Early].Text,
                    "{} runs after {}, but is scheduled before it",
                    G->name(Early), G->name(Late))
            .note(G->thunks()[Late].Text, "{} is here", G->name(Late)),
        *G, Early);
  if (!G->thunks().ForGpu)
    checkCommunicators(*G, Diags);
}
