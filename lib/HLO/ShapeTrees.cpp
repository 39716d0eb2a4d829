// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ShapeTrees.h"

using namespace hlobuf;

/// A tuple without tuples inside: element k is part k + 1.
static bool isFlat(const Shape &S) { return S.Nodes == S.Elements.size() + 1; }

llvm::ArrayRef<uint32_t> ShapeTrees::elementOrdinals(ShapeId Id) const {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Nested.size() <= Id.index())
    Nested.resize(std::max(Shapes.size(), Id.index() + size_t(1)));
  std::vector<uint32_t> &Ordinals = Nested[Id.index()];
  if (Ordinals.empty()) {
    uint32_t Next = 1;
    for (ShapeId Element : Shapes[Id].Elements) {
      Ordinals.push_back(Next);
      Next += Shapes[Element].Nodes;
    }
  }
  return Ordinals;
}

/// Elements of small tuples are counted: that is faster than a lock.
static constexpr size_t SmallTuple = 8;

uint32_t ShapeTrees::elementOrdinal(ShapeId Id, uint32_t K) const {
  const Shape &S = Shapes[Id];
  if (!S.isTuple() || K >= S.Elements.size())
    return 0;
  if (isFlat(S))
    return K + 1;
  if (K >= SmallTuple)
    return elementOrdinals(Id)[K];
  uint32_t Ordinal = 1;
  for (ShapeId Before : llvm::ArrayRef<ShapeId>(S.Elements).take_front(K))
    Ordinal += Shapes[Before].Nodes;
  return Ordinal;
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

std::optional<uint32_t>
ShapeTrees::ordinal(ShapeId Id, llvm::ArrayRef<uint32_t> Steps) const {
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
  if (S.Elements.size() <= SmallTuple) {
    --Ordinal;
    uint32_t K = 0;
    for (; Ordinal >= Shapes[S.Elements[K]].Nodes; ++K)
      Ordinal -= Shapes[S.Elements[K]].Nodes;
    return K;
  }
  llvm::ArrayRef<uint32_t> Ordinals = elementOrdinals(Id);
  auto K = static_cast<uint32_t>(llvm::upper_bound(Ordinals, Ordinal) -
                                 Ordinals.begin() - 1);
  Ordinal -= Ordinals[K];
  return K;
}

llvm::SmallVector<uint32_t, 4> ShapeTrees::steps(ShapeId Id,
                                                 uint32_t Ordinal) const {
  if (Ordinal != 0 && isFlat(Shapes[Id]))
    return {Ordinal - 1};
  llvm::SmallVector<uint32_t, 4> Steps;
  while (Ordinal != 0) {
    Steps.push_back(elementAt(Id, Ordinal));
    Id = Shapes[Id].Elements[Steps.back()];
  }
  return Steps;
}

ShapeIndex ShapeTrees::index(ShapeId Id, uint32_t Ordinal) const {
  if (Ordinal == 0)
    return ShapeIndex::root();
  if (isFlat(Shapes[Id]))
    return ShapeIndex::element(Ordinal - 1);
  return Indices.get(steps(Id, Ordinal));
}

ShapeId ShapeTrees::part(ShapeId Id, uint32_t Ordinal) const {
  while (Ordinal != 0) {
    const Shape &S = Shapes[Id];
    if (isFlat(S))
      return S.Elements[Ordinal - 1];
    Id = S.Elements[elementAt(Id, Ordinal)];
  }
  return Id;
}
