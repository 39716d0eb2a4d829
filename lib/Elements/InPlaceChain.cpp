// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/InPlaceChain.h"
#include "Elements/ArrayPlaces.h"
#include "Elements/OperandAccesses.h"

using namespace hlobuf;

namespace {
/// Follows what is written in place through one operand at a time.
class ChainWalk {
public:
  ChainWalk(Scalars &All, ScopedId At, uint32_t Part)
      : All(All), P(All.program()), At(At), Part(Part) {}
  InPlaceChain follow(size_t &Budget);

private:
  bool step();
  bool stepOutOf();
  bool skipCollective();
  bool stepTo(uint32_t Operand, uint32_t OperandPart);
  bool keepsPlaces(AccessKind Kind, const Shape &Here,
                   const Shape &There) const;
  const Shape &shape(HloId Id, uint32_t Of) const {
    return P.trees().shape(P.trees().part(P[Id].Shape, Of));
  }

  Scalars &All;
  const Program &P;
  ScopedId At;
  uint32_t Part;
  InPlaceChain Chain;
};
} // namespace

bool ChainWalk::keepsPlaces(AccessKind Kind, const Shape &Here,
                            const Shape &There) const {
  if (!There.isArray() || storedBits(Here) != storedBits(There))
    return false;
  if (Kind == AccessKind::SameBytes)
    return true;
  if (Kind == AccessKind::Mapped)
    return P[At.Id].Op == Opcode::Reshape && isRowMajor(Here) &&
           isRowMajor(There);
  return (Kind == AccessKind::SameIndex || Kind == AccessKind::OutsideWindow) &&
         hasSameIndices(Here, There);
}

/// Goes on with an operand; false at the chain's end.
bool ChainWalk::stepTo(uint32_t Operand, uint32_t OperandPart) {
  HloId Source = P.operands(At.Id)[Operand];
  if (At.Scope == 0) {
    Chain.Found = true;
    Chain.Operand = Operand;
    Chain.Part = OperandPart;
    return false;
  }
  At.Id = Source;
  Part = OperandPart;
  return true;
}

bool ChainWalk::stepOutOf() {
  uint32_t Number = P[At.Id].number();
  At = All.caller(At.Scope);
  return Number < P.operands(At.Id).size() &&
         Part < P.trees().parts(P[P.operands(At.Id)[Number]].Shape) &&
         stepTo(Number, Part);
}

/// Goes on to what a custom-call that starts or ends a collective in a fusion
/// forwards (TPU): the collective's operand, or the buffer that it fills.
bool ChainWalk::skipCollective() {
  llvm::StringRef Target = P.customCallTarget(At.Id, Backend::TPU);
  llvm::ArrayRef<HloId> Operands = P.operands(At.Id);
  HloId Next;
  if (Target == "AsyncCollectiveDone" && Operands.size() > 1)
    Next = Operands[1];
  if (Target == "AsyncCollectiveStart" && !Operands.empty() &&
      Part == P.trees().elementOrdinal(P[At.Id].Shape, 0) &&
      !P.operands(Operands[0]).empty())
    Next = P.operands(Operands[0])[0];
  if (!Next || !sameAddresses(shape(At.Id, Part), shape(Next, 0)))
    return false;
  At.Id = Next;
  Part = 0;
  return true;
}

bool ChainWalk::step() {
  const HloNode &N = P[At.Id];
  if (N.Op == Opcode::Fusion && !N.Sugar) {
    ComputationId Body = P.callee(At.Id, CallRole::Calls);
    HloId Root = Body ? P.root(Body) : HloId();
    if (!Root || Part >= P.trees().parts(P[Root].Shape))
      return false;
    At = {All.enter(At), Root};
    return true;
  }
  if (N.Op == Opcode::Parameter)
    return At.Scope != 0 && stepOutOf();
  uint32_t Own = 0;
  if (isUpdate(N.Op)) {
    Chain.Writer = At.Id;
    Chain.Updates.push_back(At);
  }
  if (N.Op == Opcode::Scatter) {
    Chain.Scatters = true;
    Own = Part == 0 ? 0 : Part - 1;
  }
  if (skipCollective())
    return true;
  if (!keepsElements(N.Op))
    return false;
  auto Accesses = findAccesses(P, At.Id, Part);
  if (isUpdate(N.Op))
    llvm::erase_if(Accesses, [&](const Access &A) { return A.Operand != Own; });
  if (Accesses.size() != 1)
    return false;
  const Access &Next = Accesses[0];
  const Shape &Here = shape(At.Id, Part);
  const Shape &There = shape(P.operands(At.Id)[Next.Operand], Next.Part);
  return keepsPlaces(Next.Kind, Here, There) && stepTo(Next.Operand, Next.Part);
}

InPlaceChain ChainWalk::follow(size_t &Budget) {
  while (step()) {
    if (Budget == 0) {
      Chain.Incomplete = true;
      break;
    }
    --Budget;
  }
  return std::move(Chain);
}

InPlaceChain hlobuf::findInPlaceChain(Scalars &All, HloId Id, uint32_t Part,
                                      size_t &Budget) {
  return ChainWalk(All, {0, Id}, Part).follow(Budget);
}
