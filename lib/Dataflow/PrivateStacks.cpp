// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/PrivateStacks.h"
#include "Program/Computations.h"

using namespace hlobuf;
using llvm::SmallVector;

std::vector<ComputationId> hlobuf::findAsyncBodies(const Program &P) {
  std::vector<ComputationId> Bodies(P.module().Computations.size());
  SmallVector<ComputationId, 8> Work;
  auto Enter = [&](ComputationId C, ComputationId Body) {
    if (Bodies[C.index()])
      return;
    Bodies[C.index()] = Body;
    Work.push_back(C);
  };
  // From the entry on, so that the outermost async op comes first.
  std::vector<bool> Seen(Bodies.size());
  SmallVector<ComputationId, 8> Outside;
  auto Visit = [&](ComputationId C) {
    if (!Seen[C.index()])
      Outside.push_back(C);
    Seen[C.index()] = true;
  };
  if (P.module().Entry)
    Visit(P.module().Entry);
  while (!Outside.empty()) {
    ComputationId C = Outside.pop_back_val();
    for (HloId Id : P.order(C)) {
      if (!isControlFlow(P[Id].Op))
        continue;
      for (const HloCall &Call : P.calls(Id))
        isAsync(P[Id].Op) ? Enter(Call.Callee, Call.Callee)
                          : Visit(Call.Callee);
    }
  }
  while (!Work.empty()) {
    ComputationId C = Work.pop_back_val();
    for (HloId Id : P.order(C))
      for (const HloCall &Call : P.calls(Id))
        Enter(Call.Callee, Bodies[C.index()]);
  }
  return Bodies;
}

namespace {
/// Collects colors, and takes back those that are ordinary memory.
class Candidates {
public:
  void add(int32_t Color, bool Outside) {
    auto &Into = Outside ? Ordinary : All;
    if (Color != 0 && !llvm::is_contained(Into, Color))
      Into.push_back(Color);
  }
  SmallVector<int32_t, 4> take() {
    llvm::erase_if(All,
                   [&](int32_t C) { return llvm::is_contained(Ordinary, C); });
    return std::move(All);
  }

private:
  SmallVector<int32_t, 4> All, Ordinary;
};
} // namespace

static SmallVector<int32_t, 4> findByModule(const Dump &D, const Program &P) {
  std::vector<ComputationId> Bodies = findAsyncBodies(P);
  if (llvm::none_of(Bodies, [](ComputationId C) { return bool(C); }))
    return {};
  Candidates Colors;
  // By color and body: the lowest offset. A stack begins at 0.
  llvm::DenseMap<std::pair<int32_t, uint32_t>, uint64_t> Lowest;
  for (const Value &V : D.Values) {
    if (V.Tag.Color == 0)
      continue;
    HloId Id = P.find(V.Tag.Name);
    ComputationId Body = Id ? Bodies[P[Id].Parent.index()] : ComputationId();
    Colors.add(V.Tag.Color, Id && !Body);
    if (!Body || V.Size == 0)
      continue;
    uint64_t &Offset =
        Lowest.try_emplace({V.Tag.Color, Body.index()}, V.Offset).first->second;
    Offset = std::min(Offset, V.Offset);
  }
  for (const auto &[At, Offset] : Lowest)
    if (Offset != 0)
      Colors.add(At.first, true);
  return Colors.take();
}

/// Without the module only what belongs to the entry is known to be outside.
static SmallVector<int32_t, 4> findByDump(const Facts &DumpFacts) {
  const Dump &D = DumpFacts.dump();
  Candidates Colors;
  Computations Together(D);
  NameId Root = DumpFacts.entryRoot();
  for (const Value &V : D.Values)
    if (V.Tag.Color != 0)
      Colors.add(V.Tag.Color, V.Shape && !D.Shapes[V.Shape].isTuple() &&
                                  Together.same(V.Tag.Name, Root));
  return Colors.take();
}

SmallVector<int32_t, 4> hlobuf::findPrivateStacks(const Facts &DumpFacts,
                                                  const Program *P) {
  if (!DumpFacts.isTPU())
    return {};
  if (P)
    return findByModule(DumpFacts.dump(), *P);
  bool AnyStart =
      llvm::any_of(DumpFacts.dump().Instructions, [](const Instruction &I) {
        return I.Op.Op == Opcode::AsyncStart;
      });
  return AnyStart ? findByDump(DumpFacts) : SmallVector<int32_t, 4>();
}

std::vector<uint32_t> hlobuf::numberStacks(const Facts &DumpFacts,
                                           const Program *P) {
  const Dump &D = DumpFacts.dump();
  std::vector<uint32_t> Numbers(D.Values.size());
  if (!P) {
    Computations Together(D);
    for (size_t I = 0; I != Numbers.size(); ++I)
      Numbers[I] = Together.number(D.Values[I].Tag.Name);
    return Numbers;
  }
  std::vector<ComputationId> Bodies = findAsyncBodies(*P);
  for (size_t I = 0; I != Numbers.size(); ++I) {
    HloId Id = P->find(D.Values[I].Tag.Name);
    ComputationId Body = Id ? Bodies[(*P)[Id].Parent.index()] : ComputationId();
    // Of one that the module does not have, nothing is known.
    Numbers[I] = static_cast<uint32_t>(Body ? Body.index() : Bodies.size() + I);
  }
  return Numbers;
}
