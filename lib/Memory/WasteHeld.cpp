// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/WasteContext.h"
#include "Support/Format.h"
#include "Support/UnionFind.h"
#include <map>
#include <numeric>

using namespace hlobuf;
using llvm::StringRef;

/// Operands that are together this part of a value, or less, are kept instead
/// of it for next to nothing.
static constexpr uint64_t SmallOperands = 8;

/// One of the opcodes of a fusion that only computes element by element from
/// what it gets, or \p Op itself.
static bool isCheap(Opcode Op) {
  return isElementwise(Op) || readsNoElement(Op) ||
         (movesElements(Op) && keepsElements(Op) && !isUpdate(Op));
}

/// \p Name can be made again for little: it is a broadcast, an iota or a
/// conversion, or a fusion of such.
static bool isCheapToMake(const WasteContext &Ctx, NameId Name) {
  Opcode Op = findOpcode(Ctx.DumpFacts, Name);
  if (Op == Opcode::Broadcast || Op == Opcode::Iota || Op == Opcode::Convert)
    return true;
  HloId Id =
      Op == Opcode::Fusion && Ctx.Module ? Ctx.D.Module.find(Name) : HloId();
  ComputationId Body =
      Id ? Ctx.Module->program().callee(Id, CallRole::Calls) : ComputationId();
  return Body && llvm::all_of(Ctx.Module->program().order(Body), [&](HloId I) {
           return isCheap(Ctx.Module->program()[I].Op);
         });
}

/// What a fusion's root does, or \p Name itself.
static Opcode rootOpcode(const Facts &DumpFacts, const ModuleAnalysis *Module,
                         NameId Name) {
  Opcode Op = findOpcode(DumpFacts, Name);
  HloId Id = Op == Opcode::Fusion && Module ? DumpFacts.dump().Module.find(Name)
                                            : HloId();
  ComputationId Body =
      Id ? Module->program().callee(Id, CallRole::Calls) : ComputationId();
  HloId Root = Body ? Module->program().root(Body) : HloId();
  return Root ? Module->program()[Root].Op : Op;
}
static StringRef spellCheap(const WasteContext &Ctx, NameId Name) {
  switch (rootOpcode(Ctx.DumpFacts, Ctx.Module, Name)) {
  case Opcode::Broadcast:
    return "a broadcast";
  case Opcode::Iota:
    return "an iota";
  case Opcode::Convert:
    return "a conversion";
  case Opcode::Transpose:
    return "a transpose";
  default:
    return "an elementwise fusion";
  }
}

/// The compiler reads it on its own: an asynchronous copy is in flight, or loop
/// state changes places.
static bool isMove(const WasteContext &Ctx, NameId Reader) {
  Opcode Op = rootOpcode(Ctx.DumpFacts, Ctx.Module, Reader);
  return Op == Opcode::Copy || endedBy(Op);
}

/// The steps around the peak in which nobody reads \p V; nothing if somebody
/// does at the peak, or what comes next is a loop, a branch, elsewhere or no
/// read of the program's.
static std::optional<StepRange> idleAtPeak(const WasteContext &Ctx, ValueId V) {
  int32_t Before = Ctx.useUntil(V, Ctx.Main.PeakStep);
  int32_t After = Ctx.useAfter(V, Ctx.Main.PeakStep);
  NameId Reader = Ctx.readerAt(V, After);
  if (Before < 0 || Before >= Ctx.Main.PeakStep || !Reader ||
      isControlFlow(findOpcode(Ctx.DumpFacts, Reader)) || isMove(Ctx, Reader) ||
      Ctx.parentOf(Reader) != Ctx.parentOf(Ctx.D[V].Tag.Name) ||
      !Ctx.parentOf(Reader))
    return std::nullopt;
  return StepRange{Before + 1, After - 1};
}

/// Bytes that must be kept until \p Step so that \p Name can be computed there,
/// of operands that are not live until then anyway. Nothing if unknown.
static std::optional<uint64_t> bytesToKeep(const WasteContext &Ctx, NameId Name,
                                           int32_t Step) {
  uint64_t Bytes = 0;
  for (uint32_t I = 0; NameId Source = findOperand(Ctx.DumpFacts, Name, I);
       ++I) {
    ValueId V = Ctx.operand(Name, I);
    if (!V) {
      if (findOpcode(Ctx.DumpFacts, Source) == Opcode::Constant)
        continue;
      return std::nullopt;
    }
    std::optional<StepRange> Range = Ctx.Memory.range(V);
    if (Ctx.Memory.kind(V) == MemoryKind::Temp && (!Range || Range->End < Step))
      Bytes += Ctx.D[V].Size;
  }
  return Bytes;
}

/// A convolution reads it: backends widen the operands of one themselves.
static bool isConvolved(const WasteContext &Ctx, ValueId V) {
  UsedId U = Ctx.DumpFacts.usedOf(V);
  return U && llvm::any_of(Ctx.D.uses(Ctx.D[U]), [&](const Use &Reader) {
           return findOpName(Ctx.DumpFacts, Reader.Name)
               .ends_with("conv_general_dilated");
         });
}

/// Its elements are converted from an argument that has half the bytes, by the
/// user's own conversion: those that a backend adds have another op_name.
static bool addWideCopy(WasteContext &Ctx, const HeldValue &V) {
  NameId Name = Ctx.D[V.Value].Tag.Name;
  ValueId Source = Ctx.operand(Name, 0);
  std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
  if (!Source || !Range || !Ctx.isEntryParameter(Source) ||
      !Ctx.D[V.Value].Shape || !Ctx.D[Source].Shape ||
      findOperand(Ctx.DumpFacts, Name, 1) || !isCheapToMake(Ctx, Name) ||
      isConvolved(Ctx, V.Value))
    return false;
  const Shape &Wide = Ctx.D.Shapes[Ctx.D[V.Value].Shape];
  const Shape &Narrow = Ctx.D.Shapes[Ctx.D[Source].Shape];
  if (Wide.Element != "f32" ||
      (Narrow.Element != "bf16" && Narrow.Element != "f16") ||
      !findOpName(Ctx.DumpFacts, Name).ends_with("convert_element_type"))
    return false;
  Ctx.add({WasteKind::WideCopy, V.Value, Ctx.D[V.Value].Owner, Source,
           Ctx.Memory.savedWithout(Ctx.Main, {{*Range, V.Bytes}}), 1, false,
           fmt::format("{} is an f32 copy of {}, {}", Ctx.describe(V.Value),
                       Narrow.Element, Ctx.describe(Source)),
           "compute with the narrow type (preferred_element_type keeps sums in "
           "f32), or convert a part at a time"});
  return true;
}

namespace {
/// Values that could be computed again, all of them together: without one of
/// them another step may be the peak. Those that are made of one value are
/// computed again one after the other: each is there when the one before it is
/// read.
class RecomputedValues {
public:
  explicit RecomputedValues(WasteContext &Ctx) : Ctx(Ctx) {}

  void add(const HeldValue &V);
  /// Adds all to the context.
  void finish();

private:
  WasteContext &Ctx;
  std::vector<Waste> All;
  std::vector<FreedBytes> Freed;
  /// By value, the numbers of those in All that are made of it.
  std::map<uint32_t, std::vector<uint32_t>> MadeOf;
};
} // namespace

void RecomputedValues::add(const HeldValue &V) {
  NameId Name = Ctx.D[V.Value].Tag.Name;
  std::optional<StepRange> Idle = idleAtPeak(Ctx, V.Value);
  if (!Idle || !isCheapToMake(Ctx, Name))
    return;
  std::optional<uint64_t> Kept = bytesToKeep(Ctx, Name, Idle->End + 1);
  if (!Kept || *Kept > V.Bytes / SmallOperands)
    return;
  NameId Reader = Ctx.readerAt(V.Value, Idle->End + 1);
  uint32_t Number = static_cast<uint32_t>(All.size());
  MadeOf[V.Value.index()].push_back(Number);
  for (uint32_t I = 0; findOperand(Ctx.DumpFacts, Name, I); ++I)
    if (ValueId Source = Ctx.operand(Name, I))
      MadeOf[Source.index()].push_back(Number);
  Freed.push_back({*Idle, V.Bytes - *Kept});
  All.push_back(
      {WasteKind::Recomputable, V.Value, Ctx.D[V.Value].Owner, ValueId(),
       V.Bytes - *Kept, 1, false,
       fmt::format("{}, {}, is held from step {} until {} reads it at step {}; "
                   "its operands are live there, too",
                   Ctx.describe(V.Value), spellCheap(Ctx, Name),
                   Idle->Start - 1, Ctx.D.Names[Reader], Idle->End + 1),
       Ctx.recomputeHint()});
}

void RecomputedValues::finish() {
  UnionFind Sets(All.size());
  for (const auto &[Source, Numbers] : MadeOf)
    for (uint32_t Number : Numbers)
      Sets.join(Numbers.front(), Number);
  std::vector<uint32_t> ByEnd(Freed.size());
  std::iota(ByEnd.begin(), ByEnd.end(), 0);
  llvm::stable_sort(ByEnd, [&](uint32_t X, uint32_t Y) {
    return Freed[X].Range.End < Freed[Y].Range.End;
  });
  std::map<uint32_t, int32_t> Before;
  for (uint32_t I : ByEnd) {
    int32_t End = Freed[I].Range.End;
    auto [At, IsFirst] = Before.try_emplace(Sets.find(I), End);
    Freed[I].Range.End = std::exchange(At->second, End);
  }
  double Sum = 0;
  for (const FreedBytes &Item : Freed)
    Sum += static_cast<double>(Item.Bytes);
  double Saved = static_cast<double>(Ctx.Memory.savedWithout(Ctx.Main, Freed));
  for (Waste &Item : All) {
    Item.Saved =
        static_cast<uint64_t>(static_cast<double>(Item.Saved) * Saved / Sum);
    Ctx.add(std::move(Item));
  }
}

void hlobuf::findHeld(WasteContext &Ctx) {
  if (!Ctx.Module)
    return;
  RecomputedValues Recomputed(Ctx);
  for (const HeldValue &V : Ctx.Held)
    if (Ctx.isAlone(V) && Ctx.isUsersOwn(Ctx.D[V.Value].Tag.Name) &&
        !addWideCopy(Ctx, V))
      Recomputed.add(V);
  Recomputed.finish();
}
