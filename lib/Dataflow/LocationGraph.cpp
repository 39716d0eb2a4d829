// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/LocationGraph.h"
#include "Dataflow/PhiSimplification.h"

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

void LocationGraph::join(uint32_t Location,
                         llvm::SmallVector<uint32_t, 2> Inputs) {
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

/// What control flow \p Id calls, conditions first.
static llvm::SmallVector<ComputationId, 4> innerComputations(const Program &P,
                                                             HloId Id) {
  llvm::SmallVector<ComputationId, 4> Inner;
  for (const HloCall &Call : P.calls(Id)) {
    bool First = Call.Role == CallRole::Condition;
    Inner.insert(First ? Inner.begin() : Inner.end(), Call.Callee);
  }
  return Inner;
}

/// Puts phis into the order in which propagation creates them: inner
/// computations first; condition and body, their parameters, then the loop.
/// Without recursion: computations may be nested as deep as they are many.
static void orderPhis(const Program &P, ComputationId Outer,
                      std::vector<bool> &Seen, std::vector<HloId> &Out) {
  struct Frame {
    ComputationId C;
    size_t Next = 0;
    llvm::SmallVector<ComputationId, 4> Inner = {};
    size_t Entered = 0;
  };
  std::vector<Frame> Stack;
  auto Enter = [&](ComputationId C) {
    if (!C || Seen[C.index()])
      return;
    Seen[C.index()] = true;
    Stack.push_back({C});
  };
  Enter(Outer);
  while (!Stack.empty()) {
    Frame &Now = Stack.back();
    InstructionOrder Order = P.order(Now.C);
    while (Now.Next != Order.size() && !isControlFlow(P[Order[Now.Next]].Op))
      ++Now.Next;
    if (Now.Next == Order.size()) {
      Stack.pop_back();
      continue;
    }
    HloId Id = Order[Now.Next];
    if (Now.Entered == 0)
      Now.Inner = innerComputations(P, Id);
    if (Now.Entered != Now.Inner.size()) {
      Enter(Now.Inner[Now.Entered++]);
      continue;
    }
    for (ComputationId Callee : Now.Inner)
      for (uint32_t N = 0; N != P.numParameters(Callee); ++N)
        if (HloId Parameter = P.parameter(Callee, N))
          Out.push_back(Parameter);
    Out.push_back(Id);
    Now.Entered = 0;
    ++Now.Next;
  }
}

/// A phi with one input forwards it; one without inputs is nothing. Only the
/// latter leaves others with fewer inputs: they are looked at again.
void LocationGraph::dropTrivialPhis(llvm::ArrayRef<uint32_t> Phis) {
  // By phi: those that read it, also through forwarders.
  llvm::DenseMap<uint32_t, std::vector<uint32_t>> Readers;
  for (uint32_t L : Phis)
    for (uint32_t Input : PhiInputs[Source[L]])
      if (uint32_t End = find(Input); Kinds[End] == LocationKind::Phi)
        Readers[End].push_back(L);
  std::vector<uint32_t> Work(Phis.rbegin(), Phis.rend());
  while (!Work.empty()) {
    uint32_t L = Work.back();
    Work.pop_back();
    if (Kinds[L] != LocationKind::Phi)
      continue;
    uint32_t Count = 0;
    uint32_t Only = 0;
    for (uint32_t Input : PhiInputs[Source[L]]) {
      uint32_t End = find(Input);
      if (Kinds[End] == LocationKind::None)
        continue;
      ++Count;
      Only = End;
    }
    if (Count > 1)
      continue;
    Kinds[L] =
        Count == 0 || Only == L ? LocationKind::None : LocationKind::Forward;
    Source[L] = Only;
    std::vector<uint32_t> Mine = std::move(Readers[L]);
    if (Kinds[L] == LocationKind::None) {
      Work.insert(Work.end(), Mine.begin(), Mine.end());
      continue;
    }
    std::vector<uint32_t> &Theirs = Readers[Only];
    if (Theirs.size() < Mine.size())
      std::swap(Theirs, Mine);
    Theirs.insert(Theirs.end(), Mine.begin(), Mine.end());
  }
}

/// The phis in the order in which the compiler creates them.
std::vector<std::pair<HloId, uint32_t>> LocationGraph::phisInOrder() const {
  std::vector<HloId> Order;
  std::vector<bool> Seen(P.module().Computations.size());
  orderPhis(P, P.module().Entry, Seen, Order);
  for (size_t C = 0; C != Seen.size(); ++C)
    orderPhis(P, ComputationId(C), Seen, Order);
  for (size_t I = 0; I != P.size(); ++I)
    Order.push_back(HloId(I));
  std::vector<std::pair<HloId, uint32_t>> Phis;
  std::vector<bool> Added(P.size());
  for (HloId Id : Order) {
    if (!hasLocations(Id) || Added[Id.index()])
      continue;
    Added[Id.index()] = true;
    for (uint32_t I = 0; I != P.trees().parts(P[Id].Shape); ++I)
      if (Kinds[location(Id, I)] == LocationKind::Phi)
        Phis.push_back({Id, I});
  }
  return Phis;
}

bool LocationGraph::settlePhis(
    llvm::function_ref<bool(HloId, uint32_t)> KeepPhi) {
  std::vector<uint32_t> Placed;
  for (uint32_t L = 0; L != Kinds.size(); ++L)
    if (Kinds[L] == LocationKind::Phi)
      Placed.push_back(L);
  dropTrivialPhis(Placed);

  // Phis come first among the graph's nodes, then what else they read.
  std::vector<std::pair<HloId, uint32_t>> Phis = phisInOrder();
  std::vector<uint32_t> Nodes;
  for (auto [Id, Ordinal] : Phis)
    Nodes.push_back(location(Id, Ordinal));
  auto NumPhis = static_cast<uint32_t>(Nodes.size());
  std::vector<uint32_t> NodeOf(Kinds.size(), NoBase);
  for (uint32_t N = 0; N != NumPhis; ++N)
    NodeOf[Nodes[N]] = N;
  std::vector<std::pair<uint32_t, uint32_t>> Inputs;
  for (uint32_t N = 0; N != NumPhis; ++N)
    for (uint32_t Input : PhiInputs[Source[Nodes[N]]]) {
      uint32_t End = find(Input);
      if (Kinds[End] == LocationKind::None)
        continue;
      if (NodeOf[End] == NoBase) {
        NodeOf[End] = static_cast<uint32_t>(Nodes.size());
        Nodes.push_back(End);
      }
      Inputs.emplace_back(N, NodeOf[End]);
    }
  bool Legal = true;
  PhiGraph Graph(NumPhis, static_cast<uint32_t>(Nodes.size()));
  for (auto [Phi, Input] : Inputs)
    Graph.addInput(Phi, Input);
  if (KeepPhi) {
    std::vector<bool> Kept(NumPhis);
    for (uint32_t N = 0; N != NumPhis; ++N)
      Kept[N] = KeepPhi(Phis[N].first, Phis[N].second);
    Legal = Graph.keepOnly(Kept);
  } else {
    Graph.simplify();
  }
  for (uint32_t N = 0; N != NumPhis; ++N) {
    uint32_t By = Graph.replacement(N);
    if (By == N)
      continue;
    Kinds[Nodes[N]] = LocationKind::Forward;
    Source[Nodes[N]] = Nodes[By];
  }
  return Legal;
}
