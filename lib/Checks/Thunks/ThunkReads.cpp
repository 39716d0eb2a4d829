//===- Checks/Thunks/ThunkReads.cpp - thunk-reads -------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thunk reads the operands of its instruction at their places, and all of
// them (GetAllocationSlice and GetUniqueSlice in thunk_emitter.cc of both
// backends, 2025-2026). Exceptions: the kernel of a whole call has a set of
// slices; a copy for a fusion of a GPU reads a part; a sort copies operands
// that are elsewhere first.
//
//===----------------------------------------------------------------------===//

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/SliceComparison.h"

using namespace hlobuf;

static void report(const ThunkGraph &G, const SliceFault &Fault,
                   Reporter &Diags) {
  Severity Level = severityOf(G, Fault.In);
  llvm::StringRef Where =
      Fault.Slice ? Fault.Slice->Text : G.thunks()[Fault.In].Text;
  std::string Wanted =
      Fault.Expected && Fault.Expected->Bytes
          ? fmt::format("{} ({})", G.spell(*Fault.Expected),
                        ThunkGraph::spell(*Fault.Expected->Bytes))
          : "";
  HloId By = G.instruction(Fault.In);
  if (!Fault.Slice || Fault.Slice->Missing) {
    noteInstruction(
        Wanted.empty()
            ? Diags.reportAs(Level, Where, "{} copies no operand to its result",
                             G.name(Fault.In))
            : Diags.reportAs(Level, Where, "{} does not read operand {}, {}",
                             G.name(Fault.In), Fault.Number, Wanted),
        G, Fault.In);
    return;
  }
  std::string Stated = ThunkGraph::spell(Fault.Slice->Bytes) +
                       G.spellHolder(Fault.Slice->Bytes, By);
  noteInstruction(
      Wanted.empty()
          ? Diags.reportAs(Level, Where, "{} reads {}, which no operand is",
                           G.name(Fault.In), Stated)
          : Diags.reportAs(Level, Where, "{} reads {}; operand {} is {}",
                           G.name(Fault.In), Stated, Fault.Number, Wanted),
      G, Fault.In);
}

void hlobuf::checkThunkReads(const CheckContext &Ctx, Reporter &Diags) {
  const ThunkGraph *G = usableThunks(Ctx, Diags);
  if (!G)
    return;
  SliceComparison Compared(*G);
  for (const SliceFault &Fault : Compared.reads())
    report(*G, Fault, Diags);
  if (Compared.numUnknown() != 0)
    Diags.notChecked("values whose place is not known");
}
