//===- Checks/ShapeFit.h - Whether a shape fits a value ---------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_CHECKS_SHAPEFIT_H
#define HLOBUF_CHECKS_SHAPEFIT_H

#include "Checks/Check.h"

namespace hlobuf {

/// What keeps shape \p X of table \p In from being that of a value of shape
/// \p Y, bitcasts granted; empty if nothing does. A bitcast keeps kind, memory
/// space and, but on TPU, bytes.
inline std::string misfit(const CheckContext &A, const ShapeTable &In,
                          ShapeId X, ShapeId Y) {
  const ShapeTable &Shapes = A.dump().Shapes;
  if (!X || !Y || In.text(X) == Shapes.text(Y))
    return "";
  const Shape &Here = In[X];
  const Shape &There = Shapes[Y];
  if (Here.Kind != There.Kind)
    return fmt::format("shape {}, expected {}", In.text(X), Shapes.text(Y));
  if (Here.isTuple() && Here.Elements.size() != There.Elements.size())
    return fmt::format("{} elements, expected {}", Here.Elements.size(),
                       There.Elements.size());
  if (!Here.isArray())
    return "";
  if (Here.memorySpace() != There.memorySpace())
    return fmt::format("memory space {}, expected {}", Here.memorySpace(),
                       There.memorySpace());
  if (A.isTPU() || Here.isDynamic() || There.isDynamic())
    return "";
  auto HereBytes = logicalBytes(In, X);
  auto ThereBytes = logicalBytes(Shapes, Y);
  if (!HereBytes || !ThereBytes || *HereBytes == *ThereBytes)
    return "";
  return fmt::format("{} bytes, expected {}", *HereBytes, *ThereBytes);
}

} // namespace hlobuf

#endif // HLOBUF_CHECKS_SHAPEFIT_H
