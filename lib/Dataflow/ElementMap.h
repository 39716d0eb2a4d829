//===- Dataflow/ElementMap.h - Which element reads which --------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ElementMap relates the elements that an instruction writes to those of an
// operand, possibly through several fused instructions, that they depend on.
// Both are affine functions of the digits of one box, so that slices, updates,
// transposes, reshapes and reductions are all exact. Unknown start indices are
// terms of their own.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_ELEMENTMAP_H
#define HLOBUF_DATAFLOW_ELEMENTMAP_H

#include "HLO/ArrayOrder.h"

namespace hlobuf {

/// Factor * value of start index number Start, which is in [0, Max].
struct StartTerm {
  uint32_t Start = 0;
  int64_t Max = 0;
  int64_t Factor = 0;
  bool operator==(const StartTerm &) const = default;
};

/// A constant and start indices; terms ascend by Start, none has factor 0.
struct AffineIndex {
  int64_t Constant = 0;
  llvm::SmallVector<StartTerm, 1> Terms;

  bool isConstant() const { return Terms.empty(); }
  bool operator==(const AffineIndex &) const = default;
  /// Adds \p Factor * \p Other.
  void add(const AffineIndex &Other, int64_t Factor);
};

/// One digit of the box: for each of its values the written element moves by
/// Write elements of the frame, and the element that is read by Step in
/// dimension Dimension (none if negative) of the shape that is read.
struct ElementDigit {
  int64_t Count = 1;
  int64_t Write = 0;
  int32_t Dimension = -1;
  int64_t Step = 0;
  bool operator==(const ElementDigit &) const = default;
};

/// Half-open range of elements or indices.
struct ElementSpan {
  int64_t Begin = 0;
  int64_t End = 0;
};

/// How far an ElementMap can be trusted.
enum class MapKind : uint8_t {
  /// Exactly these elements are read.
  Exact,
  /// Any element of the operand may be read, by definition of Cause.
  Any,
  /// The same, because the tool cannot tell what Cause reads.
  Unknown,
};

/// Which element of an array each element of a result is computed from.
struct ElementMap {
  /// The array whose elements are written, numbered in memory order.
  ShapeId Frame;
  AffineIndex Write;
  llvm::SmallVector<ElementDigit, 4> Digits;
  /// One for each dimension of the shape that is read; only one where Flat.
  llvm::SmallVector<AffineIndex, 4> Read;
  /// What is read is counted in memory order, as if it had one dimension: a
  /// window that begins or ends inside of a row.
  bool Flat = false;
  MapKind Kind = MapKind::Exact;
  /// What is written is what is read, not computed from it.
  bool Moves = true;
  /// The instruction that last moved elements: a number that only the caller
  /// understands, not part of the map; ~0 if none did.
  uint32_t Cause = ~0u;

  /// Element i of \p S is written and read.
  static ElementMap identity(ShapeId Id, const Shape &S);

  bool operator==(const ElementMap &Other) const;
  uint64_t hash() const;

  /// What becomes of a map that cannot be refined any more.
  MapKind lost() const {
    return Kind == MapKind::Any ? MapKind::Any : MapKind::Unknown;
  }
  /// Every element of \p S may be read for every element that is written.
  void readAll(const Shape &S, MapKind NewKind);
  /// The operand is a scalar, read for every element.
  void readScalar();
  /// Dimension I of what is read becomes dimension \p To[I] of a shape of rank
  /// \p Rank; -1 drops it.
  void moveDimensions(llvm::ArrayRef<int64_t> To, size_t Rank);
  void reverse(size_t D, int64_t Size);
  /// Index i of dimension \p D becomes \p Start + \p Stride * i.
  void slice(size_t D, const AffineIndex &Start, int64_t Stride);
  /// Adds a dimension of \p Size elements that are all read; it must be new.
  void readWhole(size_t D, int64_t Size);
  /// Keeps what has an index \p Start + \p Stride * i in dimension \p D of
  /// \p Size elements, where i is below \p Count, and reads i there. False if
  /// nothing is left.
  bool restrict(size_t D, int64_t Size, const AffineIndex &Start,
                int64_t Stride, int64_t Count);
  /// All indices in dimension \p D that are read are in this range.
  ElementSpan indices(size_t D) const;
  /// The elements of \p From have the numbers of those of \p To, counted in
  /// memory order, or in the order of dimensions if \p Logical.
  void renumber(const Shape &From, const Shape &To, bool Logical);
  /// Writes a Flat map as maps over the dimensions of \p S, the shape that is
  /// read: first row, whole rows, last row, and so on inwards. False where that
  /// takes too many maps or depends on a start index; \p Out is then unchanged.
  bool splitRows(const Shape &S, llvm::SmallVectorImpl<ElementMap> &Out) const;
  /// The read side as a function of the digits: a constant, and a factor for
  /// each digit, in memory order numbers of \p S.
  AffineIndex linearRead(const Shape &S,
                         llvm::SmallVectorImpl<int64_t> &Factors) const;
  /// Every element of \p S that is read is the one that is written.
  bool isIdentity(const Shape &S) const;
  /// Some number is too large to compute with.
  bool isTooLarge() const;

private:
  void merge(size_t D);
  void dropUnused();
  bool restrictOne(ElementDigit &Digit, size_t D, AffineIndex Start,
                   int64_t Stride, int64_t Count);
  friend class RowSplitter;
  bool readNumbers(AffineIndex Base, llvm::ArrayRef<int64_t> Factors,
                   const ArrayOrder &To, llvm::ArrayRef<int64_t> Strides);
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ELEMENTMAP_H
