// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Derivation.h"

using namespace hlobuf;

HloValueId Derivation::find(NameId Name, ShapeIndex Index) const {
  HloId Id = P.find(Name);
  if (!Id || !Flow.hasLocations(Id))
    return HloValueId();
  auto Ordinal = P.trees().ordinal(P[Id].Shape, Index);
  return Ordinal ? Flow.definedAt(Id, *Ordinal) : HloValueId();
}

void Derivation::findLines() {
  Lines.reserve(Flow.values().size());
  for (const HloValue &V : Flow.values()) {
    const HloNode &N = P[V.Definition];
    Lines.push_back(
        N.Name ? facts().findValue(N.Name, P.trees().index(N.Shape, V.Ordinal))
               : ValueId());
  }
}

UsedId Derivation::usedOf(HloValueId V) const {
  const HloValue &Value = Flow[V];
  const HloNode &N = P[Value.Definition];
  return N.Name
             ? facts().findUsed(N.Name, P.trees().index(N.Shape, Value.Ordinal))
             : UsedId();
}
