//===- Dataflow/OperandReads.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/OperandReads.h"

using namespace hlobuf;
using llvm::SmallVector;
using llvm::StringRef;

/// The shape of an operand that is an array; null for others.
const Shape *OperandReads::operandShape(const Step &S, uint32_t Operand) const {
  if (Operand >= S.Operands.size())
    return nullptr;
  const Shape &Y = shape(S.Operands[Operand], 0);
  return Y.isArray() ? &Y : nullptr;
}

void OperandReads::emit(const Step &S, uint32_t Operand, ElementMap &Map) {
  Map.Cause = static_cast<uint32_t>(S.At.Id.index());
  if (Map.isTooLarge())
    Map.readAll(shape(S.Operands[Operand], 0), Map.lost());
  S.Visit(Operand, 0, Map);
}

/// Part \p Part of an operand is the result.
void OperandReads::forward(const Step &S, uint32_t Operand, uint32_t Part) {
  if (Operand < S.Operands.size() &&
      Part < P.trees().parts(P[S.Operands[Operand]].Shape))
    S.Visit(Operand, Part, S.Map);
}

/// All of an operand is read for each element.
void OperandReads::whole(const Step &S, uint32_t Operand, MapKind Kind) {
  ShapeId Y = P[S.Operands[Operand]].Shape;
  for (uint32_t Part = 0; Part != P.trees().parts(Y); ++Part) {
    const Shape &Leaf = P.trees().shape(P.trees().part(Y, Part));
    if (!Leaf.isArray())
      continue;
    ElementMap Map = S.Map;
    Map.readAll(Leaf, Kind);
    Map.Cause = static_cast<uint32_t>(S.At.Id.index());
    S.Visit(Operand, Part, Map);
  }
}

void OperandReads::all(const Step &S, MapKind Kind) {
  for (uint32_t K = 0; K != S.Operands.size(); ++K)
    whole(S, K, Kind);
}

void OperandReads::elementwise(const Step &S, uint32_t Operand) {
  const Shape *Y = operandShape(S, Operand);
  if (!Y)
    return Operand < S.Operands.size() ? whole(S, Operand, MapKind::Unknown)
                                       : void();
  size_t Rank = S.Result.Dimensions.size(), From = Y->Dimensions.size();
  bool SameOrder = !S.Map.Flat || ArrayOrder(S.Result).majorToMinor() ==
                                      ArrayOrder(*Y).majorToMinor();
  if (From == Rank && SameOrder)
    return S.Visit(Operand, 0, S.Map);
  ElementMap Map = S.Map;
  if (From == 0)
    Map.readScalar();
  else
    Map.readAll(*Y, Map.lost());
  emit(S, Operand, Map);
}

SmallVector<int64_t, 6> OperandReads::numbers(HloId Id, StringRef Key) const {
  SmallVector<int64_t, 6> All;
  if (P.isHidden(Id))
    return All;
  StringRef Text =
      findAttribute(P.module().attributes(P.module()[Id]), Key).value_or("");
  while (!Text.empty()) {
    Text = Text.drop_until(
        [](char C) { return (C >= '0' && C <= '9') || C == '-'; });
    int64_t Number = 0;
    if (Text.empty() || Text.consumeInteger(10, Number))
      break;
    All.push_back(std::clamp(Number, -MaxElement, MaxElement));
  }
  return All;
}

/// Whatever keeps the order of elements, in memory or by index.
void OperandReads::renumbered(const Step &S) {
  const Shape *Y = operandShape(S, 0);
  if (!Y)
    return all(S, MapKind::Unknown);
  ElementMap Map = S.Map;
  bool Bitcast = P[S.At.Id].Op == Opcode::Bitcast;
  const Shape &Frame = P.trees().shape(Map.Frame);
  bool SameBits = storedBits(S.Result) == storedBits(*Y);
  if (Bitcast && Map.isIdentity(S.Result) &&
      (comparableOrders(Frame, S.Result) || sameAddresses(Frame, S.Result))) {
    // The same bytes, whatever their order is.
    if (!SameBits || !comparableOrders(S.Result, *Y))
      Map = ElementMap::identity(P[S.Operands[0]].Shape, *Y);
    else
      Map.renumber(S.Result, *Y, /*Logical=*/false);
  } else if (SameBits && (!Bitcast || comparableOrders(S.Result, *Y))) {
    Map.renumber(S.Result, *Y, /*Logical=*/!Bitcast);
  } else {
    Map.readAll(*Y, Map.lost());
  }
  Map.Cause = S.Map.Cause;
  if (Map.isTooLarge())
    Map.readAll(*Y, Map.lost());
  S.Visit(0, 0, Map);
}

/// transpose, broadcast, reverse: whole dimensions change.
void OperandReads::moved(const Step &S) {
  const Shape *Y = operandShape(S, 0);
  if (!Y)
    return all(S, MapKind::Unknown);
  Opcode Op = P[S.At.Id].Op;
  SmallVector<int64_t, 6> Dims = numbers(S.At.Id, "dimensions");
  size_t Rank = S.Result.Dimensions.size();
  ElementMap Map = S.Map;
  if (Op == Opcode::Reverse) {
    for (int64_t D : Dims)
      if (D >= 0 && static_cast<size_t>(D) < Map.Read.size())
        Map.reverse(D, S.Result.Dimensions[D].Size);
    return emit(S, 0, Map);
  }
  SmallVector<int64_t, 6> To(Rank, -1);
  if (Op == Opcode::Broadcast) {
    for (size_t K = 0; K != Dims.size(); ++K)
      if (Dims[K] >= 0 && static_cast<size_t>(Dims[K]) < Rank)
        To[Dims[K]] = static_cast<int64_t>(K);
  } else {
    for (size_t K = 0; K != Rank && K != Dims.size(); ++K)
      To[K] = Dims[K];
  }
  if (Dims.size() != Y->Dimensions.size())
    Map.readAll(*Y, Map.lost());
  else
    Map.moveDimensions(To, Y->Dimensions.size());
  emit(S, 0, Map);
}

/// bitcast-convert: another width adds or drops the fastest dimension.
void OperandReads::reinterpreted(const Step &S) {
  const Shape *Y = operandShape(S, 0);
  size_t Rank = S.Result.Dimensions.size();
  if (!Y || Y->Dimensions.size() == Rank)
    return elementwise(S, 0);
  size_t From = Y->Dimensions.size();
  ElementMap Map = S.Map;
  SmallVector<int64_t, 6> To;
  for (size_t D = 0; D != std::min(Rank, From); ++D)
    To.push_back(static_cast<int64_t>(D));
  if (From + 1 != Rank && Rank + 1 != From)
    Map.readAll(*Y, Map.lost());
  else
    Map.moveDimensions(To, From);
  if (From == Rank + 1)
    Map.readWhole(From - 1, Y->Dimensions[From - 1].Size);
  emit(S, 0, Map);
}

void OperandReads::padded(const Step &S) {
  const Shape *Y = operandShape(S, 0);
  if (!Y || P.isHidden(S.At.Id))
    return all(S, MapKind::Unknown);
  StringRef Text =
      findAttribute(P.module().attributes(P.module()[S.At.Id]), "padding")
          .value_or("");
  SmallVector<StringRef, 6> Dims;
  Text.split(Dims, 'x');
  ElementMap Map = S.Map;
  bool Left = true;
  if (Dims.size() != Y->Dimensions.size() || Dims.size() != Map.Read.size())
    Map.readAll(*Y, Map.lost()), Dims.clear();
  for (size_t D = 0; Left && D != Dims.size(); ++D) {
    SmallVector<StringRef, 3> Parts;
    Dims[D].split(Parts, '_');
    int64_t Low = 0, Interior = 0;
    if (Parts[0].trim().getAsInteger(10, Low) ||
        (Parts.size() > 2 && Parts[2].trim().getAsInteger(10, Interior)) ||
        Interior < 0 || Interior >= MaxElement || std::abs(Low) >= MaxElement)
      return all(S, MapKind::Unknown);
    AffineIndex Start;
    Start.Constant = Low;
    Left = Map.restrict(D, S.Result.Dimensions[D].Size, Start, Interior + 1,
                        Y->Dimensions[D].Size);
  }
  if (Left)
    emit(S, 0, Map);
  elementwise(S, 1);
}

/// Start index number \p D, of which operand \p First is the first one; all of
/// them are one operand in old texts.
AffineIndex OperandReads::start(const Step &S, size_t First, size_t D,
                                int64_t Max) {
  size_t Operand = First + D < S.Operands.size() ? First + D : First;
  return Operand < S.Operands.size()
             ? Starts.start({S.At.Scope, S.Operands[Operand]}, Max)
             : AffineIndex();
}

/// slice and dynamic-slice. Start indices are read before the first element.
void OperandReads::sliced(const Step &S) {
  const Shape *Y = operandShape(S, 0);
  size_t Rank = S.Result.Dimensions.size();
  if (!Y || Y->Dimensions.size() != Rank || S.Map.Read.size() != Rank)
    return all(S, MapKind::Unknown);
  ElementMap Map = S.Map;
  SmallVector<int64_t, 6> Begins(Rank, 0), Strides(Rank, 1);
  bool Dynamic = P[S.At.Id].Op == Opcode::DynamicSlice;
  if (!Dynamic) {
    StringRef Attributes =
        P.isHidden(S.At.Id) ? "" : P.module().attributes(P.module()[S.At.Id]);
    if (!parseSlice(Attributes, Begins, Strides))
      return all(S, MapKind::Unknown);
  }
  for (size_t D = 0; D != Rank; ++D) {
    AffineIndex Start;
    Start.Constant = Begins[D];
    if (Dynamic)
      Start =
          start(S, 1, D, Y->Dimensions[D].Size - S.Result.Dimensions[D].Size);
    Map.slice(D, Start, Strides[D]);
  }
  emit(S, 0, Map);
}

void OperandReads::updated(const Step &S) {
  const Shape *Y = operandShape(S, 1);
  size_t Rank = S.Result.Dimensions.size();
  elementwise(S, 0);
  if (!Y || Y->Dimensions.size() != Rank || S.Map.Read.size() != Rank)
    return S.Operands.size() > 1 ? whole(S, 1, MapKind::Unknown) : void();
  ElementMap Map = S.Map;
  for (size_t D = 0; D != Rank; ++D) {
    int64_t Size = S.Result.Dimensions[D].Size, Count = Y->Dimensions[D].Size;
    if (!Map.restrict(D, Size, start(S, 2, D, Size - Count), 1, Count))
      return;
  }
  emit(S, 1, Map);
}

void OperandReads::joined(const Step &S) {
  SmallVector<int64_t, 6> Dims = numbers(S.At.Id, "dimensions");
  size_t Rank = S.Result.Dimensions.size();
  if (Dims.size() != 1 || Dims[0] < 0 || static_cast<size_t>(Dims[0]) >= Rank ||
      S.Map.Read.size() != Rank)
    return all(S, MapKind::Unknown);
  auto D = static_cast<size_t>(Dims[0]);
  ElementSpan Wanted = S.Map.indices(D);
  AffineIndex Start;
  for (uint32_t K = 0; K != S.Operands.size(); ++K) {
    const Shape *Y = operandShape(S, K);
    if (!Y || Y->Dimensions.size() != Rank) {
      whole(S, K, MapKind::Unknown);
      continue;
    }
    int64_t Count = Y->Dimensions[D].Size;
    // Most operands of a wide concatenate have nothing that is wanted.
    if (Wanted.Begin < boundedAdd(Start.Constant, Count) &&
        Start.Constant < Wanted.End) {
      ElementMap Map = S.Map;
      if (Map.restrict(D, S.Result.Dimensions[D].Size, Start, 1, Count))
        emit(S, K, Map);
    }
    Start.Constant = boundedAdd(Start.Constant, Count);
  }
}

void OperandReads::reduced(const Step &S) {
  SmallVector<int64_t, 6> Dims = numbers(S.At.Id, "dimensions");
  size_t Inputs = S.Operands.size() / 2;
  for (uint32_t K = 0; K != S.Operands.size(); ++K) {
    const Shape *Y = operandShape(S, K);
    if (K >= Inputs || !Y ||
        Y->Dimensions.size() != S.Result.Dimensions.size() + Dims.size()) {
      if (K < Inputs || !Y)
        whole(S, K, MapKind::Unknown);
      else
        elementwise(S, K);
      continue;
    }
    ElementMap Map = S.Map;
    SmallVector<int64_t, 6> To;
    for (size_t D = 0; D != Y->Dimensions.size(); ++D)
      if (!llvm::is_contained(Dims, static_cast<int64_t>(D)))
        To.push_back(static_cast<int64_t>(D));
    Map.moveDimensions(To, Y->Dimensions.size());
    for (int64_t D : Dims)
      if (D >= 0 && static_cast<size_t>(D) < Y->Dimensions.size())
        Map.readWhole(D, Y->Dimensions[D].Size);
    emit(S, K, Map);
  }
}

void OperandReads::scattered(const Step &S) {
  auto Inputs = static_cast<uint32_t>(S.Operands.size() / 2);
  uint32_t Own = S.Part == 0 ? 0 : S.Part - 1;
  if (Own < Inputs)
    elementwise(S, Own);
  if (Inputs < S.Operands.size())
    whole(S, Inputs, MapKind::Any);
  if (Inputs + 1 + Own < S.Operands.size())
    whole(S, Inputs + 1 + Own, MapKind::Any);
}

/// The parts of a start are operands, results and contexts.
void OperandReads::started(const Step &S) {
  SmallVector<uint32_t, 4> Index =
      P.facts().dump().Indices.steps(P.trees().index(P[S.At.Id].Shape, S.Part));
  Opcode Op = P[S.At.Id].Op;
  if (Index.empty() || Index[0] > 1)
    return;
  if (Op == Opcode::CopyStart)
    return forward(S, 0, 0);
  if (Index[0] == 1)
    return all(S, Op == Opcode::AsyncStart ? MapKind::Unknown : MapKind::Any);
  // Operands, each at an index of its own if there are several.
  bool Listed = Op == Opcode::AsyncStart || S.Operands.size() > 1;
  if (!Listed)
    return forward(S, 0, 0);
  if (Index.size() < 2 || Index[1] >= S.Operands.size())
    return;
  ShapeId Whole = P[S.At.Id].Shape;
  uint32_t List = P.trees().elementOrdinal(Whole, 0);
  uint32_t First =
      List + P.trees().elementOrdinal(P.trees().part(Whole, List), Index[1]);
  forward(S, Index[1], S.Part - First);
}

/// A done forwards one element of its start.
void OperandReads::done(const Step &S) {
  if (S.Operands.empty())
    return;
  ShapeId Start = P[S.Operands[0]].Shape;
  const AsyncOpcodes *Pair = endedBy(P[S.At.Id].Op);
  if (!Pair->Result)
    return forward(S, 0, S.Part);
  if (uint32_t First = P.trees().elementOrdinal(Start, *Pair->Result))
    forward(S, 0, First + S.Part);
}

/// Part k of the result is made of operand k, in place.
void OperandReads::paired(const Step &S) {
  for (uint32_t K = 0; K != S.Operands.size(); ++K)
    if (K + 1 == S.Part || S.Part == 0)
      elementwise(S, K);
}

void OperandReads::customCall(const Step &S) {
  ShapeIndex Index = P.trees().index(P[S.At.Id].Shape, S.Part);
  if (!P.isHidden(S.At.Id))
    for (const DeclaredAlias &Item :
         declaredAliases(P.module().attributes(P.module()[S.At.Id]),
                         P.facts().dump().Indices))
      if (Item.Output.canonical() == Index.canonical() &&
          Item.Operand < S.Operands.size())
        if (std::optional<uint32_t> Part = P.trees().ordinal(
                P[S.Operands[Item.Operand]].Shape, Item.Index))
          return forward(S, Item.Operand, *Part);
  // A promise about values, which stay as they are (TPU).
  if (P.customCallTarget(S.At.Id, Backend::TPU) == "AssumeGatherIndicesInBound")
    return forward(S, 0, S.Part);
  all(S, MapKind::Unknown);
}
