// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes as texts.

#ifndef HLOBUF_REDUCE_SHAPESTRINGS_H
#define HLOBUF_REDUCE_SHAPESTRINGS_H

#include "HLO/Shape.h"
#include <string>
#include <vector>

namespace hlobuf {

/// True if \p A and \p B are the same type.
bool equalWithoutLayouts(StringRef A, StringRef B);

/// True for the shape of a tuple.
inline bool isTupleText(StringRef Shape) { return Shape.starts_with("("); }

/// The items of \p Text, which commas outside of brackets separate.
std::vector<std::string> listItems(StringRef Text);

/// The shapes of the elements of a tuple; none for another shape.
std::vector<std::string> tupleElements(StringRef Shape);

/// The shape of a tuple of \p Elements.
std::string tupleOf(ArrayRef<std::string> Elements);

/// `f32` of `f32[8]{0}`; empty for tuples, tokens and the like.
StringRef arrayType(StringRef Shape);

/// True for an array without dimensions.
bool isScalarText(StringRef Shape);

/// True for `f32[8,<=4]` and the like.
bool isDynamicText(StringRef Shape);

/// \p Text with each number for which \p IsSize(offset) replaced by what \p Map
/// makes of it.
std::string mapNumbers(StringRef Text, function_ref<int64_t(int64_t)> Map,
                       function_ref<bool(size_t)> IsSize);

/// \p Shape with each dimension, in elements, replaced by what \p Map makes of
/// it.
std::string mapDimensions(StringRef Shape, function_ref<int64_t(int64_t)> Map);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_SHAPESTRINGS_H
