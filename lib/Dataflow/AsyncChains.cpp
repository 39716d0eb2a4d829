//===- Dataflow/AsyncChains.cpp - async-start to async-done ---------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain is an async-start, any number of async-updates and an async-done;
// since 2026-08-11 its state may pass through tuples, barriers and loops
// (xla/hlo/ir/hlo_instructions.cc). Each link is looked for once, so that long
// chains cost no more than short ones.
//
//===----------------------------------------------------------------------===//

#include "Dataflow/Program.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

HloId Program::asyncProducer(HloId Id) const {
  HloId At = operands(Id)[0];
  uint32_t Ordinal = 0;
  // Loop state may lead in circles.
  for (size_t Steps = 0; Steps != 10000; ++Steps) {
    const ProgramNode &N = (*this)[At];
    if ((N.Op == Opcode::AsyncStart || N.Op == Opcode::AsyncUpdate) &&
        Ordinal == 0)
      return At;
    HloId State = At;
    if (N.Op == Opcode::Parameter)
      for (HloId Caller : callers(N.Parent))
        if ((*this)[Caller].Op == Opcode::While)
          State = Caller;
    Opcode Op = (*this)[State].Op;
    if (Op == Opcode::While || Op == Opcode::Copy) {
      At = operands(State)[0];
      continue;
    }
    std::optional<OperandPart> From = forwardedPart(At, Ordinal);
    if (!From)
      return HloId();
    At = operands(At)[From->Operand];
    Ordinal = From->Ordinal;
  }
  return HloId();
}

/// Follows \p Next from \p From until \p Ends holds or it leads nowhere, and
/// keeps for each element on the way where that was, in \p Known. In circles,
/// which loop state can make, that is invalid.
template <typename NextFn, typename EndsFn>
static HloId follow(llvm::DenseMap<uint32_t, HloId> &Known, HloId From,
                    NextFn Next, EndsFn Ends) {
  SmallVector<HloId, 8> Path;
  HloId Found;
  for (HloId Id = From; Id; Id = Next(Id)) {
    if (Ends(Id)) {
      Found = Id;
      break;
    }
    auto [At, New] = Known.try_emplace(Id.index());
    if (!New) {
      Found = At->second;
      break;
    }
    Path.push_back(Id);
  }
  for (HloId Id : Path)
    Known[Id.index()] = Found;
  return Found;
}

void Program::linkChains() {
  llvm::DenseMap<uint32_t, HloId> Consumers;
  SmallVector<HloId, 8> Elements;
  for (size_t I = 0; I != M.Instructions.size(); ++I) {
    HloId Id(I);
    if (isAsync(Nodes[I].Op))
      Elements.push_back(Id);
    if (!continuesAsync(Nodes[I].Op))
      continue;
    HloId Producer = asyncProducer(Id);
    if (!Producer)
      continue;
    Producers[Id.index()] = Producer;
    // Of several the first that takes the state itself, else the first.
    auto [Known, New] = Consumers.try_emplace(Producer.index(), Id);
    bool Direct = operands(Id)[0] == Producer;
    if (!New && Direct && operands(Known->second)[0] != Producer)
      Known->second = Id;
  }
  auto Before = [&](HloId Id) { return Producers.lookup(Id.index()); };
  auto After = [&](HloId Id) { return Consumers.lookup(Id.index()); };
  for (HloId Id : Elements) {
    follow(ChainStart, Id, Before,
           [&](HloId X) { return (*this)[X].Op == Opcode::AsyncStart; });
    follow(ChainEnd, Id, After, [&](HloId X) { return !After(X); });
    if (HloId First = Before(Id))
      BoundBefore[Id.index()] =
          follow(LastBinding, First, Before, [&](HloId X) {
            return (*this)[X].Op == Opcode::AsyncStart ||
                   operands(X).size() > 1;
          });
  }
}

HloId Program::asyncStart(HloId Id) const {
  return (*this)[Id].Op == Opcode::AsyncStart ? Id
                                              : ChainStart.lookup(Id.index());
}

HloId Program::asyncEnd(HloId Start) const {
  HloId End = ChainEnd.lookup(Start.index());
  return End ? End : Start;
}

HloId Program::lastUpdate(HloId Start) const {
  HloId End = asyncEnd(Start);
  return (*this)[End].Op == Opcode::AsyncDone ? Producers.lookup(End.index())
                                              : End;
}

/// Updates that may bind operands up to \p Id, the last one first, and the
/// \p Start of their chain.
SmallVector<HloId, 4> Program::bindingUpdates(HloId Id, HloId &Start) const {
  SmallVector<HloId, 4> Updates;
  Start = Id;
  // Loop state may lead in circles.
  while (Start && (*this)[Start].Op == Opcode::AsyncUpdate &&
         Updates.size() <= Nodes.size()) {
    Updates.push_back(Start);
    Start = BoundBefore.lookup(Start.index());
  }
  return Updates;
}

HloId Program::boundOperand(HloId Id, uint32_t Number) const {
  HloId Start;
  SmallVector<HloId, 4> Updates = bindingUpdates(Id, Start);
  if (!Start)
    return HloId();
  ArrayRef<HloId> Bound = operands(Start);
  while (Number >= Bound.size() && !Updates.empty()) {
    Number -= static_cast<uint32_t>(Bound.size());
    Bound = operands(Updates.pop_back_val()).drop_front();
  }
  return Number < Bound.size() ? Bound[Number] : HloId();
}

SmallVector<HloId, 8> Program::boundOperands(HloId Id) const {
  HloId Start;
  SmallVector<HloId, 4> Updates = bindingUpdates(Id, Start);
  SmallVector<HloId, 8> Bound;
  if (!Start)
    return Bound;
  Bound.append(operands(Start).begin(), operands(Start).end());
  for (HloId Update : llvm::reverse(Updates))
    Bound.append(operands(Update).begin() + 1, operands(Update).end());
  return Bound;
}
