// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/WasteContext.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace hlobuf;
using llvm::StringRef;

/// Padding is worth a finding where it is more than the elements.
static constexpr uint64_t PaddingFactor = 2;
/// Layouts of more dimensions are not tried in all orders of the minor two.
static constexpr size_t MaxRank = 8;
/// Elements of a tile in one dimension, and bytes of a tile, at most.
static constexpr int64_t MaxTile = 1 << 16;

/// The order of dimensions, the minor two exchanged, with the fewest bytes.
static std::optional<Shape> bestOrder(const Shape &Now, uint64_t &Bytes) {
  std::optional<Shape> Best;
  size_t Rank = Now.Dimensions.size();
  if (!Now.Layout || Rank < 2 || Rank > MaxRank ||
      Now.Layout->MinorToMajor.size() != Rank || !Now.Layout->Splits.empty())
    return Best;
  for (size_t Minor = 0; Minor != Rank; ++Minor)
    for (size_t Second = 0; Second != Rank; ++Second) {
      if (Minor == Second)
        continue;
      Shape Other = Now;
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

/// What would take less than \p Now, and how many bytes that is.
static std::pair<std::string, uint64_t>
betterShape(const Shape &Now, uint64_t Bytes, uint64_t Unpadded) {
  std::optional<Shape> Best = bestOrder(Now, Bytes);
  if (!Best)
    return {"reshape it so that the last dimension is a multiple of 128 and "
            "the one before it of 8",
            std::min(Bytes, llvm::alignTo(Unpadded, bytesOfTile(Now)))};
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
  for (const HeldValue &V : Ctx.Held) {
    ShapeId Id = Ctx.D[V.Value].Shape;
    if (!Id || !Ctx.D.Shapes[Id].isTiled() || V.Unpadded == 0 ||
        V.Bytes / PaddingFactor < V.Unpadded ||
        tiledBytes(Ctx.D.Shapes, Id) != Ctx.D[V.Value].Size)
      continue;
    std::string Text = fmt::format(
        "tiling makes {} of {} {}", humanBytes(V.Bytes), humanBytes(V.Unpadded),
        fmt::format("{} of {}", Ctx.D.Shapes.text(Id), Ctx.describe(V.Value)));
    auto [Hint, Bytes] =
        betterShape(Ctx.D.Shapes[Id], Ctx.D[V.Value].Size, V.Unpadded);
    uint64_t Less = Ctx.D[V.Value].Size - std::min(Bytes, Ctx.D[V.Value].Size);
    if (V.Kind == MemoryKind::Temp) {
      std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
      Less = Range ? Ctx.Memory.savedWithout(Ctx.Main, *Range, Less) : 0;
    }
    Ctx.add({WasteKind::TilePadding, V.Value, Ctx.D[V.Value].Owner, ValueId(),
             Less, 1, false, std::move(Text), std::move(Hint)});
  }
}

/// Bytes between values that alignment takes: 16 KiB in HBM (libtpu's
/// --xla_jf_program_hbm_alignment_in_kib), at most 256 elsewhere.
static uint64_t alignmentOf(const Facts &DumpFacts) {
  return DumpFacts.isTPU() ? 16384 : 256;
}

/// Fragmentation of a few pages is nobody's business.
static constexpr uint64_t MinFragmentation = 65536;

/// The bytes of tuple tables in temps of \p Color, aligned: in HBM they have
/// places of their own for the whole program (libtpu 0.0.11 to 0.0.52), so that
/// nobody can use what they leave.
static uint64_t bytesOfTables(const Facts &DumpFacts, int32_t Color) {
  const Dump &D = DumpFacts.dump();
  std::set<std::pair<uint32_t, uint64_t>> Places;
  uint64_t Bytes = 0;
  for (const Value &V : D.Values)
    if (DumpFacts.isTPU() && V.Shape && D.Shapes[V.Shape].isTuple() &&
        D[V.Owner].color() == Color && kindOf(D[V.Owner]) == MemoryKind::Temp &&
        Places.emplace(V.Owner.index(), V.Offset).second)
      Bytes += llvm::alignTo(V.Size, alignmentOf(DumpFacts));
  return Bytes;
}

/// Temps of a color are one heap: what it needs above the most live bytes,
/// aligned, is between values.
void hlobuf::findFragmentation(WasteContext &Ctx) {
  if (!Ctx.Memory.isTimed() || Ctx.Main.fragmentation() < Ctx.Threshold)
    return;
  uint64_t Live =
      Ctx.Memory.mostLiveTemp(Ctx.Main.Color, alignmentOf(Ctx.DumpFacts));
  Live += bytesOfTables(Ctx.DumpFacts, Ctx.Main.Color);
  uint64_t Lost = Ctx.Main.temp() - std::min(Ctx.Main.temp(), Live);
  if (Lost < MinFragmentation)
    return;
  AllocationId Largest;
  for (uint32_t I = 0; I != Ctx.D.Allocations.size(); ++I)
    if (Ctx.D.Allocations[I].color() == Ctx.Main.Color &&
        kindOf(Ctx.D.Allocations[I]) == MemoryKind::Temp &&
        (!Largest || Ctx.D.Allocations[I].Size > Ctx.D[Largest].Size))
      Largest = AllocationId(I);
  if (!Largest || Ctx.D[Largest].Values.empty())
    return;
  // The value that ends where the heap ends, but for small ones that fill
  // what is left; of several the largest.
  ValueId Top;
  for (uint32_t I = Ctx.D[Largest].Values.Begin; I != Ctx.D[Largest].Values.End;
       ++I) {
    auto Key = [&](ValueId V) {
      return std::tuple(Ctx.D[V].Size >= MinFragmentation, Ctx.D[V].end(),
                        Ctx.D[V].Size);
    };
    if (!Top || Key(ValueId(I)) > Key(Top))
      Top = ValueId(I);
  }
  Ctx.add(
      {WasteKind::Fragmentation, Top, Largest, ValueId(), Lost, 1, false,
       fmt::format("temps take {}, but at most {} of them, aligned, are live "
                   "at one time",
                   humanBytes(Ctx.Main.temp()), humanBytes(Live)),
       fmt::format("the last large value of the heap is {} ({} at offset {}): "
                   "a smaller or shorter-lived one lets the heap end earlier",
                   Ctx.describe(Top), humanBytes(Ctx.D[Top].Size),
                   Ctx.D[Top].Offset)});
}

/// What is between the parentheses of a constant; empty where the text leaves
/// it out.
static StringRef literalOf(const Facts &DumpFacts, NameId Name) {
  const Dump &D = DumpFacts.dump();
  StringRef Text;
  if (const Instruction *I = DumpFacts.instruction(Name))
    Text = D.operandsText(*I);
  // --xla_dump_large_constants is about the module alone.
  if (HloId Id = D.Module.find(Name);
      Id && (Text.empty() || Text.contains("...")))
    Text = D.Module.operandsText(D.Module[Id]);
  return Text.contains("...") ? StringRef() : Text;
}

/// The compiler made one from the other: `constant.10` and `constant.10..sunk`.
static bool isClone(StringRef X, StringRef Y) {
  auto Base = [](StringRef Name) {
    return Name.take_front(std::min(Name.find(".."), Name.find(".clone")));
  };
  return Base(X) == Base(Y);
}

void hlobuf::findConstants(WasteContext &Ctx) {
  std::map<std::pair<std::string, StringRef>, ValueId> Known;
  for (const Allocation &Alloc : Ctx.D.Allocations) {
    if (!Alloc.Constant || Alloc.color() != Ctx.Main.Color ||
        Alloc.Size < Ctx.Threshold || Alloc.Values.empty())
      continue;
    ValueId V(Alloc.Values.Begin);
    // An allocation may be a whole page for one scalar.
    if (Ctx.D[V].Shape &&
        logicalBytes(Ctx.D.Shapes, Ctx.D[V].Shape).value_or(Alloc.Size) <
            MinWaste)
      continue;
    std::string Shape = Ctx.D[V].Shape ? Ctx.D.Shapes.plainText(Ctx.D[V].Shape)
                                       : "unknown shape";
    if (StringRef Literal = literalOf(Ctx.DumpFacts, Ctx.D[V].Tag.Name);
        !Literal.empty() && Ctx.D[V].Shape) {
      auto [Same, New] = Known.try_emplace(std::pair(Shape, Literal), V);
      if (!New) {
        if (isClone(Ctx.D.Names[Ctx.D[V].Tag.Name],
                    Ctx.D.Names[Ctx.D[Same->second].Tag.Name]))
          continue;
        Ctx.add(
            {WasteKind::SameConstant, V, Ctx.D[V].Owner, Same->second,
             Alloc.Size, 1, false,
             fmt::format("constants {} and {} have the same shape and value",
                         Ctx.spell(Same->second), Ctx.spell(V)),
             "pass the array as one argument and use it in both places"});
        continue;
      }
    }
    Ctx.add({WasteKind::LargeConstant, V, Ctx.D[V].Owner, ValueId(), Alloc.Size,
             1, false,
             fmt::format("{} is a constant of {} inside of the program",
                         Ctx.spell(V), Shape),
             "pass the array as an argument instead of using it as a global or "
             "closed-over variable"});
  }
}
