// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-reads.
//
// A thunk reads the operands of its instruction at their places, and all of
// them (GetAllocationSlice and GetUniqueSlice in thunk_emitter.cc of both
// backends, 2025-2026). Exceptions: the kernel of a whole call has a set of
// slices; a copy for a fusion of a GPU reads a part; a sort copies operands
// that are elsewhere first.

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

namespace {
struct ThunkReads : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void report(const SliceFault &Fault);
};
} // namespace

void ThunkReads::report(const SliceFault &Fault) {
  StringRef Where = Fault.Slice ? Fault.Slice->Text : T[Fault.Thunk].Text;
  std::string Expected =
      Fault.Expected && Fault.Expected->Bytes
          ? fmt::format("{} ({})", G.spell(*Fault.Expected),
                        ThunkGraph::spell(*Fault.Expected->Bytes))
          : "";
  bool Missing = !Fault.Slice || Fault.Slice->Missing;
  if (Missing && Expected.empty())
    reportThunk(Fault.Thunk, Where, "copies no operand to its result");
  else if (Missing)
    reportThunk(Fault.Thunk, Where, "does not read operand {}, {}",
                Fault.Number, Expected);
  else if (Expected.empty())
    reportThunk(Fault.Thunk, Where, "reads {}, which no operand is",
                spellSlice(Fault.Thunk, *Fault.Slice));
  else
    reportThunk(Fault.Thunk, Where, "reads {}; operand {} is {}",
                spellSlice(Fault.Thunk, *Fault.Slice), Fault.Number, Expected);
}

void ThunkReads::run() {
  for (const SliceFault &Fault : Ctx.launchProof().slices().Reads)
    report(Fault);
}

void hlobuf::checkThunkReads(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<ThunkReads>(Ctx, Diags);
}
