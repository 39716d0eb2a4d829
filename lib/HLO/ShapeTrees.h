// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of shapes as numbers.

#ifndef HLOBUF_HLO_SHAPETREES_H
#define HLOBUF_HLO_SHAPETREES_H

#include "HLO/Shape.h"

namespace hlobuf {

/// Numbers the parts of shapes in pre-order, the order of XLA's ShapeTree:
/// ordinal 0 is the whole shape.
class ShapeTrees {
public:
  ShapeTrees(const ShapeTable &Shapes, ShapeIndexTable &Indices)
      : Shapes(Shapes), Indices(Indices) {}

  const Shape &shape(ShapeId Id) const { return Shapes[Id]; }

  /// Number of parts, the shape itself included.
  uint32_t parts(ShapeId Id) const { return Shapes[Id].Nodes; }

  /// The ordinal of element \p K of tuple \p Id; 0 if it has no such element.
  uint32_t elementOrdinal(ShapeId Id, uint32_t K) const;

  /// The ordinal of the part at \p Index; nothing if there is none.
  std::optional<uint32_t> ordinal(ShapeId Id, ShapeIndex Index) const;
  /// The ordinal of the part that \p Steps lead to; nothing if there is none.
  std::optional<uint32_t> ordinal(ShapeId Id, ArrayRef<uint32_t> Steps) const;

  /// The steps to part number \p Ordinal, outermost first.
  SmallVector<uint32_t, 4> steps(ShapeId Id, uint32_t Ordinal) const;

  /// The index of part number \p Ordinal.
  ShapeIndex index(ShapeId Id, uint32_t Ordinal) const;

  /// The shape of part number \p Ordinal.
  ShapeId part(ShapeId Id, uint32_t Ordinal) const;

  /// True if part \p Ordinal is a tuple.
  bool isTuple(ShapeId Id, uint32_t Ordinal) const {
    return Shapes[part(Id, Ordinal)].isTuple();
  }

private:
  /// The number of the element of tuple \p Id that holds its part \p Ordinal,
  /// which is above 0; that becomes the ordinal inside of the element.
  uint32_t elementAt(ShapeId Id, uint32_t &Ordinal) const;

  const ShapeTable &Shapes;
  ShapeIndexTable &Indices;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_SHAPETREES_H
