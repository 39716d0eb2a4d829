// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/LayoutFit.h"

using namespace hlobuf;

static bool sameSpace(int64_t X, int64_t Y, Backend Target) {
  switch (Target) {
  case Backend::TPU:
    return X == Y;
  case Backend::GPU:
    return (X == HostMemorySpace) == (Y == HostMemorySpace);
  case Backend::CPU:
  case Backend::Untiled:
    return true;
  }
  return true;
}

static bool sameSplits(const Layout &X, const Layout &Y) {
  return std::equal(
      X.Splits.begin(), X.Splits.end(), Y.Splits.begin(), Y.Splits.end(),
      [](const SplitConfig &A, const SplitConfig &B) {
        return A.Dimension == B.Dimension && A.Indices == B.Indices;
      });
}

llvm::StringRef hlobuf::layoutDifference(const Shape &X, const Shape &Y,
                                         LayoutTolerance Tolerance,
                                         Backend Target) {
  if (X.Kind != Y.Kind)
    return X.Kind == ShapeKind::Buffer || Y.Kind == ShapeKind::Buffer ? ""
                                                                      : "kind";
  if (!X.isArray())
    return "";
  if (X.Element != Y.Element)
    return "element type";
  // A loop may take `s32[4]` as `s32[<=4]`: the bytes are those of the bound.
  if (!std::equal(X.Dimensions.begin(), X.Dimensions.end(),
                  Y.Dimensions.begin(), Y.Dimensions.end(),
                  [](Dimension A, Dimension B) { return A.Size == B.Size; }))
    return "dimensions";
  if (!X.Layout || !Y.Layout)
    return "";
  const Layout &A = *X.Layout;
  const Layout &B = *Y.Layout;
  if (A.MinorToMajor != B.MinorToMajor)
    return "dimension order";
  // CPU has none: a program for TPU that is compiled for it keeps its texts.
  if (!Tolerance.Tiles && Target != Backend::CPU && A.Tiles != B.Tiles)
    return "tiling";
  if (A.ElementBits != B.ElementBits)
    return "bits per element";
  if (!Tolerance.TailPadding && A.TailPadding != B.TailPadding)
    return "tail padding";
  if (!Tolerance.MemorySpace &&
      !sameSpace(A.MemorySpace, B.MemorySpace, Target))
    return "memory space";
  if (!Tolerance.Splits && !sameSplits(A, B))
    return "split";
  return "";
}
