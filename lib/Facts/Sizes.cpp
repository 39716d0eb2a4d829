// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Sizes.h"
#include <algorithm>

using namespace hlobuf;

using Bytes = std::optional<uint64_t>;

static constexpr uint64_t PointerBytes = 8;

static Bytes multiply(Bytes A, uint64_t B) {
  uint64_t Product = 0;
  if (!A || __builtin_mul_overflow(*A, B, &Product) || Product > INT64_MAX)
    return std::nullopt;
  return Product;
}

static uint64_t ceilDivide(uint64_t A, uint64_t B) {
  return A / B + (A % B != 0);
}

static Bytes roundUp(Bytes A, uint64_t Multiple) {
  if (!A)
    return std::nullopt;
  return multiply(ceilDivide(*A, Multiple), Multiple);
}

/// Bits that one element occupies: packed with `E(n)`, else whole bytes. 0 if
/// the type is not known.
static uint64_t storedBits(const Shape &S) {
  if (S.Layout && S.Layout->ElementBits != 0)
    return static_cast<uint64_t>(S.Layout->ElementBits);
  return ceilDivide(S.Bits, 8) * 8;
}

static Bytes bytesOfElements(const Shape &S, Bytes Elements) {
  uint64_t Bits = storedBits(S);
  if (Bits == 0)
    return std::nullopt;
  Bytes Total = multiply(Elements, Bits);
  if (!Total)
    return std::nullopt;
  return ceilDivide(*Total, 8);
}

Bytes hlobuf::logicalBytes(const ShapeTable &Shapes, ShapeId Id) {
  const Shape &S = Shapes[Id];
  switch (S.Kind) {
  case ShapeKind::Tuple:
    return PointerBytes * S.Elements.size();
  case ShapeKind::Token:
    return 0;
  case ShapeKind::Opaque:
    return PointerBytes;
  case ShapeKind::Buffer:
    return logicalBytes(Shapes, S.Elements.front());
  case ShapeKind::Array:
    break;
  }
  Bytes Elements = 1;
  for (Dimension D : S.Dimensions) {
    if (D.unbounded())
      return std::nullopt;
    Elements = multiply(Elements, static_cast<uint64_t>(D.Size));
  }
  return bytesOfElements(S, Elements);
}

using Extents = llvm::SmallVector<uint64_t, 8>;

/// Physical extents, most major first, each cut down to its largest piece.
static std::optional<Extents> physicalExtents(const Shape &S) {
  Extents Result;
  for (int64_t D : llvm::reverse(S.Layout->MinorToMajor)) {
    Dimension Logical = S.Dimensions[static_cast<size_t>(D)];
    if (Logical.Dynamic)
      return std::nullopt;
    Result.push_back(static_cast<uint64_t>(Logical.Size));
  }
  for (const SplitConfig &Split : S.Layout->Splits) {
    auto At = static_cast<size_t>(Split.Dimension);
    if (At >= Result.size())
      return std::nullopt;
    uint64_t Largest = 0;
    uint64_t Previous = 0;
    for (int64_t Index : Split.Indices) {
      auto Cut = static_cast<uint64_t>(Index);
      if (Cut < Previous || Cut > Result[At])
        return std::nullopt;
      Largest = std::max(Largest, Cut - Previous);
      Previous = Cut;
    }
    Result[At] = std::max(Largest, Result[At] - Previous);
  }
  return Result;
}

/// Replaces the most minor extents by tile counts and tile sizes.
static Extents applyTile(Extents Current, const Tile &T) {
  while (Current.size() < T.size())
    Current.insert(Current.begin(), 1);
  size_t Untouched = Current.size() - T.size();
  Extents Counts(Current.begin(), Current.begin() + Untouched);
  Extents Inner;
  uint64_t Combined = 1;
  for (size_t K = 0; K != T.size(); ++K) {
    uint64_t Extent = Current[Untouched + K];
    if (T[K] == CombineDimension) {
      // An overflow here gives a size that no value can match.
      Combined *= Extent;
      continue;
    }
    auto Size = static_cast<uint64_t>(T[K]);
    Counts.push_back(ceilDivide(Combined * Extent, Size));
    Inner.push_back(Size);
    Combined = 1;
  }
  Counts.append(Inner.begin(), Inner.end());
  return Counts;
}

Bytes hlobuf::tiledBytes(const ShapeTable &Shapes, ShapeId Id) {
  return tiledBytesOf(Shapes[Id]);
}

Bytes hlobuf::tiledBytesOf(const Shape &S) {
  if (!S.isArray() || !S.Layout ||
      S.Layout->has(LayoutProperty::PhysicalShape) ||
      S.Layout->has(LayoutProperty::MetadataPrefix) ||
      S.Layout->has(LayoutProperty::Unknown))
    return std::nullopt;
  std::optional<Extents> Current = physicalExtents(S);
  if (!Current)
    return std::nullopt;
  for (const Tile &T : S.Layout->Tiles)
    Current = applyTile(std::move(*Current), T);
  Bytes Elements = 1;
  for (uint64_t Extent : *Current)
    Elements = multiply(Elements, Extent);
  Elements = roundUp(Elements, static_cast<uint64_t>(S.Layout->TailPadding));
  return bytesOfElements(S, Elements);
}

/// Colors whose sizes follow the tiles: main and alternate memory. The others
/// have granules of their own.
static bool isTiledColor(int32_t Color) {
  return Color == 0 || Color == 1 || Color == 3;
}

/// Bytes of a tile (8,128), TPU's default, with 32-bit elements.
static constexpr uint64_t DefaultTileElements = 8 * 128;

/// An array without tiles on TPU. Scalars of called computations have no
/// layout and take a default tile; in the memories of sync flags and of
/// SparseCore arrays are not padded.
static Bytes untiledBytes(const ShapeTable &Shapes, ShapeId Id, int32_t Color) {
  const Shape &S = Shapes[Id];
  Bytes Logical = logicalBytes(Shapes, Id);
  if (Logical == 0)
    return 0;
  bool Scalar = !S.Layout && S.Dimensions.empty();
  if (Scalar && Color == 0 && (S.Bits == 8 || S.Bits == 16 || S.Bits == 32))
    return DefaultTileElements * S.Bits / 8;
  if (S.Layout && !S.isDynamic() && (Color == 2 || Color == 8 || Color == 10))
    return Logical;
  return std::nullopt;
}

Bytes hlobuf::ownBytes(const ShapeTable &Shapes, ShapeId Id, Backend B,
                       int32_t Color) {
  const Shape &S = Shapes[Id];
  if (B != Backend::TPU) {
    Bytes Logical = logicalBytes(Shapes, Id);
    if (Logical && S.isArray() && S.isDynamic())
      return *Logical + 4 * S.Dimensions.size();
    return Logical;
  }
  if (S.Kind == ShapeKind::Token)
    return 0;
  if (!S.isArray())
    return std::nullopt;
  if (!S.isTiled())
    return untiledBytes(Shapes, Id, Color);
  return isTiledColor(Color) ? tiledBytes(Shapes, Id) : std::nullopt;
}

Bytes hlobuf::likelyBytes(const ShapeTable &Shapes, ShapeId Id, int32_t Color) {
  const Shape &S = Shapes[Id];
  if (!S.isArray() || S.isDynamic())
    return std::nullopt;
  Bytes Logical = logicalBytes(Shapes, Id);
  switch (Color) {
  case 2:
    return Logical;
  case 4:
    if (S.isTiled())
      return tiledBytes(Shapes, Id);
    // Seen: s32[2]{0:S(4)}.
    if (S.Bits == 32 && S.Dimensions.size() == 1 && Logical &&
        *Logical / 4 <= 128)
      return DefaultTileElements * 4;
    return std::nullopt;
  case 6:
  case 7:
  case 11:
  case 12:
    return S.isTiled() ? tiledBytes(Shapes, Id) : std::nullopt;
  default:
    return std::nullopt;
  }
}
