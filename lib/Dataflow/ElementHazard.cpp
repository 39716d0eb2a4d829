//===- Dataflow/ElementHazard.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementHazard.h"
#include "Dataflow/ScalarRange.h"
#include <algorithm>

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// More unknown scalars than these are not told apart.
static constexpr size_t MaxUnknowns = 3;
/// With more windows or elements, fewer values of scalars are tried.
static constexpr size_t ManyWindows = 16;
static constexpr int64_t ManyElements = 4096;

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
  ElementConflict instantiate(ArrayRef<int64_t> Values) const;
  void addCritical(const AffineIndex &Index, int64_t Target,
                   llvm::SmallVectorImpl<int64_t> &Values) const;
  SmallVector<int64_t, 64> candidates(size_t Count, ScopedId Name) const;
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
  // A bitcast to elements of another width has the same bytes.
  bool SameBytes = boundedMultiply(F.elements(), storedBits(Frame)) ==
                   boundedMultiply(R.elements(), storedBits(Result));
  return SameBytes && comparableOrders(Frame, Operand) ? Order::Same
                                                       : Order::OwnLoop;
}

/// What needs no arithmetic.
std::optional<ElementHazard> HazardFinder::decideEarly() {
  if (Chain && Chain->Found && Chain->onlyForwards())
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
    // Tiles that change move elements, other orders cannot be determined.
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

ElementConflict HazardFinder::instantiate(ArrayRef<int64_t> Values) const {
  ElementConflict Now;
  Now.WriteBase = value(Map.Write, Values);
  Now.ReadBase = value(Base, Values);
  for (size_t K = 0; K != Map.Digits.size(); ++K)
    Now.Digits.push_back(
        {Map.Digits[K].Count, Map.Digits[K].Write, Factors[K]});
  size_t Updates = Chain ? Chain->Windows.size() + Chain->AnyPlace : 0;
  Now.OnlyMoves = Map.Moves && Updates == (hasWindows() ? 1 : 0);
  if (!hasWindows()) {
    ElementImage Whole;
    Whole.add(ArrayOrder(Operand).elements(), 1);
    Now.Changed.push_back({Whole, Chain ? Chain->Writer : HloId()});
    return Now;
  }
  for (const ChangedWindow &W : Chain->Windows) {
    ElementImage Part;
    Part.Base = value(W.Map.Write, Values);
    for (const ElementDigit &D : W.Map.Digits)
      Part.add(D.Count, D.Write);
    Part.finish();
    Now.Changed.push_back({Part, W.Writer});
  }
  return Now;
}

/// Where the reads begin, or a window, seen as a function of one start index:
/// values at which the two touch or just miss each other.
void HazardFinder::addCritical(const AffineIndex &Index, int64_t Target,
                               SmallVectorImpl<int64_t> &Values) const {
  if (Index.Terms.size() != 1 || Index.Terms[0].Factor == 0)
    return;
  int64_t At =
      floorDivide(boundedAdd(Target, -Index.Constant), Index.Terms[0].Factor);
  for (int64_t D = -2; D <= 2; ++D)
    if (At + D >= 0 && At + D <= Index.Terms[0].Max)
      Values.push_back(At + D);
}

/// Values that are tried for \p Name, one of \p Count unknown scalars: all
/// small ones, fewer the more scalars there are, some for which reads and
/// windows touch, and one that is clamped.
SmallVector<int64_t, 64> HazardFinder::candidates(size_t Count,
                                                  ScopedId Name) const {
  static constexpr int64_t Small[] = {0, 32, 8, 3};
  bool Costly = Chain && Chain->Windows.size() > ManyWindows;
  int64_t Size = 1;
  for (const ElementDigit &D : Map.Digits)
    Size = boundedMultiply(Size, D.Count);
  Costly |= Size > ManyElements;
  SmallVector<int64_t, 64> Values;
  for (int64_t V = 0; V <= (Costly ? 2 : Small[Count]); ++V)
    Values.push_back(V);
  Values.push_back(5);
  if (Count == 1) {
    SmallVector<AffineIndex, 4> Indices = {Map.Write, Base};
    if (hasWindows())
      for (const ChangedWindow &W :
           llvm::ArrayRef(Chain->Windows).take_front(ManyWindows))
        Indices.push_back(W.Map.Write);
    for (const AffineIndex &Index : Indices)
      for (const AffineIndex &Other : Indices)
        addCritical(Index, Other.Constant, Values);
  }
  Values.push_back(MaxElement);
  ElementSpan Range = Starts.range(Name);
  for (int64_t &V : Values)
    V = std::clamp(V, Range.Begin, Range.End - 1);
  llvm::sort(Values);
  Values.erase(std::unique(Values.begin(), Values.end()), Values.end());
  return Values;
}

/// The worst that happens for some values of the unknown scalars. Nothing is
/// known if there are more of them than can be tried.
ElementHazard HazardFinder::tryValues() {
  size_t Count = std::min(Names.size(), MaxUnknowns);
  SmallVector<SmallVector<int64_t, 64>, MaxUnknowns> Candidates;
  for (size_t K = 0; K != Count; ++K)
    Candidates.push_back(candidates(Count, Names[K]));
  SmallVector<int64_t, 4> Values(Names.size(), 0);
  SmallVector<size_t, 4> At(Count, 0);
  ElementHazard Worst;
  while (Worst.Verdict != ReadVerdict::Behind) {
    for (size_t K = 0; K != Count; ++K)
      Values[K] = Candidates[K][At[K]];
    ElementHazard Found = instantiate(Values).solve(Exact);
    if (Found.Verdict != ReadVerdict::Sound &&
        (Worst.Verdict == ReadVerdict::Sound ||
         Found.Verdict < Worst.Verdict)) {
      Worst = Found;
      Worst.Names = Names;
      Worst.Values = Values;
    }
    size_t K = 0;
    while (K != Count && ++At[K] == Candidates[K].size())
      At[K++] = 0;
    if (K == Count)
      break;
  }
  if (Worst.Verdict == ReadVerdict::Sound && Names.size() > MaxUnknowns)
    Worst.Verdict = ReadVerdict::Unknown;
  return Worst;
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
  // Nothing shows which of two loops comes first.
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
