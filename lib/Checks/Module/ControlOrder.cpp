// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction is scheduled after all of its control-predecessors, as after
// its operands (HloSchedule::Verify in xla/hlo/ir/hlo_schedule.cc, 2018). Where
// copy insertion relies on an order of reads and writes that operands do not
// imply, it adds such an edge instead of a copy
// (xla/service/copy_insertion.cc). Both are in one computation. Bodies of
// fusions have no schedule.

#include "Checks/Check.h"
#include "Program/Program.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class ControlOrder {
public:
  ControlOrder(const Program &P, Reporter &Diags)
      : P(P), M(P.module()), D(P.facts().dump()), Diags(Diags) {}

  void run();

private:
  void findRanks();
  HloId instructionAt(size_t Offset) const;
  void check(HloId Id);
  void checkEdge(HloId Id, StringRef Name);

  const Program &P;
  const HloModule &M;
  const Dump &D;
  Reporter &Diags;
  /// By instruction: its place in the order of all computations.
  std::vector<uint32_t> Ranks;
};
} // namespace

static constexpr StringRef Key = "control-predecessors";

void ControlOrder::findRanks() {
  Ranks.assign(P.size(), 0);
  uint32_t Next = 0;
  for (size_t C = 0; C != M.Computations.size(); ++C)
    for (HloId Id : P.order(ComputationId(C)))
      Ranks[Id.index()] = Next++;
}

/// The instruction whose text is around \p Offset; invalid if there is none.
HloId ControlOrder::instructionAt(size_t Offset) const {
  auto After =
      llvm::partition_point(M.Instructions, [&](const HloInstruction &I) {
        return I.TextOffset <= Offset;
      });
  if (After == M.Instructions.begin())
    return HloId();
  HloId Id(static_cast<size_t>(After - M.Instructions.begin()) - 1);
  return Offset < M[Id].TextOffset + M[Id].TextSize ? Id : HloId();
}

void ControlOrder::checkEdge(HloId Id, StringRef Name) {
  NameId Known = D.Names.find(Name);
  HloId Before = Known ? P.find(Known) : HloId();
  // An element that the text leaves out has no name.
  if (!Before && M.Compact)
    return;
  if (!Before || P[Before].Parent != P[Id].Parent) {
    Diags
        .report(Name,
                "{} has the control predecessor {}, which is not in its "
                "computation",
                P.spell(Id), Name)
        .about(P[Id].Name);
    return;
  }
  if (Ranks[Before.index()] < Ranks[Id.index()])
    return;
  Diags
      .report(Name, "{} is scheduled before its control predecessor {}",
              P.spell(Id), Name)
      .note(P.place(Before), "{} is scheduled here", Name)
      .note(P.place(Id), "{} is scheduled here", P.spell(Id))
      .about(P[Id].Name);
}

void ControlOrder::check(HloId Id) {
  if (!P.hasBuffers(Id))
    return;
  std::optional<StringRef> Value = findAttribute(M.attributes(M[Id]), Key);
  if (!Value)
    return; // only the text of a string
  llvm::SmallVector<StringRef, 8> Names;
  Value->trim("{}").split(Names, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Name : Names)
    checkEdge(Id, Name.ltrim('%'));
}

void ControlOrder::run() {
  HloId Last;
  for (size_t Offset = M.Text.find(Key); Offset != StringRef::npos;
       Offset = M.Text.find(Key, Offset + Key.size())) {
    HloId Id = instructionAt(Offset);
    if (!Id || Id == Last)
      continue;
    if (Ranks.empty())
      findRanks();
    check(Id);
    Last = Id;
  }
}

void hlobuf::checkControlOrder(const CheckContext &Ctx, Reporter &Diags) {
  const Program *P = Ctx.program();
  if (!P || !P->obstacle().empty())
    return; // a module without ENTRY is a syntax error
  if (!P->module().Scheduled && !P->adoptedOrder())
    return Diags.notChecked("the module is not scheduled");
  ControlOrder(*P, Diags).run();
}
