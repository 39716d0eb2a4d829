// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of loop counters.

#ifndef HLOBUF_ELEMENTS_LOOPCOUNTERS_H
#define HLOBUF_ELEMENTS_LOOPCOUNTERS_H

#include "Elements/Scalars.h"

namespace hlobuf {

/// Values Begin, Begin + Step, .. of which the last one is at most Last.
struct CounterRange {
  int64_t Begin = 0;
  int64_t Last = 0;
  int64_t Step = 1;
};

/// The values that \p S, a resolved scalar, has inside of the body of the loop
/// whose state it is a part of; nothing if the loop does not count with it from
/// a constant to a constant.
std::optional<CounterRange> counterRange(Scalars &All, ScalarId S);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_LOOPCOUNTERS_H
