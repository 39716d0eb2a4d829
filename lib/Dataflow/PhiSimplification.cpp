// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/PhiSimplification.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace hlobuf;

PhiGraph::PhiGraph(uint32_t NumPhis, uint32_t NumNodes)
    : NumPhis(NumPhis), Inputs(NumPhis), UserEdges(NumNodes), AsUser(NumPhis),
      Dead(NumNodes, false), Now(NumNodes), StandsFor(NumNodes),
      Checked(NumNodes, 0), Visited(NumNodes, 0) {
  for (uint32_t I = 0; I != NumNodes; ++I) {
    Now[I] = I;
    StandsFor[I].push_back(I);
  }
}

void PhiGraph::addInput(uint32_t Phi, uint32_t Node) {
  Inputs[Phi].push_back(Node);
  auto Number = static_cast<uint32_t>(Edges.size());
  Edges.push_back({Phi});
  UserEdges[Node].push_back(Number);
  AsUser[Phi].push_back(Number);
}

void PhiGraph::simplify() {
  while (spend(NumPhis) && simplifyOnce()) {
  }
}

bool PhiGraph::spend(size_t Count) {
  // Nested loops have a few passes over graphs of two or three edges a phi.
  constexpr size_t PerEdge = 32;
  constexpr size_t Least = 1000000;
  Steps += Count;
  return Steps <= Least + PerEdge * Edges.size();
}

bool PhiGraph::keepOnly(const std::vector<bool> &Kept) {
  // By phi: nothing yet, the one value that reaches it, or several.
  constexpr uint32_t Nothing = ~uint32_t(0);
  constexpr uint32_t Several = Nothing - 1;
  std::vector<uint32_t> Reaching(NumPhis, Nothing);
  auto Stays = [&](uint32_t Node) { return !isPhi(Node) || Kept[Node]; };
  std::vector<uint32_t> Work;
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi)
    Work.push_back(Phi);
  // Each phi changes twice at most.
  while (!Work.empty()) {
    uint32_t Phi = Work.back();
    Work.pop_back();
    uint32_t Met = Reaching[Phi];
    for (uint32_t Input : Inputs[Phi]) {
      uint32_t Value = Stays(Input) ? Input : Reaching[Input];
      if (Value == Nothing || Value == Met)
        continue;
      Met = Met == Nothing ? Value : Several;
    }
    if (Met == Reaching[Phi] || Kept[Phi])
      continue;
    Reaching[Phi] = Met;
    for (uint32_t E : UserEdges[Phi])
      Work.push_back(Edges[E].User);
  }
  bool Legal = true;
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi) {
    if (Kept[Phi])
      continue;
    Legal &= Reaching[Phi] < Several;
    if (Reaching[Phi] < Several)
      Now[Phi] = Reaching[Phi];
  }
  return Legal;
}

bool PhiGraph::simplifyOnce() {
  bool Changed = false;
  ++Pass;
  for (uint32_t Phi = 0; Phi != NumPhis; ++Phi) {
    if (Dead[Phi])
      continue;
    dropSelf(Phi);
    if (Inputs[Phi].empty())
      continue;
    if (replaceIfUniform(Phi))
      Changed = true;
    else if (Checked[Phi] != Pass)
      Changed |= replaceClosure(Phi);
  }
  return Changed;
}

void PhiGraph::dropSelf(uint32_t Phi) {
  llvm::erase_if(Inputs[Phi], [&](auto Input) { return Input == Phi; });
  llvm::erase_if(UserEdges[Phi],
                 [&](uint32_t E) { return Edges[E].User == Phi; });
}

bool PhiGraph::replaceIfUniform(uint32_t Phi) {
  if (!llvm::all_equal(Inputs[Phi]))
    return false;
  replace(Phi, Inputs[Phi].front());
  return true;
}

/// Looks through all that \p Phi can be: if only one value that is not a phi is
/// among it, every phi met is that value.
bool PhiGraph::replaceClosure(uint32_t Phi) {
  constexpr uint32_t None = ~uint32_t(0);
  ++Closure;
  uint32_t Source = None;
  llvm::SmallVector<uint32_t, 16> Queue = {Phi};
  llvm::SmallVector<uint32_t, 16> Met;
  for (size_t I = 0; I != Queue.size(); ++I) {
    uint32_t Node = Queue[I];
    if (Visited[Node] == Closure)
      continue;
    if (!spend(1))
      return false;
    Visited[Node] = Closure;
    Checked[Node] = Pass;
    if (isPhi(Node)) {
      Met.push_back(Node);
      Queue.append(Inputs[Node].begin(), Inputs[Node].end());
      continue;
    }
    if (Source != None)
      return false;
    Source = Node;
  }
  if (Source == None)
    return false;
  for (uint32_t Node : Met)
    replace(Node, Source);
  return true;
}

void PhiGraph::replace(uint32_t Phi, uint32_t By) {
  if (Dead[Phi])
    return;
  while (Dead[By])
    By = Now[By];
  if (By == Phi)
    return;
  for (uint32_t E : UserEdges[Phi])
    if (isPhi(Edges[E].User))
      std::replace(Inputs[Edges[E].User].begin(), Inputs[Edges[E].User].end(),
                   Phi, By);
  for (uint32_t E : AsUser[Phi]) {
    Edges[E].User = By;
    if (isPhi(By))
      AsUser[By].push_back(E);
  }
  AsUser[Phi].clear();
  for (uint32_t Node : StandsFor[Phi])
    Now[Node] = By;
  StandsFor[By].append(StandsFor[Phi].begin(), StandsFor[Phi].end());
  StandsFor[Phi].clear();
  Dead[Phi] = true;
}
