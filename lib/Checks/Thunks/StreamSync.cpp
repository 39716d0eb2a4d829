// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stream-sync.
//
// Each asynchronous start has one done after it in its sequence, with its
// execution id, and each done a start (EmitAsyncDone, thunk_emitter.cc, 2026).
// Exceptions: a send or recv may be started in one round of a loop and done in
// the next; a start that is scheduled synchronously has neither.

#include "Checks/Thunks/ThunkRules.h"
#include <map>

using namespace hlobuf;

namespace {
struct StartsAndDones : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  /// What a start and its done have in common: the kind of the start, and the
  /// execution.
  using Key = std::pair<ThunkKind, uint64_t>;
  void check(const ThunkSequence &S);
  void collect(const ThunkSequence &S);
  void visit(ThunkId Id);
  bool mayStayOpen(ThunkId Start) const;
  bool isInLoop(ThunkId Id) const;
  bool isTransferDone(ThunkId Id) const;
  Finding say(ThunkId Id, std::string Text) {
    return noteInstruction(
        Diags.reportAs(severityOf(Id), T[Id].Text, "{}", std::move(Text)), Id);
  }

  std::map<Key, ThunkId> Open;
  /// Transfers before each thunk.
  std::vector<uint32_t> TransfersBefore = {0};
};
} // namespace

/// Of the host and of other devices.
static bool isTransfer(ThunkKind Kind) {
  return Kind == ThunkKind::Send || Kind == ThunkKind::Recv ||
         Kind == ThunkKind::HostSend || Kind == ThunkKind::HostRecv;
}

bool StartsAndDones::isInLoop(ThunkId Id) const {
  while (ThunkId Owner = T[T[Id].In].Owner) {
    if (T[Owner].Kind == ThunkKind::While)
      return true;
    Id = Owner;
  }
  return false;
}

/// A done of a send or recv.
bool StartsAndDones::isTransferDone(ThunkId Id) const {
  HloId I = G.instruction(Id);
  return isTransfer(pairEndedBy(T[Id].Kind)->Start) ||
         (I && (P[I].Op == Opcode::SendDone || P[I].Op == Opcode::RecvDone));
}

bool StartsAndDones::mayStayOpen(ThunkId Start) const {
  return TransfersBefore[T[Start].End] != TransfersBefore[Start.index()];
}

void StartsAndDones::visit(ThunkId Id) {
  ThunkKind Kind = T[Id].Kind;
  if (Kind == ThunkKind::Sequential)
    T.forEachSequence(Id, [&](ThunkSequenceId S) { collect(T[S]); });
  uint64_t Execution = T[Id].Execution.value_or(0);
  if (pairStartedBy(Kind)) {
    auto [Entry, New] = Open.insert({{Kind, Execution}, Id});
    if (!New && mayStayOpen(Id))
      Diags.exempt("open-transfer");
    else if (!New)
      say(Id, fmt::format("{} starts execution {}, which {} has started and "
                          "nothing waits for in between",
                          G.name(Id), Execution, G.name(Entry->second)));
    Entry->second = Id;
    return;
  }
  const ThunkPair *Ended = pairEndedBy(Kind);
  if (!Ended || Open.erase({Ended->Start, Execution}))
    return;
  if (isTransferDone(Id) && isInLoop(Id))
    Diags.exempt("open-transfer");
  else
    say(Id, fmt::format("{} waits for execution {}, which nothing before it "
                        "starts",
                        G.name(Id), Execution));
}

void StartsAndDones::collect(const ThunkSequence &S) {
  T.forEach(S, [&](ThunkId Id) { visit(Id); });
}

void StartsAndDones::check(const ThunkSequence &S) {
  // What is sequential belongs to the sequence around it.
  if (S.Owner && T[S.Owner].Kind == ThunkKind::Sequential)
    return;
  Open.clear();
  collect(S);
  SmallVector<ThunkId, 4> Left;
  for (auto [Key, Start] : Open)
    Left.push_back(Start);
  llvm::sort(Left);
  for (ThunkId Start : Left) {
    if (mayStayOpen(Start))
      Diags.exempt("open-transfer");
    else
      say(Start, fmt::format("nothing waits for {}, which is started here",
                             G.name(Start)));
  }
}

void StartsAndDones::run() {
  for (const Thunk &Each : T.Thunks)
    TransfersBefore.push_back(TransfersBefore.back() + isTransfer(Each.Kind));
  for (const ThunkSequence &S : T.Sequences)
    if (S.Role != ThunkRole::Embedded)
      check(S);
}

void hlobuf::checkStreamSync(const CheckContext &Ctx, Reporter &Diags) {
  if (!Ctx.dump().Thunks.ForGpu)
    return Diags.notApplicable("a CPU has no streams");
  runThunkRule<StartsAndDones>(Ctx, Diags);
}
