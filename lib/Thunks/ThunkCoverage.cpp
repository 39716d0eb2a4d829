// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/ThunkCoverage.h"
#include "Proof/PartSources.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace hlobuf;
using namespace hlobuf::proof;

ThunkCoverage::ThunkCoverage(const ThunkGraph &Graph, Ledger &Book)
    : G(Graph), P(Graph.program()), T(Graph.thunks()), Book(Book) {
  size_t Count = P.module().Computations.size();
  Rank.resize(P.size());
  Sorts.resize(Count);
  Entered.resize(Count);
  for (size_t C = 0; C != Count; ++C) {
    uint32_t Next = 0;
    for (HloId I : P.order(ComputationId(C))) {
      Rank[I.index()] = Next++;
      if (P[I].Op == Opcode::Sort)
        Sorts[C] = true;
    }
  }
  if (P.module().Entry)
    findEntered(P.module().Entry);
  for (HloId I : ids<HloId>(P.size()))
    if (G.isLaunched(I))
      Book.visit({Topic::Launched, I}, launched(I));
  for (size_t S = 0; S != T.Sequences.size(); ++S)
    if (ComputationId C = G.computation(ThunkSequenceId(S)))
      findDisordered(T.Sequences[S], C);
    else
      closeUnknown(T.Sequences[S]);
}

/// True if the bytes of \p I must be moved by a thunk of its own name.
bool ThunkCoverage::needsThunk(HloId I) const {
  Opcode Op = P[I].Op;
  if (accessesNoMemory(Op))
    return false;
  if (!T.ForGpu)
    return true;
  // thunk_emitter.cc, DispatchCustomCall
  StringRef Target = P.customCallTarget(I);
  if (Target == "AllocateBuffer" || Target == "CreateBuffer" ||
      Target == "Pin" || Target == "Unpin")
    return false;
  // Starts stand for what they wrap, dones for an async-done of their own or,
  // where the start was scheduled synchronously, for nothing.
  return Op != Opcode::Call && Op != Opcode::AsyncStart && !endedBy(Op) &&
         Op != Opcode::AsyncUpdate && Op != Opcode::SendDone &&
         Op != Opcode::RecvDone;
}

/// Thunks of what \p I calls are next to its own, or inside of them.
bool ThunkCoverage::entersCallees(HloId I) const {
  ArrayRef<ThunkId> Own = G.thunksOf(I);
  if (T.ForGpu && P[I].Op == Opcode::Call)
    return true;
  if (!T.ForGpu && P[I].Op == Opcode::Call)
    return !Own.empty() && T[Own.front()].Kind == ThunkKind::Call;
  // What runs on the host has no thunks.
  if (T.ForGpu && P[I].Op == Opcode::AsyncStart)
    return llvm::none_of(
        Own, [&](ThunkId Id) { return T[Id].Kind != ThunkKind::AsyncStart; });
  return isSynchronousCall(P[I].Op) && !Own.empty();
}

void ThunkCoverage::findEntered(ComputationId Entry) {
  SmallVector<ComputationId, 8> Pending = {Entry};
  Entered[Entry.index()] = true;
  while (!Pending.empty())
    for (HloId I : P.order(Pending.pop_back_val()))
      for (const HloCall &Call : P.calls(I)) {
        if (P.isFusionBody(Call.Callee) || Entered[Call.Callee.index()] ||
            !entersCallees(I))
          continue;
        Entered[Call.Callee.index()] = true;
        Pending.push_back(Call.Callee);
      }
}

bool ThunkCoverage::hasThunk(HloId I) const {
  // On a CPU the copies before a sort have its name, too.
  return llvm::any_of(G.thunksOf(I), [&](ThunkId Id) {
    return T.ForGpu || P[I].Op != Opcode::Sort || T[Id].Kind == ThunkKind::Sort;
  });
}

/// True if a fusion does nothing with arrays but move elements.
static bool onlyMoves(const Program &P, HloId I) {
  ComputationId Body = P.callee(I, CallRole::Calls);
  return Body && llvm::all_of(P.order(Body), [&](HloId Inner) {
           Opcode Op = P[Inner].Op;
           return isGiven(Op) || movesElements(Op) ||
                  P.trees().shape(P[Inner].Shape).Dimensions.empty();
         });
}

/// Thunks of \p I do more than to hold others, to copy, or to fill, unless that
/// is what \p I does.
bool ThunkCoverage::mayCompute(HloId I) const {
  bool Copies = false;
  bool Fills = false;
  for (ThunkId Id : G.thunksOf(I)) {
    ThunkKind Kind = T[Id].Kind;
    bool Copy = isThunkCopy(Kind);
    bool Fill = Kind == ThunkKind::Memzero || Kind == ThunkKind::Memset;
    if (!Copy && !Fill && !isThunkFrame(Kind))
      return true;
    Copies |= Copy;
    Fills |= Fill;
  }
  Opcode Op = P[I].Op;
  if (Op == Opcode::Call || hasAsyncState(Op))
    return true;
  if (Copies)
    return movesElements(Op) || isCollective(Op) || isStart(Op) ||
           (Op == Opcode::Fusion && onlyMoves(P, I));
  return Fills && (P.operands(I).empty() || isCollective(Op) || isStart(Op));
}

Outcome ThunkCoverage::launched(HloId I) {
  ComputationId In = P[I].Parent;
  if (findRepeated(I))
    return {Breach::RunsTwice, P.spell(I)};
  if (!Entered[In.index()])
    return llvm::any_of(P.callers(In),
                        [&](HloId Caller) {
                          return !G.thunksOf(Caller).empty() ||
                                 !Entered[P[Caller].Parent.index()];
                        })
               ? Outcome(Rule::WithCaller)
               : Reason::CallerWithoutThunk;
  if (needsThunk(I) && hasThunk(I) && !mayCompute(I))
    return Reason::OtherThunks;
  if (hasThunk(I))
    return T.ForGpu && hasSort(I) && G.thunksOf(I).size() > 1
               ? Outcome(Gate::SortSeries)
               : Rule::HasThunk;
  if (!needsThunk(I))
    return Rule::MovesNothing;
  Missing.push_back(I);
  return {Breach::NoThunk, P.spell(I)};
}

bool ThunkCoverage::hasSort(HloId I) const {
  return P[I].Op == Opcode::Sort ||
         (P[I].Op == Opcode::Fusion &&
          llvm::any_of(P.calls(I), [&](const HloCall &Call) {
            return Sorts[Call.Callee.index()];
          }));
}

/// A CPU has one thunk for an instruction, and copies before a sort. A GPU may
/// have several, which differ, but for those of a sort.
bool ThunkCoverage::findRepeated(HloId I) {
  ArrayRef<ThunkId> Own = G.thunksOf(I);
  if (Own.size() < 2 || (T.ForGpu && hasSort(I)))
    return false;
  auto WorkOf = [&](ThunkId Id) {
    std::string Work = fmt::format("{} {}", int(T[Id].Kind), T[Id].Kernel);
    for (const ThunkSlice &S : T.slices(T[Id]))
      Work += " " + S.Text.str();
    return Work;
  };
  llvm::StringSet<> Seen;
  bool Counts = !T.ForGpu && P[I].Op != Opcode::Sort;
  size_t Before = Repeated.size();
  for (ThunkId Id : Own)
    if (!Seen.insert(WorkOf(Id)).second || (Counts && Id != Own.front()))
      Repeated.push_back(Id);
  return Repeated.size() != Before;
}

static Obligation owedOrder(ThunkId Id) {
  return {Topic::LaunchOrder, HloId(), Id.index()};
}

/// Nobody knows what those of \p S stand for; one is in order.
void ThunkCoverage::closeUnknown(const ThunkSequence &S) {
  T.forEach(S, [&](ThunkId Id) {
    bool Alone = S.Thunks.Begin == Id.index() && T[Id].End == S.Thunks.End;
    Reason Unknown = G.isEmbedded(Id) ? Reason::EmbeddedThunks
                                      : Reason::ThunkWithoutInstruction;
    Book.visit(owedOrder(Id), Alone ? Outcome(Rule::InSchedule) : Unknown);
  });
}

void ThunkCoverage::findDisordered(const ThunkSequence &S, ComputationId C) {
  ThunkId Latest;
  uint32_t Most = 0;
  T.forEach(S, [&](ThunkId Id) {
    // What is inlined runs where its caller is scheduled. Thunks of other
    // computations are not where they belong, which is another rule.
    // A frame without a name runs what is inside of it.
    HloId I = G.instruction(Id);
    if (!I && T[Id].Kind == ThunkKind::Sequential && Id.index() + 1 < T[Id].End)
      I = G.instruction(ThunkId(Id.index() + 1));
    I = I ? G.instructionIn(C, I) : I;
    if (!I)
      return Book.visit(owedOrder(Id), Reason::ThunkWithoutInstruction);
    uint32_t Own = Rank[I.index()];
    // What is copied for an instruction is copied first.
    bool Late = Latest && Own == Most && G.instruction(Id) == I &&
                G.instruction(Latest) == I && isThunkCopy(T[Id].Kind) &&
                !isThunkCopy(T[Latest].Kind);
    bool Wrong = (Latest && Own < Most) || Late;
    if (Wrong)
      Disordered.push_back({Id, Latest});
    Book.visit(owedOrder(Id), Wrong ? Outcome(Breach::OutOfOrder, G.name(Id))
                                    : Rule::InSchedule);
    if (!Latest || Own >= Most) {
      Latest = Id;
      Most = Own;
    }
  });
}
