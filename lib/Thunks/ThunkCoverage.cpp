// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/ThunkCoverage.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace hlobuf;

ThunkCoverage::ThunkCoverage(const ThunkGraph &Graph)
    : G(Graph), P(Graph.program()), T(Graph.thunks()) {
  Rank.resize(P.size());
  Sorts.resize(P.module().Computations.size());
  for (size_t C = 0; C != P.module().Computations.size(); ++C) {
    uint32_t Next = 0;
    for (HloId I : P.order(ComputationId(C))) {
      Rank[I.index()] = Next++;
      if (P[I].Op == Opcode::Sort)
        Sorts[C] = true;
    }
  }
  if (P.module().Entry)
    findMissing(P.module().Entry);
  findRepeated();
  for (size_t S = 0; S != T.Sequences.size(); ++S)
    if (ComputationId C = G.computation(ThunkSequenceId(S)))
      findDisordered(T.Sequences[S], C);
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

/// Walks \p Entry and the computations whose thunks must be there.
void ThunkCoverage::findMissing(ComputationId Entry) {
  SmallVector<ComputationId, 8> Pending = {Entry};
  DenseSet<uint32_t> Seen = {Entry.index()};
  while (!Pending.empty()) {
    ComputationId C = Pending.pop_back_val();
    for (HloId I : P.order(C)) {
      ArrayRef<ThunkId> Own = G.thunksOf(I);
      // On a CPU the copies before a sort have its name, too.
      bool Sorts = T.ForGpu || P[I].Op != Opcode::Sort ||
                   llvm::any_of(Own, [&](ThunkId Id) {
                     return T[Id].Kind == ThunkKind::Sort;
                   });
      if ((Own.empty() || !Sorts) && needsThunk(I))
        Missing.push_back(I);
      bool Enters = isSynchronousCall(P[I].Op) && !Own.empty();
      if (!T.ForGpu && P[I].Op == Opcode::Call)
        Enters = !Own.empty() && T[Own.front()].Kind == ThunkKind::Call;
      if (T.ForGpu && P[I].Op == Opcode::Call)
        Enters = true;
      // What runs on the host has no thunks.
      if (T.ForGpu && P[I].Op == Opcode::AsyncStart)
        Enters = llvm::none_of(Own, [&](ThunkId Id) {
          return T[Id].Kind != ThunkKind::AsyncStart;
        });
      if (!Enters)
        continue;
      for (const HloCall &Call : P.calls(I))
        if (!P.isFusionBody(Call.Callee) &&
            Seen.insert(Call.Callee.index()).second)
          Pending.push_back(Call.Callee);
    }
  }
  llvm::sort(Missing);
}

bool ThunkCoverage::hasSort(HloId I) const {
  return P[I].Op == Opcode::Sort ||
         (P[I].Op == Opcode::Fusion &&
          llvm::any_of(P.calls(I), [&](const HloCall &Call) {
            return Sorts[Call.Callee.index()];
          }));
}

/// A CPU has one thunk for an instruction, and copies before a sort. A GPU may
/// have several, which differ.
void ThunkCoverage::findRepeated() {
  for (HloId I : ids<HloId>(P.size())) {
    ArrayRef<ThunkId> Own = G.thunksOf(I);
    if (Own.size() < 2)
      continue;
    if (T.ForGpu && hasSort(I)) {
      InSeries += Own.size();
      continue;
    }
    llvm::StringSet<> Seen;
    bool Counts = !T.ForGpu && P[I].Op != Opcode::Sort;
    for (ThunkId Id : Own)
      if (!Seen.insert(T[Id].Text).second || (Counts && Id != Own.front()))
        Repeated.push_back(Id);
  }
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
      return;
    uint32_t Own = Rank[I.index()];
    // What is copied for an instruction is copied first.
    bool Late = Latest && Own == Most && G.instruction(Id) == I &&
                G.instruction(Latest) == I && isThunkCopy(T[Id].Kind) &&
                !isThunkCopy(T[Latest].Kind);
    if ((Latest && Own < Most) || Late)
      Disordered.push_back({Id, Latest});
    if (!Latest || Own >= Most) {
      Latest = Id;
      Most = Own;
    }
  });
}
