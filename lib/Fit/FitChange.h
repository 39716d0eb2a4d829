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
  /// The same, and what the function is given waits in the memory of the host.
  Offload,
  /// A value is kept in half as many bits.
  Narrow,
  /// The batch is divided.
  Batch,
};

/// `donate`, `recompute`, `offload`, `narrow`, `batch`.
llvm::StringRef kindName(FitKind Kind);

/// A residual that a policy keeps: a name for it, and where it is computed.
struct SavedName {
  std::string Name;
  std::string Operation;
  std::string Source;
};

/// One change.
struct FitChange {
  FitKind Kind = FitKind::Donate;
  /// Arguments to donate, as the program calls them; functions and values for
  /// others, at most one.
  std::vector<std::string> Names;
  /// Of Recompute: the names of Keras layers whose call() the function is.
  std::vector<std::string> KerasLayers;
  /// `train.py:12`; empty if it is not known.
  std::string Source;
  /// The function is the body of a scan; calls or trips.
  bool Scanned = false;
  uint64_t Count = 1;
  /// Of Recompute and Offload: what is kept all the same.
  std::vector<SavedName> SavedNames;
  /// Of Offload: a name for what the function is given.
  std::string InputName;
  /// Of Batch: the rows now, and by what they are divided.
  int64_t Rows = 0;
  unsigned Divisor = 1;
  FitEffect Effect;
  /// Bytes by which the peak falls with this change alone; of others than the
  /// donation next to it.
  uint64_t Saved = 0;

  bool isRecompute() const {
    return Kind == FitKind::Recompute || Kind == FitKind::Offload;
  }
};

/// Donation of all arguments that results can take the memory of; nothing if
/// there is none.
std::optional<FitChange> findDonation(const FitContext &Ctx);

/// Values at the peak that the program widens to f32, by source line.
std::vector<FitChange> findNarrowing(const FitContext &Ctx);

/// Smaller batches: half, a quarter, and so on.
std::vector<FitChange> findBatches(const FitContext &Ctx);

/// The change that recomputes \p L but for what \p Saved has, and with
/// \p Offloads sends to the host what it is given, if it keeps that.
FitChange makeRecompute(const FitContext &Ctx, const Layer &L,
                        const std::vector<bool> &Saved, bool Offloads);

} // namespace hlobuf

#endif // HLOBUF_FIT_FITCHANGE_H
