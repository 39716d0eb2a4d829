//===- Thunks/ThunkGraph.cpp ----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thunks/ThunkGraph.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::SmallVector;
using llvm::StringRef;

ThunkGraph::ThunkGraph(const ModuleAnalysis &Analysis)
    : Analysis(Analysis), P(Analysis.program()), D(Analysis.facts().dump()),
      T(D.Thunks) {
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    ByNumber.push_back({D.Allocations[I].Index, static_cast<uint32_t>(I)});
  llvm::sort(ByNumber);
  bindInstructions();
  bindSequences();
}

const Allocation *ThunkGraph::allocation(int64_t Index) const {
  auto Found = llvm::lower_bound(ByNumber, std::make_pair(Index, 0u));
  return Found != ByNumber.end() && Found->first == Index
             ? &D.Allocations[Found->second]
             : nullptr;
}

void ThunkGraph::bindInstructions() {
  for (const Thunk &Each : T.Thunks)
    Instructions.push_back(Each.Instruction ? P.find(Each.Instruction)
                                            : HloId());
  Embedded.resize(T.Thunks.size());
  for (const ThunkSequence &S : T.Sequences)
    if (S.Role == ThunkRole::Embedded)
      std::fill(Embedded.begin() + S.Thunks.Begin,
                Embedded.begin() + S.Thunks.End, true);
}

/// Sequences come after the thunks that they are inside of.
void ThunkGraph::bindSequences() {
  for (const ThunkSequence &S : T.Sequences)
    Computations.push_back(computationOf(S));
}

ComputationId ThunkGraph::computationOf(const ThunkSequence &S) const {
  if (!S.Owner)
    return P.module().Entry;
  const Thunk &Owner = T[S.Owner];
  HloId Id = instruction(S.Owner);
  ComputationId Around = Computations[Owner.In.index()];
  if (S.Role == ThunkRole::Embedded || !Around)
    return ComputationId();
  if (S.Role == ThunkRole::Thunks && Owner.Kind != ThunkKind::Call)
    return Around;
  if (!Id)
    return ComputationId();
  switch (S.Role) {
  case ThunkRole::Condition:
    return P.callee(Id, CallRole::Condition);
  case ThunkRole::Body:
    return P.callee(Id, CallRole::Body);
  case ThunkRole::Thunks:
    return P.callee(Id, CallRole::ToApply);
  case ThunkRole::Branch:
    break;
  case ThunkRole::Embedded:
    return ComputationId();
  }
  uint32_t Number = 0;
  for (const HloCall &Call : P.calls(Id))
    if (Call.Role == CallRole::Branch && Number++ == S.Number)
      return Call.Callee;
  return ComputationId();
}

ComputationId ThunkGraph::home(ComputationId C) const {
  while (C && T.ForGpu && C != P.module().Entry) {
    llvm::ArrayRef<HloId> Callers = P.callers(C);
    if (Callers.empty() || (P[Callers.front()].Op != Opcode::Call &&
                            P[Callers.front()].Op != Opcode::AsyncStart))
      break;
    C = P[Callers.front()].Parent;
  }
  return C;
}

bool ThunkGraph::isCallKernel(ThunkId Id) const {
  return T[Id].Kind == ThunkKind::Kernel && !T.ForGpu && instruction(Id) &&
         P[instruction(Id)].Op == Opcode::Call;
}

std::optional<ByteSlice> ThunkGraph::place(HloId Id, uint32_t Ordinal) const {
  const DataflowAnalysis &Flow = Analysis.flow();
  HloValueId V = Flow.at(Id, Ordinal);
  ValueId Line = V ? Analysis.lineOf(V) : ValueId();
  if (!Line)
    return std::nullopt;
  const Value &At = D[Line];
  return ByteSlice{D[At.Owner].Index, static_cast<int64_t>(At.Offset),
                   static_cast<int64_t>(At.Size)};
}

SmallVector<LeafPlace, 4> ThunkGraph::leaves(HloId Id) const {
  SmallVector<LeafPlace, 4> Leaves;
  ShapeId Shape = P[Id].Shape;
  for (uint32_t I = 0; I != P.trees().parts(Shape); ++I) {
    ShapeKind Kind = P.trees().shape(P.trees().part(Shape, I)).Kind;
    if (Kind != ShapeKind::Tuple && Kind != ShapeKind::Token)
      Leaves.push_back({Id, I, place(Id, I)});
  }
  return Leaves;
}

SmallVector<LeafPlace, 8> ThunkGraph::operandLeaves(HloId Id) const {
  SmallVector<LeafPlace, 8> Leaves;
  for (HloId Operand : P.operands(Id))
    llvm::append_range(Leaves, leaves(Operand));
  return Leaves;
}

bool ThunkGraph::callSlices(HloId Call, CallSlices Which,
                            llvm::SmallVectorImpl<ByteSlice> &To) const {
  bool Known = true;
  llvm::DenseSet<uint32_t> Seen;
  auto Add = [&](HloId Id) {
    for (uint32_t I = 0; I != P.trees().parts(P[Id].Shape); ++I) {
      bool IsLeaf = !P.trees().isTuple(P[Id].Shape, I);
      std::optional<ByteSlice> Bytes = place(Id, I);
      Known &= Bytes || I != 0 || !IsLeaf ||
               P.trees().shape(P[Id].Shape).Kind == ShapeKind::Token;
      // Its own table too, but not those inside of it.
      if (Bytes && (IsLeaf || I == 0) &&
          !allocation(Bytes->Allocation)->ThreadLocal &&
          !llvm::is_contained(To, *Bytes))
        To.push_back(*Bytes);
    }
  };
  SmallVector<ComputationId, 4> Pending = {P.callee(Call, CallRole::ToApply)};
  while (!Pending.empty()) {
    ComputationId C = Pending.pop_back_val();
    if (!C || !Seen.insert(C.index()).second)
      continue;
    for (HloId Id : P.order(C)) {
      bool Writes = !accessesNoMemory(P[Id].Op) && !isControlFlow(P[Id].Op);
      if (Which == CallSlices::Written
              ? Writes
              : Which == CallSlices::Results && P[Id].Op != Opcode::Parameter)
        Add(Id);
      if (Which == CallSlices::Arguments)
        llvm::for_each(P.operands(Id), Add);
      for (const HloCall &Inner : P.calls(Id))
        if (!P.isFusionBody(Inner.Callee))
          Pending.push_back(Inner.Callee);
    }
  }
  return Known;
}

std::string ThunkGraph::spell(const LeafPlace &Leaf) const {
  std::string Name = P.spell(Leaf.Instruction);
  if (!P.trees().shape(P[Leaf.Instruction].Shape).isTuple())
    return Name;
  return Name + D.Indices.text(
                    P.trees().index(P[Leaf.Instruction].Shape, Leaf.Ordinal));
}

std::string ThunkGraph::spell(const ByteSlice &Bytes) {
  return fmt::format("bytes [{}, {}) of allocation {}", Bytes.Offset,
                     static_cast<int64_t>(static_cast<uint64_t>(Bytes.Offset) +
                                          static_cast<uint64_t>(Bytes.Size)),
                     Bytes.Allocation);
}

std::string ThunkGraph::spellHolder(const ByteSlice &Bytes, HloId By) const {
  if (By) {
    SmallVector<LeafPlace, 8> Near = operandLeaves(By);
    llvm::append_range(Near, leaves(By));
    for (const LeafPlace &Leaf : Near)
      if (Leaf.Bytes == Bytes)
        return ", which is " + spell(Leaf);
  }
  for (const Value &V : D.Values)
    if (ByteSlice{D[V.Owner].Index, static_cast<int64_t>(V.Offset),
                  static_cast<int64_t>(V.Size)} == Bytes)
      return fmt::format(", where {} is", D.Names[V.Tag.Name]);
  return "";
}

StringRef ThunkGraph::name(ThunkId Id) const {
  return T[Id].Instruction ? D.Names[T[Id].Instruction]
                           : thunkKindText(T[Id].Kind);
}
