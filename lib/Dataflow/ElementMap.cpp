//===- Dataflow/ElementMap.cpp --------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// Beyond this, sums of products might not fit.
static constexpr int64_t LargestNumber = MaxElement >> 8;
/// A map with more digits than this is not refined.
static constexpr size_t MaxDigits = 24;

void AffineIndex::add(const AffineIndex &Other, int64_t Factor) {
  Constant = boundedAdd(Constant, boundedMultiply(Other.Constant, Factor));
  for (const StartTerm &Term : Other.Terms) {
    auto *At = llvm::lower_bound(
        Terms, Term.Start,
        [](const StartTerm &T, uint32_t Start) { return T.Start < Start; });
    int64_t Added = boundedMultiply(Term.Factor, Factor);
    if (At == Terms.end() || At->Start != Term.Start)
      Terms.insert(At, {Term.Start, Term.Max, Added});
    else
      At->Factor = boundedAdd(At->Factor, Added);
  }
  llvm::erase_if(Terms, [](const StartTerm &T) { return T.Factor == 0; });
}

ElementMap ElementMap::identity(ShapeId Id, const Shape &S) {
  ElementMap Map;
  Map.Frame = Id;
  ArrayOrder Order(S);
  Map.Read.resize(S.Dimensions.size());
  if (!Order.isValid()) {
    Map.Kind = MapKind::Unknown;
    return Map;
  }
  for (int64_t D : Order.majorToMinor())
    if (Order.size(D) != 1)
      Map.Digits.push_back(
          {Order.size(D), Order.stride(D), static_cast<int32_t>(D), 1});
  return Map;
}

bool ElementMap::operator==(const ElementMap &Other) const {
  return Frame == Other.Frame && Write == Other.Write &&
         Digits == Other.Digits && Read == Other.Read && Kind == Other.Kind &&
         Flat == Other.Flat && Moves == Other.Moves;
}

static void hashIndex(llvm::hash_code &Hash, const AffineIndex &Index) {
  Hash = llvm::hash_combine(Hash, Index.Constant);
  for (const StartTerm &Term : Index.Terms)
    Hash = llvm::hash_combine(Hash, Term.Start, Term.Factor);
}

uint64_t ElementMap::hash() const {
  llvm::hash_code Hash =
      llvm::hash_combine(Frame.index(), int(Kind), Flat, Moves);
  hashIndex(Hash, Write);
  for (const ElementDigit &Digit : Digits)
    Hash = llvm::hash_combine(Hash, Digit.Count, Digit.Write, Digit.Dimension,
                              Digit.Step);
  for (const AffineIndex &Index : Read)
    hashIndex(Hash, Index);
  return Hash;
}

/// Digits of one value, and those that move nothing, say nothing.
void ElementMap::dropUnused() {
  llvm::erase_if(Digits, [](const ElementDigit &Digit) {
    return Digit.Count == 1 ||
           (Digit.Write == 0 && (Digit.Dimension < 0 || Digit.Step == 0));
  });
}

void ElementMap::readScalar() {
  Read.clear();
  Flat = false;
  for (ElementDigit &Digit : Digits)
    Digit.Dimension = -1, Digit.Step = 0;
  dropUnused();
}

void ElementMap::readAll(const Shape &S, MapKind NewKind) {
  readScalar();
  Kind = std::max(Kind, NewKind);
  ArrayOrder Order(S);
  Read.resize(Order.rank());
  if (!Order.isValid()) {
    Kind = MapKind::Unknown;
    return;
  }
  for (size_t D = 0; D != Order.rank(); ++D)
    readWhole(D, Order.size(D));
}

void ElementMap::readWhole(size_t D, int64_t Size) {
  if (Read.size() <= D)
    Read.resize(D + 1);
  if (Size != 1)
    Digits.push_back({Size, 0, static_cast<int32_t>(D), 1});
}

void ElementMap::moveDimensions(ArrayRef<int64_t> To, size_t Rank) {
  SmallVector<AffineIndex, 4> Moved(Rank);
  for (size_t D = 0; D != Read.size() && D != To.size(); ++D)
    if (To[D] >= 0 && static_cast<size_t>(To[D]) < Rank)
      Moved[To[D]] = Read[D];
  Read = std::move(Moved);
  for (ElementDigit &Digit : Digits) {
    bool Known = Digit.Dimension >= 0 &&
                 static_cast<size_t>(Digit.Dimension) < To.size();
    int64_t New = Known ? To[Digit.Dimension] : -1;
    Digit.Dimension = New >= 0 && static_cast<size_t>(New) < Rank
                          ? static_cast<int32_t>(New)
                          : -1;
    if (Digit.Dimension < 0)
      Digit.Step = 0;
  }
  dropUnused();
}

void ElementMap::reverse(size_t D, int64_t Size) {
  AffineIndex Reversed;
  Reversed.Constant = Size - 1;
  Reversed.add(Read[D], -1);
  Read[D] = Reversed;
  for (ElementDigit &Digit : Digits)
    if (Digit.Dimension == static_cast<int32_t>(D))
      Digit.Step = -Digit.Step;
}

void ElementMap::slice(size_t D, const AffineIndex &Start, int64_t Stride) {
  AffineIndex New = Start;
  New.add(Read[D], Stride);
  Read[D] = New;
  for (ElementDigit &Digit : Digits)
    if (Digit.Dimension == static_cast<int32_t>(D))
      Digit.Step = boundedMultiply(Digit.Step, Stride);
}

/// Makes one digit of two that count on in one dimension.
void ElementMap::merge(size_t D) {
  for (size_t Low = 0; Low != Digits.size(); ++Low)
    for (size_t High = 0; High != Digits.size(); ++High) {
      const ElementDigit &L = Digits[Low], &H = Digits[High];
      if (High == Low || L.Dimension != static_cast<int32_t>(D) ||
          H.Dimension != L.Dimension ||
          H.Step != boundedMultiply(L.Step, L.Count) ||
          H.Write != boundedMultiply(L.Write, L.Count))
        continue;
      Digits[Low].Count = boundedMultiply(L.Count, H.Count);
      Digits.erase(Digits.begin() + High);
      return merge(D);
    }
}

/// Keeps the values of \p Digit, the only one in dimension \p D, whose index is
/// \p Stride * i after \p Start with i below \p Count.
bool ElementMap::restrictOne(ElementDigit &Digit, size_t D, AffineIndex Start,
                             int64_t Stride, int64_t Count) {
  Start.add(Read[D], -1);
  int64_t Delta = Start.Constant;
  int64_t First = 0, Last = 0;
  if (Stride == 1 && Digit.Step >= 1) {
    First = ceilDivide(Delta, Digit.Step);
    Last = floorDivide(boundedAdd(Delta, Count - 1), Digit.Step);
  } else if (Stride == 1) {
    First = ceilDivide(-boundedAdd(Delta, Count - 1), -Digit.Step);
    Last = floorDivide(-Delta, -Digit.Step);
  } else {
    // Step 1: the digit counts i.
    int64_t Low = std::max<int64_t>(0, ceilDivide(-Delta, Stride));
    int64_t High = std::min(
        Count - 1, floorDivide(boundedAdd(Digit.Count - 1, -Delta), Stride));
    if (Low > High)
      return false;
    AffineIndex At;
    At.Constant = boundedAdd(Delta, boundedMultiply(Stride, Low));
    Write.add(At, Digit.Write);
    Digit.Count = High - Low + 1;
    Digit.Write = boundedMultiply(Digit.Write, Stride);
    Read[D] = AffineIndex();
    Read[D].Constant = Low;
    return true;
  }
  First = std::max<int64_t>(First, 0);
  Last = std::min(Last, Digit.Count - 1);
  if (First > Last)
    return false;
  AffineIndex At;
  At.Constant = First;
  Write.add(At, Digit.Write);
  Digit.Count = Last - First + 1;
  Read[D] = AffineIndex();
  Read[D].Constant = boundedAdd(boundedMultiply(Digit.Step, First), -Delta);
  return true;
}

bool ElementMap::restrict(size_t D, int64_t Size, const AffineIndex &Start,
                          int64_t Stride, int64_t Count) {
  if (Count <= 0)
    return false;
  merge(D);
  ElementDigit *Only = nullptr;
  size_t Number = 0;
  for (ElementDigit &Digit : Digits)
    if (Digit.Dimension == static_cast<int32_t>(D))
      Only = &Digit, ++Number;
  AffineIndex Difference = Read[D];
  Difference.add(Start, -1);
  if (Difference.isConstant() && Number == 0) {
    int64_t At = Difference.Constant;
    if (At < 0 || At % Stride != 0 || At / Stride >= Count)
      return false;
    Read[D] = AffineIndex();
    Read[D].Constant = At / Stride;
    return true;
  }
  if (Difference.isConstant() && Number == 1 && Only->Step != 0 &&
      (Stride == 1 || Only->Step == 1)) {
    bool Left = restrictOne(*Only, D, Start, Stride, Count);
    dropUnused();
    return Left;
  }
  // A window that is somewhere in the whole dimension.
  if (Number == 1 && Only->Count == Size && Only->Step == 1 && Stride == 1 &&
      Read[D] == AffineIndex()) {
    Write.add(Start, Only->Write);
    Only->Count = Count;
    dropUnused();
    return true;
  }
  Read[D] = Difference;
  Kind = MapKind::Unknown;
  return true;
}

/// Largest value of \p Index; MaxElement if too large.
static int64_t largest(const AffineIndex &Index) {
  int64_t Sum = Index.Constant;
  for (const StartTerm &Term : Index.Terms)
    Sum = boundedAdd(
        Sum, boundedMultiply(std::max<int64_t>(Term.Factor, 0), Term.Max));
  return Sum;
}

/// Spreads numbers \p Base + sum of \p Factors * digit over the dimensions of
/// \p To, in which neighbors are \p Strides apart. False if some digit or the
/// base would carry from one dimension into the next.
bool ElementMap::readNumbers(AffineIndex Base, ArrayRef<int64_t> Factors,
                             const ArrayOrder &To, ArrayRef<int64_t> Strides) {
  SmallVector<int64_t, 4> Dims;
  for (size_t D = 0; D != To.rank(); ++D)
    if (To.size(D) > 1)
      Dims.push_back(static_cast<int64_t>(D));
  llvm::sort(Dims,
             [&](int64_t A, int64_t B) { return Strides[A] > Strides[B]; });
  SmallVector<AffineIndex, 4> Spread(To.rank());
  SmallVector<int64_t, 4> Highest(To.rank(), 0);
  if (Base.Constant < 0)
    return false;
  for (int64_t D : Dims) {
    Spread[D].Constant = Base.Constant / Strides[D];
    Base.Constant %= Strides[D];
  }
  for (const StartTerm &Term : Base.Terms) {
    auto *At = llvm::find_if(Dims, [&](int64_t D) {
      return Term.Factor >= Strides[D] && Term.Factor % Strides[D] == 0;
    });
    if (At == Dims.end())
      return false;
    Spread[*At].Terms.push_back(
        {Term.Start, Term.Max, Term.Factor / Strides[*At]});
  }
  SmallVector<ElementDigit, 4> Pieces;
  for (size_t K = 0; K != Digits.size(); ++K) {
    ElementDigit Rest = Digits[K];
    int64_t Factor = Factors[K];
    while (Factor != 0 && Rest.Count > 1) {
      auto *At =
          llvm::find_if(Dims, [&](int64_t D) { return Factor >= Strides[D]; });
      if (At == Dims.end() || Factor % Strides[*At] != 0 ||
          Pieces.size() > MaxDigits)
        return false;
      int64_t Step = Factor / Strides[*At], Room = To.size(*At);
      int64_t Fits = Rest.Count;
      if (At != Dims.begin() && boundedMultiply(Step, Rest.Count - 1) >= Room) {
        Fits = Room / Step;
        if (Room % Step != 0 || Rest.Count % Fits != 0)
          return false;
      }
      Pieces.push_back({Fits, Rest.Write, static_cast<int32_t>(*At), Step});
      Highest[*At] = boundedAdd(Highest[*At], boundedMultiply(Step, Fits - 1));
      Factor = boundedMultiply(Factor, Fits);
      Rest.Write = boundedMultiply(Rest.Write, Fits);
      Rest.Count /= Fits;
    }
    if (Rest.Count > 1)
      Pieces.push_back({Rest.Count, Rest.Write, -1, 0});
  }
  for (int64_t D : Dims)
    if (boundedAdd(largest(Spread[D]), Highest[D]) >= To.size(D))
      return false;
  Digits = std::move(Pieces);
  Read = std::move(Spread);
  dropUnused();
  return true;
}

/// Neighbors of each dimension of \p Order, counted in the order of dimensions.
static SmallVector<int64_t, 4> logicalStrides(const ArrayOrder &Order) {
  SmallVector<int64_t, 4> Strides(Order.rank(), 1);
  for (size_t D = Order.rank(); D > 1; --D)
    Strides[D - 2] = boundedMultiply(Strides[D - 1],
                                     std::max<int64_t>(1, Order.size(D - 1)));
  return Strides;
}

static SmallVector<int64_t, 4> memoryStrides(const ArrayOrder &Order) {
  SmallVector<int64_t, 4> Strides;
  for (size_t D = 0; D != Order.rank(); ++D)
    Strides.push_back(Order.stride(D));
  return Strides;
}

static AffineIndex flatten(const ElementMap &Map, ArrayRef<int64_t> Strides,
                           SmallVectorImpl<int64_t> &Factors) {
  AffineIndex Base;
  for (size_t D = 0; D != Map.Read.size() && D != Strides.size(); ++D)
    Base.add(Map.Read[D], Strides[D]);
  for (const ElementDigit &Digit : Map.Digits)
    Factors.push_back(
        Digit.Dimension < 0 ||
                static_cast<size_t>(Digit.Dimension) >= Strides.size()
            ? 0
            : boundedMultiply(Digit.Step, Strides[Digit.Dimension]));
  return Base;
}

AffineIndex ElementMap::linearRead(const Shape &S,
                                   SmallVectorImpl<int64_t> &Factors) const {
  SmallVector<int64_t, 4> Strides = {1};
  if (!Flat)
    Strides = memoryStrides(ArrayOrder(S));
  return flatten(*this, Strides, Factors);
}

ElementSpan ElementMap::indices(size_t D) const {
  if (!Read[D].isConstant())
    return {-MaxElement, MaxElement};
  ElementSpan Span = {Read[D].Constant, Read[D].Constant + 1};
  for (const ElementDigit &Digit : Digits)
    if (Digit.Dimension == static_cast<int32_t>(D)) {
      int64_t Reach = boundedMultiply(Digit.Step, Digit.Count - 1);
      (Reach < 0 ? Span.Begin : Span.End) += Reach;
    }
  return Span;
}

void ElementMap::renumber(const Shape &From, const Shape &To, bool Logical) {
  ArrayOrder X(From), Y(To);
  if (!X.isValid() || !Y.isValid() || X.elements() != Y.elements())
    return readAll(To, lost());
  // Orders that are the same in both leave a choice.
  auto IsLogical = [](const ArrayOrder &Order) {
    return logicalStrides(Order) == memoryStrides(Order);
  };
  if (IsLogical(X) && IsLogical(Y))
    Logical = false;
  if (Flat && Logical)
    return readAll(To, lost());
  SmallVector<int64_t, 8> Factors;
  AffineIndex Base = Logical ? flatten(*this, logicalStrides(X), Factors)
                             : linearRead(From, Factors);
  // Digits that count down start from the other end.
  for (size_t K = 0; K != Digits.size(); ++K) {
    if (Factors[K] >= 0)
      continue;
    AffineIndex Last;
    Last.Constant = Digits[K].Count - 1;
    Base.add(Last, Factors[K]);
    Write.add(Last, Digits[K].Write);
    Digits[K].Write = -Digits[K].Write;
    Factors[K] = -Factors[K];
  }
  if (readNumbers(Base, Factors, Y,
                  Logical ? logicalStrides(Y) : memoryStrides(Y))) {
    Flat = false;
    return;
  }
  if (Logical)
    return readAll(To, lost());
  Flat = true;
  Read.assign(1, Base);
  for (size_t K = 0; K != Digits.size(); ++K) {
    Digits[K].Dimension = Factors[K] == 0 ? -1 : 0;
    Digits[K].Step = Factors[K];
  }
}

bool ElementMap::isIdentity(const Shape &S) const {
  SmallVector<int64_t, 8> Factors;
  if (Kind != MapKind::Exact || Write != AffineIndex() ||
      linearRead(S, Factors) != AffineIndex())
    return false;
  int64_t Count = 1;
  for (size_t K = 0; K != Digits.size(); ++K) {
    if (Digits[K].Write != Factors[K])
      return false;
    Count = boundedMultiply(Count, Digits[K].Count);
  }
  return Count == ArrayOrder(S).elements();
}

bool ElementMap::isTooLarge() const {
  auto TooLarge = [](const AffineIndex &Index) {
    return std::abs(Index.Constant) >= LargestNumber ||
           llvm::any_of(Index.Terms, [](const StartTerm &Term) {
             return std::abs(Term.Factor) >= LargestNumber ||
                    Term.Max >= LargestNumber;
           });
  };
  return Digits.size() > MaxDigits || TooLarge(Write) ||
         llvm::any_of(Read, TooLarge) ||
         llvm::any_of(Digits, [](const ElementDigit &Digit) {
           return std::abs(Digit.Write) >= LargestNumber ||
                  std::abs(Digit.Step) >= LargestNumber ||
                  Digit.Count >= LargestNumber;
         });
}
