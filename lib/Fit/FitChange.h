// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a program that take less memory.

#ifndef HLOBUF_FIT_FITCHANGE_H
#define HLOBUF_FIT_FITCHANGE_H

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
llvm::StringRef kindName(FitKind Kind);

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
  /// Of Batch: the rows now, and by what they are divided.
  int64_t Rows = 0;
  unsigned Divisor = 1;
  FitEffect Effect;
  /// Bytes by which the peak falls with this change alone; of others than the
  /// donation next to it.
  uint64_t Saved = 0;
};

/// Donation of all arguments that results can take the memory of; nothing if
/// there is none.
std::optional<FitChange> findDonation(const FitContext &Ctx);

/// Smaller batches: half, a quarter, and so on.
std::vector<FitChange> findBatches(const FitContext &Ctx);

/// The change that recomputes \p L.
FitChange makeRecompute(const FitContext &Ctx, const Layer &L);

} // namespace hlobuf

#endif // HLOBUF_FIT_FITCHANGE_H
