// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an asynchronous operation produces is there when its done has run.
// Between start and done nobody else reads it: XLA's verifier wants the start
// to have no user but the rest of its chain (xla/service/hlo_verifier.cc,
// CheckAsyncOpOperand and VerifySingleUser, 2020), but runs before the last
// passes. clobbered-read does not see it, for the bytes do belong to the
// result.
//
// Every start has its done. Without one nobody knows when the operation is
// over: it is reported as not checked, and reads of its result are errors.
//
// Reported as not checked, too: an operation whose computation is not printed
// (GPU, 2022-03 to 2024-07), for nothing defines its result. Not looked at: a
// chain whose done is in another computation, or in another round of a loop;
// and a result that is one of the operands too, as of an async
// dynamic-update-slice (TPU, libtpu 0.0.51).

#include "Checks/AboutInstruction.h"
#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ExecutionPlan.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::SmallVector;

namespace {
class EarlyReads {
public:
  EarlyReads(const ModuleAnalysis &Analysis, Reporter &Diags)
      : P(Analysis.program()), Flow(Analysis.flow()),
        Order(Analysis.schedule()), Analysis(Analysis), Diags(Diags) {}
  void run();

private:
  void check(HloId Start);
  void check(HloId Start, HloId Done, HloValueId Result);
  HloId findDone(HloId Start) const;
  bool reachesDone(HloId Start) const;
  SmallVector<HloValueId, 4> results(HloId Start) const;
  bool isInChain(HloId User, HloId Start) const;
  void report(HloId Start, HloId Done, ProgramUse Read, HloValueId Result);

  const Program &P;
  const DataflowAnalysis &Flow;
  const Schedule &Order;
  const ModuleAnalysis &Analysis;
  Reporter &Diags;
};
} // namespace

/// The first done of \p Start in its own computation; invalid if there is none.
HloId EarlyReads::findDone(HloId Start) const {
  HloId Last = Start;
  Opcode Done = startedBy(P[Start].Op)->Done;
  if (P[Start].Op == Opcode::AsyncStart)
    Last = P.chains().end(Start);
  else if (P.slot(Start) != Program::NoSlot)
    for (ProgramUse Use : P.users(Start))
      if (P[Use.User].Op == Done && Use.Operand == 0 &&
          (Last == Start || Order.time(Use.User) < Order.time(Last)))
        Last = Use.User;
  return P[Last].Op == Done ? Last : HloId();
}

/// What \p Start produces, without what its operands hold already.
SmallVector<HloValueId, 4> EarlyReads::results(HloId Start) const {
  SmallVector<HloValueId, 4> Results;
  ShapeId Shape = P[Start].Shape;
  uint32_t First = 0, Count = P.trees().parts(Shape);
  if (std::optional<uint32_t> Element = startedBy(P[Start].Op)->Result) {
    First = P.trees().elementOrdinal(Shape, *Element);
    if (First == 0)
      return Results;
    Count = P.trees().parts(P.trees().part(Shape, First));
  }
  llvm::SmallDenseSet<uint32_t> Outputs;
  for (HloId Operand : P.operands(Start))
    for (uint32_t I = 0;
         Flow.hasLocations(Operand) && I != P.trees().parts(P[Operand].Shape);
         ++I)
      if (HloValueId V = Flow.at(Operand, I))
        Outputs.insert(V.index());
  for (uint32_t I = First; Flow.hasLocations(Start) && I != First + Count;
       ++I) {
    HloValueId V = Flow.at(Start, I);
    if (P.trees().isTuple(Shape, I))
      continue;
    if (!V)
      Diags.notChecked("asynchronous operations whose computations the module "
                       "leaves out");
    else if (!Outputs.contains(V.index()))
      Results.push_back(V);
  }
  return Results;
}

/// True if \p User belongs to the chain of \p Start, or runs in its body.
bool EarlyReads::isInChain(HloId User, HloId Start) const {
  if (P[Start].Op != Opcode::AsyncStart)
    return false;
  if (continuesAsync(P[User].Op))
    return true;
  ComputationId Body = Order.asyncBody(P[User].Parent);
  return Body && Body != Order.asyncBody(P[Start].Parent);
}

/// \p Done is invalid if there is none.
void EarlyReads::report(HloId Start, HloId Done, ProgramUse Read,
                        HloValueId Result) {
  HloId User = Read.User;
  Finding F = Diags.reportAs(
      Analysis.isGuess(Result) ? Severity::Warning : Severity::Error,
      P.place(User), "{} reads the result of {}{}", P.spell(User),
      P.spell(Start),
      Done ? fmt::format(" before {} waits for it", P.spell(Done))
           : ", and nothing waits for it");
  auto AddStep = [&](HloId Id, std::string Action) {
    std::string Source = P.isHidden(Id)
                             ? ""
                             : Analysis.facts().sourceLine(
                                   P.module().attributes(P.module()[Id]));
    F.step(P.place(Id),
           {Order.time(Id), P.spell(Id), std::move(Action), std::move(Source)});
  };
  AddStep(Start, "starts to produce its result");
  AddStep(User, fmt::format("READS it as operand {}", Read.Operand));
  if (Done) {
    AddStep(Done, "waits until it is complete");
    F.why(P.place(User), "operand {} of {} must come from {}", Read.Operand,
          P.spell(User), P.spell(Done));
  } else {
    F.why(P.place(Start), "{} has no done", P.spell(Start));
  }
  aboutInstruction(F, P, User);
}

/// The first read of \p Result before \p Done, or at all if that is invalid.
void EarlyReads::check(HloId Start, HloId Done, HloValueId Result) {
  std::optional<ProgramUse> Early;
  HloId Root = P.root(P.module().Entry);
  auto Reads = [&](HloId User, uint32_t Operand) {
    return Operand < operandsRead(P, Order, User).size() ||
           (!Done && User == Root);
  };
  Flow.forEachUse(
      Result, [&](HloId User, uint32_t Operand, const FlowPosition &) {
        int32_t Step = Order.time(User);
        if (Step <= Order.time(Start) || (Done && Step >= Order.time(Done)) ||
            !Reads(User, Operand) || isInChain(User, Start))
          return;
        if (!Early || Step < Order.time(Early->User))
          Early = {User, Operand};
      });
  if (Early)
    report(Start, Done, *Early, Result);
}

/// True if a done takes what \p Start returns, in another computation or round
/// of a loop, too.
bool EarlyReads::reachesDone(HloId Start) const {
  Opcode Done = startedBy(P[Start].Op)->Done;
  SmallVector<HloId> Work = {Start};
  llvm::DenseSet<uint32_t> Seen;
  auto Follow = [&](HloId Id) {
    if (Id && P.slot(Id) != Program::NoSlot && Seen.insert(Id.index()).second)
      Work.push_back(Id);
  };
  // What is handed to an instruction that calls is handed to its callees.
  auto Enter = [&](HloId Caller) {
    Follow(Caller);
    for (const HloCall &Call : P.calls(Caller))
      for (uint32_t N = 0; N != P.numParameters(Call.Callee); ++N)
        Follow(P.parameter(Call.Callee, N));
  };
  while (!Work.empty()) {
    HloId Id = Work.pop_back_val();
    for (ProgramUse Use : P.users(Id)) {
      Opcode Op = P[Use.User].Op;
      if (Op == Done)
        return true;
      if (isControlFlow(Op))
        Enter(Use.User);
      else if (accessesNoMemory(Op) || Op == Opcode::Copy)
        Follow(Use.User);
    }
    if (P.root(P[Id].Parent) == Id)
      llvm::for_each(P.callers(P[Id].Parent), Enter);
  }
  return false;
}

void EarlyReads::check(HloId Start) {
  HloId Done = findDone(Start);
  bool Waits = Done || reachesDone(Start);
  if (!Waits)
    Diags.notChecked("an asynchronous operation that nothing waits for");
  if (Waits && (!Done || Order.time(Done) < Order.time(Start)))
    return;
  for (HloValueId Result : results(Start))
    check(Start, Done, Result);
}

void EarlyReads::run() {
  for (HloId Id : Order.sequence())
    if (startedBy(P[Id].Op))
      check(Id);
}

void hlobuf::checkReadBeforeDone(const CheckContext &Ctx, Reporter &Diags) {
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  if (!Analysis->isTimed())
    return Diags.notChecked("the module is not scheduled");
  EarlyReads(*Analysis, Diags).run();
}
