// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/FitPlan.h"
#include "Memory/Waste.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace hlobuf;

StringRef hlobuf::kindName(FitKind Kind) {
  static constexpr StringRef Names[] = {"donate", "recompute", "batch"};
  return Names[static_cast<size_t>(Kind)];
}

static bool isRecompute(const FitChange &C) {
  return C.Kind == FitKind::Recompute;
}

/// What a plan with \p C leaves free, in percent of the prediction.
static unsigned marginOf(const FitChange &C) {
  return isRecompute(C) && !C.Scanned ? 15 : 5;
}

unsigned hlobuf::errorPercent(const FitChange &C) {
  if (C.Kind == FitKind::Donate)
    return 5;
  return C.Scanned ? 10 : 20;
}

/// Donation of all arguments that results can take the memory of; nothing if
/// there is none.
static std::optional<FitChange> findDonation(const FitContext &Ctx) {
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

/// Nobody wants more steps for one.
static constexpr int64_t MostBatches = 64;

/// Smaller batches: half, a quarter, and so on.
static std::vector<FitChange> findBatches(const FitContext &Ctx) {
  std::vector<FitChange> Changes;
  std::optional<int64_t> Rows = Ctx.Batch.size();
  for (int64_t N = 2; Rows && N <= *Rows && N <= MostBatches; N *= 2) {
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

/// The line after the definition of \p L's function that makes it be computed
/// again; empty if none was tried that does.
static std::string pasteOf(const FitContext &Ctx, const Layer &L) {
  auto [Scope, Last] = StringRef(L.Function).rsplit('.');
  LayerLibrary Library = libraryOf(Ctx.D.file(FileRole::Module).Text);
  if (Last.empty() || Scope.ends_with("<locals>")) {
    StringRef Name = Last.empty() ? Scope : Last;
    // jax.checkpoint() does not know modules.
    return Name.empty() || Name.ends_with(">") || Library != LayerLibrary::None
               ? ""
               : fmt::format("{0} = jax.checkpoint({0})", Name);
  }
  StringRef Class = Scope.contains('.') ? Scope.rsplit('.').second : Scope;
  switch (Library) {
  case LayerLibrary::Linen:
    return Last == "__call__" ? fmt::format("{0} = nn.remat({0})", Class) : "";
  case LayerLibrary::Nnx:
    return fmt::format("{0}.{1} = nnx.remat({0}.{1})", Class, Last);
  case LayerLibrary::Keras:
    return L.Modules.empty()
               ? ""
               : fmt::format("with keras.RematScope(mode='list_of_layers', "
                             "layer_names=['{}']):",
                             llvm::join(L.Modules, "', '"));
  case LayerLibrary::None:
    break;
  }
  return "";
}

/// The change that recomputes \p L.
static FitChange makeRecompute(const FitContext &Ctx, const Layer &L) {
  FitChange C;
  C.Kind = FitKind::Recompute;
  if (!L.Function.empty())
    C.Names = {L.Function};
  C.Source = L.Source;
  C.Scanned = L.Scanned;
  C.Count = L.Count;
  C.Paste = pasteOf(Ctx, L);
  C.Effect = recomputeLayer(Ctx, L);
  return C;
}

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
    uint64_t Products = 0;
    unsigned Margin = 0;
  };
  Choice measure(std::vector<FitChange> Changes) const;
  uint64_t savedBy(const FitChange &Change) const;
  uint64_t threshold() const;
  std::vector<FitChange> donation() const;
  void addRecompute(FitChange C);
  void addCandidates();
  /// With what the allocations need above the peak, and what the prediction may
  /// be off.
  bool fits(const Choice &C) const {
    double Needed = double(C.Predicted) * double(Plan.Allocated) /
                    double(std::max<uint64_t>(Plan.Peak, 1));
    return Needed * (100 + C.Margin) <= double(Plan.Capacity) * 100;
  }
  bool isBetter(const Choice &X, const Choice &Than) const;
  void consider(Choice C);
  void tryLayers(std::vector<FitChange> All);

  FitPlan &Plan;
  StepBytes Unchanged;
  /// One that recomputes each layer, those of scans first.
  std::vector<FitChange> Recomputes;
  size_t NumScanned = 0;
  std::optional<FitChange> Donation;
  std::vector<FitChange> Batches;
  std::optional<Choice> Best;
};
} // namespace

PlanSearch::PlanSearch(const FitContext &Ctx, FitPlan &Plan)
    : Plan(Plan), Unchanged(Ctx.Main, Ctx.Memory.steps(), Ctx.scalingBytes()),
      Donation(findDonation(Ctx)), Batches(findBatches(Ctx)) {
  Unchanged.apply(Ctx.keptEffect().Changes);
  if (Donation && savedBy(*Donation) < threshold())
    Donation.reset();
  for (HloId Id : Ctx.P.order(Ctx.P.module().Entry))
    Plan.Products += Ctx.products(Id);
  std::vector<Layer> Layers = findScannedLayers(Ctx);
  // One trip of each loop is counted already.
  for (const Layer &L : Layers)
    Plan.Products += L.TripProducts * (L.Count - 1);
  for (const Layer &L : Layers)
    addRecompute(makeRecompute(Ctx, L));
  NumScanned = Recomputes.size();
  for (const Layer &L : findCalledLayers(Ctx))
    addRecompute(makeRecompute(Ctx, L));
}

void PlanSearch::addRecompute(FitChange C) {
  if (!C.Paste.empty() && savedBy(C) >= threshold())
    Recomputes.push_back(std::move(C));
}

PlanSearch::Choice PlanSearch::measure(std::vector<FitChange> Changes) const {
  Choice C;
  StepBytes Bytes = Unchanged;
  unsigned Divisor = 1;
  bool Again = false;
  for (const FitChange &Change : Changes) {
    Bytes.apply(Change.Effect.Changes);
    if (!std::exchange(Again, Again || isRecompute(Change)))
      Bytes.apply(Change.Effect.Earlier);
    Divisor *= Change.Divisor;
    C.Products += Change.Effect.Products;
    C.Margin = std::max(C.Margin, marginOf(Change));
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

/// Less is not worth a change.
uint64_t PlanSearch::threshold() const {
  uint64_t Missing = Plan.Allocated - std::min(Plan.Allocated, Plan.Capacity);
  return Missing / WasteShare + 1;
}

void PlanSearch::addCandidates() {
  if (Donation)
    Plan.Candidates.push_back(*Donation);
  llvm::append_range(Plan.Candidates, Recomputes);
  if (!Batches.empty())
    Plan.Candidates.push_back(Batches.front());
  for (FitChange &C : Plan.Candidates)
    C.Saved = savedBy(C);
  llvm::erase_if(Plan.Candidates,
                 [&](const FitChange &C) { return C.Saved < threshold(); });
  std::ranges::stable_sort(Plan.Candidates, std::greater(), &FitChange::Saved);
}

/// What fits is better than what does not; then what costs less.
bool PlanSearch::isBetter(const Choice &X, const Choice &Than) const {
  if (fits(X) != fits(Than))
    return fits(X);
  if (!fits(X))
    return X.Predicted < Than.Predicted;
  // One more change is worth one percent of the products.
  auto Cost = [&](const Choice &C) {
    return 100 * C.Products / std::max<uint64_t>(Plan.Products, 1) +
           C.Changes.size();
  };
  return std::pair(Cost(X), X.Predicted) <
         std::pair(Cost(Than), Than.Predicted);
}

void PlanSearch::consider(Choice C) {
  if (!Best || isBetter(C, *Best))
    Best = std::move(C);
}

/// \p All, each layer with them, and the same with all scans: of functions that
/// are not scanned one is inside of the other.
void PlanSearch::tryLayers(std::vector<FitChange> All) {
  for (bool WithScans : {false, true}) {
    if (WithScans)
      All.insert(All.end(), Recomputes.begin(),
                 Recomputes.begin() + NumScanned);
    consider(measure(All));
    for (size_t L = WithScans ? NumScanned : 0; L != Recomputes.size(); ++L) {
      All.push_back(Recomputes[L]);
      consider(measure(All));
      All.pop_back();
    }
  }
}

void PlanSearch::run() {
  addCandidates();
  tryLayers(donation());
  for (const FitChange &Batch : Batches) {
    if (fits(*Best))
      break;
    std::vector<FitChange> Smaller = donation();
    Smaller.push_back(Batch);
    tryLayers(std::move(Smaller));
  }
  Plan.Predicted = Best->Predicted;
  uint64_t Before = measure({}).Predicted;
  for (FitChange &C : Best->Changes) {
    Plan.Changes.push_back(C);
    uint64_t After = std::min(Before, measure(Plan.Changes).Predicted);
    Plan.Changes.back().Saved = Before - After;
    Before = After;
  }
}

/// What the dump does not tell; \p Recomputes if it has something to compute
/// again.
static void addNotes(const FitContext &Ctx, bool Recomputes, FitPlan &Plan) {
  if (!Ctx.hasBackward())
    Plan.Notes.push_back("nothing to compute again: no operation is of a "
                         "backward pass, as far as op_name says");
  else if (!Ctx.D.file(FileRole::Module).Text.contains(" function_name_id="))
    Plan.Notes.push_back("only scans are computed again: the module does not "
                         "name functions, which older XLA leaves out");
  else if (!Recomputes)
    Plan.Notes.push_back("nothing to compute again: nothing with a name keeps "
                         "more for the backward pass than it then holds");
  if (!Ctx.Batch.size())
    Plan.Notes.push_back(
        "no smaller batch: no argument looks like rows of data");
  if (!Ctx.keptEffect().Changes.empty())
    Plan.Notes.push_back(
        "what the compiler computes again on its own, to fit, is "
        "predicted as if it did not: nobody knows how much of "
        "it a changed program has");
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
  Plan.OneCheckpoint = Ctx.isOneCheckpoint();
  if (HloId AtPeak = Module.schedule().sequence()[Main.PeakStep];
      AtPeak && Ctx.P[AtPeak].Name)
    Plan.PeakText = Ctx.Names.ofInstruction(Ctx.P[AtPeak].Name).text();
  PlanSearch(Ctx, Plan).run();
  addNotes(Ctx, llvm::any_of(Plan.Candidates, isRecompute), Plan);
  return Plan;
}
