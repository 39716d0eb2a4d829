// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/ValuePlaces.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

ValuePlaces::ValuePlaces(const Program &P) : P(P) {
  findDonated();
  findArguments();
  for (size_t C = 0; C != P.module().Computations.size(); ++C)
    if (runs(ComputationId(C)))
      Running.push_back(ComputationId(C));
  numberParts();
  placeParts();
}

void ValuePlaces::numberParts() {
  PartBegin.assign(P.numSlots(), NoNumber);
  uint32_t Next = 0;
  forEach([&](HloId Id) {
    PartBegin[P.slot(Id)] = Next;
    if (ShapeId S = P[Id].Shape)
      Next += P.trees().parts(S);
  });
  Lines.assign(Next, ValueId());
}

void ValuePlaces::placeParts() {
  const Dump &D = dump();
  Named.resize(D.Values.size());
  for (size_t I = 0; I != D.Values.size(); ++I) {
    const ValueTag &Tag = D.Values[I].Tag;
    HloId Id = P.find(Tag.Name);
    if (!Id || !P[Id].Shape)
      continue;
    auto Ordinal = P.trees().ordinal(P[Id].Shape, Tag.Index);
    if (!Ordinal)
      continue;
    Named[I] = {Id, *Ordinal};
    if (uint32_t N = number(Named[I]); N != NoNumber && !Lines[N])
      Lines[N] = ValueId(I);
  }
}

uint32_t ValuePlaces::number(Part At) const {
  if (!At)
    return NoNumber;
  uint32_t Slot = P.slot(At.Id);
  return Slot == Program::NoSlot || PartBegin[Slot] == NoNumber
             ? NoNumber
             : PartBegin[Slot] + At.Ordinal;
}

static void addLeaves(const ShapeTrees &Trees, ShapeId Id, uint32_t First,
                      std::vector<uint32_t> &Out) {
  const Shape &S = Trees.shape(Id);
  if (S.Kind == ShapeKind::Array || S.Kind == ShapeKind::Buffer)
    Out.push_back(First);
  if (!S.isTuple())
    return;
  ++First;
  for (ShapeId Element : S.Elements) {
    addLeaves(Trees, Element, First, Out);
    First += Trees.parts(Element);
  }
}

ArrayRef<uint32_t> ValuePlaces::leaves(HloId Id) const {
  ShapeId S = P[Id].Shape;
  if (!S)
    return {};
  if (Leaves.size() <= S.index())
    Leaves.resize(std::max(dump().Shapes.size(), S.index() + size_t(1)));
  auto &Known = Leaves[S.index()];
  if (!Known)
    addLeaves(P.trees(), S, 0, Known.emplace());
  return *Known;
}

const Shape &ValuePlaces::shape(Part At) const {
  const Shape &S = P.trees().shape(shapeId(At));
  return S.Kind == ShapeKind::Buffer ? P.trees().shape(S.Elements.front()) : S;
}

std::string ValuePlaces::spell(Part At) const {
  return fmt::format("{}{{{}}}", P.spell(At.Id), fmt::join(steps(At), ","));
}

std::string ValuePlaces::spell(ValueId Line) const {
  const ValueTag &Tag = dump()[Line].Tag;
  return dump().Names[Tag.Name].str() + dump().Indices.text(Tag.Index);
}

void ValuePlaces::findDonated() {
  HloId Root = P.root(P.module().Entry);
  for (const HloAlias &A : P.module().Aliases) {
    HloId Argument = P.parameter(P.module().Entry, A.Parameter);
    OwnHeader &= Argument && P.trees().ordinal(P[Argument].Shape, A.Index) &&
                 P.trees().ordinal(P[Root].Shape, A.Output);
    Donated.insert({A.Parameter, A.Index.canonical().bits()});
  }
}

void ValuePlaces::findArguments() {
  for (const Allocation &A : dump().Allocations)
    if (A.isParameter())
      ++Arguments[{A.ParameterNumber, A.ParameterIndex.canonical().bits()}];
}

bool ValuePlaces::isGivenThere(Part At) const {
  const Value &V = dump()[line(At)];
  const Allocation &A = dump()[V.Owner];
  if (V.Offset != 0)
    return false;
  if (P[At.Id].Op == Opcode::Constant)
    return A.Constant;
  ShapeIndex Index = P.trees().index(P[At.Id].Shape, At.Ordinal).canonical();
  return A.isParameter() && A.ParameterNumber == P[At.Id].number() &&
         A.ParameterIndex.canonical() == Index &&
         Arguments.lookup({A.ParameterNumber, Index.bits()}) == 1;
}

bool ValuePlaces::isReadOnly(ValueId Line) const {
  const Allocation &A = dump()[dump()[Line].Owner];
  return A.Constant ||
         (A.isParameter() && !isDonated(A.ParameterNumber, A.ParameterIndex));
}
