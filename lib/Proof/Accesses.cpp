// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Accesses.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::ArrayRef;
using llvm::SmallVector;

/// True if an instruction of that opcode reads no bytes itself.
static bool readsNothing(Opcode Op) {
  return accessesNoMemory(Op) || calleeReads(Op) || Op == Opcode::AsyncUpdate;
}

Accesses::Accesses(const ValuePlaces &Lines, const PartSources &From,
                   const Homes &Home)
    : Lines(Lines), From(From), Home(Home), P(Lines.program()),
      Begins(P.numSlots()) {
  Lines.forEach([&](HloId Id) {
    Begin &B = Begins[P.slot(Id)];
    B.Reads = static_cast<uint32_t>(Reads.size());
    B.Writes = static_cast<uint32_t>(Writes.size());
    B.Bindings = static_cast<uint32_t>(Bindings.size());
    addReads(Id);
    for (uint32_t Leaf : Lines.leaves(Id)) {
      Part At = {Id, Leaf};
      ValueId Line = Lines.line(At);
      if (!Line)
        continue;
      ArrayRef<Part> Sources = From.of(At);
      if (!Sources.empty())
        Bindings.push_back({Leaf, Line, Sources});
      else if (!isGiven(P[Id].Op) && !From.isSparseCoreContext(At))
        Writes.push_back({Leaf, Line});
    }
    B.NumReads = static_cast<uint32_t>(Reads.size()) - B.Reads;
    B.NumWrites = static_cast<uint32_t>(Writes.size()) - B.Writes;
    B.NumBindings = static_cast<uint32_t>(Bindings.size()) - B.Bindings;
  });
}

InstructionAccesses Accesses::of(HloId Id) const {
  const Begin &B = Begins[P.slot(Id)];
  return {ArrayRef(Reads).slice(B.Reads, B.NumReads),
          ArrayRef(Writes).slice(B.Writes, B.NumWrites),
          ArrayRef(Bindings).slice(B.Bindings, B.NumBindings)};
}

void Accesses::addReads(HloId Id) {
  Opcode Op = P[Id].Op;
  if (readsNothing(Op) || (Op == Opcode::AsyncStart && From.wrapped(Id)) ||
      (Op == Opcode::Copy && P.trees().shape(P[Id].Shape).isTuple()))
    return;
  // Of a conditional, callees read the other operands.
  ArrayRef<HloId> Operands = P.operands(Id);
  if (Op == Opcode::Conditional || isDone(Op))
    Operands = Operands.take_front(1);
  for (auto [K, Operand] : llvm::enumerate(Operands))
    for (uint32_t Leaf : Lines.leaves(Operand))
      Reads.push_back(
          {static_cast<uint32_t>(K), Leaf, Home.of({Operand, Leaf})});
}

SmallVector<DeclaredAlias, 2> Accesses::declared(HloId Id) const {
  if (P.isHidden(Id) || !P[Id].MayDeclareAliases || P[Id].Sugar)
    return {};
  return declaredAliases(P.module().attributes(P.module()[Id]),
                         Lines.dump().Indices);
}

/// Pairs each array of \p Operand with that at the same place below the part
/// \p Result.
void Accesses::addPairs(HloId Id, uint32_t Operand, uint32_t Result,
                        llvm::SmallVectorImpl<WorkingPair> &Out) const {
  if (Operand < P.operands(Id).size())
    for (uint32_t Leaf : Lines.leaves(P.operands(Id)[Operand]))
      Out.push_back({Operand, Leaf, Result + Leaf});
}

/// Custom calls of GPU that the compiler knows by name (gpu/buffer_sharing.cc,
/// 2022): the matrix that is factored, and the one that a product is added to.
SmallVector<WorkingPair, 2> Accesses::pairs(HloId Id) const {
  SmallVector<WorkingPair, 2> All = statedPairs(Id);
  llvm::StringRef Target = P.customCallTarget(Id, Backend::GPU);
  bool Factors = Target == "__cusolver$cholesky";
  if (!Factors && !Target.starts_with("__cublas$"))
    return All;
  bool IsTuple = P.trees().shape(P[Id].Shape).isTuple();
  uint32_t Result = IsTuple ? P.trees().elementOrdinal(P[Id].Shape, 0) : 0;
  All.push_back({Factors ? 0U : 2U, 0, Result});
  return All;
}

SmallVector<WorkingPair, 2> Accesses::statedPairs(HloId Id) const {
  SmallVector<WorkingPair, 2> All;
  Opcode Op = P[Id].Op;
  auto Count = static_cast<uint32_t>(P.operands(Id).size());
  bool IsTuple = P.trees().shape(P[Id].Shape).isTuple();
  if (isUpdate(Op) || isPaired(Op)) {
    uint32_t Each = !IsTuple                ? 1
                    : Op == Opcode::Scatter ? (Count - 1) / 2
                                            : Count;
    for (uint32_t K = 0; K != Each; ++K)
      All.push_back(
          {K, 0, IsTuple ? P.trees().elementOrdinal(P[Id].Shape, K) : 0});
  } else if (isPermute(Op) && Count == 4) {
    bool Starts = isStart(Op);
    addPairs(Id, 1, Starts ? P.trees().elementOrdinal(P[Id].Shape, 1) : 0, All);
  } else if (Op == Opcode::RaggedAllToAll || Op == Opcode::TriangularSolve) {
    All.push_back({1, 0, 0});
  } else if (Op == Opcode::SetDimensionSize) {
    All.push_back({0, 0, 0});
  }
  for (const DeclaredAlias &A : declared(Id)) {
    auto Result = P.trees().ordinal(P[Id].Shape, A.Output);
    if (A.Operand >= Count || !Result)
      continue;
    auto Operand =
        P.trees().ordinal(P[P.operands(Id)[A.Operand]].Shape, A.Index);
    WorkingPair Pair = {A.Operand, Operand.value_or(0), *Result};
    if (Operand && !llvm::is_contained(All, Pair))
      All.push_back(Pair);
  }
  return All;
}

SmallVector<WorkingPair, 2> Accesses::requiredPairs(HloId Id) const {
  Opcode Op = P[Id].Op;
  bool Declares = (Op == Opcode::CustomCall || Op == Opcode::Fusion) &&
                  !declared(Id).empty();
  if (Op != Opcode::AllReduceStart && Op != Opcode::RaggedAllToAll && !Declares)
    return {};
  SmallVector<WorkingPair, 2> All = statedPairs(Id);
  llvm::erase_if(All, [&](const WorkingPair &Pair) {
    return !Lines.line({Id, Pair.Result}) ||
           !Home.of({P.operands(Id)[Pair.Operand], Pair.OperandPart});
  });
  return All;
}
