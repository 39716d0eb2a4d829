// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/FitChange.h"
#include <map>
#include <set>

using namespace hlobuf;
using llvm::StringRef;

StringRef hlobuf::kindName(FitKind Kind) {
  static constexpr StringRef Names[] = {"donate", "recompute", "offload",
                                        "narrow", "batch"};
  return Names[static_cast<size_t>(Kind)];
}

std::optional<FitChange> hlobuf::findDonation(const FitContext &Ctx) {
  if (Ctx.donations().empty())
    return std::nullopt;
  FitChange Change;
  Change.Kind = FitKind::Donate;
  std::set<std::string> Trees;
  for (const FitDonation &Donation : Ctx.donations()) {
    // The allocation of the result goes away.
    bool Scales =
        Ctx.Batch.scales(Ctx.D[Ctx.Module.lineOf(Donation.Result)].Shape);
    Change.Effect.add({0, Ctx.Memory.steps()},
                      -SplitBytes::of(Ctx.D[Donation.Owner].Size, Scales));
    Trees.insert(Donation.Tree);
  }
  for (const FitBuffer &B : Ctx.buffers())
    for (StepRange R : B.Live)
      if (B.Tenant)
        Change.Effect.add(R, B.split());
  Change.Names.assign(Trees.begin(), Trees.end());
  return Change;
}

std::vector<FitChange> hlobuf::findNarrowing(const FitContext &Ctx) {
  std::map<std::string, FitChange> BySource;
  for (const FitBuffer &B : Ctx.buffers()) {
    const Value &First = Ctx.D[B.First];
    HloId Id = Ctx.P.find(First.Tag.Name);
    bool AtPeak = llvm::any_of(
        B.Live, [&](StepRange R) { return R.contains(Ctx.Main.PeakStep); });
    if (!AtPeak || B.Tenant || !Id || !First.Shape ||
        B.Bytes < Ctx.Main.Peak / WasteShare ||
        Ctx.D.Shapes[First.Shape].Element != "f32" ||
        !StringRef(Ctx.opName(Id)).ends_with("/convert_element_type"))
      continue;
    std::string Source = Ctx.source(Id);
    if (Source.empty())
      continue;
    FitChange &C = BySource[Source];
    C.Kind = FitKind::Narrow;
    C.Source = Source;
    SplitBytes Half = -B.split();
    Half.Fixed /= 2;
    Half.Scaling /= 2;
    for (StepRange R : B.Live)
      C.Effect.add(R, Half);
  }
  std::vector<FitChange> Out;
  for (auto &[Source, C] : BySource)
    Out.push_back(std::move(C));
  return Out;
}

std::vector<FitChange> hlobuf::findBatches(const FitContext &Ctx) {
  std::vector<FitChange> Changes;
  std::optional<int64_t> Rows = Ctx.Batch.size();
  for (int64_t N = 2; Rows && N <= *Rows && N <= 1024; N *= 2) {
    if (*Rows % N != 0)
      break;
    FitChange C;
    C.Kind = FitKind::Batch;
    C.Names = {Ctx.Batch.argument().str()};
    C.Rows = *Rows;
    C.Divisor = static_cast<unsigned>(N);
    Changes.push_back(std::move(C));
  }
  return Changes;
}

/// `block` of `Model.block`, `kept` if it has no name.
static StringRef lastPart(StringRef Function) {
  StringRef Last = Function.rsplit('.').second;
  if (Last.empty())
    Last = Function;
  return Last.empty() ? StringRef("kept") : Last;
}

/// A name for what \p G keeps: `mlp_59`.
static std::string nameOf(const SaveGroup &G) {
  StringRef Line = StringRef(G.Source).rsplit(':').second;
  return (lastPart(G.Function) + "_" + Line).str();
}

FitChange hlobuf::makeRecompute(const FitContext &Ctx, const Layer &L,
                                const std::vector<bool> &Saved, bool Offloads) {
  FitChange C;
  C.Kind = FitKind::Recompute;
  if (!L.Function.empty())
    C.Names = {L.Function};
  C.KerasLayers = L.KerasLayers;
  C.Source = L.Source;
  C.Scanned = L.Scanned;
  C.Count = L.Count;
  std::set<std::string> UsedNames;
  for (size_t I = 0; I != L.Groups.size(); ++I) {
    // A policy knows names only: of lines in two files, each needs its own.
    const SaveGroup &G = L.Groups[I];
    std::string Name = nameOf(G);
    for (unsigned N = 2; !UsedNames.insert(Name).second; ++N)
      Name = nameOf(G) + "_" + std::to_string(N);
    if (Saved[I])
      C.SavedNames.push_back({Name, G.Operation, G.Source});
  }
  C.Effect = recomputeLayer(Ctx, L, Saved);
  std::optional<FitEffect> Away = offloadInputs(L);
  if (Offloads && Away) {
    C.Kind = FitKind::Offload;
    C.InputName = (lastPart(L.Function) + "_given").str();
    C.Effect.add(*Away);
  }
  return C;
}
