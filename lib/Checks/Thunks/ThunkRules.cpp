//===- Checks/Thunks/ThunkRules.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks/Thunks/ThunkRules.h"
#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

const ThunkGraph *hlobuf::usableThunks(const CheckContext &Ctx,
                                       Reporter &Diags) {
  if (!usableModule(Ctx, Diags))
    return nullptr;
  const ThunkGraph *G = Ctx.thunkGraph();
  unsigned Strange = 0;
  llvm::StringRef Example;
  for (const Thunk &T : G->thunks().Thunks) {
    if (T.Understood)
      continue;
    ++Strange;
    Example = T.Unknown;
  }
  if (Strange != 0)
    Diags.notChecked(fmt::format("{} thunk{} this tool does not know ({})",
                                 Strange, Strange == 1 ? " that" : "s that",
                                 Example));
  return G;
}

Severity hlobuf::severityOf(const ThunkGraph &G, ThunkId Id) {
  return isThunkKindMet(G.thunks()[Id].Kind, G.thunks().ForGpu)
             ? Severity::Error
             : Severity::Warning;
}

Finding hlobuf::noteInstruction(Finding Found, const ThunkGraph &G,
                                ThunkId Id) {
  HloId I = G.instruction(Id);
  if (!I)
    return Found;
  const Program &P = G.program();
  std::string Source =
      P.isHidden(I)
          ? ""
          : P.facts().sourceLine(P.module().attributes(P.module()[I]));
  Found.note(P.place(I), "{} is here{}", P.spell(I),
             Source.empty() ? "" : " (" + Source + ")");
  if (P[I].Name)
    Found.about(P[I].Name);
  return Found;
}
