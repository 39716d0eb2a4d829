// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moment with the most live bytes.

#ifndef HLOBUF_FACTS_PEAK_H
#define HLOBUF_FACTS_PEAK_H

#include "Facts/Facts.h"

namespace hlobuf {

/// A step and the bytes that XLA counts as live there.
struct PeakMoment {
  int32_t Step = 0;
  uint64_t Bytes = 0;
};

/// Finds the first step at which most bytes are live.
class PeakCounter {
public:
  /// Counts steps 0 to \p Steps, which is not negative.
  explicit PeakCounter(int32_t Steps)
      : Begin(static_cast<size_t>(Steps) + 2), Last(Begin.size()) {}

  /// \p Bytes are live at the steps of \p Range, which are inside those
  /// counted, and count at the step after its end, too.
  void add(StepRange Range, uint64_t Bytes) {
    Begin[static_cast<size_t>(Range.Start)] += Bytes;
    Last[static_cast<size_t>(Range.End) + 1] += Bytes;
  }
  PeakMoment find() const;

private:
  /// By step: bytes that begin there, and bytes that count there last.
  std::vector<uint64_t> Begin, Last;
};

/// The peak as XLA computes it from the stated live ranges: each value counts
/// with the logical bytes of its whole instruction's shape (8 per element of a
/// tuple, whichever element it is) from its start to the step after its end.
/// The first step with the most bytes. Nothing where a live instruction's
/// bytes are not known, or a range is outside the steps.
std::optional<PeakMoment> findPeak(const Facts &DumpFacts);

/// The shape of \p Name in its text or else in the module; invalid if neither
/// has it.
ShapeId shapeOfInstruction(const Facts &DumpFacts, NameId Name);

/// What findPeak counts for \p Row; nothing where it is not known.
std::optional<uint64_t> chargedBytes(const Facts &DumpFacts,
                                     const LiveRangeRow &Row);

/// True if \p Row counts at \p Step: the step after its end counts too.
inline bool isCharged(const LiveRangeRow &Row, int32_t Step) {
  return Row.Start <= Step && Step - 1 <= Row.End;
}

} // namespace hlobuf

#endif // HLOBUF_FACTS_PEAK_H
