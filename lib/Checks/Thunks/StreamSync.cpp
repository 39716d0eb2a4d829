//===- Checks/Thunks/StreamSync.cpp - stream-sync -------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each asynchronous start has one done after it in its sequence, with its
// execution id, and each done a start (EmitAsyncDone, thunk_emitter.cc, 2026).
// Exceptions: a send or recv may be started in one round of a loop and done in
// the next; a start that is scheduled synchronously has neither.
//
//===----------------------------------------------------------------------===//

#include "Checks/Thunks/ThunkRules.h"
#include "llvm/ADT/MapVector.h"

using namespace hlobuf;

namespace {
class StartsAndDones {
public:
  StartsAndDones(const ThunkGraph &G, Reporter &Diags)
      : G(G), T(G.thunks()), Diags(Diags) {}
  void check(const ThunkSequence &S);

private:
  using Key = std::pair<unsigned, uint64_t>;
  void collect(const ThunkSequence &S);
  void visit(ThunkId Id);
  bool mayStayOpen(ThunkId Start) const;
  bool isInLoop(ThunkId Id) const;
  bool isTransferDone(ThunkId Id) const;
  Finding say(ThunkId Id, std::string Text) {
    return noteInstruction(
        Diags.reportAs(severityOf(G, Id), T[Id].Text, "{}", std::move(Text)), G,
        Id);
  }

  const ThunkGraph &G;
  const ThunkProgram &T;
  Reporter &Diags;
  llvm::MapVector<Key, ThunkId> Open;
};
} // namespace

/// What starts and dones of one kind have in common; 0 for other thunks.
static unsigned pairOf(ThunkKind Kind, bool &Starts) {
  Starts = true;
  switch (Kind) {
  case ThunkKind::AsyncStart:
    return 1;
  case ThunkKind::HostExecuteStart:
    return 2;
  default:
    Starts = false;
    return Kind == ThunkKind::AsyncDone         ? 1
           : Kind == ThunkKind::HostExecuteDone ? 2
                                                : 0;
  }
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
  return I && (G.program()[I].Op == Opcode::SendDone ||
               G.program()[I].Op == Opcode::RecvDone);
}

bool StartsAndDones::mayStayOpen(ThunkId Start) const {
  for (uint32_t I = Start.index(); I != T[Start].End; ++I)
    if (T.Thunks[I].Kind == ThunkKind::Send ||
        T.Thunks[I].Kind == ThunkKind::Recv)
      return true;
  return false;
}

void StartsAndDones::visit(ThunkId Id) {
  bool Starts = false;
  unsigned Pair = pairOf(T[Id].Kind, Starts);
  if (T[Id].Kind == ThunkKind::Sequential)
    T.forEachSequence(Id, [&](ThunkSequenceId S) { collect(T[S]); });
  if (Pair == 0)
    return;
  Key Of = {Pair, T[Id].Execution.value_or(0)};
  if (Starts) {
    auto [At, New] = Open.insert({Of, Id});
    if (!New && !mayStayOpen(Id))
      say(Id, fmt::format("{} starts execution {}, which {} has started and "
                          "nothing waits for in between",
                          G.name(Id), Of.second, G.name(At->second)));
    At->second = Id;
  } else if (!Open.erase(Of) && !(isInLoop(Id) && isTransferDone(Id))) {
    say(Id, fmt::format("{} waits for execution {}, which nothing before it "
                        "starts",
                        G.name(Id), Of.second));
  }
}

void StartsAndDones::collect(const ThunkSequence &S) {
  T.forEach(S, [&](ThunkId Id) { visit(Id); });
}

void StartsAndDones::check(const ThunkSequence &S) {
  if (S.Owner && T[S.Owner].Kind == ThunkKind::Sequential)
    return;
  Open.clear();
  collect(S);
  for (auto [Of, Start] : Open)
    if (!mayStayOpen(Start))
      say(Start, fmt::format("nothing waits for {}, which is started here",
                             G.name(Start)));
}

void hlobuf::checkStreamSync(const CheckContext &Ctx, Reporter &Diags) {
  if (!Ctx.dump().Thunks.ForGpu)
    return Diags.notApplicable("a CPU has no streams");
  const ThunkGraph *G = usableThunks(Ctx, Diags);
  if (!G)
    return;
  StartsAndDones Pairs(*G, Diags);
  for (const ThunkSequence &S : G->thunks().Sequences)
    if (S.Role != ThunkRole::Embedded)
      Pairs.check(S);
}
