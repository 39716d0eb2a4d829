// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/AsyncChains.h"

using namespace hlobuf;

HloId AsyncChains::producer(HloId Id) const {
  HloId Operand = Graph.operands(Id)[0];
  uint32_t Ordinal = 0;
  // Loop state may lead in circles.
  for (size_t Steps = 0; Steps != 10000; ++Steps) {
    const HloNode &N = Graph[Operand];
    if (hasAsyncState(N.Op) && Ordinal == 0)
      return Operand;
    HloId State = Operand;
    if (N.Op == Opcode::Parameter)
      for (HloId Caller : Graph.callers(N.Parent))
        if (Graph[Caller].Op == Opcode::While)
          State = Caller;
    Opcode Op = Graph[State].Op;
    if (Op == Opcode::While || Op == Opcode::Copy) {
      Operand = Graph.operands(State)[0];
      continue;
    }
    std::optional<OperandPart> From = Graph.forwardedPart(Operand, Ordinal);
    if (!From)
      return HloId();
    Operand = Graph.operands(Operand)[From->Operand];
    Ordinal = From->Ordinal;
  }
  return HloId();
}

/// Follows \p Next from \p From until \p Ends holds or it leads nowhere, and
/// keeps for each element on the way where that was, in \p Known. In circles,
/// which loop state can make, that is invalid.
template <typename NextFn, typename EndsFn>
static HloId follow(DenseMap<uint32_t, HloId> &Known, HloId From, NextFn Next,
                    EndsFn Ends) {
  SmallVector<HloId, 8> Path;
  HloId End;
  for (HloId Id = From; Id; Id = Next(Id)) {
    if (Ends(Id)) {
      End = Id;
      break;
    }
    auto [Entry, New] = Known.try_emplace(Id.index());
    if (!New) {
      End = Entry->second;
      break;
    }
    Path.push_back(Id);
  }
  for (HloId Id : Path)
    Known[Id.index()] = End;
  return End;
}

void AsyncChains::link(size_t Count) {
  DenseMap<uint32_t, HloId> Consumers;
  SmallVector<HloId, 8> Elements;
  for (HloId Id : ids<HloId>(Count)) {
    if (isAsync(Graph[Id].Op))
      Elements.push_back(Id);
    if (!continuesAsync(Graph[Id].Op))
      continue;
    HloId Producer = producer(Id);
    if (!Producer)
      continue;
    Producers[Id.index()] = Producer;
    // Of several the first that takes the state itself, else the first.
    auto [Known, New] = Consumers.try_emplace(Producer.index(), Id);
    bool Direct = Graph.operands(Id)[0] == Producer;
    if (!New && Direct && Graph.operands(Known->second)[0] != Producer)
      Known->second = Id;
  }
  auto Before = [&](HloId Id) { return Producers.lookup(Id.index()); };
  auto After = [&](HloId Id) { return Consumers.lookup(Id.index()); };
  for (HloId Id : Elements) {
    follow(ChainStart, Id, Before,
           [&](HloId X) { return Graph[X].Op == Opcode::AsyncStart; });
    follow(ChainEnd, Id, After, [&](HloId X) { return !After(X); });
    if (HloId First = Before(Id))
      BoundBefore[Id.index()] =
          follow(LastBinding, First, Before, [&](HloId X) {
            return Graph[X].Op == Opcode::AsyncStart ||
                   Graph.operands(X).size() > 1;
          });
  }
}

HloId AsyncChains::start(HloId Id) const {
  return Graph[Id].Op == Opcode::AsyncStart ? Id
                                            : ChainStart.lookup(Id.index());
}

HloId AsyncChains::end(HloId Start) const {
  HloId End = ChainEnd.lookup(Start.index());
  return End ? End : Start;
}

HloId AsyncChains::lastUpdate(HloId Start) const {
  HloId End = end(Start);
  return Graph[End].Op == Opcode::AsyncDone ? Producers.lookup(End.index())
                                            : End;
}

SmallVector<HloId, 8> AsyncChains::boundOperands(HloId Id) const {
  // Updates that may bind operands up to Id, the last one first. Loop state may
  // lead in circles.
  SmallVector<HloId, 4> Updates;
  while (Id && Graph[Id].Op == Opcode::AsyncUpdate &&
         Updates.size() <= Graph.size()) {
    Updates.push_back(Id);
    Id = BoundBefore.lookup(Id.index());
  }
  SmallVector<HloId, 8> Bound;
  if (!Id)
    return Bound;
  llvm::append_range(Bound, Graph.operands(Id));
  for (HloId Update : llvm::reverse(Updates))
    llvm::append_range(Bound, Graph.operands(Update).drop_front());
  return Bound;
}

HloId AsyncChains::boundOperand(HloId Id, uint32_t Number) const {
  SmallVector<HloId, 8> Bound = boundOperands(Id);
  return Number < Bound.size() ? Bound[Number] : HloId();
}
