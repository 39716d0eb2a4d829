// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that several blocks share.

#ifndef HLOBUF_DRAW_SHAREDBYTES_H
#define HLOBUF_DRAW_SHAREDBYTES_H

#include "Draw/Picture.h"

namespace hlobuf {

/// Where blocks of \p Blocks, large ones first, have bytes that another one
/// counts at the same step: each byte counts once, for the first block that had
/// it and is still live. By block, then by step. Costs O(n log n): of more than
/// a few hundred blocks that share bytes at one step, the others count none.
std::vector<PictureShare> findSharedBytes(llvm::ArrayRef<PictureBlock> Blocks);

} // namespace hlobuf

#endif // HLOBUF_DRAW_SHAREDBYTES_H
