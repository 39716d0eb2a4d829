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
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

namespace {
struct StatedAttributes : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();
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
}

void hlobuf::checkThunkAttributes(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<StatedAttributes>(Ctx, Diags);
}
