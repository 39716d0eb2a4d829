// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Layers.h"
#include "llvm/ADT/SetVector.h"

using namespace hlobuf;

namespace {
/// The steps from one anchor to the last read of its residuals.
struct Window {
  int32_t Anchor = 0;
  int32_t End = 0;
  /// Read by what waits for the layer.
  llvm::DenseSet<const FitBuffer *> Late;
  /// Read or written by what does not.
  llvm::SetVector<const FitBuffer *> Early;
};
} // namespace

/// Calls \p Visit with each value that \p Id reads.
static void forEachRead(const FitContext &Ctx, HloId Id,
                        llvm::function_ref<void(HloValueId)> Visit) {
  for (HloId Operand : Ctx.P.operands(Id))
    Ctx.forEachPart(Operand, Visit);
}

static void sortBuffers(const FitContext &Ctx, llvm::ArrayRef<HloId> Order,
                        const llvm::DenseSet<uint32_t> &Missing, Window &W) {
  llvm::DenseSet<uint32_t> Waiting;
  for (HloId Id : Order) {
    int32_t Step = Ctx.step(Id);
    if (Step <= W.Anchor || Step > W.End)
      continue;
    bool Waits = false;
    forEachRead(Ctx, Id, [&](HloValueId V) {
      uint32_t Definition = Ctx.Flow[V].Definition.index();
      Waits |= Missing.contains(Definition) || Waiting.contains(Definition);
    });
    if (Waits)
      Waiting.insert(Id.index());
    auto Note = [&](HloValueId V) {
      const FitBuffer *B = Ctx.buffer(V);
      if (B && Waits)
        W.Late.insert(B);
      else if (B)
        W.Early.insert(B);
    };
    forEachRead(Ctx, Id, Note);
    Ctx.forEachDefined(Id, [&](HloValueId V, uint32_t) { Note(V); });
  }
}

std::vector<BytesChange>
hlobuf::findEarlierWork(const FitContext &Ctx, const LayerCall &Call,
                        llvm::ArrayRef<HloId> Order,
                        const llvm::DenseSet<uint32_t> &Missing) {
  Window W;
  W.Anchor = Call.Anchor;
  for (const Residual &R : Call.Residuals)
    W.End = std::max(W.End, R.LastRead);
  sortBuffers(Ctx, Order, Missing, W);
  std::vector<BytesChange> Changes;
  int64_t Sum = 0;
  for (const FitBuffer *B : W.Early) {
    if (B->Live.size() != 1 || B->Tenant)
      continue;
    StepRange Live = B->Live.front();
    bool IsHeld = Live.Start <= W.Anchor;
    bool IsKept = W.Late.contains(B) || Live.End > W.End;
    if (IsHeld && !IsKept)
      Changes.push_back({{W.Anchor, Live.End}, -B->split()});
    else if (!IsHeld && IsKept)
      Changes.push_back({{W.Anchor, Live.Start - 1}, B->split()});
    else
      continue;
    Sum += Changes.back().Bytes.total();
  }
  return Sum < 0 ? Changes : std::vector<BytesChange>();
}
