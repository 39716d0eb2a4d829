// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/DataflowBuilder.h"
#include "llvm/ADT/SmallSet.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

void DataflowBuilder::run() {
  P.forEachSlot([&](HloId Id) {
    if (Graph.hasLocations(Id))
      link(Id);
  });
}

std::optional<uint32_t> DataflowBuilder::part(HloId Id,
                                              ArrayRef<uint32_t> Steps) const {
  return P.trees().ordinal(P[Id].Shape, Steps);
}

void DataflowBuilder::defineAll(HloId Id) {
  for (uint32_t I = 0; I != parts(Id); ++I)
    define(Id, I);
}

void DataflowBuilder::defineTuples(HloId Id) {
  for (uint32_t I = 0; I != parts(Id); ++I)
    if (isTuple(Id, I))
      define(Id, I);
}

void DataflowBuilder::forward(HloId Id, uint32_t Ordinal, HloId From,
                              uint32_t FromOrdinal) {
  if (Ordinal >= parts(Id) || !From || !Graph.hasLocations(From) ||
      FromOrdinal >= parts(From))
    return;
  Graph.forward(location(Id, Ordinal), location(From, FromOrdinal));
}

void DataflowBuilder::forwardRange(HloId Id, uint32_t Ordinal, HloId From,
                                   uint32_t FromOrdinal, uint32_t Count) {
  for (uint32_t I = 0; I != Count; ++I)
    forward(Id, Ordinal + I, From, FromOrdinal + I);
}

void DataflowBuilder::forwardLeaves(HloId Id, ArrayRef<uint32_t> Ordinals,
                                    HloId From) {
  std::optional<uint32_t> Begin = part(Id, Ordinals);
  if (!Begin)
    return;
  ShapeId Subshape = P.trees().part(P[Id].Shape, *Begin);
  if (P.trees().parts(Subshape) != parts(From))
    return;
  for (uint32_t I = 0; I != parts(From); ++I) {
    ShapeId To = P.trees().part(Subshape, I);
    const Shape &Leaf = P.trees().shape(P.trees().part(P[From].Shape, I));
    bool Fits = P.facts().dump().Shapes.equalIgnoringLayout(
        To, P.trees().part(P[From].Shape, I));
    if (passesAsync(Leaf.Kind) && Fits)
      forward(Id, *Begin + I, From, I);
  }
}

void DataflowBuilder::addPhi(HloId Id, uint32_t Ordinal,
                             ArrayRef<HloId> Inputs) {
  SmallVector<uint32_t, 2> Sources;
  for (HloId Input : Inputs)
    if (Input && Graph.hasLocations(Input) && Ordinal < parts(Input))
      Sources.push_back(location(Input, Ordinal));
  Graph.join(location(Id, Ordinal), std::move(Sources));
}

void DataflowBuilder::link(HloId Id) {
  ArrayRef<HloId> Operands = P.operands(Id);
  Opcode Op = P[Id].Op;
  if (isAsync(Op))
    return linkAsync(Id);
  if (joinsValues(Op))
    return linkBranches(Id);
  switch (Op) {
  case Opcode::SetDimensionSize:
    if (!Rules.SetDimensionSizeForwards)
      return defineAll(Id);
    return forwardRange(Id, 0, Operands[0], 0, parts(Id));
  case Opcode::Call:
    return forwardRange(Id, 0, P.root(P.callee(Id, CallRole::ToApply)), 0,
                        parts(Id));
  case Opcode::Parameter:
    return linkParameter(Id);
  case Opcode::CustomCall:
    return linkCustomCall(Id);
  default:
    return linkParts(Id);
  }
}

/// What is not forwarded is defined.
void DataflowBuilder::linkParts(HloId Id) {
  Opcode Op = P[Id].Op;
  for (uint32_t I = 0; I != parts(Id); ++I)
    if (std::optional<OperandPart> From = P.forwardedPart(Id, I))
      forward(Id, I, P.operands(Id)[From->Operand], From->Ordinal);
    else if (!definesNothing(Op))
      define(Id, I);
  // With several operands, the table of them has no value in any release.
  if (Op == Opcode::CollectivePermuteStart)
    if (std::optional<uint32_t> Table = part(Id, {0});
        Table && isTuple(Id, *Table))
      Graph.forget(location(Id, *Table));
}

void DataflowBuilder::linkBranches(HloId Id) {
  SmallVector<HloId, 4> Inputs;
  if (P[Id].Op == Opcode::While) {
    Inputs = {P.root(P.callee(Id, CallRole::Body)), P.operands(Id)[0]};
  } else {
    // Branches may share a computation, which has one result.
    llvm::SmallSet<HloId, 8> Seen;
    for (const HloCall &Call : P.calls(Id))
      if (Seen.insert(P.root(Call.Callee)).second)
        Inputs.push_back(P.root(Call.Callee));
  }
  for (uint32_t I = 0; I != parts(Id); ++I)
    addPhi(Id, I, Inputs);
}

/// The branches of conditional \p Caller that are \p Callee, in order.
ArrayRef<uint32_t> DataflowBuilder::branchesOf(HloId Caller,
                                               ComputationId Callee) {
  if (Indexed.insert(Caller.index()).second) {
    ArrayRef<HloCall> Calls = P.calls(Caller);
    for (uint32_t B = 0; B != Calls.size(); ++B)
      Branches[{Caller.index(), Calls[B].Callee.index()}].push_back(B);
  }
  return Branches[{Caller.index(), Callee.index()}];
}

/// Adds what \p Caller passes to parameter \p Id; true if other callers or
/// rounds may pass something else.
bool DataflowBuilder::addArguments(HloId Id, HloId Caller,
                                   SmallVectorImpl<HloId> &Inputs) {
  uint32_t Number = P[Id].number();
  ArrayRef<HloId> Operands = P.operands(Caller);
  switch (P[Caller].Op) {
  case Opcode::Call:
    Inputs.push_back(Operands[Number]);
    return false;
  case Opcode::While: {
    Inputs.push_back(Operands[0]);
    // A body that returns its parameter adds nothing to it.
    if (HloId Root = P.root(P.callee(Caller, CallRole::Body)); Root != Id)
      Inputs.push_back(Root);
    return true;
  }
  case Opcode::Conditional: {
    llvm::SmallSet<HloId, 4> Seen;
    for (uint32_t B : branchesOf(Caller, P[Id].Parent))
      if (Seen.insert(Operands[B + 1]).second)
        Inputs.push_back(Operands[B + 1]);
    return true;
  }
  case Opcode::AsyncStart: {
    if (HloId Bound =
            P.chains().boundOperand(P.chains().lastUpdate(Caller), Number))
      Inputs.push_back(Bound);
    return false;
  }
  default:
    return false;
  }
}

void DataflowBuilder::linkParameter(HloId Id) {
  ComputationId C = P[Id].Parent;
  if (P.callers(C).empty() || P.isEmbedded(C))
    return defineAll(Id);
  SmallVector<HloId, 4> Inputs;
  bool Merges = false;
  for (HloId Caller : P.callers(C))
    Merges |= addArguments(Id, Caller, Inputs);
  if (Merges || Inputs.size() > 1) {
    for (uint32_t I = 0; I != parts(Id); ++I)
      addPhi(Id, I, Inputs);
  } else if (Inputs.size() == 1) {
    forwardRange(Id, 0, Inputs[0], 0, parts(Id));
  }
}

/// What the computation of an async op computes; Unknown if it is not printed.
static Opcode wrappedOpcode(const Program &P, HloId Id) {
  ArrayRef<HloCall> Calls = P.calls(Id);
  HloId Root = Calls.empty() ? HloId() : P.root(Calls[0].Callee);
  return Root ? P[Root].Op : Opcode::Unknown;
}

/// True if \p Id, an async-update or -done, continues a chain that began
/// outside of its loop and moves slices.
static bool continuesSlice(const Program &P, HloId Id) {
  switch (P[P.operands(Id)[0]].Op) {
  case Opcode::GetTupleElement:
  case Opcode::Tuple:
  case Opcode::While:
  case Opcode::Parameter:
    break;
  default:
    return false;
  }
  Opcode Wrapped = wrappedOpcode(P, Id);
  return Wrapped == Opcode::DynamicSlice ||
         Wrapped == Opcode::DynamicUpdateSlice;
}

/// True for parts that async ops forward.
bool DataflowBuilder::passesAsync(ShapeKind Kind) const {
  return Kind == ShapeKind::Array ||
         (Kind == ShapeKind::Token && Rules.AsyncTokens);
}

void DataflowBuilder::linkAsync(HloId Id) {
  Opcode Op = P[Id].Op;
  if (Op != Opcode::AsyncDone || Rules.AsyncDoneTuples)
    defineTuples(Id);
  // A start may have no operands yet (late binding, 2026).
  bool Continues = Op != Opcode::AsyncStart && Rules.AsyncUpdateSliceForwards &&
                   continuesSlice(P, Id);
  if (Op == Opcode::AsyncDone)
    return Continues ? forwardResult(Id, {}) : linkAsyncResult(Id, ~0u);
  // An update that binds operands has other parts than the state before.
  bool Alike =
      Op == Opcode::AsyncUpdate && parts(Id) == parts(P.operands(Id)[0]);
  bool Passes = Alike && Rules.AsyncContextForwards;
  for (uint32_t I = 1; I < parts(Id); ++I) {
    ShapeIndex Index = P.trees().index(P[Id].Shape, I);
    if (!P.facts().dump().Indices.isAsyncContext(Index))
      continue;
    if (Passes && !isTuple(Id, I))
      forward(Id, I, P.operands(Id)[0], I);
    else
      define(Id, I);
  }
  SmallVector<HloId, 8> Bound = P.chains().boundOperands(Id);
  for (uint32_t K = 0; K != Bound.size(); ++K)
    forwardLeaves(Id, {0, K}, Bound[K]);
  if (Alike && Continues)
    return forwardAllButOperands(Id);
  // The bytes are the operand's: only the done waits for the update.
  if (Op == Opcode::AsyncStart && Rules.AsyncUpdateSliceForwards &&
      wrappedOpcode(P, Id) == Opcode::DynamicUpdateSlice) {
    if (std::optional<uint32_t> Result = part(Id, {1}))
      forward(Id, *Result, P.operands(Id).empty() ? HloId() : P.operands(Id)[0],
              0);
    return;
  }
  linkAsyncResult(Id, 1);
}

/// Element {1} and the later ones of an async-update, as the state before has
/// them.
void DataflowBuilder::forwardAllButOperands(HloId Id) {
  ShapeIndexTable &Indices = P.facts().dump().Indices;
  for (uint32_t I = 1; I < parts(Id); ++I) {
    ShapeIndex Index = P.trees().index(P[Id].Shape, I);
    if (passesAsync(P.trees().shape(P.trees().part(P[Id].Shape, I)).Kind) &&
        Indices.steps(Index)[0] != 0)
      forward(Id, I, P.operands(Id)[0], I);
  }
}

/// The part of \p Id at \p Ordinals from element {1} of the state before.
void DataflowBuilder::forwardResult(HloId Id, ArrayRef<uint32_t> Ordinals) {
  HloId Before = P.operands(Id)[0];
  std::optional<uint32_t> To = part(Id, Ordinals);
  std::optional<uint32_t> From = part(Before, {1});
  if (!To || !From)
    return;
  ShapeId Result = P.trees().part(P[Before].Shape, *From);
  for (uint32_t I = 0; I != P.trees().parts(Result); ++I)
    if (passesAsync(P.trees().shape(P.trees().part(Result, I)).Kind))
      forward(Id, *To + I, Before, *From + I);
}

/// The result of the wrapped computation, at element \p Element or, with ~0,
/// at the whole.
void DataflowBuilder::linkAsyncResult(HloId Id, uint32_t Element) {
  SmallVector<uint32_t, 1> Ordinals;
  if (Element != ~0u)
    Ordinals.push_back(Element);
  ArrayRef<HloCall> Calls = P.calls(Id);
  if (!Calls.empty())
    return forwardLeaves(Id, Ordinals, P.root(Calls[0].Callee));
  // Sugar whose computation is not printed: along the chain.
  if (P[Id].Op != Opcode::AsyncStart)
    forwardResult(Id, Ordinals);
}

/// Markers of a call that is inlined and outlined again (xla/service/
/// call_marker.h, 2025) forward what they are given: the first as a tuple.
bool DataflowBuilder::linkCallMarker(HloId Id) {
  llvm::StringRef Target = P.customCallTarget(Id);
  if (!Target.consume_front("__xla_internal_call_marker_"))
    return false;
  if (Target == "before") {
    defineTuples(Id);
    for (uint32_t K = 0; K != P.operands(Id).size(); ++K)
      forwardLeaves(Id, {K}, P.operands(Id)[K]);
    return true;
  }
  if (Target != "after" || P.operands(Id).empty())
    return false;
  forwardRange(Id, 0, P.operands(Id)[0], 0, parts(Id));
  return true;
}

void DataflowBuilder::linkCustomCall(HloId Id) {
  if (linkCallMarker(Id))
    return;
  defineAll(Id);
  if (!Rules.CustomCallForwards || P.isHidden(Id))
    return;
  const HloModule &M = P.module();
  ShapeIndexTable &Indices = P.facts().dump().Indices;
  for (const DeclaredAlias &Alias :
       declaredAliases(M.attributes(M[Id]), Indices)) {
    HloId From = P.operands(Id)[Alias.Operand];
    forward(Id, *P.trees().ordinal(P[Id].Shape, Alias.Output), From,
            *P.trees().ordinal(P[From].Shape, Alias.Index));
  }
}
