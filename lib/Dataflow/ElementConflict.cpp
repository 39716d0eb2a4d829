//===- Dataflow/ElementConflict.cpp ---------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementConflict.h"
#include <numeric>

using namespace hlobuf;
using llvm::SmallVector;

/// Smaller boxes are tried element by element.
static constexpr int64_t MaxTried = 1 << 16;

void ElementImage::add(int64_t Count, int64_t Factor) {
  if (Factor == 0 || Count <= 1)
    return;
  if (Factor < 0)
    Base = boundedAdd(Base, boundedMultiply(Factor, Count - 1));
  Digits.push_back({Count, std::abs(Factor)});
}

int64_t ElementImage::last() const {
  int64_t Sum = Base;
  for (auto [Count, Factor] : Digits)
    Sum = boundedAdd(Sum, boundedMultiply(Factor, Count - 1));
  return Sum;
}

bool ElementImage::contains(int64_t Number) const {
  Number -= Base;
  if (Number < 0)
    return false;
  for (auto [Count, Factor] : Digits)
    Number -= std::min(Number / Factor, Count - 1) * Factor;
  return Number == 0;
}

/// Splits \p I into its multiples of \p Cut and the rest; false if the rest
/// would carry.
static bool cut(const ElementImage &I, int64_t Cut, ElementSpan &High,
                ElementSpan &Low) {
  High.Begin = High.End = floorDivide(I.Base, Cut);
  Low.Begin = Low.End = I.Base - High.Begin * Cut;
  for (auto [Count, Factor] : I.Digits) {
    if (Factor < Cut) {
      Low.End = boundedAdd(Low.End, boundedMultiply(Factor, Count - 1));
    } else if (Factor % Cut == 0) {
      High.End = boundedAdd(High.End, boundedMultiply(Factor / Cut, Count - 1));
    } else {
      return false;
    }
  }
  return Low.End < Cut;
}

static bool disjoint(ElementSpan A, ElementSpan B) {
  return A.End < B.Begin || B.End < A.Begin;
}

/// True if it is sure that no number is in both.
static bool disjoint(const ElementImage &A, const ElementImage &B) {
  if (A.last() < B.Base || B.last() < A.Base)
    return true;
  int64_t Common = 0;
  SmallVector<int64_t, 8> Cuts;
  for (const ElementImage *I : {&A, &B})
    for (auto [Count, Factor] : I->Digits) {
      Common = std::gcd(Common, Factor);
      Cuts.push_back(Factor);
      Cuts.push_back(boundedMultiply(Factor, Count));
    }
  if (Common > 1 && (A.Base - B.Base) % Common != 0)
    return true;
  for (int64_t Cut : Cuts) {
    ElementSpan HighA, LowA, HighB, LowB;
    if (cut(A, Cut, HighA, LowA) && cut(B, Cut, HighB, LowB) &&
        (disjoint(HighA, HighB) || disjoint(LowA, LowB)))
      return true;
  }
  return false;
}

ElementImage ElementConflict::reads() const {
  ElementImage I;
  I.Base = ReadBase;
  for (const BoxDigit &D : Digits)
    I.add(D.Count, D.Read);
  I.finish();
  return I;
}

/// True if element \p Number is overwritten with itself: one row of a window is
/// broadcast to all of it. Digits descend by what they write.
bool ElementConflict::staysTheSame(int64_t Number) const {
  int64_t Rest = Number - WriteBase, Read = ReadBase;
  if (Rest < 0)
    return false;
  for (const BoxDigit &D : Digits) {
    if (D.Write == 0)
      return false;
    int64_t Value = std::min(Rest / D.Write, D.Count - 1);
    Rest -= Value * D.Write;
    Read = boundedAdd(Read, boundedMultiply(D.Read, Value));
  }
  return Rest == 0 && Read == Number;
}

void ElementConflict::consider(int64_t Written, int64_t Read) {
  if (Written == Read || !Window->contains(Read))
    return;
  if (OnlyMoves && staysTheSame(Read))
    return;
  std::optional<Pair> &Best = Read < Written ? Behind : Ahead;
  if (!Best || Written < Best->Written)
    Best = {Written, Read};
}

/// Goes through the box in ascending order of the written elements.
void ElementConflict::tryAll() {
  SmallVector<int64_t, 6> At(Digits.size(), 0);
  int64_t Written = WriteBase, Read = ReadBase;
  while (true) {
    consider(Written, Read);
    size_t K = Digits.size();
    while (K != 0) {
      const BoxDigit &D = Digits[K - 1];
      if (++At[K - 1] != D.Count) {
        Written += D.Write;
        Read += D.Read;
        break;
      }
      Written -= D.Write * (D.Count - 1);
      Read -= D.Read * (D.Count - 1);
      At[--K] = 0;
    }
    if (K == 0)
      return;
  }
}

/// Tries an element that reads \p Wanted: the first one, or the last.
void ElementConflict::tryRead(int64_t Wanted, bool Last) {
  SmallVector<size_t, 6> Order;
  int64_t Rest = Wanted - ReadBase;
  for (size_t K = 0; K != Digits.size(); ++K) {
    Order.push_back(K);
    if (Digits[K].Read < 0)
      Rest = boundedAdd(Rest,
                        -boundedMultiply(Digits[K].Read, Digits[K].Count - 1));
  }
  llvm::sort(Order, [&](size_t A, size_t B) {
    return std::abs(Digits[A].Read) > std::abs(Digits[B].Read);
  });
  int64_t Written = WriteBase;
  for (size_t K : Order) {
    const BoxDigit &D = Digits[K];
    int64_t Value = Last ? D.Count - 1 : 0;
    if (D.Read != 0) {
      int64_t Steps =
          std::clamp<int64_t>(Rest / std::abs(D.Read), 0, D.Count - 1);
      Rest -= Steps * std::abs(D.Read);
      Value = D.Read < 0 ? D.Count - 1 - Steps : Steps;
    }
    Written = boundedAdd(Written, boundedMultiply(D.Write, Value));
  }
  if (Rest == 0)
    consider(Written, Wanted);
}

/// Tries the corners of what is read and what is overwritten.
void ElementConflict::tryBounds(const ElementImage &Changed) {
  SmallVector<int64_t, 16> Wanted;
  for (const ElementImage &I : {Changed, reads()}) {
    Wanted.append({I.Base, I.last()});
    for (auto [Count, Factor] : I.Digits)
      for (int64_t Value : {int64_t(1), Count - 1, Count / 2})
        Wanted.push_back(boundedAdd(I.Base, boundedMultiply(Factor, Value)));
  }
  for (int64_t Number : Wanted)
    if (Number >= 0)
      for (bool Last : {false, true})
        tryRead(Number, Last);
}

ElementHazard ElementConflict::solve(bool Exact) {
  for (BoxDigit &D : Digits)
    if (D.Write < 0) {
      int64_t Most = D.Count - 1;
      WriteBase = boundedAdd(WriteBase, boundedMultiply(D.Write, Most));
      ReadBase = boundedAdd(ReadBase, boundedMultiply(D.Read, Most));
      D.Write = -D.Write, D.Read = -D.Read;
    }
  llvm::stable_sort(Digits, [](const BoxDigit &A, const BoxDigit &B) {
    return A.Write > B.Write;
  });
  int64_t Size = 1;
  for (const BoxDigit &D : Digits)
    Size = boundedMultiply(Size, D.Count);
  ElementHazard Found;
  if (llvm::any_of(Digits, [](const BoxDigit &D) { return D.Count < 1; }))
    return Found; // nothing is read
  ElementImage All = reads();
  Found.Reads = {All.Base, All.last() + 1};
  for (const auto &[Part, Writer] : Changed) {
    if (disjoint(All, Part))
      continue;
    Behind.reset(), Ahead.reset();
    Window = &Part;
    bool Complete = Exact && Size <= MaxTried;
    if (Complete)
      tryAll();
    else if (Exact)
      tryBounds(Part);
    ReadVerdict Verdict = !Exact     ? ReadVerdict::Anywhere
                          : Behind   ? ReadVerdict::Behind
                          : Ahead    ? ReadVerdict::Ahead
                          : Complete ? ReadVerdict::Sound
                                     : ReadVerdict::Unknown;
    bool Worse =
        Verdict != ReadVerdict::Sound &&
        (Found.Verdict == ReadVerdict::Sound || Verdict < Found.Verdict);
    if (!Worse)
      continue;
    Pair At = Behind ? *Behind : Ahead ? *Ahead : Pair{0, 0};
    Found.Verdict = Verdict;
    Found.Written = At.Written;
    Found.Read = At.Read;
    Found.Writer = Writer;
    Found.Writes = {Part.Base, Part.last() + 1};
  }
  return Found;
}
