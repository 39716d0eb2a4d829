// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/ArrayPlaces.h"
#include <numeric>

using namespace hlobuf;

/// Dimensions in an order, without tiles.
static MemoryDimensions plainDimensions(const Shape &S,
                                        ArrayRef<int64_t> Major) {
  MemoryDimensions All;
  for (int64_t D : Major)
    All.push_back({D, 1, S.Dimensions[D].Size});
  return All;
}

static void dropSingles(MemoryDimensions &All) {
  llvm::erase_if(All, [](const MemoryDimension &D) { return D.Size == 1; });
}

/// Without dimensions of one place, neighbors joined where they are one.
static void simplify(MemoryDimensions &All) {
  dropSingles(All);
  size_t Count = 0;
  for (const MemoryDimension &D : All) {
    if (Count != 0) {
      MemoryDimension &Last = All[Count - 1];
      if (Last.Dimension == D.Dimension && D.Dimension >= 0 &&
          Last.Stride == boundedMultiply(D.Stride, D.Size)) {
        Last = {D.Dimension, D.Stride, boundedMultiply(Last.Size, D.Size)};
        continue;
      }
    }
    All[Count++] = D;
  }
  All.truncate(Count);
}

static std::optional<MemoryDimensions> tiledDimensions(const Shape &S) {
  return hasKnownAddresses(S) ? memoryDimensions(S) : std::nullopt;
}

bool hlobuf::hasSameSizes(const Shape &A, const Shape &B) {
  auto SameSize = [](const Dimension &X, const Dimension &Y) {
    return X.Size == Y.Size;
  };
  return A.isArray() && B.isArray() &&
         std::equal(A.Dimensions.begin(), A.Dimensions.end(),
                    B.Dimensions.begin(), B.Dimensions.end(), SameSize);
}

bool hlobuf::hasSameTiles(const Shape &A, const Shape &B) {
  return A.isTiled() == B.isTiled() &&
         (!A.isTiled() || A.Layout->Tiles == B.Layout->Tiles);
}

bool hlobuf::hasSameIndices(const Shape &A, const Shape &B) {
  return sameAddresses(A, B) && hasSameSizes(A, B);
}

bool hlobuf::isRowMajor(const Shape &S) {
  ArrayOrder Order(S);
  if (!Order.isValid() || S.isTiled() || !hasKnownAddresses(S))
    return false;
  int64_t Last = -1;
  for (int64_t D : Order.majorToMinor()) {
    if (Order.size(D) == 1)
      continue;
    if (D < Last)
      return false;
    Last = D;
  }
  return true;
}

IntegerSet hlobuf::allIndices(const IntegerSets &Sets, const Shape &S) {
  RelationBuilder Box(Sets, S.Dimensions.size(), 0);
  for (unsigned D = 0; D != S.Dimensions.size(); ++D)
    Box.within(TermKind::In, D, {}, S.Dimensions[D].Size);
  return Box.domain();
}

/// The variables of the memory dimensions \p All of \p S, whose indices are
/// variables of kind \p Kind.
static SmallVector<LinearTerm, 8> addMemory(RelationBuilder &Relations,
                                            TermKind Kind, const Shape &S,
                                            const MemoryDimensions &All) {
  SmallVector<LinearTerm, 8> Terms(All.size());
  for (unsigned D = 0; D != S.Dimensions.size(); ++D) {
    Relations.within(Kind, D, {}, S.Dimensions[D].Size);
    SmallVector<LinearTerm, 6> Sum = {{Kind, D, -1}};
    SmallVector<size_t, 4> Own;
    for (size_t K = 0; K != All.size(); ++K)
      if (All[K].Dimension == static_cast<int64_t>(D))
        Own.push_back(K);
    if (Own.size() == 1 && All[Own[0]].Stride == 1) {
      Terms[Own[0]] = {Kind, D, 1};
      continue;
    }
    for (size_t K : Own) {
      Terms[K] = Relations.addInner(All[K].Size);
      Sum.push_back({Terms[K].Kind, Terms[K].Index, All[K].Stride});
    }
    Relations.equal(Sum);
  }
  for (size_t K = 0; K != All.size(); ++K)
    if (All[K].Dimension < 0)
      Terms[K] = Relations.addInner(All[K].Size);
  return Terms;
}

/// Equal numbers of places before them: of dimensions \p X, whose variables are
/// \p XTerms, and of \p Y.
static void relate(RelationBuilder &Relations, const MemoryDimensions &X,
                   ArrayRef<LinearTerm> XTerms, const MemoryDimensions &Y,
                   ArrayRef<LinearTerm> YTerms) {
  size_t I = X.size(), J = Y.size();
  while (I != 0 || J != 0) {
    // The fewest dimensions that have as many places on both sides.
    SmallVector<LinearTerm, 8> Sum;
    int64_t P = 1, Q = 1;
    do {
      if (I != 0 && (P <= Q || J == 0)) {
        --I;
        Sum.push_back({XTerms[I].Kind, XTerms[I].Index, P});
        P = boundedMultiply(P, X[I].Size);
      } else {
        --J;
        Sum.push_back({YTerms[J].Kind, YTerms[J].Index, -Q});
        Q = boundedMultiply(Q, Y[J].Size);
      }
    } while (P != Q && (I != 0 || J != 0));
    Relations.equal(Sum);
  }
}

static IntegerMap relateAll(const IntegerSets &Sets, const Shape &From,
                            MemoryDimensions X, const Shape &To,
                            MemoryDimensions Y) {
  simplify(X);
  simplify(Y);
  RelationBuilder Relations(Sets, From.Dimensions.size(), To.Dimensions.size());
  SmallVector<LinearTerm, 8> XTerms =
      addMemory(Relations, TermKind::In, From, X);
  SmallVector<LinearTerm, 8> YTerms =
      addMemory(Relations, TermKind::Out, To, Y);
  relate(Relations, X, XTerms, Y, YTerms);
  return Relations.map();
}

IntegerMap hlobuf::samePlace(const IntegerSets &Sets, const Shape &From,
                             const Shape &To) {
  auto X = tiledDimensions(From), Y = tiledDimensions(To);
  int64_t XBits = storedBits(From), YBits = storedBits(To);
  if (!X || !Y || XBits == 0 || YBits == 0)
    return {};
  if (int64_t Common = std::gcd(XBits, YBits); XBits != YBits) {
    X->push_back({-1, 1, XBits / Common});
    Y->push_back({-1, 1, YBits / Common});
  }
  return relateAll(Sets, From, *X, To, *Y);
}

IntegerMap hlobuf::sameNumber(const IntegerSets &Sets, const Shape &From,
                              const Shape &To) {
  auto Plain = [](const Shape &S) {
    SmallVector<int64_t, 6> Major(S.Dimensions.size());
    std::iota(Major.begin(), Major.end(), 0);
    return plainDimensions(S, Major);
  };
  return relateAll(Sets, From, Plain(From), To, Plain(To));
}

IntegerMap hlobuf::samePosition(const IntegerSets &Sets, const Shape &From,
                                const Shape &To) {
  ArrayOrder X(From), Y(To);
  if (!X.isValid() || !Y.isValid())
    return {};
  MemoryDimensions Plain = plainDimensions(From, X.majorToMinor());
  MemoryDimensions Other = plainDimensions(To, Y.majorToMinor());
  auto SameSize = [](const MemoryDimension &A, const MemoryDimension &B) {
    return A.Size == B.Size;
  };
  dropSingles(Plain);
  dropSingles(Other);
  // Loops over as many indices in each dimension go through them in step.
  if (std::equal(Plain.begin(), Plain.end(), Other.begin(), Other.end(),
                 SameSize) ||
      (!From.isTiled() && !To.isTiled()))
    return relateAll(Sets, From, Plain, To, Other);
  auto Tiled = tiledDimensions(From), OtherTiled = tiledDimensions(To);
  bool Comparable = Tiled && OtherTiled && hasSameTiles(From, To);
  return Comparable ? relateAll(Sets, From, *Tiled, To, *OtherTiled)
                    : IntegerMap();
}

IntegerMap hlobuf::memoryNumber(const IntegerSets &Sets, const Shape &S) {
  ArrayOrder Order(S);
  RelationBuilder Relations(Sets, S.Dimensions.size(), 1);
  SmallVector<LinearTerm, 6> Sum = {{TermKind::Out, 0, -1}};
  for (unsigned D = 0; D != S.Dimensions.size(); ++D) {
    Relations.within(TermKind::In, D, {}, S.Dimensions[D].Size);
    Sum.push_back({TermKind::In, D, Order.stride(D)});
  }
  Relations.equal(Sum);
  return Relations.map();
}

IntegerMap hlobuf::toEarlier(const IntegerSets &Sets, const Shape &S) {
  ArrayOrder Order(S);
  unsigned Rank = S.Dimensions.size();
  RelationBuilder Relations(Sets, Rank, Rank);
  SmallVector<LinearTerm, 6> Distance;
  for (unsigned D = 0; D != Rank; ++D) {
    Distance.push_back({TermKind::In, D, Order.stride(D)});
    Distance.push_back({TermKind::Out, D, -Order.stride(D)});
  }
  Relations.notNegative(Distance, -1);
  return Relations.map();
}
