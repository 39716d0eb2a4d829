// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/TypeRules.h"
#include "Proof/Deciders.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

static bool isSameArray(const Shape &A, const Shape &B) {
  return A.Element == B.Element && A.Kind == B.Kind &&
         A.Dimensions == B.Dimensions;
}

bool proof::isSameType(const Shape &A, const Shape &B) {
  return sameBytes(A, B) ||
         (A.isArray() && A.Dimensions.empty() && isSameArray(A, B));
}

bool proof::hasSameSizes(const Shape &A, const Shape &B) {
  return std::equal(A.Dimensions.begin(), A.Dimensions.end(),
                    B.Dimensions.begin(), B.Dimensions.end(),
                    [](Dimension X, Dimension Y) { return X.Size == Y.Size; });
}

/// True if the order of dimensions alone shows where elements are: tiles of one
/// dimension only pad.
static bool isPlain(const Shape &S) {
  if (!S.Layout)
    return true;
  ArrayRef<Tile> Tiles = S.Layout->Tiles;
  bool Pads =
      Tiles.size() == 1 && S.Dimensions.size() == 1 && Tiles[0].size() == 1;
  return (Tiles.empty() || Pads) && S.Layout->Splits.empty();
}

bool proof::hasSameOrder(const Shape &A, const Shape &B) {
  if (ArrayOrder(A).majorToMinor() != ArrayOrder(B).majorToMinor())
    return false;
  return isPlain(A) || isPlain(B) ? isPlain(A) == isPlain(B)
                                  : A.Layout->Tiles == B.Layout->Tiles &&
                                        A.Layout->Splits == B.Layout->Splits;
}

bool proof::ascends(ArrayRef<int64_t> Dimensions, const Shape &S) {
  auto Size = [&](int64_t D) {
    return D >= 0 && static_cast<size_t>(D) < S.Dimensions.size()
               ? S.Dimensions[size_t(D)].Size
               : 0;
  };
  SmallVector<int64_t, 6> Moving;
  llvm::copy_if(Dimensions, std::back_inserter(Moving),
                [&](int64_t D) { return Size(D) != 1; });
  return llvm::is_sorted(Moving) &&
         llvm::none_of(Moving, [&](int64_t D) { return Size(D) == 0; });
}

bool proof::isRowMajor(const Shape &S) {
  return isPlain(S) && ascends(ArrayOrder(S).majorToMinor(), S);
}

/// \p S, with bounds as sizes.
static Shape withoutBounds(Shape S) {
  for (Dimension &D : S.Dimensions)
    D.Dynamic = false;
  return S;
}

/// \p What is the one that has to be like \p Like, which is printed as \p Type.
static Outcome compare(const ProofModel &X, Part What, const Shape &Like,
                       ShapeId Type) {
  const ShapeTable &Shapes = X.Lines.dump().Shapes;
  const Shape &S = X.Lines.shape(What);
  if (isSameType(S, Like))
    return Rule::SameType;
  if (isSameArray(S, Like) && S.Layout.has_value() != Like.Layout.has_value())
    return Rule::SameTypeNoLayout;
  // XLA lets the state of a loop be `s32[<=4]` where it is given `s32[4]`.
  bool Joins = joinsValues(X.op(What.Id)) || X.op(What.Id) == Opcode::Parameter;
  if (Joins && isSameType(withoutBounds(S), withoutBounds(Like)))
    return {Reason::OtherBounds, X.Lines.spell(What)};
  return {Breach::OtherType,
          fmt::format("{}: {}, and not {}", X.Lines.spell(What),
                      Shapes.text(X.Lines.shapeId(What)), Shapes.text(Type))};
}

static Outcome compareParts(const ProofModel &X, Part What, Part Like) {
  if (!Like)
    return {Reason::PartMissing, X.Lines.spell(What)};
  Outcome Found = compare(X, What, X.Lines.shape(Like), X.Lines.shapeId(Like));
  bool Assumed = Found.kind() == OutcomeKind::Violated &&
                 X.Lines.isCarried(X.P[What.Id].Parent);
  return Assumed ? Outcome(Gate::CompiledElsewhere) : Found;
}

/// The type of \p At, at the border of the program, which \p Stated is the
/// shape of in the module's header.
static Outcome compareStated(const ProofModel &X, Part At, ShapeId Stated,
                             bool OwnHeader) {
  const HloModule &M = X.P.module();
  const ShapeTrees &Trees = X.P.trees();
  if (!OwnHeader ||
      Trees.parts(M.EntryResult) != Trees.parts(X.P[X.entryRoot()].Shape))
    return Reason::OtherHeader;
  auto Ordinal = Trees.ordinal(Stated, X.Lines.steps(At));
  if (!Ordinal)
    return {Reason::PartMissing, X.Lines.spell(At)};
  ShapeId Type = Trees.part(Stated, *Ordinal);
  const Shape &Like = Trees.shape(Type);
  if (isSameType(X.Lines.shape(At), Like) &&
      X.Lines.shape(At).memorySpace() != Like.memorySpace())
    return Gate::EntrySpace;
  return compare(X, At, Like, Type);
}

void proof::decideSourceTypes(const ProofModel &X, Ledger &L) {
  L.decide(Topic::SourceType, [&](const Obligation &O) {
    Part At = {O.At, O.Part};
    Part Source = X.From.of(At)[O.Operand];
    // Only bodies of fusions have no layouts.
    if (Source && X.Lines.shape(At).Dimensions.size() > 1 &&
        (!X.Lines.shape(At).Layout || !X.Lines.shape(Source).Layout))
      return Outcome(Reason::NoLayout, X.Lines.spell(At));
    // The reader lets sizes differ in calls for many SparseCores alone.
    if (Source && !hasSameSizes(X.Lines.shape(At), X.Lines.shape(Source)) &&
        (X.op(O.At) == Opcode::Call || X.op(O.At) == Opcode::Parameter))
      return Outcome(Reason::Sharded, X.Lines.spell(At));
    return compareParts(X, At, Source);
  });
}

void proof::decideOperandTypes(const ProofModel &X, Ledger &L) {
  L.decide(Topic::OperandType, [&](const Obligation &O) {
    Part At = X.operandPart(O.At, O.Operand, O.OperandPart);
    HloId Inner = X.P.parameter(X.P.callee(O.At, CallRole::Calls), O.Operand);
    return compareParts(X, At, X.Lines.partAt(Inner, X.Lines.steps(At)));
  });
}

void proof::decideEntryTypes(const ProofModel &X, Ledger &L) {
  const HloModule &M = X.P.module();
  bool Own = X.P.hasOwnHeader();
  L.decide(Topic::ArgumentType, [&](const Obligation &O) {
    uint32_t Number = X.P[O.At].number();
    return compareStated(X, {O.At, O.Part},
                         Number < M.EntryParameters.size()
                             ? M.EntryParameters[Number]
                             : M.EntryResult,
                         Own);
  });
  L.decide(Topic::ResultType, [&](const Obligation &O) {
    return compareStated(X, {O.At, O.Part}, M.EntryResult, Own);
  });
}
