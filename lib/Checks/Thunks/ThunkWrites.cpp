//===- Checks/Thunks/ThunkWrites.cpp - thunk-writes -----------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thunk writes the result of its instruction at its places, and nothing else:
// neither constants nor parameters that are not donated, nor an output after
// its last write. Exceptions: the kernel of a whole call names constants,
// parameters and values that it carries among its results, and does not write
// them (computation_kernel_emitter.cc, jaxlib 0.12.0.1).
//
//===----------------------------------------------------------------------===//

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/SliceComparison.h"
#include <map>

using namespace hlobuf;
using llvm::SmallVector;

namespace {
class WrittenBytes {
public:
  WrittenBytes(const ThunkGraph &G, Reporter &Diags)
      : G(G), P(G.program()), T(G.thunks()), Diags(Diags) {}
  void report(const SliceFault &Fault);
  void checkThunk(ThunkId Id);
  void checkOutputs();

private:
  bool isReadOnly(const Allocation &A) const;
  bool isWritten(ThunkId Id, const ThunkSlice &S) const;
  void checkDisjoint(ThunkId Id);
  void checkOutput(const LeafPlace &Output, llvm::ArrayRef<uint32_t> Writers);
  Finding say(ThunkId Id, llvm::StringRef Where, std::string Text) {
    return noteInstruction(Diags.reportAs(severityOf(G, Id), Where, "{} {}",
                                          G.name(Id), std::move(Text)),
                           G, Id);
  }

  const ThunkGraph &G;
  const Program &P;
  const ThunkProgram &T;
  Reporter &Diags;
};
} // namespace

void WrittenBytes::report(const SliceFault &Fault) {
  llvm::StringRef Where = Fault.Slice ? Fault.Slice->Text : T[Fault.In].Text;
  std::string Wanted =
      Fault.Expected && Fault.Expected->Bytes
          ? fmt::format("its result {} is {}", G.spell(*Fault.Expected),
                        ThunkGraph::spell(*Fault.Expected->Bytes))
          : "no result of it is there";
  if (!Fault.Slice || Fault.Slice->Missing)
    say(Fault.In, Where, "does not write its result: " + Wanted);
  else
    say(Fault.In, Where,
        fmt::format("writes {}{}; {}", ThunkGraph::spell(Fault.Slice->Bytes),
                    G.spellHolder(Fault.Slice->Bytes, G.instruction(Fault.In)),
                    Wanted));
}

/// Constants, and parameters that no output may take the bytes of.
bool WrittenBytes::isReadOnly(const Allocation &A) const {
  bool Donated =
      A.isParameter() &&
      llvm::any_of(G.dump().Module.Aliases, [&](const HloAlias &Alias) {
        return Alias.Parameter == A.Parameter;
      });
  return A.Constant || (A.isParameter() && !A.MaybeLiveOut && !Donated);
}

bool WrittenBytes::isWritten(ThunkId Id, const ThunkSlice &S) const {
  if (!S.writes() || S.Missing || S.Bytes.Size <= 0)
    return false;
  if (!G.isCallKernel(Id))
    return true;
  SmallVector<ByteSlice, 8> Written;
  G.callSlices(G.instruction(Id), CallSlices::Written, Written);
  return llvm::is_contained(Written, S.Bytes);
}

/// Results of one thunk share no bytes; an operand that is written in place is
/// named twice by a kernel of a GPU.
void WrittenBytes::checkDisjoint(ThunkId Id) {
  SmallVector<const ThunkSlice *, 8> Sorted;
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (S.writes() && !S.Missing && S.Bytes.Size > 0 && S.Bytes.Offset >= 0)
      Sorted.push_back(&S);
  llvm::stable_sort(Sorted, [](const ThunkSlice *X, const ThunkSlice *Y) {
    return std::tie(X->Bytes.Allocation, X->Bytes.Offset) <
           std::tie(Y->Bytes.Allocation, Y->Bytes.Offset);
  });
  const ThunkSlice *Farthest = nullptr;
  for (const ThunkSlice *S : Sorted) {
    if (Farthest && S->Bytes.overlaps(Farthest->Bytes) &&
        (!T.ForGpu || !(S->Bytes == Farthest->Bytes)))
      say(Id, S->Text,
          fmt::format("writes {} and {}, which overlap",
                      ThunkGraph::spell(Farthest->Bytes),
                      ThunkGraph::spell(S->Bytes)));
    if (!Farthest || Farthest->Bytes.Allocation != S->Bytes.Allocation ||
        S->Bytes.Offset - Farthest->Bytes.Offset >
            Farthest->Bytes.Size - S->Bytes.Size)
      Farthest = S;
  }
}

void WrittenBytes::checkThunk(ThunkId Id) {
  if (G.isEmbedded(Id) || !T[Id].Understood)
    return;
  for (const ThunkSlice &S : T.slices(T[Id])) {
    const Allocation *A = G.allocation(S.Bytes.Allocation);
    if (!A || !S.writes() || !isReadOnly(*A) || !isWritten(Id, S))
      continue;
    if (A->Constant)
      say(Id, S.Text,
          fmt::format("writes {}, which is a constant",
                      ThunkGraph::spell(S.Bytes)));
    else
      say(Id, S.Text,
          fmt::format("writes {}, parameter {}, which is not donated",
                      ThunkGraph::spell(S.Bytes), *A->Parameter));
  }
  if (!G.isCallKernel(Id))
    checkDisjoint(Id);
}

/// \p Writers are the thunks that write to the allocation of \p Output.
void WrittenBytes::checkOutput(const LeafPlace &Output,
                               llvm::ArrayRef<uint32_t> Writers) {
  const Allocation *A = G.allocation(Output.Bytes->Allocation);
  for (uint32_t Writer : llvm::reverse(Writers)) {
    const ThunkSlice *Last = nullptr;
    for (const ThunkSlice &S : T.slices(T.Thunks[Writer])) {
      if (!isWritten(ThunkId(Writer), S) || !S.Bytes.overlaps(*Output.Bytes))
        continue;
      if (S.Bytes == *Output.Bytes)
        return;
      Last = &S;
    }
    if (!Last)
      continue;
    say(ThunkId(Writer), Last->Text,
        fmt::format("writes {} last, but output {} is {}",
                    ThunkGraph::spell(Last->Bytes), G.spell(Output),
                    ThunkGraph::spell(*Output.Bytes)));
    return;
  }
  if (!A || A->isParameter() || A->Constant || Output.Bytes->Size == 0)
    return;
  Diags.report(T.Sequences.front().Text, "no thunk writes output {}, {}",
               G.spell(Output), ThunkGraph::spell(*Output.Bytes));
}

void WrittenBytes::checkOutputs() {
  ComputationId Entry = P.module().Entry;
  if (!Entry || T.Sequences.empty())
    return;
  std::map<int64_t, std::vector<uint32_t>> Writers;
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    for (const ThunkSlice &S : T.slices(T.Thunks[I]))
      if (S.writes() && !G.isEmbedded(ThunkId(I))) {
        std::vector<uint32_t> &Of = Writers[S.Bytes.Allocation];
        if (Of.empty() || Of.back() != I)
          Of.push_back(static_cast<uint32_t>(I));
      }
  for (const LeafPlace &Output : G.leaves(P.root(Entry)))
    if (Output.Bytes)
      checkOutput(Output, Writers[Output.Bytes->Allocation]);
}

void hlobuf::checkThunkWrites(const CheckContext &Ctx, Reporter &Diags) {
  const ThunkGraph *G = usableThunks(Ctx, Diags);
  if (!G)
    return;
  SliceComparison Compared(*G);
  WrittenBytes Bytes(*G, Diags);
  for (const SliceFault &Fault : Compared.writes())
    Bytes.report(Fault);
  for (size_t I = 0; I != G->thunks().Thunks.size(); ++I)
    Bytes.checkThunk(ThunkId(I));
  // What is written elsewhere is missing in an output.
  if (Compared.writes().empty())
    Bytes.checkOutputs();
  if (Compared.numUnknown() != 0)
    Diags.notChecked("values whose place is not known");
  Diags.measure(fmt::format("{} thunks, {} slices", G->thunks().Thunks.size(),
                            G->thunks().Slices.size()));
}
