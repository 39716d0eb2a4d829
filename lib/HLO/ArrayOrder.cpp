// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ArrayOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;

static int64_t bounded(int64_t N) {
  return std::clamp(N, -MaxElement, MaxElement);
}

int64_t hlobuf::boundedAdd(int64_t A, int64_t B) {
  return bounded(bounded(A) + bounded(B));
}

int64_t hlobuf::boundedMultiply(int64_t A, int64_t B) {
  int64_t Product = 0;
  if (llvm::MulOverflow(A, B, Product))
    return (A < 0) == (B < 0) ? MaxElement : -MaxElement;
  return bounded(Product);
}

int64_t hlobuf::ceilDivide(int64_t A, int64_t B) {
  return A / B + (A % B > 0 ? 1 : 0);
}

ArrayOrder::ArrayOrder(const Shape &S) {
  Valid = S.Kind == ShapeKind::Array;
  for (const Dimension &D : S.Dimensions) {
    Valid &= !D.unbounded();
    Sizes.push_back(std::max<int64_t>(D.Size, 0));
  }
  if (S.Layout && S.Layout->MinorToMajor.size() == rank())
    Major.assign(S.Layout->MinorToMajor.rbegin(),
                 S.Layout->MinorToMajor.rend());
  else
    for (size_t D = 0; D != rank(); ++D)
      Major.push_back(static_cast<int64_t>(D));
  Strides.assign(rank(), 0);
  for (int64_t D : llvm::reverse(Major)) {
    if (D < 0 || static_cast<size_t>(D) >= rank() || Strides[D] != 0) {
      Valid = false;
      return;
    }
    Strides[D] = std::max<int64_t>(Elements, 1);
    Elements = boundedMultiply(Elements, Sizes[D]);
  }
  Valid &= Elements < MaxElement >> 8;
}

unsigned hlobuf::storedBits(const Shape &S) {
  constexpr int64_t Most = 512;
  if (S.Layout && S.Layout->ElementBits > 0)
    return S.Layout->ElementBits <= Most ? unsigned(S.Layout->ElementBits) : 0;
  return S.Bits == 0 ? 0 : llvm::alignTo(S.Bits, 8);
}

/// Of a dimension that a tile makes of several: which index is where is not
/// understood.
static constexpr int64_t SeveralDimensions = -2;

bool hlobuf::applyTile(MemoryDimensions &All, const Tile &T) {
  while (All.size() < T.size())
    All.insert(All.begin(), {-1, 1, 1});
  size_t First = All.size() - T.size();
  MemoryDimensions Tiles(All.begin(), All.begin() + First), Inner;
  bool Combines = false;
  int64_t Combined = 1;
  for (size_t K = 0; K != T.size(); ++K) {
    MemoryDimension Outer = All[First + K];
    if (Combines)
      Outer = {SeveralDimensions, 1, boundedMultiply(Combined, Outer.Size)};
    Combines = T[K] == CombineDimension;
    Combined = Outer.Size;
    if (Combines)
      continue;
    if (T[K] <= 0 || T[K] > MaxElement)
      return false;
    Inner.push_back({Outer.Dimension, Outer.Stride, T[K]});
    Tiles.push_back({Outer.Dimension, boundedMultiply(Outer.Stride, T[K]),
                     ceilDivide(Outer.Size, T[K])});
  }
  Tiles.append(Inner);
  All = std::move(Tiles);
  return !Combines;
}

/// True if each index is one number of each part of its dimension: a tile that
/// does not divide the one around it has padding inside, which no compiler
/// makes.
static bool isUnique(const MemoryDimensions &All) {
  for (const MemoryDimension &Part : All) {
    int64_t Next = 0;
    for (const MemoryDimension &Other : All)
      if (Other.Dimension == Part.Dimension && Other.Size != 1 &&
          Other.Stride > Part.Stride && (Next == 0 || Other.Stride < Next))
        Next = Other.Stride;
    if (Part.Dimension >= 0 && Part.Size != 1 && Next != 0 &&
        Next != boundedMultiply(Part.Stride, Part.Size))
      return false;
  }
  return true;
}

std::optional<MemoryDimensions> hlobuf::memoryDimensions(const Shape &S) {
  ArrayOrder Order(S);
  if (!Order.isValid())
    return std::nullopt;
  MemoryDimensions All;
  for (int64_t D : Order.majorToMinor())
    All.push_back({D, 1, Order.size(D)});
  if (S.Layout)
    for (const Tile &T : S.Layout->Tiles)
      if (!applyTile(All, T))
        return std::nullopt;
  if (llvm::any_of(All,
                   [](const MemoryDimension &D) {
                     return D.Dimension == SeveralDimensions;
                   }) ||
      !isUnique(All))
    return std::nullopt;
  return All;
}

namespace {
/// (index / Divisor) % Size of dimension Dimension moves by Stride elements.
struct AddressDigit {
  int64_t Dimension;
  int64_t Divisor;
  int64_t Size;
  int64_t Stride = 0;
  bool operator==(const AddressDigit &) const = default;
};
} // namespace

/// Where each index is, in elements: a sum of digits, as few as possible.
static bool findAddresses(const Shape &S,
                          SmallVectorImpl<AddressDigit> &Digits) {
  std::optional<MemoryDimensions> All = memoryDimensions(S);
  if (!All)
    return false;
  ArrayOrder Order(S);
  for (const MemoryDimension &D : *All)
    Digits.push_back({D.Dimension, D.Stride, D.Size});
  int64_t Stride = 1;
  for (AddressDigit &Digit : llvm::reverse(Digits)) {
    Digit.Stride = Stride;
    Stride = boundedMultiply(Stride, Digit.Size);
  }
  llvm::erase_if(Digits, [&](AddressDigit &Digit) {
    return Digit.Dimension < 0 || Digit.Divisor >= Order.size(Digit.Dimension);
  });
  std::ranges::sort(Digits, {}, [](const AddressDigit &A) {
    return std::pair(A.Dimension, A.Divisor);
  });
  size_t Count = 0;
  for (const AddressDigit &Digit : Digits) {
    if (Count != 0) {
      AddressDigit &Last = Digits[Count - 1];
      if (Last.Dimension == Digit.Dimension &&
          Digit.Divisor == boundedMultiply(Last.Divisor, Last.Size) &&
          Digit.Stride == boundedMultiply(Last.Stride, Last.Size)) {
        Last.Size = boundedMultiply(Last.Size, Digit.Size);
        continue;
      }
    }
    Digits[Count++] = Digit;
  }
  Digits.truncate(Count);
  // Padding after the last element moves nothing.
  for (AddressDigit &Digit : Digits)
    Digit.Size = std::min(
        Digit.Size, ceilDivide(Order.size(Digit.Dimension), Digit.Divisor));
  return true;
}

bool hlobuf::hasKnownAddresses(const Shape &S) {
  return !S.Layout || (S.Layout->Splits.empty() &&
                       !S.Layout->has(LayoutProperty::PhysicalShape) &&
                       !S.Layout->has(LayoutProperty::MetadataPrefix));
}

/// True if both layouts say the same of addresses, understood or not.
static bool haveEqualLayouts(const Shape &A, const Shape &B) {
  if (!A.Layout || !B.Layout || A.Dimensions != B.Dimensions)
    return false;
  const Layout &X = *A.Layout, &Y = *B.Layout;
  return X.MinorToMajor == Y.MinorToMajor && X.Tiles == Y.Tiles &&
         X.TailPadding == Y.TailPadding && X.Raw == Y.Raw &&
         X.MetadataPrefix == Y.MetadataPrefix && X.Splits == Y.Splits;
}

bool hlobuf::sameAddresses(const Shape &A, const Shape &B) {
  if (!A.isArray() || !B.isArray() || storedBits(A) != storedBits(B))
    return false;
  if (haveEqualLayouts(A, B))
    return true;
  if (A.Dimensions.size() != B.Dimensions.size() || !hasKnownAddresses(A) ||
      !hasKnownAddresses(B))
    return false;
  SmallVector<AddressDigit, 8> X, Y;
  return findAddresses(A, X) && findAddresses(B, Y) && X == Y;
}

bool hlobuf::sameBytes(const Shape &From, const Shape &To) {
  if (!From.isArray() || !To.isArray() || From.Element != To.Element ||
      From.Dimensions != To.Dimensions)
    return false;
  if (!From.Layout || !To.Layout)
    return !From.Layout == !To.Layout;
  const Layout &A = *From.Layout, &B = *To.Layout;
  bool Alike = A.MinorToMajor == B.MinorToMajor && A.Tiles == B.Tiles &&
               A.Splits == B.Splits && A.ElementBits == B.ElementBits &&
               A.MetadataPrefix == B.MetadataPrefix;
  return Alike || sameAddresses(From, To);
}
