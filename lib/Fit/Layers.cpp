// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Layers.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

/// Values from elsewhere that \p Call is given.
static DenseSet<uint32_t> inputsOf(const FitContext &Ctx,
                                   const LayerCall &Call) {
  DenseSet<uint32_t> Own;
  for (HloId Id : Call.Order)
    Own.insert(Id.index());
  DenseSet<uint32_t> Inputs;
  for (HloId Id : Call.Order)
    for (HloId Operand : Ctx.P.operands(Id))
      Ctx.forEachPart(Operand, [&](HloValueId V) {
        HloId By = Ctx.Flow[V].Definition;
        if (Ctx.Flow[V].Phi || Ctx.P[By].Op == Opcode::Parameter ||
            !Own.contains(By.index()))
          Inputs.insert(V.index());
      });
  return Inputs;
}

/// The step before the call whose backward pass comes after that of \p Call.
static int32_t findNextAnchor(const FitContext &Ctx, const Layer &L,
                              const LayerCall &Call) {
  int32_t Next = Ctx.Memory.steps();
  for (const LayerCall &Other : L.Calls)
    if (Other.Anchor > Call.Anchor)
      Next = std::min(Next, Other.Anchor);
  return Next;
}

/// Gradients of weights can wait, and hold what they are computed of. Where
/// that would be a part of the peak, compilers do not let them wait: a product
/// that takes less than what it waits with runs as soon as it can. What \p L
/// computes again does not wait.
static std::vector<BytesChange> runEarlier(const FitContext &Ctx,
                                           const Layer &L) {
  FitEffect Effect;
  DenseSet<uint32_t> Again, Waiting;
  for (const LayerCall &Call : L.Calls)
    for (const Residual &R : Call.Residuals)
      if (R.Value)
        Again.insert(R.Value.index());
  DenseMap<uint32_t, int32_t> Moved;
  auto StepOf = [&](HloId Id) {
    auto Known = Moved.find(Id.index());
    return Known == Moved.end() ? Ctx.step(Id) : Known->second;
  };
  for (HloId Id : Ctx.P.order(Ctx.P.module().Entry)) {
    if (Ctx.step(Id) < Ctx.turn() || Ctx.P[Id].Op == Opcode::While)
      continue;
    int32_t Ready = 0;
    SplitBytes Takes, Held;
    SmallVector<HloValueId, 8> Read;
    for (HloId Operand : Ctx.P.operands(Id))
      Ctx.forEachPart(Operand, [&](HloValueId V) {
        Ready = std::max(Ready, StepOf(Ctx.Flow[V].Definition));
        if (Ctx.buffer(V) && !Again.contains(V.index()))
          Read.push_back(V);
      });
    for (HloValueId V : Read)
      if (const FitBuffer *B = Ctx.buffer(V); B->end() > Ready)
        Held += B->split();
    Ctx.forEachDefined(Id, [&](HloValueId V) {
      if (const FitBuffer *B = Ctx.buffer(V))
        Takes += B->split();
    });
    // All but products is cheap.
    bool IsProduct = Ctx.products(Id) != 0;
    if (IsProduct && Takes.total() >= Held.total())
      continue;
    Moved[Id.index()] = Ready;
    if (!IsProduct)
      continue;
    Effect.add({Ready, Ctx.step(Id) - 1}, Takes);
    for (HloValueId V : Read)
      Waiting.insert(V.index());
  }
  for (uint32_t I : Waiting) {
    const FitBuffer *B = Ctx.buffer(HloValueId(I));
    int32_t Last = 0;
    for (auto [Step, User] : Ctx.readers(HloValueId(I)))
      Last = std::max(Last, StepOf(User));
    Effect.add({Last + 1, B->end()}, -B->split());
  }
  return std::move(Effect.Changes);
}

FitEffect hlobuf::recomputeLayer(const FitContext &Ctx, const Layer &L) {
  FitEffect Effect;
  // Those of GPUs let them wait all the same.
  if (Ctx.DumpFacts.isTPU())
    Effect.Earlier = runEarlier(Ctx, L);
  for (const LayerCall &Call : L.Calls) {
    SplitBytes Again;
    for (HloId Id : Call.Order)
      Effect.Products += Ctx.products(Id) * (L.Scanned ? L.Count : 1);
    int32_t Next = findNextAnchor(Ctx, L, Call);
    for (const Residual &R : Call.Residuals) {
      Again += R.Bytes;
      llvm::append_range(Effect.Changes, R.Freed);
      if (!L.Scanned)
        Effect.add({Call.Anchor + 1, std::min(R.LastRead, Next)}, R.Bytes);
    }
    llvm::append_range(Effect.Changes, Call.Inputs);
    for (uint32_t I : inputsOf(Ctx, Call)) {
      HloValueId V(I);
      const FitBuffer *B = Ctx.buffer(V);
      // Weights and what no layer changes are held anyway.
      bool Changes =
          Ctx.pass(Ctx.Flow[V].Definition) != Pass::None || Ctx.Flow[V].Phi;
      if (!B || !Changes || B->end() >= Call.Anchor)
        continue;
      if (L.Scanned)
        Again += B->split();
      else
        Effect.add({B->end() + 1, Call.Anchor}, B->split());
    }
    Effect.add({Call.Anchor, Call.Anchor}, Again);
  }
  return Effect;
}
