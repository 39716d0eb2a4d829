// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/LaunchProof.h"

using namespace hlobuf;
using namespace hlobuf::proof;

static proof::Proof enumerate(const ThunkGraph &G, ProvedRows Proved) {
  proof::Proof Result{Ledger(Proved == ProvedRows::Kept), ""};
  Ledger &L = Result.Book;
  const Program &P = G.program();
  const ThunkProgram &T = G.thunks();
  for (size_t C = 0; C != P.module().Computations.size(); ++C)
    for (HloId Id : P.order(ComputationId(C)))
      if (G.isLaunched(Id))
        L.open({Topic::Launched, Id});
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size())) {
    L.open({Topic::LaunchOrder, HloId(), Id.index()});
    for (uint32_t S = T[Id].Slices.Begin; S != T[Id].Slices.End; ++S) {
      L.open({topicOf(T.Slices[S]), HloId(), S});
      if (isOrdered(G, Id, T.Slices[S]))
        L.open({Topic::Ordered, HloId(), S});
    }
    for (uint32_t Row = 0; Row != attributeRows(T[Id].Kind, T.ForGpu).size();
         ++Row)
      L.open({Topic::Attribute, HloId(), Id.index(), Row});
  }
  L.seal();
  return Result;
}

/// Counts without looking at which thunk has what.
static void countAgain(const ThunkGraph &G, Ledger &L) {
  const Program &P = G.program();
  const ThunkProgram &T = G.thunks();
  L.compareCount(Topic::Launched,
                 llvm::count_if(ids<HloId>(P.size()),
                                [&](HloId Id) { return G.isLaunched(Id); }));
  L.compareCount(Topic::LaunchOrder, T.Thunks.size());
  auto Written = static_cast<size_t>(
      llvm::count_if(T.Slices, [](const ThunkSlice &S) { return S.writes(); }));
  L.compareCount(Topic::SliceWritten, Written);
  L.compareCount(Topic::SliceRead, T.Slices.size() - Written);
  std::vector<bool> Inside(T.Slices.size());
  for (const ThunkSequence &S : T.Sequences)
    if (S.Role == ThunkRole::Embedded)
      for (const Thunk &Each :
           ArrayRef(T.Thunks).slice(S.Thunks.Begin, S.Thunks.size()))
        std::fill_n(Inside.begin() + Each.Slices.Begin, Each.Slices.size(),
                    true);
  size_t Accesses = 0;
  for (size_t S = 0; S != T.Slices.size(); ++S)
    Accesses += T.ForGpu && !Inside[S] && T.Slices[S].Bytes.Size > 0 &&
                T.Slices[S].Bytes.Offset >= 0;
  L.compareCount(Topic::Ordered, Accesses);
  std::map<ThunkKind, size_t> Kinds;
  for (const Thunk &Each : T.Thunks)
    ++Kinds[Each.Kind];
  size_t Rows = 0;
  for (auto [Kind, Count] : Kinds)
    Rows += Count * attributeRows(Kind, T.ForGpu).size();
  L.compareCount(Topic::Attribute, Rows);
}

LaunchProof::LaunchProof(const ThunkGraph &Graph, ProvedRows Proved)
    : Shown(enumerate(Graph, Proved)), Coverage(Graph, Shown.Book),
      Slices(Graph, Shown.Book),
      Attributes(compareAttributes(Graph, Shown.Book)),
      Streams(Graph, Shown.Book) {
  countAgain(Graph, Shown.Book);
  Shown.Book.finish();
}
