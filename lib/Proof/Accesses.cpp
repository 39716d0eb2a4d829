// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/Accesses.h"

using namespace hlobuf;
using namespace hlobuf::proof;

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
      else if (!isGiven(P[Id].Op))
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
  if (Op == Opcode::Conditional)
    Operands = Operands.take_front(1);
  for (auto [K, Operand] : llvm::enumerate(Operands))
    for (uint32_t Leaf : Lines.leaves(Operand))
      Reads.push_back({uint32_t(K), Leaf, Home.of({Operand, Leaf})});
}

/// True if a product is added to operand 2: otherwise that is a bias, or a
/// scale (`beta` of GemmBackendConfig, gpu/backend_configs.proto, 2019).
static bool addsToMatrix(StringRef Attributes) {
  double Beta = 0;
  StringRef Text = findAttribute(Attributes, "backend_config")
                       .value_or("")
                       .split("\"beta\":")
                       .second;
  return !Text.take_while([](char C) { return C != ',' && C != '}'; })
              .getAsDouble(Beta) &&
         Beta != 0;
}

/// Custom calls of GPU that the compiler knows by name (gpu/buffer_sharing.cc,
/// 2022): the matrix that is factored, and the one that a product is added to.
SmallVector<WorkingPair, 2> Accesses::pairs(HloId Id) const {
  SmallVector<WorkingPair, 2> All = workingPairs(P, Id);
  StringRef Target = P.customCallTarget(Id, Backend::GPU);
  bool Factors = Target == "__cusolver$cholesky";
  bool Adds = Target.starts_with("__cublas$") &&
              addsToMatrix(P.module().attributes(P.module()[Id]));
  if (!Factors && !Adds)
    return All;
  bool IsTuple = P.trees().shape(P[Id].Shape).isTuple();
  uint32_t Result = IsTuple ? P.trees().elementOrdinal(P[Id].Shape, 0) : 0;
  All.push_back({Factors ? 0U : 2U, 0, Result});
  return All;
}

SmallVector<WorkingPair, 2> Accesses::requiredPairs(HloId Id) const {
  Opcode Op = P[Id].Op;
  bool Declares = (Op == Opcode::CustomCall || Op == Opcode::Fusion) &&
                  !declaredPairs(P, Id).empty();
  bool Reduces = Op == Opcode::AllReduceStart && !usesNvshmem(P, Id);
  if (!Reduces && Op != Opcode::RaggedAllToAll && !Declares)
    return {};
  SmallVector<WorkingPair, 2> All = workingPairs(P, Id);
  llvm::erase_if(All, [&](const WorkingPair &Pair) {
    return !Lines.line({Id, Pair.Result}) ||
           !Home.of({P.operands(Id)[Pair.Operand], Pair.OperandPart});
  });
  return All;
}
