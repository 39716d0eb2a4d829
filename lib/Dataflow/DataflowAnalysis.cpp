//===- Dataflow/DataflowAnalysis.cpp --------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/DataflowAnalysis.h"
#include "Dataflow/DataflowBuilder.h"
#include "Facts/Phis.h"

using namespace hlobuf;

DataflowAnalysis::DataflowAnalysis(
    const Program &P, const ReleaseRules &R,
    llvm::function_ref<bool(HloId, uint32_t)> KeepPhi)
    : P(P) {
  uint32_t Next = 0;
  Base.assign(P.size(), NoBase);
  for (size_t I = 0; I != P.size(); ++I) {
    HloId Id(I);
    // Nothing inside a fusion has a buffer.
    if (P.isFusionBody(P[Id].Parent) || !P[Id].Shape)
      continue;
    Base[I] = Next;
    Next += P.trees().parts(P[Id].Shape);
  }
  Kinds.assign(Next, Kind::None);
  Source.assign(Next, 0);
  DataflowBuilder(*this, R).run();
  settlePhis(KeepPhi);
  collectPositions();
  collectInnerUsers();
}

/// The definition or phi that \p Location forwards, itself if it is one.
/// Shortens the way for later.
uint32_t DataflowAnalysis::find(uint32_t Location) {
  uint32_t End = Location;
  // Data cycles pass a phi, but for broken modules.
  for (size_t Steps = 0; Kinds[End] == Kind::Forward; ++Steps) {
    if (Steps > Kinds.size()) {
      Kinds[End] = Kind::None;
      break;
    }
    End = Source[End];
  }
  while (Kinds[Location] == Kind::Forward && Location != End) {
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
    llvm::ArrayRef<HloId> Order = P.order(Now.C);
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
void DataflowAnalysis::dropTrivialPhis(llvm::ArrayRef<uint32_t> Phis) {
  // By phi: those that read it, also through forwarders.
  llvm::DenseMap<uint32_t, std::vector<uint32_t>> Readers;
  for (uint32_t L : Phis)
    for (uint32_t Input : PhiInputs[Source[L]])
      if (uint32_t End = find(Input); Kinds[End] == Kind::Phi)
        Readers[End].push_back(L);
  std::vector<uint32_t> Work(Phis.rbegin(), Phis.rend());
  while (!Work.empty()) {
    uint32_t L = Work.back();
    Work.pop_back();
    if (Kinds[L] != Kind::Phi)
      continue;
    uint32_t Count = 0;
    uint32_t Only = 0;
    for (uint32_t Input : PhiInputs[Source[L]]) {
      uint32_t End = find(Input);
      if (Kinds[End] == Kind::None)
        continue;
      ++Count;
      Only = End;
    }
    if (Count > 1)
      continue;
    Kinds[L] = Count == 0 || Only == L ? Kind::None : Kind::Forward;
    Source[L] = Only;
    std::vector<uint32_t> Mine = std::move(Readers[L]);
    if (Kinds[L] == Kind::None) {
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
std::vector<FlowPosition> DataflowAnalysis::phisInOrder() const {
  std::vector<HloId> Order;
  std::vector<bool> Seen(P.module().Computations.size());
  orderPhis(P, P.module().Entry, Seen, Order);
  for (size_t C = 0; C != Seen.size(); ++C)
    orderPhis(P, ComputationId(C), Seen, Order);
  for (size_t I = 0; I != P.size(); ++I)
    Order.push_back(HloId(I));
  std::vector<FlowPosition> Phis;
  std::vector<bool> Added(P.size());
  for (HloId Id : Order) {
    if (!hasLocations(Id) || Added[Id.index()])
      continue;
    Added[Id.index()] = true;
    for (uint32_t I = 0; I != P.trees().parts(P[Id].Shape); ++I)
      if (Kinds[location(Id, I)] == Kind::Phi)
        Phis.push_back({Id, I});
  }
  return Phis;
}

void DataflowAnalysis::settlePhis(
    llvm::function_ref<bool(HloId, uint32_t)> KeepPhi) {
  std::vector<uint32_t> Placed;
  for (uint32_t L = 0; L != Kinds.size(); ++L)
    if (Kinds[L] == Kind::Phi)
      Placed.push_back(L);
  dropTrivialPhis(Placed);

  // Phis come first among the graph's nodes, then what else they read.
  std::vector<FlowPosition> Phis = phisInOrder();
  std::vector<uint32_t> Nodes;
  for (const FlowPosition &At : Phis)
    Nodes.push_back(location(At.Instruction, At.Ordinal));
  auto NumPhis = static_cast<uint32_t>(Nodes.size());
  std::vector<uint32_t> NodeOf(Kinds.size(), NoBase);
  for (uint32_t N = 0; N != NumPhis; ++N)
    NodeOf[Nodes[N]] = N;
  std::vector<std::pair<uint32_t, uint32_t>> Inputs;
  for (uint32_t N = 0; N != NumPhis; ++N)
    for (uint32_t Input : PhiInputs[Source[Nodes[N]]]) {
      uint32_t End = find(Input);
      if (Kinds[End] == Kind::None)
        continue;
      if (NodeOf[End] == NoBase) {
        NodeOf[End] = static_cast<uint32_t>(Nodes.size());
        Nodes.push_back(End);
      }
      Inputs.emplace_back(N, NodeOf[End]);
    }
  PhiGraph Graph(NumPhis, static_cast<uint32_t>(Nodes.size()));
  for (auto [Phi, Input] : Inputs)
    Graph.addInput(Phi, Input);
  if (KeepPhi) {
    std::vector<bool> Kept(NumPhis);
    for (uint32_t N = 0; N != NumPhis; ++N)
      Kept[N] = KeepPhi(Phis[N].Instruction, Phis[N].Ordinal);
    PhisLegal = Graph.keepOnly(Kept);
  } else {
    Graph.simplify();
  }
  for (uint32_t N = 0; N != NumPhis; ++N) {
    uint32_t By = Graph.replacement(N);
    if (By == N)
      continue;
    Kinds[Nodes[N]] = Kind::Forward;
    Source[Nodes[N]] = Nodes[By];
  }
}

void DataflowAnalysis::collectPositions() {
  std::vector<HloValueId> ByLocation(Kinds.size());
  for (size_t I = 0; I != P.size(); ++I) {
    HloId Id(I);
    for (uint32_t K = 0; hasLocations(Id) && K != P.trees().parts(P[Id].Shape);
         ++K) {
      uint32_t L = Base[I] + K;
      if (Kinds[L] != Kind::Definition && Kinds[L] != Kind::Phi)
        continue;
      ByLocation[L] = HloValueId(Values.size());
      Values.push_back({Id, K, Kinds[L] == Kind::Phi});
    }
  }
  ValueOf.resize(Kinds.size());
  PositionBegin.assign(Values.size() + 1, 0);
  auto ForEachOther = [&](auto Visit) {
    for (size_t I = 0; I != P.size(); ++I)
      for (uint32_t K = 0;
           hasLocations(HloId(I)) && K != P.trees().parts(P[HloId(I)].Shape);
           ++K)
        if (HloValueId V = ValueOf[Base[I] + K];
            V && Values[V.index()].Definition != HloId(I))
          Visit(V, FlowPosition{HloId(I), K});
  };
  for (uint32_t L = 0; L != Kinds.size(); ++L)
    ValueOf[L] = ByLocation[find(L)];
  for (size_t V = 0; V != Values.size(); ++V)
    PositionBegin[V + 1] = 1;
  ForEachOther(
      [&](HloValueId V, FlowPosition) { ++PositionBegin[V.index() + 1]; });
  for (size_t V = 0; V != Values.size(); ++V)
    PositionBegin[V + 1] += PositionBegin[V];
  Positions.resize(PositionBegin.back());
  std::vector<uint32_t> Next(PositionBegin.begin(), PositionBegin.end() - 1);
  for (size_t V = 0; V != Values.size(); ++V)
    Positions[Next[V]++] = {Values[V].Definition, Values[V].Ordinal};
  ForEachOther([&](HloValueId V, FlowPosition At) {
    Positions[Next[V.index()]++] = At;
  });
  Source = {};
  PhiInputs = {};
}

HloValueId DataflowAnalysis::at(HloId Id, ShapeIndex Index) const {
  if (!hasLocations(Id))
    return HloValueId();
  std::optional<uint32_t> Ordinal = P.trees().ordinal(P[Id].Shape, Index);
  return Ordinal ? at(Id, *Ordinal) : HloValueId();
}

/// True if \p V is somewhere in \p Id.
bool DataflowAnalysis::isPosition(HloValueId V, HloId Id) const {
  if (Values[V.index()].Definition == Id)
    return true;
  // After the definition they are in the order of instructions.
  llvm::ArrayRef<FlowPosition> Others = positions(V).drop_front();
  const auto *At = llvm::partition_point(
      Others, [&](const FlowPosition &X) { return X.Instruction < Id; });
  return At != Others.end() && At->Instruction == Id;
}

void DataflowAnalysis::collectInnerUsers() {
  InnerBegin.reserve(P.size() + 1);
  for (size_t I = 0; I != P.size(); ++I) {
    InnerBegin.push_back(static_cast<uint32_t>(InnerUsers.size()));
    HloId Id(I);
    if (!hasLocations(Id) || P.trees().parts(P[Id].Shape) == 1)
      continue;
    for (const ProgramUse &Use : P.users(Id)) {
      Opcode Op = P[Use.User].Op;
      if (!usesTopAtMost(Op) || P[Use.User].Root)
        InnerUsers.push_back(Use);
    }
  }
  InnerBegin.push_back(static_cast<uint32_t>(InnerUsers.size()));
}

bool DataflowAnalysis::isUse(HloValueId V, HloId User, uint32_t Ordinal) const {
  Opcode Op = P[User].Op;
  if (!usesTopAtMost(Op) || (Ordinal == 0 && !usesNothing(Op)))
    return true;
  // What only passes the value on counts if the value leaves with it.
  return P[User].Root && (Op != Opcode::GetTupleElement ||
                          (hasLocations(User) && isPosition(V, User)));
}

std::string DataflowAnalysis::spell(HloValueId Id) const {
  const HloValue &V = Values[Id.index()];
  std::string Text = P.spell(V.Definition);
  ShapeId Whole = P[V.Definition].Shape;
  if (P.trees().shape(Whole).isTuple())
    Text += P.facts().dump().Indices.text(P.trees().index(Whole, V.Ordinal));
  return Text;
}
