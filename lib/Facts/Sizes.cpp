// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Sizes.h"
#include "HLO/ArrayOrder.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;

using Bytes = std::optional<uint64_t>;

static constexpr uint64_t PointerBytes = 8;

static Bytes multiply(Bytes A, uint64_t B) {
  uint64_t Product = 0;
  if (!A || __builtin_mul_overflow(*A, B, &Product) || Product > INT64_MAX)
    return std::nullopt;
  return Product;
}

static Bytes roundUp(Bytes A, uint64_t Multiple) {
  return A ? multiply(llvm::divideCeil(*A, Multiple), Multiple) : std::nullopt;
}

static Bytes bytesOfElements(const Shape &S, Bytes Elements) {
  uint64_t Bits = storedBits(S);
  Bytes Total = Bits == 0 ? std::nullopt : multiply(Elements, Bits);
  return Total ? Bytes(llvm::divideCeil(*Total, 8)) : std::nullopt;
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

/// The dimensions in memory before tiles, each cut down to its largest piece.
static std::optional<MemoryDimensions> piece(const Shape &S) {
  MemoryDimensions Result;
  for (int64_t D : llvm::reverse(S.Layout->MinorToMajor)) {
    Dimension Logical = S.Dimensions[static_cast<size_t>(D)];
    if (Logical.Dynamic)
      return std::nullopt;
    Result.push_back({D, 1, Logical.Size});
  }
  for (const SplitConfig &Split : S.Layout->Splits) {
    auto Offset = static_cast<size_t>(Split.Dimension);
    if (Offset >= Result.size())
      return std::nullopt;
    int64_t Largest = 0;
    int64_t Previous = 0;
    for (int64_t Cut : Split.Indices) {
      if (Cut < Previous || Cut > Result[Offset].Size)
        return std::nullopt;
      Largest = std::max(Largest, Cut - Previous);
      Previous = Cut;
    }
    Result[Offset].Size = std::max(Largest, Result[Offset].Size - Previous);
  }
  return Result;
}

Bytes hlobuf::tiledBytesOf(const Shape &S) {
  if (!S.isArray() || !S.Layout ||
      S.Layout->has(LayoutProperty::PhysicalShape) ||
      S.Layout->has(LayoutProperty::MetadataPrefix) ||
      S.Layout->has(LayoutProperty::Unknown))
    return std::nullopt;
  std::optional<MemoryDimensions> Current = piece(S);
  if (!Current || !llvm::all_of(S.Layout->Tiles, [&](const Tile &T) {
        return applyTile(*Current, T);
      }))
    return std::nullopt;
  Bytes Elements = 1;
  for (const MemoryDimension &D : *Current)
    Elements = multiply(Elements, static_cast<uint64_t>(D.Size));
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
    return Logical && S.isArray() && S.isDynamic()
               ? *Logical + 4 * S.Dimensions.size()
               : Logical;
  }
  if (S.Kind == ShapeKind::Token)
    return 0;
  if (!S.isArray())
    return std::nullopt;
  if (!S.isTiled())
    return untiledBytes(Shapes, Id, Color);
  return isTiledColor(Color) ? tiledBytesOf(S) : std::nullopt;
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
      return tiledBytesOf(S);
    // Seen: s32[2]{0:S(4)}.
    return S.Bits == 32 && S.Dimensions.size() == 1 && Logical &&
                   *Logical / 4 <= 128
               ? Bytes(DefaultTileElements * 4)
               : std::nullopt;
  case 6:
  case 7:
  case 11:
  case 12:
    return S.isTiled() ? tiledBytesOf(S) : std::nullopt;
  default:
    return std::nullopt;
  }
}
