// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ShapeTrees.h"

using namespace hlobuf;

uint32_t ShapeTrees::elementOrdinal(ShapeId Id, uint32_t K) const {
  const Shape &S = Shapes[Id];
  if (!S.isTuple() || K >= S.Elements.size())
    return 0;
  return S.isFlat() ? K + 1 : S.Places[K];
}

std::optional<uint32_t> ShapeTrees::ordinal(ShapeId Id,
                                            ShapeIndex Index) const {
  if (Index.isRoot())
    return 0;
  if (std::optional<uint32_t> Element = Index.onlyElement()) {
    uint32_t Ordinal = elementOrdinal(Id, *Element);
    return Ordinal == 0 ? std::nullopt : std::optional(Ordinal);
  }
  return ordinal(Id, Indices.steps(Index));
}

std::optional<uint32_t> ShapeTrees::ordinal(ShapeId Id,
                                            ArrayRef<uint32_t> Steps) const {
  uint32_t Ordinal = 0;
  for (uint32_t Step : Steps) {
    uint32_t Below = elementOrdinal(Id, Step);
    if (Below == 0)
      return std::nullopt;
    Ordinal += Below;
    Id = Shapes[Id].Elements[Step];
  }
  return Ordinal;
}

uint32_t ShapeTrees::elementAt(ShapeId Id, uint32_t &Ordinal) const {
  const Shape &S = Shapes[Id];
  if (S.isFlat())
    return std::exchange(Ordinal, 0) - 1;
  auto K = static_cast<uint32_t>(llvm::upper_bound(S.Places, Ordinal) -
                                 S.Places.begin() - 1);
  Ordinal -= S.Places[K];
  return K;
}

SmallVector<uint32_t, 4> ShapeTrees::steps(ShapeId Id, uint32_t Ordinal) const {
  SmallVector<uint32_t, 4> Steps;
  while (Ordinal != 0) {
    Steps.push_back(elementAt(Id, Ordinal));
    Id = Shapes[Id].Elements[Steps.back()];
  }
  return Steps;
}

ShapeIndex ShapeTrees::index(ShapeId Id, uint32_t Ordinal) const {
  if (Ordinal == 0)
    return ShapeIndex::root();
  if (Shapes[Id].isFlat())
    return ShapeIndex::element(Ordinal - 1);
  return Indices.get(steps(Id, Ordinal));
}

ShapeId ShapeTrees::part(ShapeId Id, uint32_t Ordinal) const {
  while (Ordinal != 0)
    Id = Shapes[Id].Elements[elementAt(Id, Ordinal)];
  return Id;
}
