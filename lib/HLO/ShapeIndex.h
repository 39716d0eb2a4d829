// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths into tuple shapes.

#ifndef HLOBUF_HLO_SHAPEINDEX_H
#define HLOBUF_HLO_SHAPEINDEX_H

#include "Support/Scanner.h"
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// A path from the root of a shape to one of its parts, as printed: `{}`,
/// `{1}`, `{0,2}`, or nothing at all, which means `{}` of a shape that is no
/// tuple. Comparing two with `==` compares what was printed; compare
/// `canonical()` to compare places.
class ShapeIndex {
public:
  constexpr ShapeIndex() = default;

  /// The path `{}`.
  static constexpr ShapeIndex root() { return ShapeIndex(RootBits); }
  /// The path `{Element}`; Element is below 2^30.
  static constexpr ShapeIndex element(uint32_t Element) {
    return ShapeIndex(Element << 2 | OneTag);
  }

  /// True if braces were printed.
  constexpr bool printed() const { return Bits != 0; }
  /// True for `{}` and for nothing.
  constexpr bool isRoot() const { return Bits <= RootBits; }
  constexpr ShapeIndex canonical() const { return Bits == 0 ? root() : *this; }
  constexpr uint32_t bits() const { return Bits; }
  /// The element, of a path `{Element}` that element() makes; else nothing.
  constexpr std::optional<uint32_t> onlyElement() const {
    return (Bits & ManyTag) == OneTag ? std::optional(Bits >> 2) : std::nullopt;
  }
  constexpr bool operator==(const ShapeIndex &) const = default;

private:
  friend class ShapeIndexTable;
  static constexpr uint32_t RootBits = 1;
  static constexpr uint32_t OneTag = 2;
  static constexpr uint32_t ManyTag = 3;
  constexpr explicit ShapeIndex(uint32_t Bits) : Bits(Bits) {}

  uint32_t Bits = 0;
};

/// Interns paths of two and more steps, and those to an element of 2^30 and up.
/// Several threads may use one table.
class ShapeIndexTable {
public:
  /// Reads `{..}` at the front of \p In, or with \p Spaced `{0, 2}`, as
  /// declared aliasing may have it. False where there is no well-formed path;
  /// \p In is then partly consumed.
  bool parse(Scanner &In, ShapeIndex &Index, bool Spaced = false);

  /// The path of \p Steps, outermost first.
  ShapeIndex get(ArrayRef<uint32_t> Steps);

  /// The steps of \p Index, outermost first; none for the root.
  SmallVector<uint32_t, 4> steps(ShapeIndex Index) const;

  /// True for what is at element 2 or later: of an async-start or -update that
  /// is its context, after operands and results.
  bool isAsyncContext(ShapeIndex Index) const;

  /// \p Index with braces, even for an index that was not printed.
  std::string text(ShapeIndex Index) const;

  /// True if \p A comes before \p B in XLA's order: lexicographic, a prefix
  /// first.
  bool less(ShapeIndex A, ShapeIndex B) const;

private:
  /// Guards what is below.
  mutable std::mutex Lock;
  /// Interned paths, and the same by number.
  std::map<std::vector<uint32_t>, uint32_t> Numbers;
  std::vector<const std::vector<uint32_t> *> Long;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_SHAPEINDEX_H
