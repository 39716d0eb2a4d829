// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thunk-writes.
//
// A thunk writes the result of its instruction at its places, and nothing else:
// neither constants nor parameters that are not donated, nor an output after
// its last write. Exceptions: the kernel of a whole call names constants,
// parameters and values that it carries among its results, and does not write
// them (computation_kernel_emitter.cc, jaxlib 0.12.0.1).

#include "Checks/Execution/Violations.h"
#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/LaunchProof.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace hlobuf;

namespace {
struct WrittenBytes : ThunkRule {
  using ThunkRule::ThunkRule;
  void run();

  using Places = std::map<ByteSlice, const ThunkSlice *>;
  void report(const SliceFault &Fault);
  void checkThunk(ThunkId Id);
  bool isReadOnly(const Allocation &A) const;
  Places written(ThunkId Id) const;
  void checkDisjoint(ThunkId Id);
  void checkOutputs();
  void checkUnwritten(const ArrayLeaf &Output);
  void checkWriter(ThunkId Id, ArrayRef<ArrayLeaf> Outputs);

  /// Parameters that some output may take the bytes of.
  DenseSet<int64_t> Donated;
};
} // namespace

void WrittenBytes::report(const SliceFault &Fault) {
  StringRef Where = Fault.Slice ? Fault.Slice->Text : T[Fault.Thunk].Text;
  std::string Expected =
      Fault.Expected && Fault.Expected->Bytes
          ? fmt::format("its result {} is {}", G.spell(*Fault.Expected),
                        ThunkGraph::spell(*Fault.Expected->Bytes))
          : "no result of it is there";
  if (!Fault.Slice || Fault.Slice->Missing)
    reportThunk(Fault.Thunk, Where, "does not write its result: {}", Expected);
  else
    reportThunk(Fault.Thunk, Where, "writes {}; {}",
                spellSlice(Fault.Thunk, *Fault.Slice), Expected);
}

/// Constants, and parameters that no output may take the bytes of.
bool WrittenBytes::isReadOnly(const Allocation &A) const {
  return A.Constant || (A.isParameter() && !A.MaybeLiveOut &&
                        !Donated.contains(A.ParameterNumber));
}

/// What \p Id writes, of equal slices the last one: the kernel of a whole call
/// names more.
WrittenBytes::Places WrittenBytes::written(ThunkId Id) const {
  const SliceSet *Expected = G.isCallKernel(Id)
                                 ? &G.callSlices(Id, CallSlices::Written).Slices
                                 : nullptr;
  Places Result;
  if (!G.isEmbedded(Id))
    for (const ThunkSlice &S : T.slices(T[Id]))
      if (S.writes() && !S.Missing && S.Bytes.Size > 0 && S.Bytes.Offset >= 0 &&
          (!Expected || Expected->contains(S.Bytes)))
        Result[S.Bytes] = &S;
  return Result;
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
      reportThunk(Id, S->Text, "writes {} and {}, which overlap",
                  ThunkGraph::spell(Farthest->Bytes),
                  ThunkGraph::spell(S->Bytes));
    if (!Farthest || Farthest->Bytes.Allocation != S->Bytes.Allocation ||
        S->Bytes.Offset - Farthest->Bytes.Offset >
            Farthest->Bytes.Size - S->Bytes.Size)
      Farthest = S;
  }
}

void WrittenBytes::checkThunk(ThunkId Id) {
  for (const auto &[Bytes, S] : written(Id)) {
    const Allocation *A = G.allocation(Bytes.Allocation);
    if (!A || !isReadOnly(*A))
      continue;
    if (A->Constant)
      reportThunk(Id, S->Text, "writes {}, which is a constant",
                  ThunkGraph::spell(Bytes));
    else
      reportThunk(Id, S->Text, "writes {}, parameter {}, which is not donated",
                  ThunkGraph::spell(Bytes), A->ParameterNumber);
  }
  if (!G.isCallKernel(Id) && !G.isEmbedded(Id))
    checkDisjoint(Id);
}

/// Nobody writes \p Output: it is a parameter or constant.
void WrittenBytes::checkUnwritten(const ArrayLeaf &Output) {
  const Allocation *A = G.allocation(Output.Bytes->Allocation);
  if (A && !A->isParameter() && !A->Constant && Output.Bytes->Size != 0)
    Diags.report(T.Sequences.front().Text, "no thunk writes output {}, {}",
                 G.spell(Output), ThunkGraph::spell(*Output.Bytes));
}

/// \p Id is the last one to write to \p Outputs.
void WrittenBytes::checkWriter(ThunkId Id, ArrayRef<ArrayLeaf> Outputs) {
  Places Own = written(Id);
  std::vector<ByteSlice> All;
  for (const auto &[Bytes, S] : Own)
    All.push_back(Bytes);
  SliceSet Set(All);
  for (const ArrayLeaf &Output : Outputs) {
    const ByteSlice *Part = Set.overlapping(*Output.Bytes);
    if (Part && !Set.contains(*Output.Bytes))
      reportThunk(Id, Own.find(*Part)->second->Text,
                  "writes {} last, but output {} is {}",
                  ThunkGraph::spell(*Part), G.spell(Output),
                  ThunkGraph::spell(*Output.Bytes));
  }
}

void WrittenBytes::checkOutputs() {
  // By allocation and end, until the last thunk that writes to it is known.
  std::multimap<std::pair<int64_t, int64_t>, ArrayLeaf> Outputs;
  for (const ArrayLeaf &Output : G.leaves(P.root(P.module().Entry))) {
    countUnknown(!Output.Bytes);
    if (Output.Bytes)
      Outputs.insert({{Output.Bytes->Allocation, Output.Bytes->end()}, Output});
  }
  for (size_t I = T.Thunks.size(); I-- != 0;) {
    std::vector<ArrayLeaf> WrittenHere;
    for (const auto &[Bytes, S] : written(ThunkId(I))) {
      auto First = Outputs.upper_bound({Bytes.Allocation, Bytes.Offset});
      auto Last = First;
      while (Last != Outputs.end() && Last->first.first == Bytes.Allocation &&
             Last->second.Bytes->Offset < Bytes.end())
        WrittenHere.push_back((Last++)->second);
      Outputs.erase(First, Last);
    }
    if (!WrittenHere.empty())
      checkWriter(ThunkId(I), WrittenHere);
  }
  for (const auto &[End, Output] : Outputs)
    checkUnwritten(Output);
}

void WrittenBytes::run() {
  const LaunchProof &Launched = Ctx.launchProof();
  const SliceFaults &Compared = Launched.slices();
  for (const SliceFault &Fault : Compared.Writes)
    report(Fault);
  for (const HloAlias &Alias : G.dump().Module.Aliases)
    Donated.insert(Alias.Parameter);
  bool Known = true;
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size())) {
    checkThunk(Id);
    Known &= !G.isCallKernel(Id) || G.callSlices(Id, CallSlices::Written).Known;
  }
  countUnknown(!Known);
  const proof::Ledger &Book = Launched.proof().Book;
  for (const proof::Ledger::Row &R : Book.rows(proof::Topic::SliceWritten))
    Known &= R.How != proof::OutcomeKind::Gap;
  // What is written elsewhere is missing in an output.
  if (Compared.Writes.empty() && Known && P.module().Entry &&
      !T.Sequences.empty())
    checkOutputs();
  reportTally(Book, proof::Kind::Launched, proof::Kind(proof::NumKinds), Diags);
  Diags.Proof.Extent = fmt::format("{}, {}", counted(T.Thunks.size(), "thunk"),
                                   counted(T.Slices.size(), "slice"));
}

void hlobuf::checkThunkWrites(const CheckContext &Ctx, Reporter &Diags) {
  runThunkRule<WrittenBytes>(Ctx, Diags);
}
