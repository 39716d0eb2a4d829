// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/CopyBack.h"
#include "HLO/ArrayOrder.h"

using namespace hlobuf;

/// Longer chains of copies are not followed.
static constexpr unsigned MaxCopies = 64;

bool hlobuf::isReadOnly(const Dump &D, const Allocation &Alloc) {
  if (!Alloc.isParameter() || Alloc.Constant)
    return Alloc.Constant;
  return llvm::none_of(D.Module.Aliases, [&](const HloAlias &Item) {
    return Item.Parameter == Alloc.ParameterNumber &&
           Item.Index.canonical() == Alloc.ParameterIndex.canonical();
  });
}

/// The value that \p V is a copy of, element by element at the same addresses;
/// invalid if it is not a copy.
static HloValueId copySource(const DataflowAnalysis &Flow, HloValueId V) {
  const Program &P = Flow.program();
  const HloValue &Copy = Flow[V];
  const HloNode &N = P[Copy.Definition];
  bool IsStart = N.Op == Opcode::CopyStart &&
                 Copy.Ordinal == P.trees().elementOrdinal(N.Shape, 0);
  bool IsCopy = N.Op == Opcode::Copy && !P.trees().isTuple(N.Shape, 0);
  if (Copy.Phi || (!IsStart && !IsCopy) ||
      P.operands(Copy.Definition).size() != 1)
    return HloValueId();
  HloId Operand = P.operands(Copy.Definition)[0];
  const Shape &To = P.trees().shape(P.trees().part(N.Shape, Copy.Ordinal));
  const Shape &From = P.trees().shape(P.trees().part(P[Operand].Shape, 0));
  return sameAddresses(To, From) ? Flow.at(Operand, 0) : HloValueId();
}

bool hlobuf::copiesBack(const DataflowAnalysis &Flow, HloValueId V,
                        llvm::function_ref<ValueId(HloValueId)> LineOf) {
  const Dump &D = Flow.program().facts().dump();
  ValueId Line = LineOf(V);
  HloValueId Source = Line ? copySource(Flow, V) : HloValueId();
  for (unsigned I = 0; Source && I != MaxCopies; ++I) {
    ValueId From = LineOf(Source);
    if (From && D[From].Owner == D[Line].Owner &&
        D[From].Offset == D[Line].Offset && D[From].Size == D[Line].Size)
      return true;
    Source = copySource(Flow, Source);
  }
  return false;
}
