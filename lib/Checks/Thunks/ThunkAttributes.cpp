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
#include "Thunks/AttributeRules.h"

using namespace hlobuf;

namespace {
struct StatedAttributes : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void check(ThunkId Id);
  void checkRow(ThunkId Id, HloId I, const AttributeRow &Row);
};
} // namespace

void StatedAttributes::checkRow(ThunkId Id, HloId I, const AttributeRow &Row) {
  StringRef Where;
  std::string Stated = statedAttribute(T, Id, Row, Where);
  ExpectedText Expected = Row.Rule({G, Id, I, Row.Key, Row.Default, Stated});
  if (Expected == Stated)
    return;
  if (!Expected || Row.IsDerived)
    return Diags.notChecked(fmt::format("{} of thunks, which does not follow "
                                        "from their instructions",
                                        Row.Key));
  reportThunk(Id, Where, "has {} {}, but its instruction implies {}", Row.Key,
              Stated.empty() ? "none" : Stated,
              Expected->empty() ? "none" : *Expected);
}

void StatedAttributes::check(ThunkId Id) {
  const Thunk &Each = T[Id];
  if (!Each.OtherKind.empty())
    reportThunk(Id, Each.OtherKind, "is marked as {}, but holds a {}",
                Each.OtherKind, thunkKindText(Each.Kind));
  HloId I = G.instruction(Id);
  // What is not understood, or has no instruction, is said elsewhere.
  if (!Each.Understood || !I)
    return;
  I = wrappedInstruction(G, Id);
  for (const AttributeRow &Row : attributeRows(Each.Kind, T.ForGpu))
    checkRow(Id, I, Row);
}

void StatedAttributes::run() {
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size()))
    check(Id);
}

void hlobuf::checkThunkAttributes(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<StatedAttributes>(Ctx, Diags);
}
