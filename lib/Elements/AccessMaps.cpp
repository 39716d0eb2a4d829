// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/AccessMaps.h"
#include "Elements/IndexedSlices.h"
#include "HLO/AttributeNumbers.h"

using namespace hlobuf;

static LinearTerm in(int64_t D, int64_t Factor = 1) {
  return {TermKind::In, static_cast<unsigned>(D), Factor};
}
static LinearTerm out(int64_t D, int64_t Factor = 1) {
  return {TermKind::Out, static_cast<unsigned>(D), Factor};
}

/// One element for all.
IntegerMap AccessMaps::scalar(const Step &S) { return build(S).map(); }

/// bitcast-convert: another width adds or drops the fastest dimension.
IntegerMap AccessMaps::reinterpreted(const Step &S) {
  RelationBuilder Relations = build(S);
  for (unsigned D = 0; D != std::min(S.rank(), S.sourceRank()); ++D)
    Relations.equal({in(D), out(D, -1)});
  if (S.sourceRank() > S.rank())
    Relations.within(TermKind::Out, S.rank(), {},
                     S.Source.Dimensions.back().Size);
  return Relations.map();
}

/// What only moves elements.
IntegerMap AccessMaps::moved(const Step &S) {
  auto Dims = All.moved(S.Inst.Id, S.Operand);
  if (!Dims)
    return {};
  RelationBuilder Relations = build(S);
  for (unsigned K = 0; K != Dims->size(); ++K) {
    auto [Source, Factor, Offset] = (*Dims)[K];
    if (Source < 0)
      Relations.equal(out(K));
    else
      Relations.equal({out(K), in(Source, -Factor)}, -Offset);
    if (P[S.Inst.Id].Op == Opcode::Concatenate)
      Relations.within(TermKind::Out, K, {}, S.Source.Dimensions[K].Size);
  }
  return Relations.map();
}

/// Start index number \p D, of which operand \p First is the first one; until
/// 2019 all of them are elements of one operand.
SymbolicIndex AccessMaps::start(ScopedId Inst, size_t First, unsigned D,
                                int64_t Max) {
  ArrayRef<HloId> Operands = P.operands(Inst.Id);
  bool Single = First + 1 == Operands.size() &&
                shapeOf(P, Operands[First], 0).Dimensions.size() == 1;
  size_t Operand = Single ? First : First + D;
  if (Operand >= Operands.size())
    return {};
  return Starts.start(
      {{Inst.Scope, Operands[Operand]}, 0, Single ? int64_t(D) : 0}, Max);
}

IntegerMap AccessMaps::slicedAtStart(const Step &S) {
  if (S.sourceRank() != S.rank() || P.operands(S.Inst.Id).size() < 2)
    return S.rank() == 0 ? build(S).map() : IntegerMap();
  RelationBuilder Relations = build(S);
  for (unsigned D = 0; D != S.rank(); ++D) {
    SymbolicIndex Begin =
        start(S.Inst, 1, D,
              S.Source.Dimensions[D].Size - S.Result.Dimensions[D].Size);
    Relations.apart(out(D), in(D), Begin);
  }
  return Relations.map();
}

IntegerMap AccessMaps::updated(const Step &S) {
  if (S.sourceRank() != S.rank())
    return {};
  RelationBuilder Relations = build(S);
  for (unsigned D = 0; D != S.rank(); ++D) {
    int64_t Count = S.Source.Dimensions[D].Size;
    Relations.apart(in(D), out(D),
                    start(S.Inst, 2, D, S.Result.Dimensions[D].Size - Count));
    Relations.within(TermKind::Out, D, {}, Count);
  }
  return Relations.map();
}

IntegerSet AccessMaps::window(ScopedId Inst) {
  ArrayRef<HloId> Operands = P.operands(Inst.Id);
  if (P[Inst.Id].Op == Opcode::Scatter)
    return scatteredElements(Starts, Inst);
  const Shape &Result = shapeOf(P, Inst.Id, 0);
  unsigned Rank = Result.Dimensions.size();
  if (Operands.size() < 2 ||
      shapeOf(P, Operands[1], 0).Dimensions.size() != Rank)
    return {};
  RelationBuilder Relations(Sets, Rank, 0);
  for (unsigned D = 0; D != Rank; ++D) {
    int64_t Count = shapeOf(P, Operands[1], 0).Dimensions[D].Size;
    Relations.within(TermKind::In, D,
                     start(Inst, 2, D, Result.Dimensions[D].Size - Count),
                     Count);
  }
  return Relations.domain();
}

IntegerMap AccessMaps::padded(const Step &S) {
  if (S.Operand == 1)
    return scalar(S);
  auto All = paddings(findAttribute(S.Attributes, "padding"));
  if (!All || All->size() != S.rank() || S.sourceRank() != S.rank())
    return {};
  RelationBuilder Relations = build(S);
  for (unsigned D = 0; D != S.rank(); ++D) {
    const DimensionPadding &Added = (*All)[D];
    if (Added.Between < 0)
      return {};
    Relations.equal({in(D), out(D, -1 - int64_t(Added.Between))},
                    -int64_t(Added.Below));
    Relations.within(TermKind::Out, D, {}, S.Source.Dimensions[D].Size);
  }
  return Relations.map();
}

IntegerMap AccessMaps::reduced(const Step &S) {
  if (S.Operand >= P.operands(S.Inst.Id).size() / 2)
    return S.sourceRank() == 0 ? scalar(S) : IntegerMap();
  auto Dims = dimensionsIn(S.Attributes, "dimensions", S.sourceRank());
  if (!Dims || S.rank() + Dims->size() != S.sourceRank())
    return {};
  RelationBuilder Relations = build(S);
  unsigned Count = 0;
  for (unsigned D = 0; D != S.sourceRank(); ++D)
    if (llvm::is_contained(*Dims, static_cast<int64_t>(D)))
      Relations.within(TermKind::Out, D, {}, S.Source.Dimensions[D].Size);
    else
      Relations.equal({out(D), in(Count++, -1)});
  return Relations.map();
}

/// The numbers of `key=1x2x3` in `window={..}`, \p Default without it.
static std::optional<SmallVector<int64_t, 6>>
windowNumbers(StringRef Window, StringRef Key, unsigned Rank, int64_t Default) {
  SmallVector<StringRef, 8> Items;
  Window.split(Items, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  SmallVector<int64_t, 6> Numbers;
  for (StringRef Item : Items) {
    if (!Item.consume_front(Key) || !Item.consume_front("="))
      continue;
    SmallVector<StringRef, 6> Parts;
    Item.split(Parts, 'x');
    for (StringRef Part : Parts)
      // Of `low_high` only where it begins counts.
      if (Part.split('_').first.getAsInteger(10, Numbers.emplace_back()) ||
          std::abs(Numbers.back()) >= MaxElement)
        return std::nullopt;
    if (Numbers.size() != Rank)
      return std::nullopt;
    return Numbers;
  }
  return SmallVector<int64_t, 6>(Rank, Default);
}

/// reduce-window, dilations included.
IntegerMap AccessMaps::windowed(const Step &S) {
  if (S.Operand >= P.operands(S.Inst.Id).size() / 2)
    return S.sourceRank() == 0 ? scalar(S) : IntegerMap();
  StringRef Window = findAttribute(S.Attributes, "window").value_or("");
  if (S.sourceRank() != S.rank() || !Window.consume_front("{") ||
      !Window.consume_back("}") || Window.contains("rhs_reversal"))
    return S.rank() == 0 && S.sourceRank() == 0 ? scalar(S) : IntegerMap();
  auto Sizes = windowNumbers(Window, "size", S.rank(), 1);
  auto Strides = windowNumbers(Window, "stride", S.rank(), 1);
  auto Lows = windowNumbers(Window, "pad", S.rank(), 0);
  auto Base = windowNumbers(Window, "lhs_dilate", S.rank(), 1);
  auto Inner = windowNumbers(Window, "rhs_dilate", S.rank(), 1);
  if (!Sizes || !Strides || !Lows || !Base || !Inner)
    return {};
  RelationBuilder Relations = build(S);
  for (unsigned D = 0; D != S.rank(); ++D) {
    LinearTerm Offset = Relations.addInner((*Sizes)[D]);
    Offset.Factor = (*Inner)[D];
    Relations.equal({in(D, (*Strides)[D]), Offset, out(D, -(*Base)[D])},
                    -(*Lows)[D]);
    Relations.within(TermKind::Out, D, {}, S.Source.Dimensions[D].Size);
  }
  return Relations.map();
}

/// dot: batch dimensions, free ones of both sides, and all that is contracted.
IntegerMap AccessMaps::multiplied(const Step &S) {
  if (S.Operand > 1 || P.operands(S.Inst.Id).size() != 2)
    return {};
  bool Left = S.Operand == 0;
  auto Batch = dimensionsIn(
      S.Attributes, Left ? "lhs_batch_dims" : "rhs_batch_dims", S.sourceRank());
  auto Contracted = dimensionsIn(
      S.Attributes, Left ? "lhs_contracting_dims" : "rhs_contracting_dims",
      S.sourceRank());
  if (!Batch || !Contracted ||
      Batch->size() + Contracted->size() > S.sourceRank())
    return {};
  unsigned Free = S.sourceRank() - Batch->size() - Contracted->size();
  if (Batch->size() + Free > S.rank())
    return {};
  unsigned Next = Left ? Batch->size() : S.rank() - Free;
  RelationBuilder Relations = build(S);
  for (unsigned D = 0; D != S.sourceRank(); ++D) {
    int64_t Dim = D;
    if (llvm::is_contained(*Contracted, Dim))
      Relations.within(TermKind::Out, D, {}, S.Source.Dimensions[D].Size);
    else if (llvm::is_contained(*Batch, Dim))
      Relations.equal(
          {out(D), in(llvm::find(*Batch, Dim) - Batch->begin(), -1)});
    else
      Relations.equal({out(D), in(Next++, -1)});
  }
  return Relations.map();
}

IntegerMap AccessMaps::dispatch(Opcode Op, const Step &S) {
  switch (Op) {
  case Opcode::BitcastConvert:
    return reinterpreted(S);
  case Opcode::Reshape:
    return sameNumber(Sets, S.Result, S.Source);
  case Opcode::Broadcast:
  case Opcode::Concatenate:
  case Opcode::Reverse:
  case Opcode::Slice:
  case Opcode::Transpose:
    return moved(S);
  case Opcode::DynamicSlice:
    return slicedAtStart(S);
  case Opcode::DynamicUpdateSlice:
    return updated(S);
  case Opcode::Gather:
  case Opcode::Scatter:
    return indexedMap(Starts, S.Inst, S.Operand);
  case Opcode::Pad:
    return padded(S);
  case Opcode::Reduce:
    return reduced(S);
  case Opcode::ReduceWindow:
    return windowed(S);
  case Opcode::Dot:
    return multiplied(S);
  default:
    return isElementwise(Op) && S.sourceRank() == 0 ? scalar(S) : IntegerMap();
  }
}

IntegerMap AccessMaps::map(ScopedId Inst, uint32_t Part, uint32_t Operand) {
  HloId Source = P.operands(Inst.Id)[Operand];
  const Shape &From = shapeOf(P, Inst.Id, Part), &To = shapeOf(P, Source, 0);
  if (!From.isArray() || !To.isArray() || P.isHidden(Inst.Id))
    return {};
  return dispatch(P[Inst.Id].Op, {Inst, Operand, From, To,
                                  P.module().attributes(P.module()[Inst.Id])});
}
