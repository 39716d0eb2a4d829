// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/FitPlan.h"

using namespace hlobuf;

namespace {
/// Tries changes together.
class PlanSearch {
public:
  PlanSearch(const FitContext &Ctx, FitPlan &Plan);

  void run();

private:
  /// A choice of changes.
  struct Choice {
    std::vector<FitChange> Changes;
    uint64_t Predicted = 0;
    double Flops = 0;
    uint64_t Moved = 0;
  };
  Choice measure(std::vector<FitChange> Changes) const;
  uint64_t savedBy(const FitChange &Change) const;
  std::vector<FitChange> donation() const;
  void addCandidates();
  bool fits(const Choice &C) const { return C.Predicted <= Limit; }
  bool isBetter(const Choice &X, const Choice &Than) const;
  void consider(Choice C);
  void keepMore(const std::vector<FitChange> &Always,
                llvm::ArrayRef<size_t> Used);
  std::vector<std::vector<size_t>> layerSets() const;
  void noteWhyNone();
  bool isOffered(size_t L) const;
  FitChange recompute(size_t L) const;

  const FitContext &Ctx;
  FitPlan &Plan;
  StepBytes Unchanged;
  uint64_t Limit;
  std::vector<Layer> Layers;
  size_t NumScanned = 0;
  /// Why no function that is called is among Layers.
  std::string WhyNoneCalled;
  std::optional<FitChange> Donation;
  std::vector<FitChange> Batches;
  /// Scans send what their bodies are given to the host.
  bool Offloads = false;
  std::optional<Choice> Best;
};
} // namespace

PlanSearch::PlanSearch(const FitContext &Ctx, FitPlan &Plan)
    : Ctx(Ctx), Plan(Plan),
      Unchanged(Ctx.Main, Ctx.Memory.steps(), Ctx.scalingBytes()),
      Limit(Plan.Capacity - Plan.Capacity * FitErrorPercent / 200),
      Layers(findScannedLayers(Ctx)), NumScanned(Layers.size()),
      Donation(findDonation(Ctx)), Batches(findBatches(Ctx)) {
  CalledLayers Called = findCalledLayers(Ctx);
  llvm::append_range(Layers, Called.Layers);
  WhyNoneCalled = Called.WhyNone;
}

PlanSearch::Choice PlanSearch::measure(std::vector<FitChange> Changes) const {
  Choice C;
  StepBytes Bytes = Unchanged;
  unsigned Divisor = 1;
  for (const FitChange &Change : Changes) {
    Bytes.apply(Change.Effect);
    Divisor *= Change.Divisor;
    C.Flops += Change.Effect.Flops;
    C.Moved += Change.Effect.MovedBytes;
  }
  C.Predicted = Bytes.peak(Divisor);
  C.Changes = std::move(Changes);
  return C;
}

std::vector<FitChange> PlanSearch::donation() const {
  return Donation ? std::vector{*Donation} : std::vector<FitChange>();
}

/// Others are tried with the donation, which costs nothing: what is in the
/// memory of results is part of the peak only then.
uint64_t PlanSearch::savedBy(const FitChange &Change) const {
  bool First = Change.Kind == FitKind::Donate;
  std::vector<FitChange> All = First ? std::vector<FitChange>() : donation();
  uint64_t Before = measure(All).Predicted;
  All.push_back(Change);
  return Before - std::min(Before, measure(std::move(All)).Predicted);
}

bool PlanSearch::isOffered(size_t L) const {
  return Layers[L].hasResiduals() || (Offloads && offloadInputs(Layers[L]));
}

FitChange PlanSearch::recompute(size_t L) const {
  return makeRecompute(Ctx, Layers[L],
                       std::vector<bool>(Layers[L].Groups.size()), Offloads);
}

void PlanSearch::addCandidates() {
  if (Donation)
    Plan.Candidates.push_back(*Donation);
  for (bool Away : {false, true}) {
    Offloads = Away;
    for (size_t L = 0; L != Layers.size(); ++L)
      if (Away ? offloadInputs(Layers[L]).has_value() : isOffered(L))
        Plan.Candidates.push_back(recompute(L));
  }
  Offloads = false;
  llvm::append_range(Plan.Candidates, findNarrowing(Ctx));
  if (!Batches.empty())
    Plan.Candidates.push_back(Batches.front());
  for (FitChange &C : Plan.Candidates)
    C.Saved = savedBy(C);
  llvm::erase_if(Plan.Candidates,
                 [](const FitChange &C) { return C.Saved == 0; });
  llvm::stable_sort(
      Plan.Candidates,
      [](const FitChange &X, const FitChange &Y) { return X.Saved > Y.Saved; });
}

void PlanSearch::noteWhyNone() {
  bool Offered = llvm::any_of(
      Plan.Candidates, [](const FitChange &C) { return C.isRecompute(); });
  if (Offered || !Ctx.hasBackward() || !Ctx.namesFunctions())
    return;
  Plan.Notes.push_back(
      "nothing to compute again: " +
      (Layers.empty() ? WhyNoneCalled
                      : "doing so holds as much at the peak as what is kept"));
}

/// What fits is better than what does not; then what costs less.
bool PlanSearch::isBetter(const Choice &X, const Choice &Than) const {
  if (fits(X) != fits(Than))
    return fits(X);
  // One more change is worth one percent of the bytes.
  auto Bytes = [](const Choice &C) {
    return static_cast<double>(C.Predicted) *
           (100 + static_cast<double>(C.Changes.size()));
  };
  if (!fits(X))
    return Bytes(X) < Bytes(Than);
  // One more change is worth one percent of the operations.
  auto Cost = [&](const Choice &C) {
    return 100 * C.Flops / std::max(Plan.Flops, 1.0) +
           static_cast<double>(C.Changes.size());
  };
  return std::tuple(X.Moved, Cost(X), X.Predicted) <
         std::tuple(Than.Moved, Cost(Than), Than.Predicted);
}

void PlanSearch::consider(Choice C) {
  if (!Best || isBetter(C, *Best))
    Best = std::move(C);
}

/// All scans and at most one function whose calls are not scanned: others are
/// inside of it, or it of them.
std::vector<std::vector<size_t>> PlanSearch::layerSets() const {
  std::vector<std::vector<size_t>> Sets = {{}};
  for (size_t L = 0; L != std::min<size_t>(NumScanned, 4); ++L)
    if (isOffered(L))
      for (size_t I = 0, E = Sets.size(); I != E; ++I) {
        Sets.push_back(Sets[I]);
        Sets.back().push_back(L);
      }
  for (size_t I = 0, E = Sets.size(); I != E; ++I)
    for (size_t L = NumScanned; L != std::min(Layers.size(), NumScanned + 12);
         ++L) {
      Sets.push_back(Sets[I]);
      Sets.back().push_back(L);
    }
  return Sets;
}

/// Keeps what costs the most operations for its bytes, as long as it fits.
void PlanSearch::keepMore(const std::vector<FitChange> &Always,
                          llvm::ArrayRef<size_t> Used) {
  std::vector<std::vector<bool>> Saved;
  for (size_t L : Used)
    Saved.emplace_back(Layers[L].Groups.size());
  auto Make = [&] {
    std::vector<FitChange> All = Always;
    for (size_t I = 0; I != Used.size(); ++I)
      All.push_back(makeRecompute(Ctx, Layers[Used[I]], Saved[I], Offloads));
    return measure(std::move(All));
  };
  Choice Current = Make();
  consider(Current);
  if (!fits(Current))
    return;
  for (bool Changed = true; Changed;) {
    Changed = false;
    double BestGain = 0;
    std::pair<size_t, size_t> BestAt;
    Choice BestChoice;
    for (size_t I = 0; I != Used.size(); ++I)
      for (size_t G = 0; G != Saved[I].size(); ++G) {
        if (Saved[I][G])
          continue;
        Saved[I][G] = true;
        Choice C = Make();
        Saved[I][G] = false;
        double Gain = (Current.Flops - C.Flops) /
                      static_cast<double>(1 + Layers[Used[I]].Groups[G].Bytes);
        if (!fits(C) || Gain <= BestGain)
          continue;
        BestGain = Gain;
        BestAt = {I, G};
        BestChoice = std::move(C);
        Changed = true;
      }
    if (Changed) {
      Saved[BestAt.first][BestAt.second] = true;
      Current = BestChoice;
      consider(std::move(BestChoice));
    }
  }
}

void PlanSearch::run() {
  Plan.Flops = 0;
  for (HloId Id : Ctx.P.order(Ctx.P.module().Entry))
    Plan.Flops += Ctx.Operations[Id];
  // One trip of each loop is counted already.
  for (const Layer &L : Layers)
    Plan.Flops += L.TripFlops * static_cast<double>(L.Count - 1);
  if (Donation && savedBy(*Donation) == 0)
    Donation.reset();
  addCandidates();
  noteWhyNone();
  auto TryLayers = [&](const std::vector<FitChange> &Always) {
    for (const std::vector<size_t> &Set : layerSets())
      keepMore(Always, Set);
  };
  TryLayers(donation());
  for (const FitChange &Batch : Batches) {
    if (fits(*Best))
      break;
    std::vector<FitChange> Smaller = donation();
    Smaller.push_back(Batch);
    TryLayers(Smaller);
  }
  if (!fits(*Best)) {
    Offloads = true;
    TryLayers(donation());
  }
  Plan.Changes = Best->Changes;
  Plan.Predicted = Best->Predicted;
  for (FitChange &C : Plan.Changes)
    C.Saved = savedBy(C);
}

/// What the dump does not tell.
static void addNotes(const FitContext &Ctx, FitPlan &Plan) {
  if (!Ctx.hasBackward())
    Plan.Notes.push_back("nothing to compute again: no operation is of a "
                         "backward pass, as far as op_name says");
  else if (!Ctx.namesFunctions())
    Plan.Notes.push_back("only scans are computed again: the module does not "
                         "name functions, which older XLA leaves out");
  if (!Ctx.Batch.size())
    Plan.Notes.push_back(
        "no smaller batch: no argument looks like rows of data");
}

FitPlan hlobuf::findPlan(const MemoryUse &Memory, const ModuleAnalysis &Module,
                         const SpaceUse &Main, uint64_t Capacity) {
  FitContext Ctx(Memory, Module, Main);
  FitPlan Plan;
  Plan.Space = Main.Name;
  Plan.Capacity = Capacity;
  Plan.Allocated = Main.Allocated;
  Plan.Peak = Main.Peak;
  Plan.Predicted = Main.Peak;
  Plan.From = Ctx.Names.frontend();
  if (HloId AtPeak = Module.schedule().sequence()[Main.PeakStep];
      AtPeak && Ctx.P[AtPeak].Name)
    Plan.PeakText = Ctx.Names.ofInstruction(Ctx.P[AtPeak].Name).text();
  addNotes(Ctx, Plan);
  PlanSearch(Ctx, Plan).run();
  return Plan;
}
