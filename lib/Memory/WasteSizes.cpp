// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/WasteContext.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;

/// Padding is worth a finding where it is more than the elements.
static constexpr uint64_t PaddingFactor = 2;
/// Layouts of more dimensions are not tried in all orders of the minor two.
static constexpr size_t MaxRank = 8;
/// Elements of a tile in one dimension, and bytes of a tile, at most.
static constexpr int64_t MaxTile = 1 << 16;

/// The order of dimensions, the minor two exchanged, with the fewest bytes.
static std::optional<Shape> bestOrder(const Shape &Current, uint64_t &Bytes) {
  std::optional<Shape> Best;
  size_t Rank = Current.Dimensions.size();
  if (!Current.Layout || Rank < 2 || Rank > MaxRank ||
      Current.Layout->MinorToMajor.size() != Rank ||
      !Current.Layout->Splits.empty())
    return Best;
  for (size_t Minor = 0; Minor != Rank; ++Minor)
    for (size_t Second = 0; Second != Rank; ++Second) {
      if (Minor == Second)
        continue;
      Shape Other = Current;
      auto &Order = Other.Layout->MinorToMajor;
      Order.assign({static_cast<int64_t>(Minor), static_cast<int64_t>(Second)});
      for (size_t I = Rank; I-- != 0;)
        if (I != Minor && I != Second)
          Order.push_back(static_cast<int64_t>(I));
      std::optional<uint64_t> Size = tiledBytesOf(Other);
      if (Size && *Size < Bytes) {
        Bytes = *Size;
        Best = std::move(Other);
      }
    }
  return Best;
}

/// Bytes of one tile: no shape takes less, and a reshaped one ends with one
/// that is not full.
static uint64_t bytesOfTile(const Shape &S) {
  uint64_t Bits = S.Bits;
  for (int64_t Size : S.Layout->Tiles.front()) {
    if (Size <= 0 || Size > MaxTile)
      return 1;
    Bits *= static_cast<uint64_t>(Size);
  }
  return std::clamp<uint64_t>(Bits / 8, 1, MaxTile);
}

/// What would take less than \p Current, and how many bytes that is.
static std::pair<std::string, uint64_t>
betterShape(const Shape &Current, uint64_t Bytes, uint64_t Unpadded) {
  std::optional<Shape> Best = bestOrder(Current, Bytes);
  if (!Best)
    return {"reshape it so that the last dimension is a multiple of 128 and "
            "the one before it of 8",
            std::min(Bytes, llvm::alignTo(Unpadded, bytesOfTile(Current)))};
  std::string Order;
  bool IsRowMajor = true;
  int64_t Next = 0;
  for (int64_t Dim : llvm::reverse(Best->Layout->MinorToMajor)) {
    IsRowMajor &= Dim == Next++;
    Order += fmt::format("{}{}", Order.empty() ? "" : ",",
                         Best->Dimensions[static_cast<size_t>(Dim)].Size);
  }
  return {fmt::format("{}{}[{}] it takes {}",
                      IsRowMajor ? "in row-major order, as " : "transposed to ",
                      Best->Element, Order, humanBytes(Bytes)),
          Bytes};
}

void hlobuf::findPadding(WasteContext &Ctx) {
  if (!Ctx.Memory.isTimed())
    return;
  for (const HeldValue &V : Ctx.PeakValues) {
    ShapeId Id = Ctx.D[V.Value].Shape;
    if (!Id || !Ctx.D.Shapes[Id].isTiled() || V.Unpadded == 0 ||
        V.Bytes / PaddingFactor < V.Unpadded ||
        tiledBytesOf(Ctx.D.Shapes[Id]) != Ctx.D[V.Value].Size)
      continue;
    std::string Text = fmt::format(
        "tiling makes {} of {} {}", humanBytes(V.Bytes), humanBytes(V.Unpadded),
        fmt::format("{} of {}", Ctx.D.Shapes.text(Id), Ctx.describe(V.Value)));
    auto [Hint, Bytes] =
        betterShape(Ctx.D.Shapes[Id], Ctx.D[V.Value].Size, V.Unpadded);
    uint64_t Less = Ctx.D[V.Value].Size - std::min(Bytes, Ctx.D[V.Value].Size);
    if (V.Kind == MemoryKind::Temp) {
      std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
      Less = Range ? Ctx.Memory.savedWithout(Ctx.Main, {{*Range, Less}}) : 0;
    }
    Ctx.add({WasteKind::TilePadding, V.Value, Ctx.D[V.Value].Owner, ValueId(),
             Less, std::move(Text), std::move(Hint)});
  }
}
