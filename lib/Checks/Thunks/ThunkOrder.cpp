// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-order.
//
// Thunks run in the order of the schedule: it is the order for which the
// assignment was made. On a CPU the executor runs thunks side by side, along
// edges that follow from their slices and from the resources that they share
// (xla/runtime/execution_graph.cc, 2024), so that conflicting thunks keep this
// order. Collectives of one sequence share a communicator: without it devices
// may start them in different orders, and hang (CollectiveThunk::resource_uses,
// collective_thunk.cc). Executables before 2025-03-28 do not store that.

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/LaunchProof.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
struct ThunkOrders : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  bool storesShapes() const;
  void checkCommunicators();

  /// Collectives before each thunk.
  std::vector<uint32_t> CollectivesBefore = {0};
};
} // namespace

/// Kernels have shapes next to their slices since 2026-01-28: a release that
/// stores resources, too.
bool ThunkOrders::storesShapes() const {
  return llvm::any_of(T.Thunks, [&](const Thunk &Each) {
    return Each.Kind == ThunkKind::Kernel &&
           llvm::any_of(T.slices(Each),
                        [](const ThunkSlice &S) { return S.Shape.valid(); });
  });
}

/// One communicator has all collectives of a sequence, and the loops and
/// branches that have some inside (WhileThunk::resource_uses).
void ThunkOrders::checkCommunicators() {
  std::vector<const ThunkResource *> Largest(T.Sequences.size());
  for (const ThunkResource &Each : T.Resources) {
    const ThunkResource *&Best = Largest[Each.In.index()];
    if (Each.Communicator && (!Best || Best->Users.size() < Each.Users.size()))
      Best = &Each;
  }
  for (size_t S = 0; S != T.Sequences.size(); ++S) {
    SmallVector<std::pair<ThunkId, uint32_t>, 4> Collectives;
    uint32_t Number = 0;
    T.forEach(T.Sequences[S], [&](ThunkId Id) {
      if (CollectivesBefore[T[Id].End] != CollectivesBefore[Id.index()])
        Collectives.push_back({Id, Number});
      ++Number;
    });
    bool Stored = !T.Resources.empty() || storesShapes();
    if (Collectives.size() < (Stored ? 1 : 2))
      continue;
    if (!Stored)
      return Diags.notChecked("which collectives share a communicator, which "
                              "jaxlib 0.5.3 and older do not store");
    DenseSet<uint32_t> Users;
    if (Largest[S])
      Users.insert(Largest[S]->Users.begin(), Largest[S]->Users.end());
    for (auto [Id, Own] : Collectives)
      if (!Users.contains(Own))
        reportThunk(Id, T[Id].Text,
                    "has no communicator that all collectives of its "
                    "sequence share: nothing orders them");
    if (Users.size() > Collectives.size())
      reportThunk(Collectives.front().first, T[Collectives.front().first].Text,
                  "shares its communicator with a thunk that has none");
  }
}

void ThunkOrders::run() {
  for (auto [Early, Late] : Ctx.launchProof().coverage().disordered())
    if (G.instruction(Early) == G.instruction(Late))
      noteThunk(
          reportThunk(Early, T[Early].Text, "copies after what reads the copy"),
          Late);
    else
      noteInstruction(
          noteThunk(
              Diags.reportAs(severityOf(Early), T[Early].Text,
                             "{} runs after {}, but is scheduled before it",
                             G.name(Early), G.name(Late)),
              Late),
          Early);
  for (const Thunk &Each : T.Thunks)
    CollectivesBefore.push_back(CollectivesBefore.back() +
                                (Each.Kind == ThunkKind::Collective));
  // The streams of a GPU order its collectives.
  if (!T.ForGpu)
    checkCommunicators();
}

void hlobuf::checkThunkOrder(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<ThunkOrders>(Ctx, Diags);
}
