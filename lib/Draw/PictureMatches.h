// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of two programs in pairs.

#ifndef HLOBUF_DRAW_PICTUREMATCHES_H
#define HLOBUF_DRAW_PICTUREMATCHES_H

#include "Draw/Picture.h"
#include "Memory/ValueNames.h"

namespace hlobuf {

/// A picture and the bytes over time that it was made of.
struct MatchedPicture {
  const Picture &P;
  const MemoryUse &Memory;
  const ValueNames &Names;
};

/// The number of the block of \p Before that each block of \p After is, as
/// hlobuf-diff pairs values, memory space by memory space; -1 for a new one.
/// Costs O(n log n).
std::vector<int32_t> matchBlocks(const MatchedPicture &Before,
                                 const MatchedPicture &After);

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTUREMATCHES_H
