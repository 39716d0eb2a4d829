// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an asynchronous operation produces is there when its done has run.
// Between start and done nobody else reads it: XLA's verifier wants the start
// to have no user but the rest of its chain (xla/service/hlo_verifier.cc,
// CheckAsyncOpOperand and VerifySingleUser, 2020), but runs before the last
// passes. That bytes are overwritten does not show it, for they do belong to
// the result.
//
// Every start has its done, in its computation, in another one, or in another
// round of a loop: without one nobody knows when the operation is over.

#include "Checks/Execution/Violations.h"
#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"

using namespace hlobuf;

/// The first done of \p Start in its own computation; invalid if there is none.
static HloId findDone(const ModuleAnalysis &Analysis, HloId Start) {
  const Program &P = Analysis.program();
  const AsyncOpcodes *Chain = startedBy(P[Start].Op);
  if (!Chain)
    return HloId();
  HloId Last =
      P[Start].Op == Opcode::AsyncStart ? P.chains().end(Start) : HloId();
  if (Last)
    return P[Last].Op == Chain->Done ? Last : HloId();
  for (ProgramUse Use : P.users(Start))
    if (P[Use.User].Op == Chain->Done && Use.Operand == 0 &&
        (!Last ||
         Analysis.schedule().time(Use.User) < Analysis.schedule().time(Last)))
      Last = Use.User;
  return Last;
}

/// Reports who reads what \p V is about; \p Waited says that there is a done,
/// maybe in another computation.
static void reportRead(const ModuleAnalysis &Analysis, const Violation &V,
                       bool Waited, Reporter &Diags) {
  const Program &P = Analysis.program();
  HloId Start = V.Owed.At, User = V.Shown.Reader;
  HloId Done = findDone(Analysis, Start);
  Finding F = Diags.report(
      {P, User}, "{} reads the result of {}{}", P.spell(User), P.spell(Start),
      Done     ? fmt::format(" before {} waits for it", P.spell(Done))
      : Waited ? " before its done"
               : ", and nothing waits for it");
  auto AddStep = [&](HloId Id, std::string Action) {
    addStep(F, eventAt(Analysis, Id), P.spell(Id), std::move(Action),
            StepRole::Other);
  };
  AddStep(Start, "starts to produce its result");
  AddStep(User, fmt::format("READS it as operand {}", V.Shown.Operand));
  if (Done) {
    AddStep(Done, "waits until it is complete");
    F.why(P.place(User), "operand {} of {} must come from {}", V.Shown.Operand,
          P.spell(User), P.spell(Done));
  } else if (!Waited) {
    F.why(P.place(Start), "{} has no done", P.spell(Start));
  }
}

void hlobuf::checkReadBeforeDone(const CheckContext &Ctx, Reporter &Diags) {
  auto Tell = [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
    auto HasDone = [&](HloId Start) {
      return llvm::none_of(Found, [&](const Violation &V) {
        return V.How == proof::Breach::NoDone && V.Owed.At == Start;
      });
    };
    for (const Violation &V : Found) {
      if (V.How == proof::Breach::ReadBeforeDone) {
        reportRead(Analysis, V, HasDone(V.Owed.At), Diags);
        continue;
      }
      // A reader is reported instead.
      if (llvm::any_of(Found, [&](const Violation &Other) {
            return Other.How == proof::Breach::ReadBeforeDone &&
                   Other.Owed.At == V.Owed.At;
          }))
        continue;
      const Program &P = Analysis.program();
      Diags.report({P, V.Owed.At}, "nothing waits for the result of {}",
                   P.spell(V.Owed.At));
    }
  };
  tellViolations(Ctx, Diags, Tell);
}
