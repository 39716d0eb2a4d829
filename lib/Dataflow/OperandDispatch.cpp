//===- Dataflow/OperandDispatch.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/OperandReads.h"

using namespace hlobuf;

/// Tuples and their elements.
void OperandReads::element(const Step &S) {
  if (P[S.At.Id].Op == Opcode::GetTupleElement) {
    if (S.Operands.empty())
      return;
    if (uint32_t First =
            P.trees().elementOrdinal(P[S.Operands[0]].Shape, P[S.At.Id].Number))
      forward(S, 0, First + S.Part);
    return;
  }
  auto Index =
      P.facts().dump().Indices.steps(P.trees().index(P[S.At.Id].Shape, S.Part));
  if (!Index.empty())
    forward(S, Index[0],
            S.Part - P.trees().elementOrdinal(P[S.At.Id].Shape, Index[0]));
}

void OperandReads::visit(ScopedId At, uint32_t Part, const ElementMap &Map,
                         OperandReadFn Visit) {
  const Step S{At, Part, Map, shape(At.Id, Part), P.operands(At.Id), Visit};
  Opcode Op = P[At.Id].Op;
  // A call may forward another shape than its callee has.
  bool Misfit = S.Result.isArray() && !Map.Flat &&
                Map.Read.size() != S.Result.Dimensions.size();
  if (Misfit || (Map.Flat && !keepsOrder(Op))) {
    llvm::SmallVector<ElementMap, 4> Rows;
    if (!Misfit && Map.splitRows(S.Result, Rows)) {
      for (const ElementMap &Row : Rows)
        visit(At, Part, Row, Visit);
      return;
    }
    ElementMap Lost = Map;
    Lost.readAll(S.Result, Map.lost());
    return visit(At, Part, Lost, Visit);
  }
  if (P[At.Id].Sugar)
    return all(S, MapKind::Unknown);
  if (Op == Opcode::Copy && P.trees().isTuple(P[At.Id].Shape, 0))
    return forward(S, 0, Part);
  if (isElementwise(Op)) {
    for (uint32_t K = 0; K != S.Operands.size(); ++K)
      elementwise(S, K);
    return;
  }
  if (readsNoElement(Op))
    return;
  if (isPaired(Op))
    return paired(S);
  if (Op != Opcode::Bitcast && forwardsOperand(Op))
    return forward(S, 0, Part);
  if (startedBy(Op) && !isTransfer(Op))
    return started(S);
  if (endedBy(Op) && !isTransfer(Op))
    return done(S);
  dispatch(S);
}

/// Opcodes with rules of their own.
void OperandReads::dispatch(const Step &S) {
  switch (P[S.At.Id].Op) {
  case Opcode::Tuple:
  case Opcode::GetTupleElement:
    return element(S);
  case Opcode::Bitcast:
  case Opcode::Reshape:
    return renumbered(S);
  case Opcode::BitcastConvert:
    return reinterpreted(S);
  case Opcode::Transpose:
  case Opcode::Broadcast:
  case Opcode::Reverse:
    return moved(S);
  case Opcode::Slice:
  case Opcode::DynamicSlice:
    return sliced(S);
  case Opcode::DynamicUpdateSlice:
    return updated(S);
  case Opcode::Pad:
    return padded(S);
  case Opcode::Concatenate:
    return joined(S);
  case Opcode::Reduce:
    return reduced(S);
  case Opcode::Scatter:
    return scattered(S);
  case Opcode::SetDimensionSize:
    return elementwise(S, 0);
  case Opcode::CustomCall:
    return customCall(S);
  case Opcode::Unknown:
  case Opcode::AsyncUpdate:
  case Opcode::Call:
  case Opcode::Conditional:
  case Opcode::DynamicReshape:
  case Opcode::Fusion:
  case Opcode::While:
    return all(S, MapKind::Unknown);
  default:
    return all(S, MapKind::Any);
  }
}
