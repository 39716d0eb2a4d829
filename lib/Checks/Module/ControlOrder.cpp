// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction is scheduled after all of its control-predecessors, as after
// its operands (HloSchedule::Verify in xla/hlo/ir/hlo_schedule.cc, 2018). Where
// copy insertion relies on an order of reads and writes that operands do not
// imply, it adds such an edge instead of a copy
// (xla/service/copy_insertion.cc). Both are in one computation. Bodies of
// fusions have no schedule.

#include "Checks/Execution/Violations.h"

using namespace hlobuf;

static void reportEdge(const Program &P, const Violation &V, Reporter &Diags) {
  HloId Id = V.Owed.At;
  StringRef Name = proof::predecessorNames(P, Id)[V.Owed.Operand];
  HloId Before = proof::predecessor(P, Id, Name);
  if (!Before) {
    Diags.report({Name, P[Id].Name},
                 "{} has the control predecessor {}, which is not in its "
                 "computation",
                 P.spell(Id), Name);
    return;
  }
  Diags
      .report({Name, P[Id].Name},
              "{} is scheduled before its control predecessor {}", P.spell(Id),
              Name)
      .note(P.place(Before), "{} is scheduled here", Name)
      .note(P.place(Id), "{} is scheduled here", P.spell(Id));
}

void hlobuf::checkControlOrder(const CheckContext &Ctx, Reporter &Diags) {
  tellViolations(
      Ctx, Diags,
      [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
        for (const Violation &V : Found)
          reportEdge(Analysis.program(), V, Diags);
      });
}
