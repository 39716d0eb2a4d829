// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/WasteContext.h"
#include "Support/Format.h"

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

/// Its elements are converted from an argument that has half the bytes, by the
/// user's own conversion: those that a backend adds have another op_name.
static bool addWideCopy(WasteContext &Ctx, const HeldValue &V) {
  NameId Name = Ctx.D[V.Value].Tag.Name;
  ValueId Source = Ctx.operand(Name, 0);
  std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
  if (!Source || !Range || !Ctx.isEntryParameter(Source) ||
      !Ctx.D[V.Value].Shape || !Ctx.D[Source].Shape ||
      findOperand(Ctx.DumpFacts, Name, 1) || !isCheapToMake(Ctx, Name))
    return false;
  const Shape &Wide = Ctx.D.Shapes[Ctx.D[V.Value].Shape];
  const Shape &Narrow = Ctx.D.Shapes[Ctx.D[Source].Shape];
  if (Wide.Element != "f32" ||
      (Narrow.Element != "bf16" && Narrow.Element != "f16") ||
      !findOpName(Ctx.DumpFacts, Name).ends_with("convert_element_type"))
    return false;
  Ctx.add({WasteKind::WideCopy, V.Value, Ctx.D[V.Value].Owner, Source,
           Ctx.Memory.savedWithout(Ctx.Main, *Range, V.Bytes), 1, false,
           fmt::format("{} is an f32 copy of {}, {}", Ctx.describe(V.Value),
                       Narrow.Element, Ctx.describe(Source)),
           "compute with the narrow type (preferred_element_type keeps sums in "
           "f32), or convert a part at a time"});
  return true;
}
static bool addRecomputable(WasteContext &Ctx, const HeldValue &V) {
  NameId Name = Ctx.D[V.Value].Tag.Name;
  std::optional<StepRange> Idle = idleAtPeak(Ctx, V.Value);
  if (!Idle || !isCheapToMake(Ctx, Name))
    return false;
  std::optional<uint64_t> Kept = bytesToKeep(Ctx, Name, Idle->End + 1);
  if (!Kept || *Kept > V.Bytes / SmallOperands)
    return false;
  NameId Reader = Ctx.readerAt(V.Value, Idle->End + 1);
  Ctx.add(
      {WasteKind::Recomputable, V.Value, Ctx.D[V.Value].Owner, ValueId(),
       Ctx.Memory.savedWithout(Ctx.Main, *Idle, V.Bytes - *Kept), 1, false,
       fmt::format("{}, {}, is held from step {} until {} reads it at step "
                   "{}; its operands are live there, too",
                   Ctx.describe(V.Value), spellCheap(Ctx, Name),
                   Idle->Start - 1, Ctx.D.Names[Reader], Idle->End + 1),
       "compute it again where it is used next, inside of jax.checkpoint or "
       "after jax.lax.optimization_barrier"});
  return true;
}

/// Side effects, or what costs time, must not be moved.
static bool mayMove(Opcode Op) {
  return Op != Opcode::Unknown && !isControlFlow(Op) && !isTransfer(Op) &&
         !startedBy(Op) && !endedBy(Op) && !isCollective(Op) &&
         Op != Opcode::CustomCall && Op != Opcode::Copy &&
         Op != Opcode::Parameter && Op != Opcode::Rng &&
         Op != Opcode::RngBitGenerator;
}
static bool addEarlyDefinition(WasteContext &Ctx, const HeldValue &V) {
  NameId Name = Ctx.D[V.Value].Tag.Name;
  std::optional<StepRange> Idle = idleAtPeak(Ctx, V.Value);
  std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
  if (!Idle || !Range || Idle->Start != Range->Start + 1 ||
      Ctx.useAfter(V.Value, Idle->End + 1) >= 0 ||
      !mayMove(findOpcode(Ctx.DumpFacts, Name)) ||
      Ctx.DumpFacts.valuesOfInstruction(Name).size() != 1)
    return false;
  std::optional<uint64_t> Kept = bytesToKeep(Ctx, Name, Idle->End + 1);
  if (!Kept || *Kept != 0)
    return false;
  NameId Reader = Ctx.readerAt(V.Value, Idle->End + 1);
  Ctx.add(
      {WasteKind::EarlyDefinition, V.Value, Ctx.D[V.Value].Owner, ValueId(),
       Ctx.Memory.savedWithout(Ctx.Main, {Range->Start, Idle->End}, V.Bytes), 1,
       false,
       fmt::format("{} is computed at step {} and read once, by {} at step {}; "
                   "its operands are live until then",
                   Ctx.describe(V.Value), Range->Start, Ctx.D.Names[Reader],
                   Idle->End + 1),
       "compute it where it is used: make its inputs depend on what comes "
       "before with jax.lax.optimization_barrier"});
  return true;
}

void hlobuf::findHeld(WasteContext &Ctx) {
  if (!Ctx.Module)
    return;
  for (const HeldValue &V : Ctx.Held) {
    if (!Ctx.isAlone(V) || !Ctx.isUsersOwn(Ctx.D[V.Value].Tag.Name))
      continue;
    if (!addWideCopy(Ctx, V) && !addRecomputable(Ctx, V))
      addEarlyDefinition(Ctx, V);
  }
}
