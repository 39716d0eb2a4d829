// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/DataflowAnalysis.h"

using namespace hlobuf;

DataflowAnalysis::DataflowAnalysis(const Program &P,
                                   const ReleaseWindow &Window)
    : P(P) {
  LocationGraph Graph(P);
  if (P.isFromTexts())
    linkStatedFlow(Graph);
  else
    linkModuleFlow(Graph, Window);
  collectValues(Graph);
  collectPositions();
  collectInnerUsers();
}

void DataflowAnalysis::collectValues(LocationGraph &Graph) {
  std::vector<HloValueId> ByLocation(Graph.size());
  Base = Graph.takeBase();
  P.forEachSlot([&](HloId Id) {
    uint32_t First = base(Id);
    uint32_t Count = First == NoBase ? 0 : P.trees().parts(P[Id].Shape);
    for (uint32_t K = 0; K != Count; ++K) {
      LocationKind Kind = Graph.kind(First + K);
      if (Kind != LocationKind::Definition && Kind != LocationKind::Phi)
        continue;
      ByLocation[First + K] = HloValueId(Values.size());
      Values.push_back({Id, K, Kind == LocationKind::Phi});
    }
  });
  ValueOf.resize(Graph.size());
  for (uint32_t L = 0; L != Graph.size(); ++L)
    ValueOf[L] = ByLocation[Graph.find(L)];
}

void DataflowAnalysis::collectPositions() {
  PositionBegin.assign(Values.size() + 1, 0);
  auto ForEachOther = [&](auto Visit) {
    P.forEachSlot([&](HloId Id) {
      uint32_t First = base(Id);
      uint32_t Count = First == NoBase ? 0 : P.trees().parts(P[Id].Shape);
      for (uint32_t K = 0; K != Count; ++K)
        if (HloValueId V = ValueOf[First + K];
            V && Values[V.index()].Definition != Id)
          Visit(V, Part{Id, K});
    });
  };
  for (size_t V = 0; V != Values.size(); ++V)
    PositionBegin[V + 1] = 1;
  ForEachOther([&](HloValueId V, Part) { ++PositionBegin[V.index() + 1]; });
  for (size_t V = 0; V != Values.size(); ++V)
    PositionBegin[V + 1] += PositionBegin[V];
  Positions.resize(PositionBegin.back());
  std::vector<uint32_t> Next(PositionBegin.begin(), PositionBegin.end() - 1);
  for (size_t V = 0; V != Values.size(); ++V)
    Positions[Next[V]++] = {Values[V].Definition, Values[V].Ordinal};
  ForEachOther(
      [&](HloValueId V, Part Pos) { Positions[Next[V.index()]++] = Pos; });
}

HloValueId DataflowAnalysis::at(HloId Id, ShapeIndex Index) const {
  if (!hasLocations(Id))
    return HloValueId();
  std::optional<uint32_t> Ordinal = P.trees().ordinal(P[Id].Shape, Index);
  return Ordinal ? at(Id, *Ordinal) : HloValueId();
}

/// True if \p V is somewhere in \p Id.
bool DataflowAnalysis::isPosition(HloValueId V, HloId Id) const {
  if (Values[V.index()].Definition == Id)
    return true;
  // After the definition they are in the order of instructions.
  ArrayRef<Part> Others = positions(V).drop_front();
  const auto *Pos =
      llvm::partition_point(Others, [&](const Part &X) { return X.Id < Id; });
  return Pos != Others.end() && Pos->Id == Id;
}

void DataflowAnalysis::collectInnerUsers() {
  P.forEachSlot([&](HloId Id) {
    auto First = static_cast<uint32_t>(InnerUsers.size());
    if (base(Id) == NoBase || P.trees().parts(P[Id].Shape) == 1)
      return;
    for (const ProgramUse &Use : P.users(Id)) {
      Opcode Op = P[Use.User].Op;
      if (!usesTopAtMost(Op) || P[Use.User].Root)
        InnerUsers.push_back(Use);
    }
    if (InnerUsers.size() != First)
      InnerBegin.emplace_back(Id, First);
  });
}

bool DataflowAnalysis::isUse(HloValueId V, HloId User, uint32_t Ordinal) const {
  Opcode Op = P[User].Op;
  if (P[User].Opaque)
    return P[User].ReadsParts;
  if (!usesTopAtMost(Op) || (Ordinal == 0 && !usesNothing(Op)))
    return true;
  // What only passes the value on counts if the value leaves with it.
  return P[User].Root && (Op != Opcode::GetTupleElement ||
                          (hasLocations(User) && isPosition(V, User)));
}

std::string DataflowAnalysis::spell(HloValueId Id) const {
  const HloValue &V = Values[Id.index()];
  std::string Text = P.spell(V.Definition);
  ShapeId Whole = P[V.Definition].Shape;
  if (P.trees().shape(Whole).isTuple())
    Text += P.facts().dump().Indices.text(P.trees().index(Whole, V.Ordinal));
  return Text;
}

std::vector<bool> hlobuf::donatedValues(const DataflowAnalysis &Flow) {
  std::vector<bool> Donated(Flow.values().size());
  const Program &P = Flow.program();
  for (const HloAlias &Alias : P.module().Aliases)
    if (HloId Parameter = P.parameter(P.module().Entry, Alias.Parameter))
      if (HloValueId V = Flow.at(Parameter, Alias.Index))
        Donated[V.index()] = true;
  return Donated;
}
