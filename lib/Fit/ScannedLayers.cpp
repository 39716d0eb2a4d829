// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan keeps a residual of its body in a stack: loop state of the forward
// loop into which each trip writes its own with dynamic-update-slice, and from
// which the loop of the backward pass reads with dynamic-slice
// (jax/_src/lax/control_flow/loops.py, _scan_partial_eval, 2020 on).

#include "Fit/Layers.h"
#include "Memory/Waste.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
/// Finds the layer that one loop of the forward pass is.
struct ScanFinder {
  std::optional<Layer> find();

  void addStack(uint32_t Ordinal);
  bool addReaders(HloValueId Stack, Residual &R);
  void findInputs();
  void name(Layer &L) const;

  const FitContext &Ctx;
  HloId While;
  const Program &P = Ctx.P;
  ComputationId Body = P.callee(While, CallRole::Body);
  LayerCall Call = {};
  uint64_t Trips = 0;
  /// Alias sets of stacks.
  DenseSet<uint32_t> Stacks{};
  /// The loop of the backward pass.
  ComputationId Reading = {};
};
} // namespace

/// A stack is written in each trip, and read by nothing else of it. Its first
/// dimension are the trips.
void ScanFinder::addStack(uint32_t Ordinal) {
  HloValueId In = Ctx.Flow.at(P.parameter(Body, 0), Ordinal);
  HloValueId V = Ctx.Flow.at(P.root(Body), Ordinal);
  const FitBuffer *B = V && !Ctx.Flow[V].Phi ? Ctx.buffer(V) : nullptr;
  if (!In || !B || B->Live.empty())
    return;
  bool Writes = false;
  bool Reads = false;
  for (auto [Step, User] : Ctx.readers(In))
    if (User == Ctx.Flow[V].Definition)
      Writes = true;
    else if (P[User].Parent == Body && !isControlFlow(P[User].Op) &&
             !accessesNoMemory(P[User].Op))
      Reads = true;
  if (!Writes || Reads)
    return;
  ShapeId Shape = Ctx.D[Ctx.Module.lineOf(V)].Shape;
  if (!Shape || Ctx.D.Shapes[Shape].Dimensions.empty())
    return;
  auto Count =
      static_cast<uint64_t>(Ctx.D.Shapes[Shape].Dimensions.front().Size);
  Residual R;
  if (Count < 2 || !addReaders(V, R) || R.LastRead < 0)
    return;
  R.Bytes = SplitBytes::of(B->Bytes / Count, B->Scales);
  for (StepRange Range : B->Live)
    R.Freed.push_back({Range, -B->split()});
  Stacks.insert(Ctx.Aliases.group(V).index());
  Trips = std::max(Trips, Count);
  Call.Residuals.push_back(std::move(R));
}

/// Adds who reads \p Stack. False if something else than the backward pass
/// does: it is a result.
bool ScanFinder::addReaders(HloValueId Stack, Residual &R) {
  int32_t Done = Ctx.step(While);
  for (HloValueId V : Ctx.Members[Stack]) {
    for (auto [Step, User] : Ctx.readers(V)) {
      ComputationId Parent = P[User].Parent;
      if (Step <= Done || Parent == Body || isControlFlow(P[User].Op) ||
          accessesNoMemory(P[User].Op))
        continue;
      if (Step < Ctx.turn())
        return false;
      R.LastRead = std::max(R.LastRead, Step);
      if (Parent != P[While].Parent && !Reading)
        Reading = Parent;
    }
  }
  return true;
}

/// What each trip gets from the one before is what the body is given. It is
/// kept when the rest is computed again.
void ScanFinder::findInputs() {
  HloId Parameter = P.parameter(Body, 0);
  HloId Root = P.root(Body);
  StepRange Kept{Ctx.step(While), 0};
  for (const Residual &R : Call.Residuals)
    Kept.End = std::max(Kept.End, R.LastRead);
  uint32_t Parts = Parameter && Root ? P.trees().parts(P[Parameter].Shape) : 0;
  for (uint32_t Ordinal = 1; Ordinal < Parts; ++Ordinal) {
    HloValueId In = Ctx.Flow.at(Parameter, Ordinal);
    HloValueId Out = Ctx.Flow.at(Root, Ordinal);
    // It may be in another memory space; the stack of all of them is not.
    ValueId Line = In ? Ctx.Module.lineOf(In) : ValueId();
    if (!Line || !Out || In == Out || Ctx.D[Line].Size < MinWaste ||
        Stacks.contains(Ctx.Aliases.group(In).index()))
      continue;
    bool Scales = Ctx.D[Line].Shape && Ctx.Batch.scales(Ctx.D[Line].Shape);
    Call.Inputs.push_back(
        {Kept, SplitBytes::of(Ctx.D[Line].Size * Trips, Scales)});
  }
}

/// The body is what the line of the scan calls.
void ScanFinder::name(Layer &L) const {
  std::vector<SourceFrame> Scan = Ctx.userCalls(While);
  L.Source = Scan.empty()
                 ? Ctx.source(While)
                 : Scan.front().File + ":" + std::to_string(Scan.front().Line);
  for (HloId Id : Call.Order) {
    std::vector<SourceFrame> Frames = Ctx.userCalls(Id);
    // Where it is traced again, the line of the scan is there again, further
    // out.
    auto ScanFrame =
        Scan.empty() ? Frames.end() : llvm::find(Frames, Scan.front());
    if (ScanFrame == Frames.end() || ScanFrame == Frames.begin())
      continue;
    L.Function = std::prev(ScanFrame)->Function;
    return;
  }
}

std::optional<Layer> ScanFinder::find() {
  if (!Body || !P.parameter(Body, 0) || !P.root(Body) || Ctx.step(While) < 0 ||
      Ctx.step(While) >= Ctx.turn())
    return std::nullopt;
  Call.Order = Ctx.order(Body);
  for (uint32_t I = 1, E = P.trees().parts(P[P.root(Body)].Shape); I < E; ++I)
    addStack(I);
  if (Call.Residuals.empty() || !Reading)
    return std::nullopt;
  findInputs();
  Call.Anchor = Ctx.Memory.steps();
  for (HloId Id : P.order(Reading))
    if (int32_t Step = Ctx.step(Id); Step >= 0)
      Call.Anchor = std::min(Call.Anchor, Step);
  Layer L;
  L.Scanned = true;
  L.Count = Trips;
  for (ComputationId Loop : {Body, Reading})
    for (HloId Id : P.order(Loop))
      L.TripProducts += Ctx.products(Id);
  name(L);
  L.Calls.push_back(std::move(Call));
  return L;
}

std::vector<Layer> hlobuf::findScannedLayers(const FitContext &Ctx) {
  std::vector<Layer> Layers;
  for (HloId I : ids<HloId>(Ctx.P.size()))
    if (HloId Id(I); Ctx.P[Id].Op == Opcode::While && Ctx.P.hasBuffers(Id))
      if (std::optional<Layer> L = ScanFinder{Ctx, Id}.find())
        Layers.push_back(std::move(*L));
  return Layers;
}
