// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Recompute.h"

using namespace hlobuf;

bool hlobuf::forwardsElements(Opcode Op) {
  return (movesElements(Op) || keepsElements(Op)) && !isAsync(Op) &&
         !isCollective(Op) && !isUpdate(Op);
}

/// Each element is computed from few elements, without a sum over many.
static bool isCheapOpcode(Opcode Op) {
  return isElementwise(Op) || forwardsElements(Op) || readsNoElement(Op);
}

/// Walks from \p Root, which is in the body of a fusion, to parameters.
static ElementSources walkFusion(const FitContext &Ctx, HloId Fusion,
                                 HloId Root) {
  const Program &P = Ctx.P;
  ElementSources Sources;
  std::vector<HloId> Work = {Root};
  llvm::DenseSet<uint32_t> Seen;
  while (!Work.empty()) {
    HloId Id = Work.back();
    Work.pop_back();
    if (!Id || !Seen.insert(Id.index()).second)
      continue;
    if (P[Id].Op == Opcode::Parameter) {
      if (P[Id].number() < P.operands(Fusion).size())
        Sources.Operands.push_back(P.operands(Fusion)[P[Id].number()]);
      continue;
    }
    if (P[Id].Op == Opcode::DynamicUpdateSlice) {
      if (P.operands(Id).size() > 1)
        Work.push_back(P.operands(Id)[1]);
      continue;
    }
    if (!isCheapOpcode(P[Id].Op))
      return {};
    llvm::append_range(Work, P.operands(Id));
  }
  Sources.Cheap = true;
  return Sources;
}

/// As findElementSources(), with operands as \p Id has them.
static ElementSources findSources(const FitContext &Ctx, HloId Id,
                                  uint32_t Ordinal) {
  const Program &P = Ctx.P;
  if (P[Id].Op == Opcode::DynamicUpdateSlice && P.operands(Id).size() > 1)
    return {true, {P.operands(Id)[1]}};
  if (P[Id].Op != Opcode::Fusion) {
    if (!isCheapOpcode(P[Id].Op))
      return {};
    return {true, llvm::SmallVector<HloId, 4>(P.operands(Id))};
  }
  ComputationId Body = P.callee(Id, CallRole::Calls);
  HloId Root = Body ? P.root(Body) : HloId();
  if (!Root)
    return {};
  if (P[Root].Op != Opcode::Tuple)
    return walkFusion(Ctx, Id, Root);
  for (uint32_t K = 0; K != P.operands(Root).size(); ++K)
    if (P.trees().elementOrdinal(P[Id].Shape, K) == Ordinal)
      return walkFusion(Ctx, Id, P.operands(Root)[K]);
  return {};
}

ElementSources hlobuf::findElementSources(const FitContext &Ctx, HloId Id,
                                          uint32_t Ordinal) {
  const Program &P = Ctx.P;
  ElementSources Sources = findSources(Ctx, Id, Ordinal);
  llvm::ArrayRef<HloId> Callers = P.callers(P[Id].Parent);
  if (Callers.size() != 1 || P[Callers.front()].Op != Opcode::AsyncStart)
    return Sources;
  // Of an async computation: what its parameters are.
  for (HloId &Operand : Sources.Operands)
    if (P[Operand].Op == Opcode::Parameter)
      if (HloId Bound =
              P.chains().boundOperand(Callers.front(), P[Operand].number()))
        Operand = Bound;
  return Sources;
}

/// The dot, convolution, sum or loop that \p Id is computed by, behind cheap
/// operations, as long as those have one large operand.
static std::pair<HloId, uint32_t> findProducer(const FitContext &Ctx, HloId Id,
                                               uint32_t Ordinal) {
  for (unsigned Hop = 0; Hop != 8; ++Hop) {
    ElementSources Sources = findElementSources(Ctx, Id, Ordinal);
    HloId Largest;
    uint64_t Most = 0;
    for (HloId Operand : Sources.Operands) {
      HloValueId V = Ctx.Flow.at(Operand, 0);
      ValueId Line = V ? Ctx.Module.lineOf(V) : ValueId();
      if (Line && Ctx.D[Line].Size > Most) {
        Most = Ctx.D[Line].Size;
        Largest = Operand;
      }
    }
    if (!Sources.Cheap || !Largest)
      break;
    const HloValue &V = Ctx.Flow[Ctx.Flow.at(Largest, 0)];
    if (V.Phi || Ctx.P[V.Definition].Op == Opcode::Parameter ||
        V.Definition == Id)
      break;
    Id = V.Definition;
    Ordinal = V.Ordinal;
  }
  return {Id, Ordinal};
}

Residual hlobuf::makeResidual(const FitContext &Ctx, HloId Id, uint32_t Ordinal,
                              const FitBuffer &Buffer) {
  Residual R;
  R.Definition = Id;
  R.Ordinal = Ordinal;
  R.Bytes = Buffer.Bytes;
  R.Scales = Buffer.Scales;
  R.FirstRead = Ctx.Memory.steps();
  R.LastRead = -1;
  std::tie(R.Producer, R.ProducerOrdinal) = findProducer(Ctx, Id, Ordinal);
  return R;
}

Recompute::Recompute(const FitContext &Ctx, llvm::ArrayRef<HloId> Order,
                     llvm::ArrayRef<const Residual *> Results,
                     llvm::ArrayRef<const Residual *> Saved)
    : Ctx(Ctx), Order(Order), Needed(Order.size()), Available(Order.size()) {
  for (size_t I = 0; I != Order.size(); ++I)
    Numbers[Order[I].index()] = static_cast<uint32_t>(I);
  for (const Residual *R : Saved)
    if (auto Entry = Numbers.find(R->Producer.index()); Entry != Numbers.end())
      Available[Entry->second] = true;
  // What is read last is there anyway when others are computed of it.
  std::vector<const Residual *> Sorted(Results);
  llvm::stable_sort(Sorted, [](const Residual *X, const Residual *Y) {
    return X->LastRead > Y->LastRead;
  });
  for (const Residual *R : Sorted)
    if (!findElementSources(Ctx, R->Definition, R->Ordinal).Cheap)
      want(*R);
  for (const Residual *R : Sorted)
    if (findElementSources(Ctx, R->Definition, R->Ordinal).Cheap)
      want(*R);
  findNeeded();
  collect();
}

/// More bytes that are held if \p Operand must be there until \p LastRead.
uint64_t Recompute::costOfKeeping(HloId Operand, int32_t LastRead) const {
  HloValueId V = Ctx.Flow.at(Operand, 0);
  if (!V)
    return 0;
  auto Entry = LastReads.find(V.index());
  bool IsThere = Entry != LastReads.end() && Entry->second >= LastRead;
  const FitBuffer *B = IsThere ? nullptr : Ctx.buffer(V);
  return B ? B->Bytes : 0;
}

void Recompute::want(const Residual &R) {
  auto Entry = Numbers.find(R.Definition.index());
  if (Entry == Numbers.end())
    return;
  ElementSources Sources = findElementSources(Ctx, R.Definition, R.Ordinal);
  uint64_t Cost = 0;
  for (HloId Operand : Sources.Operands)
    Cost += costOfKeeping(Operand, R.LastRead);
  if (Sources.Cheap && Cost <= R.Bytes) {
    for (HloId Operand : Sources.Operands)
      require(Operand, R.LastRead);
    return;
  }
  Needed[Entry->second] = true;
  if (R.Stacked) {
    Parts.push_back({Entry->second, &R});
    return;
  }
  if (HloValueId V = Ctx.Flow.definedAt(R.Definition, R.Ordinal)) {
    int32_t &Last = LastReads.try_emplace(V.index(), -1).first->second;
    Last = std::max(Last, R.LastRead);
  }
}

/// \p Operand must be there until \p LastRead; -1 for while it runs.
void Recompute::require(HloId Operand, int32_t LastRead) {
  Ctx.forEachPart(Operand, [&](HloValueId V) {
    HloId Definition = Ctx.Flow[V].Definition;
    auto Entry = Numbers.find(Definition.index());
    bool Inside = Entry != Numbers.end() && !Ctx.Flow[V].Phi &&
                  Ctx.P[Definition].Op != Opcode::Parameter;
    auto &Reads = Inside ? LastReads : InputReads;
    int32_t &Last = Reads.try_emplace(V.index(), -1).first->second;
    Last = std::max(Last, LastRead);
    if (Inside)
      Needed[Entry->second] = true;
  });
}

void Recompute::findNeeded() {
  for (size_t I = Order.size(); I-- != 0;)
    if (Needed[I] && !Available[I])
      for (HloId Operand : Ctx.P.operands(Order[I]))
        require(Operand, -1);
}

void Recompute::collect() {
  llvm::DenseMap<uint32_t, size_t> ByGroup;
  int32_t End = static_cast<int32_t>(Order.size()) - 1;
  for (size_t I = 0; I != Order.size(); ++I) {
    if (!Needed[I] || Available[I])
      continue;
    Operations += Ctx.Operations[Order[I]];
    Ctx.forEachDefined(Order[I], [&](HloValueId V, uint32_t) {
      auto Read = LastReads.find(V.index());
      const FitBuffer *B = Ctx.buffer(V);
      if (Read == LastReads.end() || !B)
        return;
      auto First = static_cast<int32_t>(I);
      int32_t Last = First;
      for (auto [Step, User] : Ctx.readers(V))
        if (auto Entry = Numbers.find(User.index());
            Entry != Numbers.end() && Needed[Entry->second])
          Last = std::max(Last, static_cast<int32_t>(Entry->second));
      if (Read->second >= 0)
        Last = End;
      auto [Entry, New] =
          ByGroup.try_emplace(Ctx.Aliases.group(V).index(), Items.size());
      Written += B->Bytes;
      if (New)
        Items.push_back({B->split(), First, Last, Read->second});
      Item &Whole = Items[Entry->second];
      Whole.Last = std::max(Whole.Last, Last);
      Whole.LastRead = std::max(Whole.LastRead, Read->second);
    });
  }
  for (auto [I, R] : Parts) {
    Items.push_back({SplitBytes::of(R->Bytes, R->Scales),
                     static_cast<int32_t>(I), End, R->LastRead});
    Written += R->Bytes;
  }
  for (auto [V, LastRead] : InputReads)
    Inputs.push_back({HloValueId(V), LastRead});
  llvm::sort(Inputs,
             [](const Input &X, const Input &Y) { return X.Value < Y.Value; });
}

SplitBytes Recompute::peak() const {
  std::vector<SplitBytes> Changes(Order.size() + 1);
  for (const Item &I : Items) {
    Changes[static_cast<size_t>(I.First)] += I.Bytes;
    Changes[static_cast<size_t>(I.Last) + 1] += -I.Bytes;
  }
  SplitBytes Sum;
  SplitBytes Most;
  for (SplitBytes C : Changes) {
    Sum += C;
    if (Sum.total() > Most.total())
      Most = Sum;
  }
  return Most;
}
