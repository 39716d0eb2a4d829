// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Layers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace hlobuf;

static uint64_t freedBytes(const Residual &R) {
  return largestOf(R.Freed, [](const BytesChange &C) {
    return static_cast<uint64_t>(std::abs(C.Bytes.total()));
  });
}

uint64_t Layer::keptBytes() const {
  uint64_t Bytes = 0;
  for (const LayerCall &Call : Calls)
    for (const Residual &R : Call.Residuals)
      Bytes += R.Input ? 0 : freedBytes(R);
  return Bytes;
}

namespace {
/// The forward pass of a layer, run again for its residuals, without what none
/// of them needs.
class Rerun {
public:
  Rerun(const FitContext &Ctx, const LayerCall &Call, bool Scanned);

  /// The most bytes while it runs, and what it computes.
  SplitBytes Peak;
  uint64_t Products = 0;
  /// Values from elsewhere that it reads.
  std::vector<HloValueId> Inputs;

private:
  void need(HloId Id);
  void addItem(size_t First, SplitBytes Bytes, size_t Last);
  void addItems(size_t I);

  const FitContext &Ctx;
  const LayerCall &Call;
  bool Scanned;
  DenseMap<uint32_t, size_t> Numbers;
  /// By number of the order.
  std::vector<bool> Needed;
  /// By definition: the bytes of residuals, which are held to the end.
  DenseMap<uint32_t, SplitBytes> Kept;
  /// By number: what begins and ends to be held.
  std::vector<SplitBytes> Changes;
};
} // namespace

Rerun::Rerun(const FitContext &Ctx, const LayerCall &Call, bool Scanned)
    : Ctx(Ctx), Call(Call), Scanned(Scanned), Needed(Call.Order.size()),
      Changes(Call.Order.size() + 1) {
  for (size_t I = 0; I != Call.Order.size(); ++I)
    Numbers[Call.Order[I].index()] = I;
  for (const Residual &R : Call.Residuals)
    if (auto Entry = Numbers.find(R.Definition.index());
        !R.Input && Entry != Numbers.end()) {
      Needed[Entry->second] = true;
      Kept[R.Definition.index()] += R.Bytes;
    }
  for (size_t I = Call.Order.size(); I-- != 0;)
    if (Needed[I])
      for (HloId Operand : Ctx.P.operands(Call.Order[I]))
        need(Operand);
  for (size_t I = 0; I != Call.Order.size(); ++I)
    if (Needed[I])
      addItems(I);
  SplitBytes Sum;
  for (SplitBytes C : Changes) {
    Sum += C;
    if (Sum.total() > Peak.total())
      Peak = Sum;
  }
  llvm::sort(Inputs);
  Inputs.erase(std::unique(Inputs.begin(), Inputs.end()), Inputs.end());
}

void Rerun::need(HloId Id) {
  Ctx.forEachPart(Id, [&](HloValueId V) {
    HloId Definition = Ctx.Flow[V].Definition;
    auto Entry = Numbers.find(Definition.index());
    if (Entry != Numbers.end() && !Ctx.Flow[V].Phi &&
        Ctx.P[Definition].Op != Opcode::Parameter)
      Needed[Entry->second] = true;
    else
      Inputs.push_back(V);
  });
}

void Rerun::addItem(size_t First, SplitBytes Bytes, size_t Last) {
  Changes[First] += Bytes;
  Changes[Last + 1] += -Bytes;
}

void Rerun::addItems(size_t I) {
  HloId Id = Call.Order[I];
  Products += Ctx.products(Id);
  auto Known = Kept.find(Id.index());
  bool IsKept = Known != Kept.end();
  size_t End = Call.Order.size() - 1;
  // Not the stacks that it writes into.
  if (IsKept && Scanned)
    return addItem(I, Known->second, End);
  Ctx.forEachDefined(Id, [&](HloValueId V) {
    const FitBuffer *B = Ctx.buffer(V);
    if (!B)
      return;
    size_t Last = IsKept ? End : I;
    for (auto [Step, User] : Ctx.readers(V))
      if (auto Entry = Numbers.find(User.index());
          Entry != Numbers.end() && Needed[Entry->second])
        Last = std::max(Last, Entry->second);
    addItem(I, B->split(), Last);
  });
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
    Rerun Again(Ctx, Call, L.Scanned);
    int32_t Next = findNextAnchor(Ctx, L, Call);
    runEarlier(Ctx, Call, Next, Effect);
    for (const Residual &R : Call.Residuals) {
      if (R.Input)
        continue;
      llvm::append_range(Effect.Changes, R.Freed);
      if (!R.Copied)
        Effect.add({Call.Anchor + 1, std::min(R.LastRead, Next)}, R.Bytes);
    }
    llvm::append_range(Effect.Changes, Call.Inputs);
    for (HloValueId V : Again.Inputs) {
      const FitBuffer *B = Ctx.buffer(V);
      // Weights and what no layer changes are held anyway.
      bool Changes =
          Ctx.pass(Ctx.Flow[V].Definition) != Pass::None || Ctx.Flow[V].Phi;
      if (!B || !Changes || B->end() >= Call.Anchor)
        continue;
      if (L.Scanned)
        Again.Peak += B->split();
      else
        Effect.add({B->end() + 1, Call.Anchor}, B->split());
    }
    Effect.add({Call.Anchor, Call.Anchor}, Again.Peak);
    Effect.Products += Again.Products * (L.Scanned ? L.Count : 1);
  }
  return Effect;
}
