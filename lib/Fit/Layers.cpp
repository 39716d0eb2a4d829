// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Layers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

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

/// Gradients of weights can wait, and hold what they are computed of; compilers
/// do not let them wait for what was computed again. They run until \p Next.
static void runEarlier(const FitContext &Ctx, const LayerCall &Call,
                       int32_t Next, FitEffect &Effect) {
  llvm::SetVector<uint32_t> Late;
  auto AddReaders = [&](HloValueId V) {
    for (auto [Step, User] : Ctx.readers(V))
      if (Step > Next)
        Late.insert(User.index());
  };
  for (const Residual &R : Call.Residuals)
    if (R.Value)
      AddReaders(R.Value);
  DenseSet<uint32_t> Freed;
  for (size_t I = 0; I != Late.size(); ++I) {
    HloId User(Late[I]);
    Ctx.forEachDefined(User, [&](HloValueId V) {
      const FitBuffer *B = Ctx.buffer(V);
      // What grows with the batch is on the way to the gradient.
      if (!B || B->Scales || Ctx.products(User) == 0)
        AddReaders(V);
      else
        Effect.add({Next + 1, Ctx.step(User) - 1}, B->split());
    });
  }
  for (uint32_t I : Late) {
    HloId User(I);
    for (HloId Operand : Ctx.P.operands(User))
      Ctx.forEachPart(Operand, [&](HloValueId V) {
        HloId By = Ctx.Flow[V].Definition;
        const FitBuffer *B = Ctx.buffer(V);
        if (B && Ctx.pass(By) == Pass::Backward && Ctx.step(By) <= Next &&
            llvm::all_of(Ctx.readers(V),
                         [&](const auto &Reader) {
                           return Reader.first <= Next ||
                                  Late.contains(Reader.second.index());
                         }) &&
            Freed.insert(V.index()).second)
          Effect.add({Next + 1, B->end()}, -B->split());
      });
  }
}

FitEffect hlobuf::recomputeLayer(const FitContext &Ctx, const Layer &L) {
  FitEffect Effect;
  for (const LayerCall &Call : L.Calls) {
    SplitBytes Again;
    for (HloId Id : Call.Order)
      Effect.Products += Ctx.products(Id) * (L.Scanned ? L.Count : 1);
    int32_t Next = findNextAnchor(Ctx, L, Call);
    runEarlier(Ctx, Call, Next, Effect);
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
