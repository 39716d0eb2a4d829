//===- Checks/Thunks/ThunkMissing.cpp - thunk-missing ---------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every scheduled instruction that moves bytes has its thunk, and none twice
// (ThunkEmitter::EmitHloComputation of both backends walks the schedule). What
// a thunk launches is in the object files (CompilationResultProto's symbols).
// Exceptions: calls and async computations of a GPU are inlined; a sort of a
// GPU is a series of equal kernels.
//
//===----------------------------------------------------------------------===//

#include "Checks/Thunks/ThunkRules.h"
#include "Thunks/ThunkCoverage.h"
#include "llvm/ADT/StringSet.h"

using namespace hlobuf;

/// Kernels and comparators that the object files do not have.
static void checkSymbols(const ThunkGraph &G, Reporter &Diags) {
  const ThunkProgram &T = G.thunks();
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (llvm::StringRef Absent = T.Thunks[I].Absent; !Absent.empty())
      noteInstruction(
          Diags.report(Absent, "{} launches {}, which its binary does not have",
                       G.name(ThunkId(I)), Absent),
          G, ThunkId(I));
  llvm::StringSet<> Known;
  for (const auto *Names : {&T.Kernels, &T.Comparators})
    for (llvm::StringRef Name : *Names)
      Known.insert(Name);
  if (Known.empty())
    return;
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    for (llvm::StringRef Name : {T.Thunks[I].Kernel, T.Thunks[I].Comparator})
      if (!Name.empty() && !Known.contains(Name))
        noteInstruction(
            Diags.report(Name,
                         "{} launches {}, which the object files do "
                         "not have",
                         G.name(ThunkId(I)), Name),
            G, ThunkId(I));
}

void hlobuf::checkThunkMissing(const CheckContext &Ctx, Reporter &Diags) {
  const ThunkGraph *G = usableThunks(Ctx, Diags);
  if (!G)
    return;
  const Program &P = G->program();
  ThunkCoverage Coverage(*G);
  for (HloId I : Coverage.missing()) {
    Finding Found = Diags.report(P.place(I), "no thunk computes {}, a {}",
                                 P.spell(I), opcodeText(P[I].Op));
    if (P[I].Name)
      Found.about(P[I].Name);
  }
  for (ThunkId Id : Coverage.repeated())
    noteInstruction(
        Diags.report(G->thunks()[Id].Text, "{} runs twice", G->name(Id)), *G,
        Id);
  checkSymbols(*G, Diags);
}
