// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/LayoutFit.h"

using namespace hlobuf;

static bool sameSpace(int64_t X, int64_t Y, Backend Target) {
  if (Target == Backend::TPU || Target == Backend::CPU)
    return X == Y;
  return (X == HostMemorySpace) == (Y == HostMemorySpace);
}

StringRef hlobuf::layoutDifference(const Shape &X, const Shape &Y,
                                   LayoutTolerance Tolerance, Backend Target) {
  if (X.Kind != Y.Kind)
    return X.Kind == ShapeKind::Buffer || Y.Kind == ShapeKind::Buffer ? ""
                                                                      : "kind";
  if (!X.isArray())
    return "";
  if (X.Element != Y.Element)
    return "element type";
  auto Fits = [&](Dimension A, Dimension B) {
    return A == B || (Tolerance.Bounds && A.Size == B.Size);
  };
  if (!std::equal(X.Dimensions.begin(), X.Dimensions.end(),
                  Y.Dimensions.begin(), Y.Dimensions.end(), Fits))
    return "dimensions";
  if (!X.Layout || !Y.Layout)
    return "";
  const Layout &A = *X.Layout;
  const Layout &B = *Y.Layout;
  if (A.MinorToMajor != B.MinorToMajor)
    return "dimension order";
  if (!Tolerance.Tiles && A.Tiles != B.Tiles)
    return "tiling";
  if (A.ElementBits != B.ElementBits)
    return "bits per element";
  if (!Tolerance.TailPadding && A.TailPadding != B.TailPadding)
    return "tail padding";
  if (!Tolerance.MemorySpace &&
      !sameSpace(A.MemorySpace, B.MemorySpace, Target))
    return "memory space";
  return !Tolerance.Splits && A.Splits != B.Splits ? "split" : "";
}
