// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What would make a program fit.

#ifndef HLOBUF_FIT_FITPLAN_H
#define HLOBUF_FIT_FITPLAN_H

#include "Fit/Layers.h"

namespace hlobuf {

/// What a change does.
enum class FitKind : uint8_t {
  /// The caller gives the memory of arguments away.
  Donate,
  /// Residuals of a function are computed again.
  Recompute,
  /// The batch is divided.
  Batch,
};

/// `donate`, `recompute`, `batch`.
StringRef kindName(FitKind Kind);

/// One change.
struct FitChange {
  FitKind Kind = FitKind::Donate;
  /// Arguments to donate, as the program calls them; functions and values for
  /// others, at most one.
  std::vector<std::string> Names;
  /// `train.py:12`; empty if it is not known.
  std::string Source;
  /// The function is the body of a scan; calls or trips.
  bool Scanned = false;
  uint64_t Count = 1;
  /// What to write into the program.
  std::string Paste;
  /// Of Batch: the rows now, and by what they are divided.
  int64_t Rows = 0;
  unsigned Divisor = 1;
  FitEffect Effect;
  /// Bytes by which the peak falls: in a plan after the changes before it, else
  /// next to the donation.
  uint64_t Saved = 0;
};

/// How much more than predicted recompiled programs took at most, in percent of
/// the prediction; docs/fit.md has the measurement.
unsigned errorPercent(const FitChange &C);

/// What would make a program fit, as plain data. All sizes in bytes of the main
/// memory space, as placed.
struct FitPlan {
  std::string Module;
  /// As spaceName() spells it.
  std::string Space;
  uint64_t Capacity = 0;
  uint64_t Allocated = 0;
  uint64_t Peak = 0;
  /// What runs at the peak, as ValueName::text() has it.
  std::string PeakText;
  Frontend From = Frontend::Unknown;
  /// One checkpoint is around all layers.
  bool OneCheckpoint = false;
  /// What cannot be offered and why, a clause each.
  std::vector<std::string> Notes;
  /// The most saved bytes first.
  std::vector<FitChange> Candidates;
  /// In the order in which they matter; the best that is known where it does
  /// not fit.
  std::vector<FitChange> Changes;
  /// The peak with all of Changes.
  uint64_t Predicted = 0;
  /// Products of matrices and convolutions in one run.
  uint64_t Products = 0;

  /// That of the change of the plan that is known least.
  unsigned errorPercent() const {
    return largestOf(
        Changes, [](const FitChange &C) { return hlobuf::errorPercent(C); });
  }
  bool donates() const {
    return !Changes.empty() && Changes.front().Kind == FitKind::Donate;
  }
  bool fitsNow() const { return Allocated <= Capacity; }
  bool fits() const { return Predicted <= Capacity; }
};

/// Looks for the cheapest changes after which \p Memory takes at most
/// \p Capacity bytes. \p Module must be timed, without an obstacle.
FitPlan findPlan(const MemoryUse &Memory, const ModuleAnalysis &Module,
                 const SpaceUse &Main, uint64_t Capacity);

/// For people: how much is missing, the plan with what to paste, and at most
/// \p Top other changes; 0 for all.
void printPlan(const FitPlan &Plan, size_t Top, raw_ostream &OS);

/// All of it as one JSON object.
void writePlan(const FitPlan &Plan, llvm::json::OStream &J);

} // namespace hlobuf

#endif // HLOBUF_FIT_FITPLAN_H
