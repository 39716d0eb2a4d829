// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/LocationGraph.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;

LocationGraph::LocationGraph(const Program &P) : P(P) {
  uint32_t Next = 0;
  Base.assign(P.size(), NoBase);
  P.forEachSlot([&](HloId Id) {
    // Nothing inside a fusion has a buffer.
    if (P.isFusionBody(P[Id].Parent) || !P[Id].Shape)
      return;
    Base[Id.index()] = Next;
    Next += P.trees().parts(P[Id].Shape);
  });
  Kinds.assign(Next, LocationKind::None);
  Source.assign(Next, 0);
}

bool LocationGraph::isLateToken(HloId Id, uint32_t Ordinal) const {
  const ShapeTrees &Trees = P.trees();
  ShapeId Own = Trees.part(P[Id].Shape, Ordinal);
  return P[Id].Op == Opcode::AsyncStart && P.facts().isFull() &&
         Trees.shape(Own).Kind == ShapeKind::Token &&
         P.facts()
             .positionsAt(P[Id].Name, Trees.index(P[Id].Shape, Ordinal))
             .empty();
}

void LocationGraph::join(uint32_t Location, SmallVector<uint32_t, 2> Inputs) {
  if (Inputs.empty())
    return;
  if (Inputs.size() == 1)
    return forward(Location, Inputs[0]);
  Kinds[Location] = LocationKind::Phi;
  Source[Location] = static_cast<uint32_t>(PhiInputs.size());
  PhiInputs.push_back(std::move(Inputs));
}

uint32_t LocationGraph::find(uint32_t Location) {
  uint32_t End = Location;
  // Data cycles pass a phi, but for broken modules and texts: a mark that is
  // moved on at each power of two is met again.
  uint32_t Mark = NoBase;
  for (size_t Steps = 1; Kinds[End] == LocationKind::Forward; ++Steps) {
    if (End == Mark) {
      Kinds[End] = LocationKind::None;
      break;
    }
    if (llvm::isPowerOf2_64(Steps))
      Mark = End;
    End = Source[End];
  }
  while (Kinds[Location] == LocationKind::Forward && Location != End) {
    uint32_t Next = Source[Location];
    Source[Location] = End;
    Location = Next;
  }
  return End;
}

void LocationGraph::settlePhis(function_ref<bool(HloId, uint32_t)> HasValue) {
  // By location of a phi: nothing yet, the one value that reaches it, or
  // several. What stays is a value itself.
  constexpr uint32_t Nothing = NoBase;
  constexpr uint32_t Several = NoBase - 1;
  std::vector<uint32_t> Reaching(Kinds.size(), Nothing);
  std::vector<uint32_t> Dropped;
  P.forEachSlot([&](HloId Id) {
    for (uint32_t K = 0; hasLocations(Id) && K != P.trees().parts(P[Id].Shape);
         ++K) {
      uint32_t L = location(Id, K);
      if (Kinds[L] != LocationKind::Phi)
        continue;
      if (HasValue(Id, K))
        Reaching[L] = L;
      else
        Dropped.push_back(L);
    }
  });
  // By phi: those that read it, also through forwarders.
  DenseMap<uint32_t, std::vector<uint32_t>> Readers;
  for (uint32_t L : Dropped)
    for (uint32_t Input : PhiInputs[Source[L]])
      if (uint32_t End = find(Input); Kinds[End] == LocationKind::Phi)
        Readers[End].push_back(L);
  std::vector<uint32_t> Work = Dropped;
  // Each phi changes twice at most.
  while (!Work.empty()) {
    uint32_t L = Work.back();
    Work.pop_back();
    uint32_t Merged = Reaching[L];
    for (uint32_t Input : PhiInputs[Source[L]]) {
      uint32_t End = find(Input);
      uint32_t Value = Kinds[End] == LocationKind::Phi          ? Reaching[End]
                       : Kinds[End] == LocationKind::Definition ? End
                                                                : Nothing;
      if (Value != Nothing && Value != Merged)
        Merged = Merged == Nothing ? Value : Several;
    }
    if (std::exchange(Reaching[L], Merged) != Merged)
      llvm::append_range(Work, Readers.lookup(L));
  }
  for (uint32_t L : Dropped) {
    if (Reaching[L] == Several)
      continue;
    Kinds[L] =
        Reaching[L] == Nothing ? LocationKind::None : LocationKind::Forward;
    Source[L] = Reaching[L];
  }
}
