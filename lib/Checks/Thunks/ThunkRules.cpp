// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Thunks/ThunkRules.h"
#include "Checks/Execution/Violations.h"
#include "Checks/Module/ModuleDifference.h"
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

const ThunkGraph *hlobuf::usableThunks(const CheckContext &Ctx,
                                       Reporter &Diags) {
  if (!usableModule(Ctx, Diags))
    return nullptr;
  const ThunkGraph *G = Ctx.thunkGraph();
  const ThunkProgram &All = G->thunks();
  // Without kernels, a file of jaxlib 0.4.38 looks like one that needs none.
  if (All.Thunks.empty() && !All.ForGpu && All.Kernels.empty() &&
      !Ctx.launchProof().coverage().missing().empty()) {
    Diags.notChecked("this executable holds no thunks");
    return nullptr;
  }
  unsigned Strange = 0;
  StringRef Example;
  for (const Thunk &T : All.Thunks) {
    if (T.Understood)
      continue;
    ++Strange;
    Example = T.Unknown;
  }
  for (const FieldLine &F : Ctx.dump().Fields)
    if (F.Is == FieldLine::Kind::UnreadAround)
      Diags.notChecked("fields that are not read: " + F.Text.str());
  if (Strange != 0)
    Diags.notChecked(fmt::format("{} thunk{} this tool does not know ({})",
                                 Strange, Strange == 1 ? " that" : "s that",
                                 Example));
  reportOpen(Ctx.launchProof().proof(), Diags);
  return G;
}

Severity ThunkRule::severityOf(ThunkId Id) const {
  return isThunkKindMet(T[Id].Kind, T.ForGpu) ? Severity::Error
                                              : Severity::Warning;
}

Finding ThunkRule::noteThunk(Finding F, ThunkId Id) const {
  return F.note(T[Id].Text, "{} is here", G.name(Id));
}

Finding ThunkRule::noteInstruction(Finding F, ThunkId Id) const {
  HloId I = G.instruction(Id);
  if (!I)
    return F;
  std::string Source =
      P.isHidden(I)
          ? ""
          : P.facts().sourceLine(P.module().attributes(P.module()[I]));
  return F
      .note(P.place(I), "{} is here{}", P.spell(I),
            Source.empty() ? "" : " (" + Source + ")")
      .about(P, I);
}

std::string ThunkRule::spellSlice(ThunkId Id, const ThunkSlice &S) {
  if (G.instruction(Id) != NearTo) {
    NearTo = G.instruction(Id);
    Near = G.holders(NearTo);
  }
  return ThunkGraph::spell(S.Bytes) + G.spellHolder(S.Bytes, Near);
}

void ThunkRule::countUnknown(size_t Count) {
  if (Count != 0)
    Diags.notChecked("values whose place is not known");
}
