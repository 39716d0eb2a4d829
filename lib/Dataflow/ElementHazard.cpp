//===- Dataflow/ElementHazard.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementHazard.h"
#include <numeric>

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Smaller boxes are tried element by element.
static constexpr int64_t MaxTried = 1 << 16;
/// Start values that are tried for each scalar that nothing is known of.
static constexpr int64_t TriedValues[] = {0, 1, 2, 5, MaxElement};
static constexpr size_t MaxUnknowns = 3;
static constexpr size_t ManyWindows = 16; // with more, fewer values are tried

namespace {
/// One digit of a box with numbers only.
struct Digit {
  int64_t Count;
  int64_t Write;
  int64_t Read;
};

/// Base + sum of Factor * digit, each digit below Count.
struct Image {
  int64_t Base = 0;
  /// Count and factor, largest factor first, all factors positive.
  SmallVector<std::pair<int64_t, int64_t>, 4> Digits;

  void add(int64_t Count, int64_t Factor);
  void finish() {
    llvm::sort(Digits, [](auto &A, auto &B) { return A.second > B.second; });
  }
  int64_t last() const;
  bool contains(int64_t Number) const;
};

/// An element of the result and one of the operand that it is computed from.
struct Pair {
  int64_t Written;
  int64_t Read;
};

/// Reads and writes with all start indices known.
class Problem {
public:
  int64_t WriteBase = 0;
  int64_t ReadBase = 0;
  SmallVector<Digit, 6> Digits;
  std::vector<std::pair<Image, HloId>> Changed;

  /// No element is changed but by what is read here, which is only moved.
  bool OnlyMoves = false;

  /// \p Exact: the digits are those of one element; else any may be read.
  ElementHazard solve(bool Exact);

private:
  Image reads() const;
  void consider(int64_t Written, int64_t Read);
  bool staysTheSame(int64_t Number) const;
  void tryAll();
  void tryBounds(const Image &Window);
  void tryRead(int64_t Wanted, bool Last);

  const Image *Window = nullptr;
  std::optional<Pair> Behind;
  std::optional<Pair> Ahead;
};
} // namespace

void Image::add(int64_t Count, int64_t Factor) {
  if (Factor == 0 || Count <= 1)
    return;
  if (Factor < 0)
    Base = boundedAdd(Base, boundedMultiply(Factor, Count - 1));
  Digits.push_back({Count, std::abs(Factor)});
}

int64_t Image::last() const {
  int64_t Sum = Base;
  for (auto [Count, Factor] : Digits)
    Sum = boundedAdd(Sum, boundedMultiply(Factor, Count - 1));
  return Sum;
}

bool Image::contains(int64_t Number) const {
  Number -= Base;
  if (Number < 0)
    return false;
  for (auto [Count, Factor] : Digits)
    Number -= std::min(Number / Factor, Count - 1) * Factor;
  return Number == 0;
}

/// Splits \p I into its multiples of \p Cut and the rest; false if the rest
/// would carry.
static bool cut(const Image &I, int64_t Cut, ElementSpan &High,
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
static bool disjoint(const Image &A, const Image &B) {
  if (A.last() < B.Base || B.last() < A.Base)
    return true;
  int64_t Common = 0;
  SmallVector<int64_t, 8> Cuts;
  for (const Image *I : {&A, &B})
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

Image Problem::reads() const {
  Image I;
  I.Base = ReadBase;
  for (const Digit &D : Digits)
    I.add(D.Count, D.Read);
  I.finish();
  return I;
}

/// True if element \p Number is overwritten with itself: one row of a window is
/// broadcast to all of it. Digits descend by what they write.
bool Problem::staysTheSame(int64_t Number) const {
  int64_t Rest = Number - WriteBase, Read = ReadBase;
  if (Rest < 0)
    return false;
  for (const Digit &D : Digits) {
    if (D.Write == 0)
      return false;
    int64_t Value = std::min(Rest / D.Write, D.Count - 1);
    Rest -= Value * D.Write;
    Read = boundedAdd(Read, boundedMultiply(D.Read, Value));
  }
  return Rest == 0 && Read == Number;
}

void Problem::consider(int64_t Written, int64_t Read) {
  if (Written == Read || !Window->contains(Read))
    return;
  if (OnlyMoves && staysTheSame(Read))
    return;
  std::optional<Pair> &Best = Read < Written ? Behind : Ahead;
  if (!Best || Written < Best->Written)
    Best = {Written, Read};
}

/// Goes through the box in ascending order of the written elements.
void Problem::tryAll() {
  SmallVector<int64_t, 6> At(Digits.size(), 0);
  int64_t Written = WriteBase, Read = ReadBase;
  while (true) {
    consider(Written, Read);
    size_t K = Digits.size();
    while (K != 0) {
      const Digit &D = Digits[K - 1];
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
void Problem::tryRead(int64_t Wanted, bool Last) {
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
    const Digit &D = Digits[K];
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
void Problem::tryBounds(const Image &Changed) {
  SmallVector<int64_t, 16> Wanted;
  for (const Image &I : {Changed, reads()}) {
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

ElementHazard Problem::solve(bool Exact) {
  for (Digit &D : Digits)
    if (D.Write < 0) {
      int64_t Most = D.Count - 1;
      WriteBase = boundedAdd(WriteBase, boundedMultiply(D.Write, Most));
      ReadBase = boundedAdd(ReadBase, boundedMultiply(D.Read, Most));
      D.Write = -D.Write, D.Read = -D.Read;
    }
  llvm::stable_sort(
      Digits, [](const Digit &A, const Digit &B) { return A.Write > B.Write; });
  int64_t Size = 1;
  for (const Digit &D : Digits)
    Size = boundedMultiply(Size, D.Count);
  ElementHazard Found;
  if (llvm::any_of(Digits, [](const Digit &D) { return D.Count < 1; }))
    return Found; // nothing is read
  Image All = reads();
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

namespace {
/// Everything about one read, start indices still unknown.
class HazardFinder {
public:
  HazardFinder(const ShapeTrees &Trees, const StartIndices &Starts,
               const ElementMap &Map, const Shape &Operand, const Shape &Result,
               const InPlaceChain *Chain)
      : Trees(Trees), Starts(Starts), Map(Map), Operand(Operand),
        Result(Result), Chain(Chain) {}
  ElementHazard find();

private:
  enum class Order : uint8_t { Same, OwnLoop, Unknown };
  Order order() const;
  const Shape &frame() const;
  std::optional<ElementHazard> decideEarly();
  bool hasWindows() const;
  void collect(const AffineIndex &Index);
  int64_t value(const AffineIndex &Index, ArrayRef<int64_t> Values) const;
  Problem instantiate(ArrayRef<int64_t> Values) const;
  ElementHazard tryValues();

  const ShapeTrees &Trees;
  const StartIndices &Starts;
  const ElementMap &Map;
  const Shape &Operand;
  const Shape &Result;
  const InPlaceChain *Chain;
  AffineIndex Base;
  SmallVector<int64_t, 8> Factors;
  StartIndices::Unknowns Names;
  bool Exact = true;
  bool InOwnLoop = false;
};
} // namespace

static ElementHazard verdict(ReadVerdict V) {
  ElementHazard Found;
  Found.Verdict = V;
  return Found;
}

/// What the numbers of the map count: elements of the result if another result
/// with as many elements is computed in the same loop.
const Shape &HazardFinder::frame() const {
  const Shape &Frame = Trees.shape(Map.Frame);
  ArrayOrder F(Frame), R(Result);
  bool SameIndices = Frame.Dimensions == Result.Dimensions &&
                     F.majorToMinor() == R.majorToMinor();
  bool SameNumbers = F.isValid() && R.isValid() &&
                     F.elements() == R.elements() &&
                     comparableOrders(Frame, Result);
  return SameIndices || SameNumbers ? Result : Frame;
}

/// Whether the numbers of the map are those of elements of the result.
HazardFinder::Order HazardFinder::order() const {
  const Shape &Frame = frame();
  ArrayOrder F(Frame), R(Result);
  if (!F.isValid() || !R.isValid() || !ArrayOrder(Operand).isValid())
    return Order::Unknown;
  if (F.elements() == R.elements())
    return comparableOrders(Frame, Result) ? Order::Same : Order::Unknown;
  // A bitcast to elements of another width is of the same bytes.
  bool SameBytes = boundedMultiply(F.elements(), storedBits(Frame)) ==
                   boundedMultiply(R.elements(), storedBits(Result));
  return SameBytes && comparableOrders(Frame, Operand) ? Order::Same
                                                       : Order::OwnLoop;
}

/// What needs no arithmetic.
std::optional<ElementHazard> HazardFinder::decideEarly() {
  if (Chain && Chain->Found && Chain->handsOn())
    return verdict(ReadVerdict::Sound);
  if (Map.Kind == MapKind::Unknown)
    return verdict(ReadVerdict::Unknown);
  const Shape &Frame = frame();
  Order Numbers = order();
  if (Map.isIdentity(Operand) && sameAddresses(Frame, Operand) &&
      (Map.Frame.valid() && storedBits(Frame) == storedBits(Operand)))
    if (Numbers == Order::Same || sameAddresses(Frame, Result))
      return verdict(ReadVerdict::Sound);
  if (Numbers == Order::Unknown || !comparableOrders(Frame, Operand)) {
    // Tiles that change move elements, other orders cannot be told.
    bool Relaid = Map.isIdentity(Operand) &&
                  Frame.Dimensions == Operand.Dimensions &&
                  Numbers == Order::Same;
    return verdict(Relaid ? ReadVerdict::Anywhere : ReadVerdict::Unknown);
  }
  if (storedBits(Frame) != storedBits(Operand))
    return verdict(Numbers == Order::Same ? ReadVerdict::Anywhere
                                          : ReadVerdict::Unknown);
  Base = Map.linearRead(Operand, Factors);
  auto TooLarge = [](int64_t N) { return std::abs(N) >= MaxElement >> 8; };
  if (TooLarge(Base.Constant) || llvm::any_of(Factors, TooLarge))
    return verdict(ReadVerdict::Unknown);
  Exact = Map.Kind == MapKind::Exact && Numbers == Order::Same;
  InOwnLoop = Numbers == Order::OwnLoop;
  bool Same = Exact && Base == Map.Write;
  for (size_t K = 0; K != Factors.size(); ++K)
    Same &= Map.Digits[K].Write == Factors[K];
  if (Same)
    return verdict(ReadVerdict::Sound);
  return std::nullopt;
}

/// True if only the windows of the chain are overwritten.
bool HazardFinder::hasWindows() const {
  return Chain && Chain->Found && !Chain->AnyPlace &&
         llvm::all_of(Chain->Windows, [&](const ChangedWindow &W) {
           const Shape &Frame = Trees.shape(W.Map.Frame);
           return storedBits(Frame) == storedBits(Operand) &&
                  comparableOrders(Frame, Operand);
         });
}

void HazardFinder::collect(const AffineIndex &Index) {
  for (const StartTerm &Term : Index.Terms)
    Starts.collect(Term.Start, Names);
}

int64_t HazardFinder::value(const AffineIndex &Index,
                            ArrayRef<int64_t> Values) const {
  int64_t Sum = Index.Constant;
  for (const StartTerm &Term : Index.Terms)
    Sum = boundedAdd(
        Sum,
        boundedMultiply(Term.Factor, Starts.value(Term.Start, Names, Values)));
  return Sum;
}

Problem HazardFinder::instantiate(ArrayRef<int64_t> Values) const {
  Problem Now;
  Now.WriteBase = value(Map.Write, Values);
  Now.ReadBase = value(Base, Values);
  for (size_t K = 0; K != Map.Digits.size(); ++K)
    Now.Digits.push_back(
        {Map.Digits[K].Count, Map.Digits[K].Write, Factors[K]});
  size_t Updates = Chain ? Chain->Windows.size() + Chain->AnyPlace : 0;
  Now.OnlyMoves = Map.Moves && Updates == (hasWindows() ? 1 : 0);
  if (!hasWindows()) {
    Image Whole;
    Whole.add(ArrayOrder(Operand).elements(), 1);
    Now.Changed.push_back({Whole, Chain ? Chain->Writer : HloId()});
    return Now;
  }
  for (const ChangedWindow &W : Chain->Windows) {
    Image Part;
    Part.Base = value(W.Map.Write, Values);
    for (const ElementDigit &D : W.Map.Digits)
      Part.add(D.Count, D.Write);
    Part.finish();
    Now.Changed.push_back({Part, W.Writer});
  }
  return Now;
}

/// The worst that happens for some values of the unknown scalars.
ElementHazard HazardFinder::tryValues() {
  bool Many = hasWindows() && Chain->Windows.size() > ManyWindows;
  size_t Count = std::min(Names.size(), Many ? 1 : MaxUnknowns);
  SmallVector<int64_t, 4> Values(Names.size(), 0);
  SmallVector<size_t, 4> At(Count, 0);
  ElementHazard Worst;
  while (true) {
    for (size_t K = 0; K != Count; ++K)
      Values[K] = TriedValues[At[K]];
    ElementHazard Found = instantiate(Values).solve(Exact);
    if (Found.Verdict != ReadVerdict::Sound &&
        (Worst.Verdict == ReadVerdict::Sound ||
         Found.Verdict < Worst.Verdict)) {
      Worst = Found;
      Worst.Names = Names;
      Worst.Values = Values;
    }
    if (Worst.Verdict == ReadVerdict::Behind)
      return Worst;
    size_t K = 0;
    while (K != Count && ++At[K] == std::size(TriedValues))
      At[K++] = 0;
    if (K == Count)
      return Worst;
  }
}

ElementHazard HazardFinder::find() {
  if (std::optional<ElementHazard> Early = decideEarly())
    return *Early;
  collect(Map.Write);
  collect(Base);
  if (hasWindows())
    for (const ChangedWindow &W : Chain->Windows)
      collect(W.Map.Write);
  ElementHazard Found = tryValues();
  // Nothing tells which of two loops comes first.
  if (InOwnLoop && Found.Verdict != ReadVerdict::Sound)
    Found.Verdict = ReadVerdict::Unknown;
  return Found;
}

ElementHazard hlobuf::findHazard(const ShapeTrees &Trees,
                                 const StartIndices &Starts,
                                 const ElementMap &Map, const Shape &Operand,
                                 const Shape &Result,
                                 const InPlaceChain *Chain) {
  return HazardFinder(Trees, Starts, Map, Operand, Result, Chain).find();
}
