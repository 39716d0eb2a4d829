// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/SameBytes.h"
#include "HLO/AttributeNumbers.h"
#include "Proof/TypeRules.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// Nothing nests deeper, and no chain of copies is longer.
static constexpr unsigned MaxSteps = 1000;

static bool haveSameType(const ProofModel &X, Part A, Part B) {
  return isSameType(X.Lines.shape(A), X.Lines.shape(B));
}

/// A copy that keeps type and layout: the whole of it, as no part has its type.
static bool isPlainCopy(const ProofModel &X, Part At) {
  return X.op(At.Id) == Opcode::Copy &&
         haveSameType(X, At, X.operandPart(At.Id, 0, 0));
}

static Part parameterOf(const ProofModel &X, Part At, unsigned Depth);

/// TPU wraps a collective into custom calls whose first outputs are what is
/// transferred: the elements of operand 0 of the start, operand 1 of the done.
static Part stepOverCollective(const ProofModel &X, Part At) {
  StringRef Target = X.P.customCallTarget(At.Id, Backend::TPU);
  ArrayRef<HloId> Operands = X.P.operands(At.Id);
  Part From;
  if (Target == "AsyncCollectiveStart" && !Operands.empty()) {
    auto Steps = X.Lines.steps(At);
    ArrayRef<HloId> Inner = X.P.operands(Operands[0]);
    if (Steps.size() == 1 && Steps[0] < Inner.size())
      From = {Inner[Steps[0]], 0};
  } else if (Target == "AsyncCollectiveDone" && Operands.size() > 1) {
    From = {Operands[1], 0};
  }
  return From && haveSameType(X, At, From) ? From : Part();
}

/// The part that \p At is, one instruction further up; invalid if it is
/// computed.
static Part stepUp(const ProofModel &X, Part At, unsigned Depth) {
  if (accessesNoMemory(X.op(At.Id)) ||
      (X.op(At.Id) == Opcode::Copy && At.Ordinal != 0)) {
    auto From = X.P.forwardedPart(At.Id, At.Ordinal);
    return From ? X.operandPart(At.Id, From->Operand, From->Ordinal) : Part();
  }
  if (isPlainCopy(X, At))
    return X.operandPart(At.Id, 0, 0);
  if (X.op(At.Id) == Opcode::CustomCall)
    return stepOverCollective(X, At);
  if (X.op(At.Id) != Opcode::Fusion)
    return {};
  HloId Root = X.P.root(X.P.calls(At.Id)[0].Callee);
  Part Parameter = parameterOf(X, {Root, At.Ordinal}, Depth + 1);
  return Parameter ? X.operandPart(At.Id, X.P[Parameter.Id].number(),
                                   Parameter.Ordinal)
                   : Part();
}

/// The part that computes \p At, or the parameter that it is; invalid where
/// that is too far away.
static Part climb(const ProofModel &X, Part At, unsigned Depth) {
  for (unsigned N = Depth; N < MaxSteps; ++N) {
    Part From =
        X.op(At.Id) == Opcode::Parameter ? Part() : stepUp(X, At, Depth);
    if (!From)
      return At;
    At = From;
  }
  return {};
}

/// The part of a parameter that \p At is; invalid if it is computed.
static Part parameterOf(const ProofModel &X, Part At, unsigned Depth) {
  Part From = climb(X, At, Depth);
  return From && X.op(From.Id) == Opcode::Parameter ? From : Part();
}

/// In place, ZeroCrop of TPU writes zeros around the array that it is given.
static std::optional<OperandPart> croppedOperand(const ProofModel &X,
                                                 Part Written) {
  if (X.P.customCallTarget(Written.Id, Backend::TPU) == "ZeroCrop")
    for (const WorkingPair &Pair : X.Does.pairs(Written.Id))
      if (Pair.Result == Written.Ordinal)
        return OperandPart{Pair.Operand, Pair.OperandPart};
  return std::nullopt;
}

/// The operand part that \p Written is, as the computation that its instruction
/// calls shows.
static std::optional<OperandPart> handedOn(const ProofModel &X, Part Written) {
  HloId Id = Written.Id;
  ArrayRef<HloCall> Calls = X.P.calls(Id);
  if (Calls.empty())
    return croppedOperand(X, Written);
  ComputationId Body = Calls.front().Callee;
  bool Declares = X.P[Id].MayDeclareAliases && X.Lines.isCarried(Body);
  if (X.op(Id) != Opcode::Fusion && !Declares)
    return croppedOperand(X, Written);
  HloId Root = X.P.root(Body);
  Part From = X.Lines.partAt(Root, X.Lines.steps(Written));
  From = From ? parameterOf(X, From, 0) : From;
  if (!From || X.P[From.Id].number() >= X.P.operands(Id).size())
    return std::nullopt;
  return OperandPart{X.P[From.Id].number(), From.Ordinal};
}

std::optional<OperandPart> proof::forwardedOperand(const ProofModel &X,
                                                   Part Written) {
  std::optional<OperandPart> Operand = handedOn(X, Written);
  if (!Operand)
    return std::nullopt;
  ValueId Home = X.operandHome(Written.Id, Operand->Operand, Operand->Ordinal);
  ValueId Line = X.Lines.line(Written);
  if (!Home || !Line || X.place(Home) != X.place(Line))
    return std::nullopt;
  return Operand;
}

/// The parameter that \p At is, if nothing else reads what is on the way.
static Part soleParameter(const ProofModel &X, Part At) {
  while (X.op(At.Id) != Opcode::Parameter) {
    auto From = X.P.forwardedPart(At.Id, At.Ordinal);
    if (!From || !X.P.isReadOnce(At.Id))
      return {};
    At = X.operandPart(At.Id, From->Operand, From->Ordinal);
  }
  return X.P.isReadOnce(At.Id) ? At : Part();
}

bool proof::worksInPlace(const ProofModel &X, Part Result,
                         OperandPart Operand) {
  if (X.P.facts().isTPU())
    return false;
  HloId Root = X.P.root(X.P.calls(Result.Id)[0].Callee);
  Part Call = X.Lines.partAt(Root, X.Lines.steps(Result));
  while (Call && X.op(Call.Id) != Opcode::CustomCall) {
    auto From = X.P.forwardedPart(Call.Id, Call.Ordinal);
    Call = From ? X.operandPart(Call.Id, From->Operand, From->Ordinal) : Part();
  }
  return Call && llvm::any_of(X.Does.pairs(Call.Id), [&](WorkingPair Pair) {
           Part From = soleParameter(
               X, X.operandPart(Call.Id, Pair.Operand, Pair.OperandPart));
           return Pair.Result == Call.Ordinal && From &&
                  X.P[From.Id].number() == Operand.Operand &&
                  From.Ordinal == Operand.Ordinal;
         });
}

CopyOrigin proof::copyOrigin(const ProofModel &X, Part At) {
  for (unsigned N = 0; N != MaxSteps; ++N) {
    if (isPlainCopy(X, At)) {
      At = {X.P.operands(At.Id).front(), At.Ordinal};
      continue;
    }
    if (X.op(At.Id) == Opcode::Fusion) {
      HloId Root = X.P.root(X.P.calls(At.Id)[0].Callee);
      Part Inner = X.Lines.partAt(Root, X.Lines.steps(At));
      Inner = Inner ? climb(X, Inner, 0) : Inner;
      return Inner ? CopyOrigin{At.Id, Inner} : CopyOrigin{{}, At};
    }
    ValueId Home = X.Home.of(At);
    if (!Home || X.Lines.part(Home) == At)
      return {{}, At};
    At = X.Lines.part(Home);
  }
  return {{}, At};
}

bool proof::joinsSlices(const ProofModel &X, HloId Id) {
  return X.P.customCallTarget(Id, Backend::TPU) == "ConcatBitcast";
}

/// The slice that \p Id is the result of, through its async chain.
static HloId sliceOf(const ProofModel &X, HloId Id) {
  for (unsigned N = 0; N != MaxSteps; ++N) {
    Opcode Op = X.op(Id);
    bool Moves = Op == Opcode::Bitcast || isPlainCopy(X, {Id, 0});
    if (!Moves && Op != Opcode::AsyncDone && Op != Opcode::Parameter)
      break;
    ArrayRef<Part> Sources = X.From.of({Id, 0});
    if (!Moves && (Sources.size() != 1 || !Sources[0]))
      return {};
    Id = Moves ? X.P.operands(Id).front() : Sources.front().Id;
  }
  return X.op(Id) == Opcode::Slice ? Id : HloId();
}

namespace {
/// Elements [Begin, Begin + Size) of Whole in the slowest dimension of Array.
struct MajorSlice {
  Part Array;
  int64_t Begin = 0;
  int64_t Size = 0;
  int64_t Whole = 0;
};
} // namespace

/// How many elements of dimension \p D one tile of \p L has; 1 where tiles of
/// one dimension only pad.
static int64_t tileSize(const Layout &L, size_t D) {
  if (L.Tiles.empty() || (L.Tiles.size() == 1 && L.Tiles[0].size() == 1))
    return 1;
  ArrayRef<int64_t> Tile = L.Tiles[0];
  size_t Place = llvm::find(L.MinorToMajor, D) - L.MinorToMajor.begin();
  return Place < Tile.size() ? Tile[Tile.size() - 1 - Place] : 1;
}

/// What \p Slice takes, if it is contiguous, and begins with a tile.
static std::optional<MajorSlice> majorSlice(const ProofModel &X, HloId Slice) {
  auto Bounds = sliceBounds(
      findAttribute(X.P.module().attributes(X.P.module()[Slice]), "slice"));
  Part Array = X.operandPart(Slice, 0, 0);
  const Shape &S = X.Lines.shape(Array);
  if (!Bounds || Bounds->size() != S.Dimensions.size() || !S.Layout)
    return std::nullopt;
  std::optional<size_t> Major;
  for (int64_t D : llvm::reverse(S.Layout->MinorToMajor))
    if (!Major && S.Dimensions[size_t(D)].Size != 1)
      Major = size_t(D);
  for (size_t D = 0; D != Bounds->size(); ++D) {
    bool Whole =
        (*Bounds)[D].Limit - (*Bounds)[D].Begin == S.Dimensions[D].Size;
    if ((*Bounds)[D].Stride != 1 || Whole == (Major == D))
      return std::nullopt;
  }
  if (!Major)
    return std::nullopt;
  const DimensionSlice &Cut = (*Bounds)[*Major];
  int64_t Tile = tileSize(*S.Layout, *Major);
  if (Tile <= 0 || Cut.Begin % Tile != 0)
    return std::nullopt;
  return MajorSlice{Array, Cut.Begin, Cut.size(), S.Dimensions[*Major].Size};
}

/// Both are the same array, maybe through several bitcasts to one view of it.
static bool isSameArray(const ProofModel &X, Part A, Part B) {
  ValueId Home = X.Home.of(A);
  return (Home ? Home == X.Home.of(B) : A == B) &&
         hasSameSizes(X.Lines.shape(A), X.Lines.shape(B));
}

static bool hasBytesOf(const ProofModel &X, Part A, Part B) {
  auto Bits = [&](Part At) {
    return boundedMultiply(countElements(X.Lines.shape(At)),
                           storedBits(X.Lines.shape(At)));
  };
  return Bits(A) == Bits(B);
}

std::optional<bool> proof::areSlicesInPlace(const ProofModel &X, HloId Id) {
  ValueId Line = X.Lines.line({Id, 0});
  if (!Line)
    return std::nullopt;
  BytePlace Whole = X.place(Line);
  auto Bytes = static_cast<int64_t>(Whole.End - Whole.Begin);
  std::vector<std::pair<int64_t, int64_t>> Parts;
  std::optional<MajorSlice> First;
  const Shape &Result = X.Lines.shape({Id, 0});
  for (HloId Operand : X.P.operands(Id)) {
    ValueId Home = X.Home.of({Operand, 0});
    HloId Slice = sliceOf(X, Operand);
    auto Cut = Slice ? majorSlice(X, Slice) : std::nullopt;
    if (!Home || !Cut)
      return std::nullopt;
    if (!First)
      First = Cut;
    const Shape &Piece = X.Lines.shape({Operand, 0});
    if (!isSameArray(X, Cut->Array, First->Array) ||
        !hasBytesOf(X, Cut->Array, {Id, 0}) ||
        (Piece.Dimensions.size() == Result.Dimensions.size() &&
         !hasSameOrder(Piece, Result)))
      return std::nullopt;
    BytePlace Mine = X.place(Home);
    auto Size = static_cast<int64_t>(Mine.End - Mine.Begin);
    if (Mine.Memory != Whole.Memory ||
        boundedMultiply(Size, Cut->Whole) !=
            boundedMultiply(Bytes, Cut->Size) ||
        boundedMultiply(int64_t(Mine.Begin - Whole.Begin), Cut->Size) !=
            boundedMultiply(Cut->Begin, Size))
      return false;
    Parts.emplace_back(Cut->Begin, Cut->Size);
  }
  // Each element is in one of them.
  llvm::sort(Parts);
  int64_t Covered = 0;
  for (auto [Begin, Size] : Parts) {
    if (Begin != Covered)
      return false;
    Covered += Size;
  }
  return First && Covered == First->Whole;
}
