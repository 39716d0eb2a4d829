// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes over time, and what changes them.

#ifndef HLOBUF_FIT_STEPBYTES_H
#define HLOBUF_FIT_STEPBYTES_H

#include "Memory/MemoryUse.h"

namespace hlobuf {

/// Bytes of one kind: those that grow with the batch, and others.
struct SplitBytes {
  int64_t Fixed = 0;
  int64_t Scaling = 0;

  static SplitBytes of(uint64_t Bytes, bool Scales) {
    auto Signed = static_cast<int64_t>(Bytes);
    return Scales ? SplitBytes{0, Signed} : SplitBytes{Signed, 0};
  }
  SplitBytes &operator+=(SplitBytes Other) {
    Fixed += Other.Fixed;
    Scaling += Other.Scaling;
    return *this;
  }
  SplitBytes operator-() const { return {-Fixed, -Scaling}; }
  int64_t total() const { return Fixed + Scaling; }
  /// Bytes with the batch divided by \p Divisor.
  int64_t dividedBy(unsigned Divisor) const {
    return Fixed + Scaling / static_cast<int64_t>(Divisor);
  }
};

/// More or fewer bytes during \p Range, closed.
struct BytesChange {
  StepRange Range;
  SplitBytes Bytes;
};

/// What a change of the program does to its memory, and what it costs.
struct FitEffect {
  std::vector<BytesChange> Changes;
  /// What runs earlier in a program that computes anything again.
  std::vector<BytesChange> Earlier;
  /// Products of matrices and convolutions that are computed again.
  uint64_t Products = 0;

  void add(StepRange Range, SplitBytes Bytes) {
    if (Range.Start <= Range.End && Bytes.total() != 0)
      Changes.push_back({Range, Bytes});
  }
};

/// The bytes of a memory space by step, with changes. A change costs O(1), a
/// question O(steps).
class StepBytes {
public:
  /// \p Scaling of \p Space's bytes, by step, grow with the batch.
  StepBytes(const SpaceUse &Space, int32_t Steps, ArrayRef<uint64_t> Scaling);

  void apply(ArrayRef<BytesChange> Changes);
  /// The most bytes with the batch divided by \p Divisor.
  uint64_t peak(unsigned Divisor) const;

private:
  /// By step in [0, T].
  std::vector<SplitBytes> Base;
  /// What begins and ends to be different at each step.
  std::vector<SplitBytes> Begins;
};

} // namespace hlobuf

#endif // HLOBUF_FIT_STEPBYTES_H
