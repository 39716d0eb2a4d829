// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Instructions.h"
#include "Memory/WasteContext.h"
#include "Support/Format.h"

using namespace hlobuf;

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

/// A convolution reads it: backends widen the operands of one themselves.
static bool isConvolved(const WasteContext &Ctx, ValueId V) {
  return llvm::any_of(Ctx.DumpFacts.readers(V), [&](const Use &Reader) {
    return findOpName(Ctx.DumpFacts, Reader.Name)
        .ends_with("conv_general_dilated");
  });
}

/// Its elements are converted from an argument that has half the bytes, by the
/// user's own conversion: those that a backend adds have another op_name.
static void addWideCopy(WasteContext &Ctx, const HeldValue &V) {
  NameId Name = Ctx.D[V.Value].Tag.Name;
  ValueId Source = Ctx.operand(Name, 0);
  std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
  if (!Source || !Range || !Ctx.isEntryParameter(Source) ||
      !Ctx.D[V.Value].Shape || !Ctx.D[Source].Shape ||
      findOperand(Ctx.DumpFacts, Name, 1) || !isCheapToMake(Ctx, Name) ||
      isConvolved(Ctx, V.Value))
    return;
  const Shape &Wide = Ctx.D.Shapes[Ctx.D[V.Value].Shape];
  const Shape &Narrow = Ctx.D.Shapes[Ctx.D[Source].Shape];
  if (Wide.Element != "f32" ||
      (Narrow.Element != "bf16" && Narrow.Element != "f16") ||
      !findOpName(Ctx.DumpFacts, Name).ends_with("convert_element_type"))
    return;
  Ctx.add({WasteKind::WideCopy, V.Value, Ctx.D[V.Value].Owner, Source,
           Ctx.Memory.savedWithout(Ctx.Main, {{*Range, V.Bytes}}),
           fmt::format("{} is an f32 copy of {}, {}", Ctx.describe(V.Value),
                       Narrow.Element, Ctx.describe(Source)),
           "compute with the narrow type (preferred_element_type keeps sums in "
           "f32), or convert a part at a time"});
}

/// A value that is written over in place is no longer the one that could be
/// made again.
static bool isAlone(const WasteContext &Ctx, const HeldValue &V) {
  std::optional<StepRange> Range = Ctx.Memory.range(V.Value);
  return V.Kind == MemoryKind::Temp && V.Others.empty() && Range &&
         Range->End <= Ctx.lastUse(V.Value);
}

void hlobuf::findHeld(WasteContext &Ctx) {
  if (!Ctx.Module)
    return;
  for (const HeldValue &V : Ctx.PeakValues)
    if (isAlone(Ctx, V))
      addWideCopy(Ctx, V);
}
