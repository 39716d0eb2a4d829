//===- Analysis/Schedule.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Schedule.h"

using namespace hlobuf;

Schedule::Schedule(const Program &P, const Rules &R) : P(P) {
  FlattenAsync = R.FlattenAsync;
  LateBinding = R.LateBinding;
  Times.assign(P.size(), -1);
  size_t Count = P.module().Computations.size();
  Spans.assign(Count, {-1, -1});
  AsyncBodies.assign(Count, ComputationId());
  Active.assign(Count, false);
  flatten(P.module().Entry, ComputationId());
}

void Schedule::flatten(ComputationId C, ComputationId AsyncBody) {
  if (!C || Active[C.index()])
    return;
  Active[C.index()] = true;
  AsyncBodies[C.index()] = AsyncBody;
  int32_t Start = steps();
  for (HloId Id : P.order(C)) {
    switch (P[Id].Op) {
    case Opcode::Call:
    case Opcode::Conditional:
      for (const HloCall &Call : P.calls(Id))
        flatten(Call.Callee, AsyncBody);
      break;
    case Opcode::While:
      flatten(P.callee(Id, CallRole::Condition), AsyncBody);
      flatten(P.callee(Id, CallRole::Body), AsyncBody);
      break;
    case Opcode::AsyncStart:
    case Opcode::AsyncUpdate:
    case Opcode::AsyncDone:
      if (FlattenAsync && !P.calls(Id).empty() && isFullyBound(Id))
        flatten(P.calls(Id)[0].Callee, P.calls(Id)[0].Callee);
      break;
    default:
      break;
    }
    Times[Id.index()] = steps();
    Sequence.push_back(Id);
  }
  Spans[C.index()] = {Start, steps()};
}

/// True if operands and result of the wrapped computation are all there at
/// this element of the chain.
bool Schedule::isFullyBound(HloId Id) const {
  bool IsStart = P[Id].Op == Opcode::AsyncStart;
  if (!LateBinding)
    return IsStart;
  ComputationId Body = P.calls(Id)[0].Callee;
  bool Done = P[Id].Op == Opcode::AsyncDone;
  HloId State = Done ? P.asyncProducer(Id) : Id;
  if (!State)
    return IsStart;
  const Shape &Tuple = P.trees().shape(P[State].Shape);
  if (Tuple.Elements.size() < 2 || !P.root(Body))
    return IsStart;
  const ShapeTable &Shapes = P.analysis().dump().Shapes;
  ShapeId Result = Done ? P[Id].Shape : Tuple.Elements[1];
  llvm::ArrayRef<ShapeId> Inputs = Shapes[Tuple.Elements[0]].Elements;
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
