//===- Dataflow/ElementRows.cpp -------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementMap.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace hlobuf;
using llvm::SmallVector;

/// A map that needs more boxes than this is not split.
static constexpr size_t MaxRows = 64;

namespace hlobuf {
class RowSplitter {
public:
  RowSplitter(const Shape &S, llvm::SmallVectorImpl<ElementMap> &Out)
      : Order(S), Out(Out) {
    for (size_t D = 0; D != Order.rank(); ++D) {
      Strides.push_back(Order.stride(D));
      if (Order.size(D) > 1)
        Rows.push_back(Order.stride(D));
    }
    llvm::sort(Rows, std::greater<>());
  }

  bool isValid() const { return Order.isValid(); }
  bool split(const ElementMap &Map);

private:
  bool fits(const ElementMap &Map);
  bool cutAt(const ElementMap &Map, size_t Digit, int64_t Count);
  bool unroll(const ElementMap &Map, size_t Digit);
  bool cut(const ElementMap &Map, size_t Digit);

  ArrayOrder Order;
  SmallVector<int64_t, 4> Strides;
  /// Strides of more than one element, the largest first.
  SmallVector<int64_t, 4> Rows;
  llvm::SmallVectorImpl<ElementMap> &Out;
  /// Calls of split() so far.
  size_t Visited = 0;
};
} // namespace hlobuf

/// Adds \p Map itself if no digit carries from one dimension into the next.
bool RowSplitter::fits(const ElementMap &Map) {
  SmallVector<int64_t, 8> Factors;
  for (const ElementDigit &Digit : Map.Digits)
    Factors.push_back(Digit.Step);
  ElementMap Box = Map;
  if (!Box.readNumbers(Map.Read[0], Factors, Order, Strides))
    return false;
  Box.Flat = false;
  Out.push_back(std::move(Box));
  return true;
}

/// Splits the first \p Count values of \p Digit from the others.
bool RowSplitter::cutAt(const ElementMap &Map, size_t Digit, int64_t Count) {
  ElementMap First = Map, Rest = Map;
  First.Digits[Digit].Count = Count;
  ElementDigit &D = Rest.Digits[Digit];
  D.Count -= Count;
  Rest.Read[0].Constant += boundedMultiply(D.Step, Count);
  AffineIndex Skipped;
  Skipped.Constant = Count;
  Rest.Write.add(Skipped, D.Write);
  return split(First) && split(Rest);
}

/// One map for each value of \p Digit.
bool RowSplitter::unroll(const ElementMap &Map, size_t Digit) {
  const ElementDigit &D = Map.Digits[Digit];
  if (D.Count > static_cast<int64_t>(MaxRows))
    return false;
  for (int64_t Value = 0; Value != D.Count; ++Value) {
    ElementMap One = Map;
    One.Read[0].Constant += boundedMultiply(D.Step, Value);
    AffineIndex At;
    At.Constant = Value;
    One.Write.add(At, D.Write);
    One.Digits.erase(One.Digits.begin() + Digit);
    if (!split(One))
      return false;
  }
  return true;
}

/// Cuts the only digit that moves the read where it first enters or leaves
/// whole rows of some dimension, the longest rows first.
bool RowSplitter::cut(const ElementMap &Map, size_t Digit) {
  const ElementDigit &D = Map.Digits[Digit];
  int64_t Base = Map.Read[0].Constant;
  for (int64_t Row : Rows) {
    int64_t Inside = Base % Row;
    if (Row <= D.Step || Inside + D.Step * (D.Count - 1) < Row)
      continue;
    if (Row % D.Step != 0)
      return unroll(Map, Digit);
    if (Inside >= D.Step)
      return cutAt(Map, Digit, ceilDivide(Row - Inside, D.Step));
    if (int64_t Rest = D.Count % (Row / D.Step))
      return cutAt(Map, Digit, D.Count - Rest);
  }
  return false;
}

bool RowSplitter::split(const ElementMap &Map) {
  if (++Visited > 4 * MaxRows || Out.size() == MaxRows)
    return false;
  if (fits(Map))
    return true;
  auto Moves = [](const ElementDigit &D) { return D.Step != 0; };
  const auto *Widest =
      std::max_element(Map.Digits.begin(), Map.Digits.end(),
                       [](const ElementDigit &A, const ElementDigit &B) {
                         return A.Step < B.Step;
                       });
  if (Widest == Map.Digits.end() || Widest->Step <= 0)
    return false;
  size_t Digit = Widest - Map.Digits.begin();
  return llvm::count_if(Map.Digits, Moves) == 1 ? cut(Map, Digit)
                                                : unroll(Map, Digit);
}

bool ElementMap::splitRows(const Shape &S,
                           llvm::SmallVectorImpl<ElementMap> &Out) const {
  if (!Flat || Kind != MapKind::Exact || !Read[0].isConstant() ||
      Read[0].Constant < 0 || isTooLarge())
    return false;
  SmallVector<ElementMap, 4> Boxes;
  RowSplitter Splitter(S, Boxes);
  if (!Splitter.isValid() || !Splitter.split(*this))
    return false;
  Out.append(Boxes.begin(), Boxes.end());
  return true;
}
