// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of thunks as SVG.

#ifndef HLOBUF_DRAW_SVGLANES_H
#define HLOBUF_DRAW_SVGLANES_H

#include "Draw/Picture.h"

namespace hlobuf {

/// Where the steps of an SVG are, in pixels.
struct SvgAxis {
  double Left = 0;
  /// Of all steps.
  double Width = 0;
  int32_t Steps = 1;

  double toX(int32_t Step) const {
    return Left + Width * Step / std::max(1, Steps);
  }
};

/// Pixels that the lanes take; 0 where there are none.
double svgLanesHeight(const PictureLanes &L);

/// Writes the lanes of \p L below \p Top, with a style of their own. Thunks
/// that share a pixel are drawn once, races last.
void writeSvgLanes(const PictureLanes &L,
                   llvm::ArrayRef<PictureFinding> Findings, const SvgAxis &Axis,
                   double Top, llvm::raw_ostream &OS);

/// \p Text for an element of SVG: printable, with what XML reserves escaped.
std::string svgText(llvm::StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_DRAW_SVGLANES_H
