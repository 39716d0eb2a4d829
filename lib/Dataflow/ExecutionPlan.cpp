// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ExecutionPlan.h"
#include "Dataflow/AliasAnalysis.h"
#include "Dataflow/CopyBack.h"
#include "HLO/ArrayOrder.h"
#include "HLO/AttributeNumbers.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

ExecutionPlan::ExecutionPlan(const DataflowAnalysis &Flow,
                             const Schedule &Order)
    : Flow(Flow), P(Flow.program()), Order(Order), Lines(Flow.values().size()),
      Donated(donatedValues(Flow)), Same(P) {
  findLines();
  findReadSteps();
}

HloValueId ExecutionPlan::at(HloId Id, uint32_t Ordinal) const {
  return Id && Flow.hasLocations(Id) && Ordinal < P.trees().parts(P[Id].Shape)
             ? Flow.at(Id, Ordinal)
             : HloValueId();
}

/// The context of an async chain: on TPU all SparseCore chains share one
/// scratch place (libtpu 0.0.51).
bool ExecutionPlan::isContext(const HloValue &V) const {
  Opcode Op = P[V.Definition].Op;
  if (!P.facts().isTPU() || !hasAsyncState(Op))
    return false;
  return P.facts().dump().Indices.isAsyncContext(
      P.trees().index(P[V.Definition].Shape, V.Ordinal));
}

void ExecutionPlan::findLines() {
  const Facts &DumpFacts = P.facts();
  const Dump &D = DumpFacts.dump();
  for (size_t I = 0; I != Lines.size(); ++I) {
    const HloValue &V = Flow.values()[I];
    const HloNode &N = P[V.Definition];
    const Shape &Part = P.trees().shape(P.trees().part(N.Shape, V.Ordinal));
    bool IsData =
        Part.Kind == ShapeKind::Array || Part.Kind == ShapeKind::Buffer;
    // What other computations call is not followed, but its constants must
    // last.
    bool IsFollowed = Order.isFlattened(N.Parent) ||
                      (N.Op == Opcode::Constant && P.hasBuffers(V.Definition) &&
                       !P.runsElsewhere(N.Parent));
    if (!IsData || !IsFollowed || isContext(V))
      continue;
    ValueId Line =
        N.Name
            ? DumpFacts.findValue(N.Name, P.trees().index(N.Shape, V.Ordinal))
            : ValueId();
    LacksPlaces |= !Line;
    if (Line && D[Line].end() > D[Line].Offset)
      Lines[I] = Line;
  }
}

std::optional<AllocationBytes> ExecutionPlan::place(HloValueId V) const {
  ValueId Line = V ? Lines[V.index()] : ValueId();
  if (!Line)
    return std::nullopt;
  const Value &Stated = P.facts().dump()[Line];
  return AllocationBytes{Stated.Owner, Stated.Offset, Stated.end()};
}

bool ExecutionPlan::isInput(HloValueId V) const {
  return P.isInput(Flow[V].Definition) && !Donated[V.index()];
}

void ExecutionPlan::forEachLeaf(
    HloId Id, llvm::function_ref<void(HloValueId)> Visit) const {
  for (uint32_t I = 0;
       Flow.hasLocations(Id) && I != P.trees().parts(P[Id].Shape); ++I)
    if (HloValueId V = Flow.at(Id, I); place(V))
      Visit(V);
}

bool hlobuf::isConcatBitcast(const Program &P, HloId Id) {
  return P.customCallTarget(Id, Backend::TPU) == "ConcatBitcast";
}

ArrayRef<HloId> hlobuf::operandsRead(const Program &P, const Schedule &Order,
                                     HloId Id) {
  ArrayRef<HloId> Operands = P.operands(Id);
  Opcode Op = P[Id].Op;
  if (accessesNoMemory(Op) || calleeReads(Op))
    return {};
  switch (Op) {
  case Opcode::AsyncUpdate:
    return {};
  case Opcode::AsyncStart: {
    ArrayRef<HloCall> Calls = P.calls(Id);
    bool BodyReads = !Calls.empty() && Order.isFlattened(Calls[0].Callee);
    return BodyReads ? ArrayRef<HloId>() : Operands;
  }
  case Opcode::Conditional:
    return Operands.take_front(1);
  case Opcode::Copy: {
    // Of a tuple, only its table.
    bool IsTuple =
        !Operands.empty() && P.trees().isTuple(P[Operands[0]].Shape, 0);
    return IsTuple ? ArrayRef<HloId>() : Operands;
  }
  default:
    return Operands;
  }
}

void ExecutionPlan::forEachRead(
    HloId Id, llvm::function_ref<void(const ExecutionRead &)> Visit) const {
  ArrayRef<HloId> Operands = operandsRead(P, Order, Id);
  for (uint32_t K = 0; K != Operands.size(); ++K)
    forEachLeaf(Operands[K], [&](HloValueId V) { Visit({V, K}); });
}

void ExecutionPlan::forEachReadAtEnd(
    llvm::function_ref<void(const ExecutionRead &)> Visit) const {
  if (HloId Root = P.root(P.module().Entry))
    forEachLeaf(Root, [&](HloValueId V) { Visit({V, std::nullopt}); });
  for (size_t I = 0; I != Lines.size(); ++I)
    if (HloValueId V(I); place(V) && isInput(V))
      Visit({V, std::nullopt, true});
}

/// True if \p Written is one of \p Id's operands, byte for byte, and at the
/// same place, or is what a read-only place has.
bool ExecutionPlan::keepsBytes(HloId Id, HloValueId Written) const {
  std::optional<OperandPart> From = Same.find(Id, Flow[Written].Ordinal);
  // In the place of an array, it writes zeros around it.
  if (P.customCallTarget(Id, Backend::TPU) == "ZeroCrop")
    From = declaredPart(P, Id, Flow[Written].Ordinal);
  if (!From) {
    const Dump &D = P.facts().dump();
    // Few values are copied back, and asking for a parameter is not constant.
    return copiesBack(Flow, Written,
                      [&](HloValueId V) { return Lines[V.index()]; }) &&
           isReadOnly(D, D[D[Lines[Written.index()]].Owner]);
  }
  HloValueId V = at(P.operands(Id)[From->Operand], From->Ordinal);
  return place(V) && *place(V) == *place(Written);
}

bool ExecutionPlan::isCopyInPlace(HloValueId Copy, HloValueId Other) const {
  auto Origin = [&](HloValueId V) {
    return Same.origin({Flow[V].Definition, Flow[V].Ordinal});
  };
  return place(Other) && *place(Copy) == *place(Other) &&
         Origin(Copy) == Origin(Other);
}

void ExecutionPlan::forEachWrite(
    HloId Id, llvm::function_ref<void(HloValueId, bool Keeps)> Visit) const {
  Opcode Op = P[Id].Op;
  if (isGiven(Op) || !Flow.hasLocations(Id))
    return;
  bool Concat = isConcatBitcast(P, Id);
  SmallVector<HloValueId, 4> Unwritten;
  for (uint32_t I = 0; I != P.trees().parts(P[Id].Shape); ++I) {
    HloValueId V = Flow.definedAt(Id, I);
    if (!place(V) || Flow[V].Phi)
      continue;
    if (Concat || keepsBytes(Id, V))
      Unwritten.push_back(V);
    else
      Visit(V, false);
  }
  for (HloValueId V : Unwritten)
    Visit(V, true);
}

std::optional<AllocationBytes> ExecutionPlan::sliceIn(HloValueId Whole,
                                                      HloValueId Slice) const {
  HloId Id = Flow[Slice].Definition;
  if (P.isHidden(Id) || P.operands(Id).empty())
    return std::nullopt;
  const Shape &Array = P.trees().shape(P[P.operands(Id)[0]].Shape);
  const Shape &Result = P.trees().shape(P[Flow[Whole].Definition].Shape);
  ArrayOrder From(Array), To(Result);
  auto Bounds = sliceBounds(
      findAttribute(P.module().attributes(P.module()[Id]), "slice"));
  if (!Bounds || !From.isValid() || !To.isValid() ||
      Bounds->size() != From.rank() ||
      From.elements() * Array.Bits != To.elements() * Result.Bits)
    return std::nullopt;
  const int64_t *Slowest = llvm::find_if(
      From.majorToMinor(), [&](int64_t D) { return From.size(D) != 1; });
  if (Slowest == From.majorToMinor().end())
    return std::nullopt;
  for (size_t D = 0; D != From.rank(); ++D) {
    const DimensionSlice &Cut = (*Bounds)[D];
    bool IsCut = Cut.Begin != 0 || Cut.Limit != From.size(D);
    if (Cut.Stride != 1 || (IsCut && static_cast<int64_t>(D) != *Slowest))
      return std::nullopt;
  }
  AllocationBytes Place = *place(Whole);
  auto Count = static_cast<uint64_t>(From.size(*Slowest));
  uint64_t Row = (Place.End - Place.Begin) / Count;
  if (Row * Count != Place.End - Place.Begin)
    return std::nullopt;
  const DimensionSlice &Cut = (*Bounds)[*Slowest];
  return AllocationBytes{Place.Owner,
                         Place.Begin + Row * static_cast<uint64_t>(Cut.Begin),
                         Place.Begin + Row * static_cast<uint64_t>(Cut.Limit)};
}

void ExecutionPlan::bind(HloId Id, HloId From,
                         llvm::SmallVectorImpl<ExecutionBinding> &Out) const {
  for (uint32_t I = 0;
       Flow.hasLocations(Id) && I != P.trees().parts(P[Id].Shape); ++I)
    if (HloValueId V = Flow.definedAt(Id, I); place(V) && Flow[V].Phi)
      Out.push_back({V, at(From, I)});
}

SmallVector<HloId, 3> ExecutionPlan::loopPhis(HloId Id) const {
  SmallVector<HloId, 3> Result = {Id};
  for (CallRole Role : {CallRole::Condition, CallRole::Body})
    if (ComputationId C = P.callee(Id, Role))
      if (HloId Parameter = P.parameter(C, 0))
        Result.push_back(Parameter);
  return Result;
}

void ExecutionPlan::findReadSteps() {
  std::vector<std::pair<HloValueId, int32_t>> All;
  auto Bindings = [&](HloId Id, HloId From, int32_t Step) {
    SmallVector<ExecutionBinding> Arguments;
    bind(Id, From, Arguments);
    for (const ExecutionBinding &B : Arguments)
      if (place(B.Input))
        All.push_back({B.Input, Step});
  };
  for (HloId Id : Order.sequence()) {
    int32_t Step = Order.time(Id);
    NumParts += P.trees().parts(P[Id].Shape);
    forEachRead(Id, [&](const ExecutionRead &Read) {
      All.push_back({Read.Value, Step});
    });
    if (P[Id].Op == Opcode::Conditional)
      for (auto [K, Branch] : llvm::enumerate(P.calls(Id))) {
        HloId Parameter = P.parameter(Branch.Callee, 0);
        if (Parameter && K + 1 < P.operands(Id).size())
          Bindings(Parameter, P.operands(Id)[K + 1], Step);
        if (HloId Root = P.root(Branch.Callee))
          Bindings(Id, Root, Order.time(Root));
      }
    if (P[Id].Op != Opcode::While || P.operands(Id).empty())
      continue;
    ComputationId Body = P.callee(Id, CallRole::Body);
    for (HloId Phis : loopPhis(Id)) {
      Bindings(Phis, P.operands(Id)[0], Step);
      if (Body && P.root(Body))
        Bindings(Phis, P.root(Body), Order.time(P.root(Body)));
    }
  }
  forEachReadAtEnd([&](const ExecutionRead &Read) {
    All.push_back({Read.Value, Order.steps()});
  });
  llvm::sort(All);
  ReadBegin.assign(Lines.size() + 1, 0);
  ReadSteps.reserve(All.size());
  for (auto [V, Step] : All) {
    ++ReadBegin[V.index() + 1];
    ReadSteps.push_back(Step);
  }
  for (size_t I = 0; I != Lines.size(); ++I)
    ReadBegin[I + 1] += ReadBegin[I];
}

bool ExecutionPlan::isReadIn(HloValueId V, int32_t Begin, int32_t End) const {
  auto Last = ReadSteps.begin() + ReadBegin[V.index() + 1];
  auto Step =
      std::lower_bound(ReadSteps.begin() + ReadBegin[V.index()], Last, Begin);
  return Step != Last && *Step < End;
}

int32_t ExecutionPlan::lastRead(HloValueId V) const {
  uint32_t End = ReadBegin[V.index() + 1];
  return End == ReadBegin[V.index()] ? -1 : ReadSteps[End - 1];
}
