// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/Schedule.h"

using namespace hlobuf;

Schedule::Schedule(const Program &P, const ReleaseRules &Rules) : P(P) {
  FlattenAsync = Rules.FlattenAsync;
  LateBinding = Rules.LateBinding;
  Times.assign(P.numSlots(), -1);
  size_t Count = P.module().Computations.size();
  Spans.assign(Count, {-1, -1});
  AsyncBodies.assign(Count, ComputationId());
  Active.assign(Count, false);
  if (P.isFromTexts())
    takeStated();
  else
    flatten(P.module().Entry);
}

/// The steps of the dump.
void Schedule::takeStated() {
  const Facts &DumpFacts = P.facts();
  Sequence.reserve(DumpFacts.dump().Sequence.size());
  for (const SequenceRow &Row : DumpFacts.dump().Sequence) {
    HloId Id = P.find(Row.Name);
    if (Id && DumpFacts.time(Row.Name) == steps())
      Times[P.slot(Id)] = steps();
    Sequence.push_back(Id);
  }
  Spans[0] = {0, steps()};
}

/// The computations whose steps come right before that of \p Id.
SmallVector<ComputationId, 4> Schedule::computationsBefore(HloId Id) const {
  ArrayRef<HloCall> Calls = P.calls(Id);
  SmallVector<ComputationId, 4> Before;
  Opcode Op = P[Id].Op;
  if (Op == Opcode::While)
    Before = {P.callee(Id, CallRole::Condition), P.callee(Id, CallRole::Body)};
  else if (isSynchronousCall(Op))
    for (const HloCall &Call : Calls)
      Before.push_back(Call.Callee);
  else if (isAsync(Op) && FlattenAsync && !Calls.empty() && isFullyBound(Id))
    Before.push_back(Calls[0].Callee);
  return Before;
}

void Schedule::enter(ComputationId C, ComputationId AsyncBody,
                     std::vector<Frame> &Stack) {
  if (!C || Active[C.index()])
    return;
  Active[C.index()] = true;
  AsyncBodies[C.index()] = AsyncBody;
  Spans[C.index()].Start = steps();
  Stack.push_back({C, AsyncBody});
}

/// Without recursion: computations may be nested as deep as they are many.
void Schedule::flatten(ComputationId Entry) {
  std::vector<Frame> Stack;
  enter(Entry, ComputationId(), Stack);
  while (!Stack.empty()) {
    Frame &Top = Stack.back();
    HloId Id = P.inOrder(Top.C, Top.Next);
    if (!Id) {
      Spans[Top.C.index()].End = steps();
      Stack.pop_back();
      continue;
    }
    if (Top.Entered == 0)
      Top.Before = computationsBefore(Id);
    if (Top.Entered != Top.Before.size()) {
      ComputationId Callee = Top.Before[Top.Entered++];
      enter(Callee, isAsync(P[Id].Op) ? Callee : Top.AsyncBody, Stack);
      continue;
    }
    Top.Entered = 0;
    ++Top.Next;
    if (uint32_t Slot = P.slot(Id); Slot != Program::NoSlot)
      Times[Slot] = steps();
    Sequence.push_back(Id);
  }
}

/// True if operands and result of the wrapped computation are all there at
/// this element of the chain.
bool Schedule::isFullyBound(HloId Id) const {
  bool IsStart = P[Id].Op == Opcode::AsyncStart;
  if (!LateBinding)
    return IsStart;
  ComputationId Body = P.calls(Id)[0].Callee;
  bool Done = P[Id].Op == Opcode::AsyncDone;
  HloId State = Done ? P.chains().producer(Id) : Id;
  if (!State)
    return IsStart;
  const Shape &Tuple = P.trees().shape(P[State].Shape);
  if (Tuple.Elements.size() < 2 || !P.root(Body))
    return IsStart;
  const ShapeTable &Shapes = P.facts().dump().Shapes;
  ShapeId Result = Done ? P[Id].Shape : Tuple.Elements[1];
  ArrayRef<ShapeId> Inputs = Shapes[Tuple.Elements[0]].Elements;
  if (Inputs.size() != P.numParameters(Body) ||
      !Shapes.equalIgnoringLayout(Result, P[P.root(Body)].Shape))
    return false;
  for (uint32_t N = 0; N != Inputs.size(); ++N) {
    HloId Parameter = P.parameter(Body, N);
    if (!Parameter ||
        !Shapes.equalIgnoringLayout(Inputs[N], P[Parameter].Shape))
      return false;
  }
  return true;
}
