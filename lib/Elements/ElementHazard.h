// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A read that goes wrong.

#ifndef HLOBUF_ELEMENTS_ELEMENTHAZARD_H
#define HLOBUF_ELEMENTS_ELEMENTHAZARD_H

#include "HLO/Module.h"

namespace hlobuf {

/// Half-open range of elements.
struct ElementSpan {
  int64_t Begin = 0;
  int64_t End = 0;
};

/// What a read of an operand means where the result has its bytes.
enum class ReadVerdict : uint8_t {
  /// An element at a higher address reads one at a lower address that is
  /// overwritten, so that ascending order is wrong.
  Behind,
  /// The other way round only: wrong in every order but ascending.
  Ahead,
  /// Overwritten elements may be read by definition of an opcode, such as
  /// gather; which ones depends on data.
  Anywhere,
  /// It was not decided.
  Undecided,
};

/// Why it was not decided where a fusion has results of other sizes.
inline constexpr StringLiteral OtherLoop =
    "another result may be computed in a loop of its own";

/// A read that is not sound, or not known to be.
struct ElementHazard {
  ReadVerdict Verdict = ReadVerdict::Undecided;
  /// Of Undecided, why, as people read it, lower case.
  StringRef Reason;
  /// An element that is written, the element of the operand that it is computed
  /// from; for Behind, the first that goes wrong in ascending order. Numbers
  /// are those of memory order, tiles aside.
  int64_t Written = 0;
  int64_t Read = 0;
  ElementSpan Writes;
  ElementSpan Reads;
  /// The update that overwrites what is read; invalid if all is overwritten.
  HloId Writer;
  /// The instruction that last moved what is read; invalid if none did.
  HloId Reader;
  /// For which values of which scalars.
  std::vector<std::pair<HloId, int64_t>> Scalars;
};

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_ELEMENTHAZARD_H
