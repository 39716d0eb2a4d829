// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long values hold bytes.

#ifndef HLOBUF_FACTS_OCCUPANCY_H
#define HLOBUF_FACTS_OCCUPANCY_H

#include "Facts/Facts.h"
#include "Facts/Overlap.h"

namespace hlobuf {

/// How long a value holds its bytes.
enum class HoldPolicy : uint8_t {
  /// It is not judged by time: no bytes, no usable range, the context of an
  /// async chain of SparseCore, which all share one scratch place (libtpu
  /// 0.0.51, v5p and up), or in alternate memory a phi that nobody uses.
  Unknown,
  /// The stated range is what it holds.
  Stated,
  /// Alternate memory of TPU: until its last use, which may be earlier. A value
  /// that nobody uses holds its bytes while it is written.
  LastUse,
  /// Alternate memory: while it is written. The last user is, or may be, a
  /// conditional: the bytes are free again in a branch after the last use
  /// there, which only the module shows.
  Conditional,
};

/// The steps, closed, at which a value holds its bytes.
struct Occupancy {
  HoldPolicy Kind = HoldPolicy::Unknown;
  StepRange Steps;
};

/// True if \p Alloc's values are placed by the rules of TPU's alternate
/// memory.
bool isAlternate(const Facts &DumpFacts, const Allocation &Alloc);

/// True if \p Name is a ConcatBitcast of TPU: its operands' bytes seen as one
/// array. A custom call of that name means nothing on other backends.
bool isConcatBitcast(const Facts &DumpFacts, NameId Name);

/// True if \p V is at {2,..} of an async-start or -update of SparseCore.
bool isSharedContext(const Facts &DumpFacts, const Value &V);

/// True if \p V may be such a value: there are no instruction texts to tell,
/// but its index and the shape of the whole fit.
bool mayBeSharedContext(const Facts &DumpFacts, const Value &V);

/// True if \p Name is a constant: its bytes are there before the first step,
/// and the next run finds them.
bool isConstant(const Facts &DumpFacts, NameId Name);

/// True if \p One and \p Other are constants of one type and one literal, which
/// is printed in full: in one place each finds its value.
bool haveSameLiteral(const Facts &DumpFacts, NameId One, NameId Other);

/// When \p V holds its bytes.
Occupancy findOccupancy(const Facts &DumpFacts, ValueId V);

/// The bytes of \p V during \p Steps. The group is its instruction.
TimedBytes timedBytes(const Dump &D, ValueId V, StepRange Steps);

/// The step of the last use of \p U; nothing if no use has a step.
std::optional<int32_t> lastUse(const Facts &DumpFacts, UsedId U);

} // namespace hlobuf

#endif // HLOBUF_FACTS_OCCUPANCY_H
