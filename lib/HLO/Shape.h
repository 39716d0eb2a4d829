// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes and layouts.

#ifndef HLOBUF_HLO_SHAPE_H
#define HLOBUF_HLO_SHAPE_H

#include "HLO/ShapeIndex.h"
#include "Support/Ids.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <optional>

namespace hlobuf {

/// One dimension of an array.
struct Dimension {
  /// Size in elements; the bound of a dynamic dimension; -1 if unbounded.
  int64_t Size = 0;
  /// Printed as `<=N` or `?`.
  bool Dynamic = false;

  bool unbounded() const { return Size < 0; }
  bool operator==(const Dimension &) const = default;
};

/// One tile of a layout, most major entry first, in elements.
using Tile = SmallVector<int64_t, 3>;
/// The entry `*`: combine this dimension with the next more minor one.
constexpr int64_t CombineDimension = -1;

/// `SC(dimension:index,index)`: where an array is cut between cores
/// (xla/layout.h, 2024-02-26). The dimension counts physically, most major
/// first.
struct SplitConfig {
  int64_t Dimension = 0;
  SmallVector<int64_t, 2> Indices;

  bool operator==(const SplitConfig &) const = default;
};

/// What a group after the colon of a layout says (xla/layout.cc).
enum class LayoutProperty : uint8_t {
  DimLevels,
  Tiles,
  TailPadding,
  IndexType,
  PointerType,
  ElementBits,
  MemorySpace,
  Split,
  PhysicalShape,
  MetadataPrefix,
  Unknown,
};

/// `S(5)` and color 5: memory of the host (Layout::kHostMemorySpace in
/// xla/layout.h, 2023).
constexpr int32_t HostMemorySpace = 5;

/// The `{1,0:T(8,128)S(1)}` after an array.
struct Layout {
  /// Dimension numbers, most minor first.
  SmallVector<int64_t, 4> MinorToMajor;
  /// The groups that were printed.
  SmallVector<LayoutProperty, 4> Groups;
  SmallVector<Tile, 2> Tiles;
  SmallVector<SplitConfig, 0> Splits;
  /// `L(n)`: the element count is rounded up to a multiple of this.
  int64_t TailPadding = 1;
  /// `E(n)` in bits, 0 if not printed.
  int64_t ElementBits = 0;
  /// `S(n)`, the color that assignment gave; 0 if not printed.
  int64_t MemorySpace = 0;
  /// `M(n)` in bytes, 0 if not printed.
  int64_t MetadataPrefix = 0;
  /// Texts of the groups that are kept as they are (D, #, *, P and unknown
  /// ones), in the order of the text.
  SmallVector<StringRef, 0> Raw;

  bool has(LayoutProperty P) const { return llvm::is_contained(Groups, P); }
};

/// What a shape is a shape of.
enum class ShapeKind : uint8_t { Array, Tuple, Token, Opaque, Buffer };

/// A shape as printed in a dump.
struct Shape {
  ShapeKind Kind = ShapeKind::Array;
  /// The tuple prints `/*index=5*/` comments (2021-03-15 on).
  bool IndexComments = false;
  /// Bits of one element, 0 for a type that this tool does not know.
  unsigned Bits = 0;
  /// Text of the element type.
  StringRef Element;
  SmallVector<Dimension, 4> Dimensions;
  std::optional<hlobuf::Layout> Layout;
  /// Elements of a tuple; the one shape inside a buffer.
  SmallVector<ShapeId, 4> Elements;
  /// Number of nodes of the shape's tree, itself included.
  uint32_t Nodes = 1;
  /// Of a tuple with tuples inside: where each element is among the nodes.
  SmallVector<uint32_t, 0> Places;
  /// Some array in it has an unbounded dimension.
  bool Unbounded = false;

  bool isArray() const { return Kind == ShapeKind::Array; }
  bool isTuple() const { return Kind == ShapeKind::Tuple; }
  /// True for what has no tuples inside: element k of a tuple is node k + 1.
  bool isFlat() const { return Nodes == Elements.size() + 1; }
  /// True if some dimension is dynamic.
  bool isDynamic() const {
    return llvm::any_of(Dimensions, [](Dimension D) { return D.Dynamic; });
  }
  bool isTiled() const { return Layout && !Layout->Tiles.empty(); }
  /// `S(n)`, 0 if there is no layout.
  int64_t memorySpace() const { return Layout ? Layout->MemorySpace : 0; }
};

/// The text \p Shape without what is between braces.
std::string withoutLayouts(StringRef Shape);

/// \p Text without the numbers of elements, `/*index=5*/`, which are not in
/// all releases at the same places.
std::string withoutComments(StringRef Text);

class ShapeTable;

/// Reads the longest shape at the front of \p In into \p Table. An invalid id,
/// and \p In as it was, if there is no well-formed one.
ShapeId parseShape(ShapeTable &Table, Scanner &In);

/// Interns shapes by their text. The texts must outlive the table.
class ShapeTable {
public:
  /// Like parseShape().
  ShapeId parse(Scanner &In) { return parseShape(*this, In); }

  /// Reads a text that is nothing but a shape.
  ShapeId parse(StringRef Text);

  const Shape &operator[](ShapeId Id) const { return Shapes[Id.index()]; }

  /// The text that was read.
  StringRef text(ShapeId Id) const { return Texts[Id.index()]; }

  /// \p Id without layouts, as XLA prints it.
  std::string plainText(ShapeId Id) const { return withoutLayouts(text(Id)); }

  /// True if both are the same but for layouts and index comments.
  bool equalIgnoringLayout(ShapeId A, ShapeId B) const;

  /// The part of \p Id at \p Steps (outermost first); invalid if there is
  /// none.
  ShapeId at(ShapeId Id, ArrayRef<uint32_t> Steps) const;

  size_t size() const { return Shapes.size(); }

private:
  friend class ShapeParser;
  /// The id of \p Text; invalid if it was not read before.
  ShapeId known(StringRef Text) const;
  ShapeId intern(StringRef Text, Shape S);

  /// A deque: a shape stays where it is while others are read.
  std::deque<Shape> Shapes;
  std::vector<StringRef> Texts;
  DenseMap<StringRef, ShapeId> ByText;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_SHAPE_H
