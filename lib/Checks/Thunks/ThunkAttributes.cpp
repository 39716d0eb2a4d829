// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-attributes.
//
// What a thunk says in addition to its slices is what its instruction says:
// dimensions, windows, groups of devices, counts, configurations. Emitters copy
// them from the instruction (thunk_emitter.cc of xla/service/cpu and
// xla/service/gpu, 2025-2026), and nothing compares them when the executable is
// loaded. The rows of StatedAttributes.def say what each is.

#include "Checks/Thunks/ThunkRules.h"
#include "Elements/StartIndices.h"
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

namespace {
struct StatedAttributes : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void compareRounds();
};
} // namespace

void StatedAttributes::run() {
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size()))
    if (!T[Id].OtherKind.empty())
      reportThunk(Id, T[Id].OtherKind, "is marked as {}, but holds a {}",
                  T[Id].OtherKind, thunkKindText(T[Id].Kind));
  for (const AttributeFault &Fault : Ctx.launchProof().attributes())
    reportThunk(Fault.Thunk, Fault.Where,
                "has {} {}, but its instruction implies {}", Fault.Key,
                Fault.Stated.empty() ? "none" : Fault.Stated,
                Fault.Expected.empty() ? "none" : Fault.Expected);
  compareRounds();
}

/// A thunk that states how often its loop runs never asks the condition.
void StatedAttributes::compareRounds() {
  Scalars All(P);
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size())) {
    HloId Loop = G.instruction(Id);
    if (T[Id].Kind != ThunkKind::While || !Loop || P[Loop].Op != Opcode::While)
      continue;
    for (const ThunkAttribute &Each : T.attributes(T[Id])) {
      int64_t Stated = 0;
      std::optional<int64_t> Rounds = countRounds(All, Loop);
      if (Each.Key == "trip_count" && Rounds &&
          !Each.Value.getAsInteger(10, Stated) && Stated != *Rounds)
        reportThunk(Id, Each.Value, "runs {} times, but its loop counts {}",
                    Stated, *Rounds);
    }
  }
}

void hlobuf::checkThunkAttributes(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<StatedAttributes>(Ctx, Diags);
}
