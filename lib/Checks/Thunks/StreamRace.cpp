// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stream-race.
//
// No two accesses on different streams to common bytes, one of them a write,
// are without an order: the assignment keeps the operands and results of an
// asynchronous operation until its done, which the stream of a reader must have
// waited for. Both rounds of a loop count; two branches of one conditional
// never meet. What thunks for the host do is taken to run until its done.

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

namespace {
struct StreamRaces : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  void report(const StreamOrder &Order, const StreamRace &Race);
};
} // namespace

void StreamRaces::report(const StreamOrder &Order, const StreamRace &Race) {
  Severity Level = std::min(severityOf(Race.First), severityOf(Race.Second));
  Finding F =
      Diags.reportAs(Level, Race.SecondSlice->Text, "{}", Order.spell(Race));
  F.note(Race.FirstSlice->Text, "{} is here", G.name(Race.First));
  F.why(Race.SecondSlice->Text, "no done between them makes {} wait for {}",
        Order.spellStream(Race.SecondStream),
        Order.spellStream(Race.FirstStream));
  noteInstruction(noteInstruction(F, Race.First), Race.Second);
}

void StreamRaces::run() {
  const StreamOrder &Order = Ctx.launchProof().streams();
  for (const StreamRace &Race : Order.races())
    report(Order, Race);
  if (Order.numConflicts() != 0 && Order.races().empty())
    Diags.Proof.Extent = fmt::format(
        "{} conflicts between streams, all ordered", Order.numConflicts());
}

void hlobuf::checkStreamRace(const CheckContext &Ctx, Reporter &Diags) {
  if (!Ctx.dump().Thunks.ForGpu)
    return Diags.notApplicable("a CPU has no streams");
  runThunkRule<StreamRaces>(Ctx, Diags);
}
