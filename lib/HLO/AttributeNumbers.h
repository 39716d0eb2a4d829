// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that attributes say.

#ifndef HLOBUF_HLO_ATTRIBUTENUMBERS_H
#define HLOBUF_HLO_ATTRIBUTENUMBERS_H

#include "Support/LLVM.h"
#include <optional>

namespace hlobuf {

using AttributeNumbers = SmallVector<int64_t, 6>;

/// The numbers of `1,0` or `"1","0"`; nothing if it is something else.
std::optional<AttributeNumbers> numbersBetweenCommas(StringRef Text);

/// The numbers of `{1,0}`; nothing if it is something else.
std::optional<AttributeNumbers> numbersIn(std::optional<StringRef> Text);

/// What a slice takes of one dimension, in elements: [Begin, Limit), every
/// Stride-th. All are below 2^40, and the stride is at least 1.
struct DimensionSlice {
  int64_t Begin = 0;
  int64_t Limit = 0;
  int64_t Stride = 1;

  int64_t size() const { return (Limit - Begin + Stride - 1) / Stride; }
};

/// The dimensions of `slice={[begin:limit:stride], ..}`; nothing if it is
/// something else.
std::optional<SmallVector<DimensionSlice, 6>>
sliceBounds(std::optional<StringRef> Text);

/// What a pad adds to one dimension, in elements; what is below 0 is cut off.
struct DimensionPadding {
  int32_t Below = 0;
  int32_t Above = 0;
  int32_t Between = 0;
};

/// The dimensions of `padding=1_2x0_0_3` (below, above, between); nothing if it
/// is something else.
std::optional<SmallVector<DimensionPadding, 6>>
paddings(std::optional<StringRef> Text);

} // namespace hlobuf

#endif // HLOBUF_HLO_ATTRIBUTENUMBERS_H
