//===- Memory/WasteHeld.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ModuleAnalysis.h"
#include "Memory/Origin.h"
#include "Memory/WasteFinder.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"

using namespace hlobuf;
using llvm::StringRef;

/// Operands that are together this part of a value, or less, are kept instead
/// of it for next to nothing.
static constexpr uint64_t SmallOperands = 8;

/// One of the opcodes of a fusion that only computes element by element from
/// what it gets, or \p Op itself.
static bool isCheap(Opcode Op) {
  return isElementwise(Op) || Op == Opcode::Broadcast || Op == Opcode::Iota ||
         Op == Opcode::Parameter || Op == Opcode::Constant ||
         Op == Opcode::Bitcast || Op == Opcode::Reshape ||
         Op == Opcode::Transpose || Op == Opcode::Tuple;
}

/// \p Name can be made again for little: it is a broadcast, an iota or a
/// conversion, or a fusion of such.
bool WasteFinder::isCheapToMake(NameId Name) const {
  Opcode Op = findOpcode(A, Name);
  if (Op == Opcode::Broadcast || Op == Opcode::Iota || Op == Opcode::Convert)
    return true;
  HloId Id = Op == Opcode::Fusion && W ? D.Module.find(Name) : HloId();
  ComputationId Body =
      Id ? W->program().callee(Id, CallRole::Calls) : ComputationId();
  return Body && llvm::all_of(W->program().order(Body), [&](HloId I) {
           return isCheap(W->program()[I].Op);
         });
}

/// What a fusion's root does, or \p Name itself.
static Opcode rootOpcode(const Facts &A, const ModuleAnalysis *W, NameId Name) {
  Opcode Op = findOpcode(A, Name);
  HloId Id = Op == Opcode::Fusion && W ? A.dump().Module.find(Name) : HloId();
  ComputationId Body =
      Id ? W->program().callee(Id, CallRole::Calls) : ComputationId();
  HloId Root = Body ? W->program().root(Body) : HloId();
  return Root ? W->program()[Root].Op : Op;
}

StringRef WasteFinder::spellCheap(NameId Name) const {
  switch (rootOpcode(A, W, Name)) {
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
bool WasteFinder::isMove(NameId Reader) const {
  Opcode Op = rootOpcode(A, W, Reader);
  return Op == Opcode::Copy || endedBy(Op);
}

/// The steps around the peak in which nobody reads \p V; nothing if somebody
/// does at the peak, or what comes next is a loop, a branch, elsewhere or no
/// read of the program's.
std::optional<StepRange> WasteFinder::idleAtPeak(ValueId V) const {
  int32_t Before = useUntil(V, Main.PeakStep);
  int32_t After = useAfter(V, Main.PeakStep);
  NameId Reader = readerAt(V, After);
  if (Before < 0 || Before >= Main.PeakStep || !Reader ||
      isControlFlow(findOpcode(A, Reader)) || isMove(Reader) ||
      parentOf(Reader) != parentOf(D[V].Tag.Name) || !parentOf(Reader))
    return std::nullopt;
  return StepRange{Before + 1, After - 1};
}

/// Bytes that must be kept until \p Step so that \p Name can be computed there,
/// of operands that are not live until then anyway. Nothing if unknown.
std::optional<uint64_t> WasteFinder::bytesToKeep(NameId Name,
                                                 int32_t Step) const {
  uint64_t Bytes = 0;
  for (uint32_t I = 0; NameId Source = findOperand(A, Name, I); ++I) {
    ValueId V = operand(Name, I);
    if (!V) {
      if (findOpcode(A, Source) == Opcode::Constant)
        continue;
      return std::nullopt;
    }
    std::optional<StepRange> Range = Use.range(V);
    if (Use.kind(V) == MemoryKind::Temp && (!Range || Range->End < Step))
      Bytes += D[V].Size;
  }
  return Bytes;
}

/// Its elements are converted from an argument that has half the bytes, by the
/// user's own conversion: those that a backend adds have another op_name.
bool WasteFinder::addWideCopy(const HeldValue &V) {
  NameId Name = D[V.Value].Tag.Name;
  ValueId Source = operand(Name, 0);
  std::optional<StepRange> Range = Use.range(V.Value);
  if (!Source || !Range || !isEntryParameter(Source) || !D[V.Value].Shape ||
      !D[Source].Shape || findOperand(A, Name, 1) || !isCheapToMake(Name))
    return false;
  const Shape &Wide = D.Shapes[D[V.Value].Shape];
  const Shape &Narrow = D.Shapes[D[Source].Shape];
  if (Wide.Element != "f32" ||
      (Narrow.Element != "bf16" && Narrow.Element != "f16") ||
      !StringRef(findOrigin(A, Name).OpName).ends_with("convert_element_type"))
    return false;
  add({WasteKind::WideCopy, V.Value, D[V.Value].Owner, Source,
       Use.savedWithout(Main, *Range, V.Bytes), 1, false,
       fmt::format("{} is an f32 copy of {}, {}", describe(V.Value),
                   Narrow.Element, describe(Source)),
       "compute with the narrow type (preferred_element_type keeps sums in "
       "f32), or convert a part at a time"});
  return true;
}

bool WasteFinder::addRecomputable(const HeldValue &V) {
  NameId Name = D[V.Value].Tag.Name;
  std::optional<StepRange> Idle = idleAtPeak(V.Value);
  if (!Idle || !isCheapToMake(Name))
    return false;
  std::optional<uint64_t> Kept = bytesToKeep(Name, Idle->End + 1);
  if (!Kept || *Kept > V.Bytes / SmallOperands)
    return false;
  NameId Reader = readerAt(V.Value, Idle->End + 1);
  add({WasteKind::Recomputable, V.Value, D[V.Value].Owner, ValueId(),
       Use.savedWithout(Main, *Idle, V.Bytes - *Kept), 1, false,
       fmt::format("{}, {}, is held from step {} until {} reads it at step "
                   "{}; its operands are live there, too",
                   describe(V.Value), spellCheap(Name), Idle->Start - 1,
                   D.Names[Reader], Idle->End + 1),
       "compute it again where it is used next, inside of jax.checkpoint or "
       "after jax.lax.optimization_barrier"});
  return true;
}

/// Side effects, or what costs time, must not be moved.
static bool mayMove(Opcode Op) {
  return Op != Opcode::Unknown && !isControlFlow(Op) && !isTransfer(Op) &&
         !startedBy(Op) && !endedBy(Op) && Op != Opcode::CustomCall &&
         Op != Opcode::Copy && Op != Opcode::Parameter &&
         Op != Opcode::AllReduce && Op != Opcode::AllGather &&
         Op != Opcode::AllToAll && Op != Opcode::CollectivePermute &&
         Op != Opcode::ReduceScatter && Op != Opcode::CollectiveBroadcast &&
         Op != Opcode::Rng && Op != Opcode::RngBitGenerator;
}

bool WasteFinder::addEarlyDefinition(const HeldValue &V) {
  NameId Name = D[V.Value].Tag.Name;
  std::optional<StepRange> Idle = idleAtPeak(V.Value);
  std::optional<StepRange> Range = Use.range(V.Value);
  if (!Idle || !Range || Idle->Start != Range->Start + 1 ||
      useAfter(V.Value, Idle->End + 1) >= 0 || !mayMove(findOpcode(A, Name)) ||
      A.valuesOfInstruction(Name).size() != 1)
    return false;
  std::optional<uint64_t> Kept = bytesToKeep(Name, Idle->End + 1);
  if (!Kept || *Kept != 0)
    return false;
  NameId Reader = readerAt(V.Value, Idle->End + 1);
  add({WasteKind::EarlyDefinition, V.Value, D[V.Value].Owner, ValueId(),
       Use.savedWithout(Main, {Range->Start, Idle->End}, V.Bytes), 1, false,
       fmt::format("{} is computed at step {} and read once, by {} at step {}; "
                   "its operands are live until then",
                   describe(V.Value), Range->Start, D.Names[Reader],
                   Idle->End + 1),
       "compute it where it is used: make its inputs depend on what comes "
       "before with jax.lax.optimization_barrier"});
  return true;
}

void WasteFinder::findHeld() {
  if (!W)
    return;
  for (const HeldValue &V : Held) {
    if (!isAlone(V) || !isUsersOwn(D[V.Value].Tag.Name))
      continue;
    if (!addWideCopy(V) && !addRecomputable(V))
      addEarlyDefinition(V);
  }
}
