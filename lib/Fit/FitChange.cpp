// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/FitChange.h"
#include <set>

using namespace hlobuf;
using llvm::StringRef;

StringRef hlobuf::kindName(FitKind Kind) {
  static constexpr StringRef Names[] = {"donate", "recompute", "batch"};
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

FitChange hlobuf::makeRecompute(const FitContext &Ctx, const Layer &L) {
  FitChange C;
  C.Kind = FitKind::Recompute;
  if (!L.Function.empty())
    C.Names = {L.Function};
  C.Source = L.Source;
  C.Scanned = L.Scanned;
  C.Count = L.Count;
  C.Effect = recomputeLayer(Ctx, L);
  return C;
}
