// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/FusionReads.h"
#include "HLO/ArrayOrder.h"

using namespace hlobuf;

uint64_t hlobuf::elementsOf(const Program &P, Part At) {
  const Shape &S = P.trees().shape(P.trees().part(P[At.Id].Shape, At.Ordinal));
  return S.isArray() ? static_cast<uint64_t>(ArrayOrder(S).elements()) : 1;
}

Part hlobuf::lookThrough(const Program &P, Part At) {
  while (At.Id) {
    std::optional<OperandPart> From = P.forwardedPart(At.Id, At.Ordinal);
    if (!From)
      return At;
    ArrayRef<HloId> Operands = P.operands(At.Id);
    At = From->Operand < Operands.size() && Operands[From->Operand]
             ? Part{Operands[From->Operand], From->Ordinal}
             : Part();
  }
  return At;
}

Part hlobuf::lookThroughLayouts(const Program &P, Part At) {
  At = lookThrough(P, At);
  while (At && At.Ordinal == 0 && keepsElements(P[At.Id].Op) &&
         !isUpdate(P[At.Id].Op) && !P.operands(At.Id).empty())
    At = lookThrough(P, {P.operands(At.Id)[0], 0});
  return At;
}

Part hlobuf::copiedPart(const Program &P, HloId Id) {
  bool Starts = P[Id].Op == Opcode::CopyStart;
  if ((!Starts && P[Id].Op != Opcode::Copy) || P.operands(Id).empty() ||
      !P.operands(Id)[0])
    return {};
  return {Id, Starts ? P.trees().elementOrdinal(P[Id].Shape, 0) : 0};
}

void FusionReads::need(Part At, uint64_t Count) {
  At = lookThrough(P, At);
  if (!At || Count == 0)
    return;
  uint64_t &Known = Needed[{At.Id.index(), At.Ordinal}];
  Known = std::min(elementsOf(P, At), Known + Count);
}

void FusionReads::needOperands(Part At, uint64_t Count) {
  ArrayRef<HloId> Operands = P.operands(At.Id);
  auto Need = [&](size_t K, uint64_t N) {
    if (K < Operands.size() && Operands[K])
      need({Operands[K], 0}, N);
  };
  auto All = [&](size_t K) {
    return K < Operands.size() && Operands[K] ? elementsOf(P, {Operands[K], 0})
                                              : 0;
  };
  // As many of operand K as the part of the result is of Whole.
  auto NeedShare = [&](size_t K, uint64_t Whole) {
    Need(K, llvm::divideCeil(All(K) * Count, std::max<uint64_t>(1, Whole)));
  };
  Opcode Op = P[At.Id].Op;
  uint64_t Joined = 0;
  for (size_t K = 0; K != Operands.size(); ++K)
    Joined += All(K);
  for (size_t K = 0; K != Operands.size(); ++K) {
    switch (Op) {
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Pad:
      Need(K, K == 0 ? Count : 1);
      break;
    case Opcode::Gather:
      Need(K, Count);
      break;
    case Opcode::DynamicUpdateSlice:
      Need(K, K == 0   ? Count - std::min(Count, All(1))
              : K == 1 ? std::min(Count, All(1))
                       : 1);
      break;
    case Opcode::Concatenate:
      NeedShare(K, Joined);
      break;
    case Opcode::Reduce:
      if (K < Operands.size() / 2)
        NeedShare(K, elementsOf(P, At));
      break;
    default:
      Need(K, isElementwise(Op) || movesElements(Op) ? Count : All(K));
    }
  }
}

SmallVector<FusionReads::Need, 4> FusionReads::parameters() {
  SmallVector<Need, 4> Out;
  auto Order = P.order(Body);
  for (auto I = Order.end(); I != Order.begin();) {
    HloId Id = *--I;
    for (uint32_t K = 0; K != P.trees().parts(P[Id].Shape); ++K) {
      auto Known = Needed.find({Id.index(), K});
      if (Known == Needed.end())
        continue;
      if (P[Id].Op == Opcode::Parameter)
        Out.push_back({P[Id].number(), K, Known->second});
      else
        needOperands({Id, K}, uint64_t(Known->second));
    }
  }
  return Out;
}

bool FusionReads::onlyMoves() const {
  return llvm::all_of(P.order(Body), [&](HloId Id) {
    return isGiven(P[Id].Op) || movesElements(P[Id].Op) ||
           (!P[Id].Root && elementsOf(P, {Id, 0}) <= 1);
  });
}
