// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of shapes.

#ifndef HLOBUF_FACTS_SIZES_H
#define HLOBUF_FACTS_SIZES_H

#include "Facts/ReleaseWindow.h"
#include "HLO/Shape.h"
#include <optional>

namespace hlobuf {

/// Bytes of \p Id without padding: what HloLiveRange prints, and what CPU and
/// GPU allocate for static shapes. Tuples 8 per element, tokens 0, opaque 8,
/// `E(n)` packs elements, other types take whole bytes (ShapeUtil::ByteSizeOf).
/// Nothing for unbounded dimensions, unknown types, and sizes over 2^63.
std::optional<uint64_t> logicalBytes(const ShapeTable &Shapes, ShapeId Id);

/// Bytes of an array with a layout after padding it to its tiles, level by
/// level, to its tail alignment and its split (TPU, memory of color 0 and 1,
/// v4: 3). Nothing where logicalBytes is unknown, for dynamic dimensions, and
/// for `M(n)` and `P(..)` layouts, whose formulas are not public.
std::optional<uint64_t> tiledBytesOf(const Shape &S);

/// Bytes that \p B's backend gives to a value of shape \p Id and color
/// \p Color on its own; nothing where that is not known.
std::optional<uint64_t> ownBytes(const ShapeTable &Shapes, ShapeId Id,
                                 Backend B, int32_t Color);

/// The same for arrays in the small memories of TPU, whose granules are not
/// public: what all dumps seen so far agree on.
std::optional<uint64_t> likelyBytes(const ShapeTable &Shapes, ShapeId Id,
                                    int32_t Color);

/// True for the colors of TPU's vector memory: 1, and CMEM of TPU v4, 3.
constexpr bool isVectorMemory(int32_t Color) {
  return Color == 1 || Color == 3;
}

} // namespace hlobuf

#endif // HLOBUF_FACTS_SIZES_H
