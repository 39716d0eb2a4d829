// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy-start crosses memory spaces: its destination {0} has another color
// than its source, and its sync flag {2} is 4 bytes of color 2. Only the
// assignment of values to alternate memory makes these copies on TPU
// (memory_space_assignment.cc, 2020); more than 8,000 of them agree.
//
// On GPU a copy-start has no flag. It crosses between device and host memory
// (EmitCopyStart in xla/service/gpu/thunk_emitter.cc refuses anything else),
// since 2026-07-27 also inside of device memory. Two of those in a row, there
// and back, are what is left of a round trip to the host that lost its memory
// space.

#include "Checks/Check.h"

using namespace hlobuf;

static constexpr int32_t FlagColor = 2;
static constexpr uint64_t FlagBytes = 4;

static void checkCrossing(const CheckContext &Ctx, Reporter &Diags,
                          NameId Copy) {
  const Dump &D = Ctx.dump();
  UsedId To = Ctx.findUsed(Copy, ShapeIndex::element(0));
  UsedId From = Ctx.valueAt(Copy, ShapeIndex::element(1));
  if (!To || !From || !D[To].Tag.HasColor || !D[From].Tag.HasColor ||
      D[To].Tag.Color != D[From].Tag.Color)
    return;
  Diags
      .report(Ctx.places().tag(D[To]).Color,
              "copy {} has color {}, the same as its source {}, expected a "
              "different color",
              D.spell(D[To].Tag), D[To].Tag.Color, D.spell(D[From].Tag))
      .note(Ctx.places().tag(D[From]).Whole, "the source is here")
      .about(Copy);
}

static void checkFlag(const CheckContext &Ctx, Reporter &Diags, NameId Copy) {
  const Dump &D = Ctx.dump();
  ValueId Flag = Ctx.findValue(Copy, ShapeIndex::element(2));
  if (!Flag)
    return;
  const Value &V = D[Flag];
  ValueTexts Texts = Ctx.places().value(V);
  if (V.Tag.HasColor && V.Tag.Color != FlagColor)
    Diags
        .report(Texts.Tag.Color, "sync flag {} has color {}, expected {}",
                D.spell(V.Tag), V.Tag.Color, FlagColor)
        .about(Flag);
  else if (V.Size != FlagBytes)
    Diags
        .report(Texts.Size, "sync flag {} has {} bytes, expected {}",
                D.spell(V.Tag), V.Size, FlagBytes)
        .about(Flag);
}

/// The value at element \p K of \p Copy, if its color is known.
static UsedId coloredAt(const CheckContext &Ctx, NameId Copy, uint32_t K) {
  UsedId U = Ctx.valueAt(Copy, ShapeIndex::element(K));
  return U && Ctx.dump()[U].Tag.HasColor ? U : UsedId();
}

static void checkHostCopy(const CheckContext &Ctx, Reporter &Diags,
                          const Instruction &I) {
  constexpr int32_t HostColor = 5;
  const Dump &D = Ctx.dump();
  UsedId To = coloredAt(Ctx, I.Name, 0);
  UsedId From = coloredAt(Ctx, I.Name, 1);
  if (!To || !From)
    return;
  int32_t Color = D[To].Tag.Color;
  if ((Color == HostColor) != (D[From].Tag.Color == HostColor))
    return;
  llvm::StringRef Where = Ctx.places().text(I).OpcodeText;
  if (Color == HostColor || Ctx.release().until(Release::CopiesInDevice)) {
    Diags
        .report(
            Where,
            "copy {} stays in {} memory, expected its source or its result in "
            "host memory (color {})",
            D.Names[I.Name], Color == HostColor ? "host" : "device", HostColor)
        .about(I.Name);
    return;
  }
  // What the copy before it brought is copied on.
  const ValueTag &Source = D[From].Tag;
  UsedId Origin = coloredAt(Ctx, Source.Name, 1);
  if (Ctx.opcode(Source.Name) != Opcode::CopyStart || !Origin ||
      Source.Color != Color || D[Origin].Tag.Color != Color)
    return;
  Diags
      .reportAs(
          Severity::Warning, Where,
          "copies {} and {} form a round trip that never leaves color {}: "
          "should the first one go to host memory (color {})?",
          D.Names[Source.Name], D.Names[I.Name], Color, HostColor)
      .note(Ctx.places().tag(D[From]).Whole, "the first copy is here")
      .about(I.Name);
}

void hlobuf::checkCopyStartColor(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (const Instruction &I : D.Instructions) {
    if (I.Op.Op != Opcode::CopyStart || I.Op.Sugar)
      continue;
    if (!Ctx.isTPU()) {
      checkHostCopy(Ctx, Diags, I);
      continue;
    }
    checkCrossing(Ctx, Diags, I.Name);
    checkFlag(Ctx, Diags, I.Name);
  }
}
