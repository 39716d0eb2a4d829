// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/Layers.h"
#include "Memory/MemoryTree.h"
#include <map>

using namespace hlobuf;

static uint64_t freedBytes(const Residual &R) {
  uint64_t Most = 0;
  for (const BytesChange &C : R.Freed)
    Most = std::max(Most, static_cast<uint64_t>(std::abs(C.Bytes.total())));
  return Most;
}

uint64_t Layer::keptBytes() const {
  uint64_t Bytes = 0;
  for (const LayerCall &Call : Calls)
    for (const Residual &R : Call.Residuals)
      Bytes += R.Input ? 0 : freedBytes(R);
  return Bytes;
}

/// Adds what computing \p Call again holds in the backward pass.
static void addRecompute(const FitContext &Ctx, const LayerCall &Call,
                         const Recompute &Rerun, bool Scanned,
                         FitEffect &Effect) {
  SplitBytes InputBytes;
  for (const Recompute::Input &In : Rerun.inputs()) {
    const FitBuffer *B = Ctx.buffer(In.Value);
    // Weights and what no layer changes are held anyway.
    bool Changes = Ctx.pass(Ctx.Flow[In.Value].Definition) != Pass::None ||
                   Ctx.Flow[In.Value].Phi;
    if (!B || !Changes)
      continue;
    int32_t Last = std::max(Call.Anchor, In.LastRead);
    if (!Scanned && B->end() < Last) {
      Effect.add({B->end() + 1, Last}, B->split());
    } else if (Scanned && B->end() < Last) {
      Effect.add({Call.Anchor + 1, In.LastRead}, B->split());
      InputBytes += B->split();
    }
  }
  for (const Recompute::Item &I : Rerun.items())
    Effect.add({Call.Anchor + 1, I.LastRead}, I.Bytes);
  SplitBytes Peak = Rerun.peak();
  Peak += InputBytes;
  Effect.Moments.push_back({Call.Anchor, Peak});
}

/// Bytes of what a policy keeps so that \p R can be computed from it.
static SplitBytes keptFor(const FitContext &Ctx, const Residual &R) {
  HloValueId V = Ctx.Flow.definedAt(R.Producer, R.ProducerOrdinal);
  ValueId Line = V ? Ctx.Module.lineOf(V) : ValueId();
  bool Other = R.Producer != R.Definition && Line;
  return SplitBytes::of(Other ? Ctx.D[Line].Size : R.Bytes, R.Scales);
}

/// Adds what the policy keeps of \p Call: each producer once, from when the
/// first of what is computed of it was kept.
static void addKept(const FitContext &Ctx, const Layer &L,
                    llvm::ArrayRef<const Residual *> Residuals,
                    FitEffect &Effect) {
  std::map<uint32_t, BytesChange> ByProducer;
  for (const Residual *R : Residuals) {
    SplitBytes Bytes = keptFor(Ctx, *R);
    auto Trips = static_cast<int64_t>(L.Scanned ? L.Count : 1);
    Bytes.Fixed *= Trips;
    Bytes.Scaling *= Trips;
    StepRange Range = R->Freed.front().Range;
    auto [Entry, New] =
        ByProducer.try_emplace(R->Producer.index(), BytesChange{Range, Bytes});
    BytesChange &C = Entry->second;
    C.Range.Start = std::min(C.Range.Start, Range.Start);
    C.Range.End = std::max(C.Range.End, Range.End);
    if (Bytes.total() < C.Bytes.total())
      C.Bytes = Bytes;
  }
  for (const auto &[Producer, C] : ByProducer)
    Effect.Changes.push_back(C);
}

FitEffect hlobuf::recomputeLayer(const FitContext &Ctx, const Layer &L,
                                 const std::vector<bool> &Saved) {
  std::vector<std::vector<bool>> Keeps;
  for (const LayerCall &Call : L.Calls)
    Keeps.emplace_back(Call.Residuals.size());
  for (size_t G = 0; G != L.Groups.size(); ++G)
    for (auto [Call, R] : L.Groups[G].Members)
      Keeps[Call][R] = Keeps[Call][R] || Saved[G];
  FitEffect Effect;
  for (size_t C = 0; C != L.Calls.size(); ++C) {
    const LayerCall &Call = L.Calls[C];
    std::vector<const Residual *> Results;
    std::vector<const Residual *> KeptResiduals;
    for (size_t I = 0; I != Call.Residuals.size(); ++I) {
      const Residual &R = Call.Residuals[I];
      if (R.Input)
        continue;
      llvm::append_range(Effect.Changes, R.Freed);
      if (Keeps[C][I])
        KeptResiduals.push_back(&R);
      Results.push_back(&R);
    }
    addKept(Ctx, L, KeptResiduals, Effect);
    llvm::append_range(Effect.Changes, Call.Inputs);
    llvm::append_range(Effect.Changes, Call.Earlier);
    Recompute Rerun(Ctx, Call.Order, Results, KeptResiduals);
    addRecompute(Ctx, Call, Rerun, L.Scanned, Effect);
    double Trips = L.Scanned ? static_cast<double>(L.Count) : 1;
    Effect.Flops += Rerun.flops() * Trips;
    Effect.RewrittenBytes += Rerun.writtenBytes() * (L.Scanned ? L.Count : 1);
  }
  return Effect;
}

std::optional<FitEffect> hlobuf::offloadInputs(const Layer &L) {
  FitEffect Effect;
  for (const LayerCall &Call : L.Calls) {
    auto Offload = [&](const BytesChange &C) {
      // Two layers are on the device: one is read while the next one comes.
      SplitBytes Away = C.Bytes;
      auto Count = static_cast<int64_t>(L.Count);
      Away.Fixed -= Away.Fixed / Count * 2;
      Away.Scaling -= Away.Scaling / Count * 2;
      Effect.add(C.Range, -Away);
      Effect.MovedBytes += static_cast<uint64_t>(std::abs(C.Bytes.total())) * 2;
    };
    for (const BytesChange &C : Call.Inputs)
      Offload(C);
    for (const Residual &R : Call.Residuals)
      for (const BytesChange &C : R.Freed)
        if (R.Input && C.Bytes.total() < -static_cast<int64_t>(R.Bytes))
          Offload({C.Range, -C.Bytes});
  }
  if (Effect.Changes.empty() || !L.Scanned || L.Count < 3)
    return std::nullopt;
  return Effect;
}

void hlobuf::groupResiduals(const FitContext &Ctx, Layer &L) {
  std::map<std::pair<std::string, std::string>, size_t> Known;
  for (uint32_t C = 0; C != L.Calls.size(); ++C)
    for (uint32_t I = 0; I != L.Calls[C].Residuals.size(); ++I) {
      const Residual &R = L.Calls[C].Residuals[I];
      if (R.Input || Ctx.Operations[R.Producer] == 0)
        continue;
      auto Key = std::pair(Ctx.source(R.Producer),
                           lastScope(Ctx.opName(R.Producer)).str());
      auto [Entry, New] = Known.try_emplace(Key, L.Groups.size());
      if (New) {
        SaveGroup &G = L.Groups.emplace_back();
        std::tie(G.Source, G.Operation) = Key;
        std::vector<SourceFrame> Frames = Ctx.frames(R.Producer);
        G.Function = Frames.empty() ? "" : Frames.front().Function;
      }
      L.Groups[Entry->second].Bytes += freedBytes(R);
      L.Groups[Entry->second].Members.push_back({C, I});
    }
}
