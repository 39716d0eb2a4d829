// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Do two layouts agree?.

#ifndef HLOBUF_CHECKS_LAYOUTFIT_H
#define HLOBUF_CHECKS_LAYOUTFIT_H

#include "Facts/ReleaseWindow.h"
#include "HLO/Shape.h"

namespace hlobuf {

/// What two layouts may differ in.
struct LayoutTolerance {
  bool Tiles = false;
  bool MemorySpace = false;
  bool Splits = false;
  bool TailPadding = false;
  /// `s32[4]` and `s32[<=4]`.
  bool Bounds = false;
};

/// In what \p X and \p Y differ, for a message ("tiling"); empty if they agree.
/// Neither may be a tuple. A layout that only one of the two prints is not
/// compared. Of memory spaces only host memory counts on GPU, where the others
/// are set after layouts (by BufferAssigner's colorer).
StringRef layoutDifference(const Shape &X, const Shape &Y,
                           LayoutTolerance Tolerance, Backend Target);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_LAYOUTFIT_H
