//===- Dataflow/ScalarRange.cpp -------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ScalarRange.h"

using namespace hlobuf;
using llvm::ArrayRef;

/// After this many instructions, all others are bounded by their type only.
static constexpr unsigned MaxRangeSteps = 64;

namespace {
class RangeFinder {
public:
  explicit RangeFinder(const Program &P) : P(P) {}
  ElementSpan find(HloId Id);

private:
  ElementSpan ofType(HloId Id) const;
  std::optional<ElementSpan> constant(HloId Id) const;
  ElementSpan combine(HloId Id, ArrayRef<ElementSpan> In) const;
  const Shape &shape(HloId Id) const {
    return P.trees().shape(P.trees().part(P[Id].Shape, 0));
  }

  const Program &P;
  unsigned Steps = 0;
};
} // namespace

static ElementSpan everything() { return {-MaxElement, MaxElement + 1}; }

static ElementSpan intersect(ElementSpan A, ElementSpan B) {
  ElementSpan Both = {std::max(A.Begin, B.Begin), std::min(A.End, B.End)};
  return Both.Begin < Both.End ? Both : A;
}

ElementSpan RangeFinder::ofType(HloId Id) const {
  const Shape &S = shape(Id);
  if (!S.isArray() || S.Bits == 0 || S.Bits >= 32)
    return everything();
  // Signed or not: the type's name is not asked for.
  int64_t Half = int64_t(1) << (S.Bits - 1);
  return {S.Bits == 1 ? 0 : -Half, 2 * Half};
}

/// The value of a constant with one element.
std::optional<ElementSpan> RangeFinder::constant(HloId Id) const {
  if (P[Id].Op != Opcode::Constant || P.isHidden(Id))
    return std::nullopt;
  llvm::StringRef Text = P.module().operandsText(P.module()[Id]).trim(" \t{}");
  int64_t Value = 0;
  if (Text.getAsInteger(10, Value) || std::abs(Value) >= MaxElement)
    return std::nullopt;
  return ElementSpan{Value, Value + 1};
}

/// What \p Id makes of operands with the ranges \p In.
ElementSpan RangeFinder::combine(HloId Id, ArrayRef<ElementSpan> In) const {
  auto Largest = [](ElementSpan S) {
    return std::max(std::abs(S.Begin), std::abs(S.End - 1));
  };
  switch (P[Id].Op) {
  case Opcode::Bitcast:
  case Opcode::Broadcast:
  case Opcode::Convert:
  case Opcode::Copy:
  case Opcode::Reshape:
  case Opcode::Slice:
  case Opcode::DynamicSlice:
    return In[0];
  case Opcode::Abs:
    return {0, Largest(In[0]) + 1};
  case Opcode::Remainder: {
    if (In.size() != 2)
      break;
    int64_t Limit = std::min(Largest(In[1]), Largest(In[0]) + 1);
    Limit = std::max<int64_t>(Limit, 1);
    return {In[0].Begin < 0 ? 1 - Limit : 0, Limit};
  }
  case Opcode::And:
    if (In.size() == 2 && (In[0].Begin >= 0 || In[1].Begin >= 0))
      return {0, std::min(In[0].Begin >= 0 ? In[0].End : MaxElement,
                          In[1].Begin >= 0 ? In[1].End : MaxElement)};
    break;
  case Opcode::Maximum:
    if (In.size() == 2)
      return {std::max(In[0].Begin, In[1].Begin),
              std::max(In[0].End, In[1].End)};
    break;
  case Opcode::Minimum:
    if (In.size() == 2)
      return {std::min(In[0].Begin, In[1].Begin),
              std::min(In[0].End, In[1].End)};
    break;
  case Opcode::Clamp:
    if (In.size() == 3)
      return {In[0].Begin, std::max(In[0].Begin + 1, In[2].End)};
    break;
  case Opcode::Select:
    if (In.size() == 3)
      return {std::min(In[1].Begin, In[2].Begin),
              std::max(In[1].End, In[2].End)};
    break;
  case Opcode::Add:
    if (In.size() == 2)
      return {boundedAdd(In[0].Begin, In[1].Begin),
              boundedAdd(In[0].End, In[1].End - 1)};
    break;
  default:
    break;
  }
  return everything();
}

ElementSpan RangeFinder::find(HloId Id) {
  if (std::optional<ElementSpan> Value = constant(Id))
    return *Value;
  ElementSpan Type = ofType(Id);
  if (++Steps > MaxRangeSteps || !shape(Id).isArray())
    return Type;
  if (P[Id].Op == Opcode::Fusion && !P[Id].Sugar) {
    ComputationId Body = P.callee(Id, CallRole::Calls);
    HloId Root = Body ? P.root(Body) : HloId();
    return Root ? intersect(Type, find(Root)) : Type;
  }
  ArrayRef<HloId> Operands = P.operands(Id);
  if (Operands.empty() || Operands.size() > 3)
    return Type;
  llvm::SmallVector<ElementSpan, 3> In;
  for (HloId Operand : Operands)
    In.push_back(find(Operand));
  ElementSpan Found = combine(Id, In);
  // What does not fit wraps around.
  bool Fits = Type.Begin <= Found.Begin && Found.End <= Type.End;
  return Fits ? Found : Type;
}

ElementSpan hlobuf::scalarRange(const Program &P, HloId Id) {
  return RangeFinder(P).find(Id);
}
