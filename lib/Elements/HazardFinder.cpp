// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/HazardFinder.h"

using namespace hlobuf;

static constexpr StringLiteral TooManySteps =
    "too many steps to decide which elements are read";
static constexpr StringLiteral UnknownReads =
    "how some operands are read in place cannot be determined";
static constexpr StringLiteral UnknownOrder =
    "elements of operand and result have orders that cannot be compared";
static constexpr StringLiteral UnknownScalars =
    "a start index is computed in a way that is not followed";

/// With more windows than these, each is looked at only for reads that may
/// touch some window.
static constexpr size_t ManyWindows = 2;
/// Questions about one operand, for each window.
static constexpr size_t QuestionsPerWindow = 16;
static constexpr size_t FreeQuestions = 512;
/// Questions after a read is known that goes wrong in ascending order.
static constexpr size_t MaxAfterWorst = 16;
/// A scalar with as many values, or fewer, is tried with all of them.
static constexpr int64_t FewValues = 64;
/// Values of scalars that are tried for one window.
static constexpr size_t MaxTrials = 600;
/// The part of the bound that each of them gets where the question as a whole
/// takes too long, and how many it gets then: with all scalars fixed, which
/// makes it easy, and with all but one.
static constexpr unsigned long PointShare = 50;
static constexpr size_t EasyTrials = 200;
static constexpr size_t PartialTrials = 7;
/// With more scalars than these, none are searched for by fixing most of them.
static constexpr size_t MaxFree = 8;

HazardFinder::HazardFinder(AccessMaps &Maps, HloId Id, uint32_t Part,
                           ReadOperand Source, const InPlaceChain &Chain,
                           unsigned long Bound)
    : Maps(Maps), P(Maps.All.program()), Id(Id), Result(shapeOf(P, Id, Part)),
      Operand(shapeOf(P, P.operands(Id)[Source.Operand], Source.Part)),
      Chain(Chain), Bound(Bound) {}

void HazardFinder::found(ElementHazard Hazard) {
  // With few and small scalars it is easier to see.
  auto Rank = [](const ElementHazard &Hazard) {
    int64_t Sum = 0;
    for (auto [Scalar, Value] : Hazard.Scalars)
      Sum =
          boundedAdd(Sum, std::abs(std::clamp(Value, -MaxElement, MaxElement)));
    return std::tuple(Hazard.Verdict, Hazard.Scalars.size(), Sum);
  };
  if (!Worst || Rank(Hazard) < Rank(*Worst))
    Worst = std::move(Hazard);
}

void HazardFinder::undecided(StringRef Reason) {
  if (Maps.Sets.isExceeded()) {
    Exhausted = true;
    Reason = TooManySteps;
  }
  if (llvm::none_of(Undecided, [&](const ElementHazard &Hazard) {
        return Hazard.Reason == Reason;
      }))
    Undecided.emplace_back().Reason = Reason;
}

std::vector<ElementHazard> HazardFinder::take() {
  if (Worst)
    Undecided.insert(Undecided.begin(), std::move(*Worst));
  return std::move(Undecided);
}

/// What needs no sets: each element reads what is at its own address.
bool HazardFinder::isSoundEarly(const ReadRelation &Relation,
                                const Shape &Frame) const {
  if (Relation.Kind != ReadKind::Exact || !Relation.isIdentity())
    return false;
  if (hasSameSizes(Frame, Result))
    return (Relation.SameAddress && hasSameIndices(Frame, Result)) ||
           (Relation.SameIndex && hasSameIndices(Result, Operand));
  // One loop over other sizes is one over the same places in memory.
  return Relation.SameAddress && storedBits(Frame) == storedBits(Result) &&
         ArrayOrder(Frame).elements() == ArrayOrder(Result).elements() &&
         hasKnownAddresses(Frame) && hasKnownAddresses(Result) &&
         hasSameTiles(Frame, Result);
}

IntegerMap HazardFinder::operandToResult() const {
  if (hasSameIndices(Operand, Result))
    return IntegerMap::identity(Maps.Sets, Result.Dimensions.size())
        .intersectDomain(allIndices(Maps.Sets, Operand));
  return samePlace(Maps.Sets, Operand, Result);
}

void HazardFinder::setReduction(ScopedId Reduce) {
  if (!hasSameSizes(shapeOf(P, Reduce.Id, 0), Result))
    return;
  Maps.Sets.bound(Bound);
  Iterations = Maps.map(Reduce, 0, 0);
  Reduced = &shapeOf(P, P.operands(Reduce.Id)[0], 0);
}

/// True if each element of a reduction overwrites only what is read for it.
bool HazardFinder::isSoundInLoop(const IntegerMap &Reads,
                                 const Shape &Frame) const {
  if (!Iterations || !hasSameSizes(Frame, *Reduced))
    return false;
  IntegerMap Overwritten = Iterations.then(Reads).then(operandToResult());
  return Overwritten &&
         Overwritten.isSubset(IntegerMap::identity(
             Maps.Sets, Result.Dimensions.size())) == Decision(true);
}

/// Which elements of the result overwrite what an element of it, or of another
/// result that is computed with it, reads.
std::optional<HazardFinder::Question>
HazardFinder::ask(const ReadRelation &Relation, const Shape &Frame) {
  ReadRelation Explicit = Relation;
  if (Relation.isIdentity() && !makeExplicit(Maps, Frame, Operand, Explicit)) {
    undecided(UnknownOrder);
    return std::nullopt;
  }
  if (!Explicit.Map) {
    undecided(TooManySteps);
    return std::nullopt;
  }
  ArrayOrder X(Frame), Y(Result);
  Question Q{Relation, {}, {}};
  IntegerMap Together;
  if (X.isValid() && Y.isValid() && X.elements() == Y.elements())
    Together = samePosition(Maps.Sets, Result, Frame);
  if (hasSameSizes(Frame, Result))
    Q.Reads = Explicit.Map;
  else if (Together)
    Q.Reads = Together.then(Explicit.Map);
  else if (!Relation.Repeated && isSoundInLoop(Explicit.Map, Frame)) {
    return std::nullopt;
  } else {
    Q.OtherLoop = true;
    Q.Reads = IntegerMap::product(allIndices(Maps.Sets, Result),
                                  Explicit.Map.range());
  }
  Q.Conflicts = Q.Reads.then(operandToResult());
  if (!Q.Conflicts) {
    undecided(UnknownOrder);
    return std::nullopt;
  }
  return Q;
}

/// Nothing worse is looked for: it goes wrong for all values of scalars, or
/// others were looked at.
bool HazardFinder::isWorstKnown() {
  if (!Worst || Worst->Verdict != ReadVerdict::Behind)
    return false;
  return Worst->Scalars.empty() || ++AfterWorst > MaxAfterWorst;
}

void HazardFinder::consider(const ReadRelation &Relation, const Shape &Frame) {
  if (Chain.onlyForwards() || isSoundEarly(Relation, Frame) || isWorstKnown())
    return;
  Maps.Sets.bound(Bound);
  if (std::optional<Question> Conflict = ask(Relation, Frame))
    decide(std::move(*Conflict));
  Maps.Sets.bound(Bound);
}

/// All that is overwritten.
const std::vector<HazardFinder::Window> &HazardFinder::windows() {
  if (Windows)
    return *Windows;
  Windows.emplace();
  bool Known = Chain.HasOperand;
  for (ScopedId Update : Chain.Updates) {
    if (!Known)
      break;
    const Shape &Array = shapeOf(P, Update.Id, 0);
    IntegerSet Elements = Maps.window(Update);
    if (Elements && !hasSameIndices(Array, Result))
      Elements =
          samePlace(Maps.Sets, Result, Array).intersectRange(Elements).domain();
    Known = static_cast<bool>(Elements);
    Windows->push_back({Elements, Update.Id});
  }
  if (!Known)
    Windows->assign(1, {allIndices(Maps.Sets, Result), Chain.writer()});
  if (Windows->size() > ManyWindows) {
    AllWindows = (*Windows)[0].Elements.forSomeParameters();
    for (const Window &W : ArrayRef(*Windows).drop_front()) {
      AllWindows = AllWindows.unite(W.Elements.forSomeParameters());
      if (isl_set_n_basic_set(AllWindows.get()) > 8)
        AllWindows = AllWindows.coalesce();
    }
  }
  return *Windows;
}

/// Elements that are overwritten with what they are: moved from their own
/// places on the only path to them.
const IntegerSet &HazardFinder::overwrittenWithItself() {
  if (Itself)
    return *Itself;
  IntegerMap Identity =
      IntegerMap::identity(Maps.Sets, Result.Dimensions.size());
  IntegerMap ToResult = operandToResult();
  Itself =
      allIndices(Maps.Sets, Result).subtract(allIndices(Maps.Sets, Result));
  bool SameWidth = storedBits(Operand) == storedBits(Result);
  for (const ReadRelation &Relation : OwnReads) {
    ReadRelation Explicit = Relation;
    if (Relation.Kind != ReadKind::Exact || !Relation.Moves || !SameWidth ||
        (Relation.isIdentity() &&
         !makeExplicit(Maps, Result, Operand, Explicit)) ||
        Explicit.Overestimated)
      continue;
    Itself =
        Itself->unite(Explicit.Map.then(ToResult).intersect(Identity).domain());
  }
  return *Itself;
}

void HazardFinder::decide(Question Q) {
  const std::vector<Window> &All = windows();
  IntegerMap Identity =
      IntegerMap::identity(Maps.Sets, Result.Dimensions.size());
  bool Same = Q.OtherLoop || Q.Relation.Repeated;
  if (!Same && Q.Conflicts.isSubset(Identity) == Decision(true))
    return;
  if (!Same)
    Q.Conflicts = Q.Conflicts.subtract(Identity);
  if (AllWindows) {
    auto Used = Q.Conflicts.usedParameters();
    IntegerSet Sample = Q.Conflicts.range()
                            .intersectParameters(Maps.Starts.ranges(Used))
                            .forSomeParameters();
    if (Sample.intersect(AllWindows).isEmpty() == Decision(true))
      return;
  }
  for (const Window &W : All) {
    // No more is ever found of reads that may not happen.
    if (HasUncertainRead && Q.Relation.Overestimated && !Q.OtherLoop &&
        Q.Relation.Kind != ReadKind::Unknown)
      return;
    if (++Questions > FreeQuestions + QuestionsPerWindow * All.size())
      return undecided(TooManySteps);
    decideWindow(Q, W);
    if (isWorstKnown())
      return;
  }
}

void HazardFinder::decideWindow(const Question &Q, const Window &W) {
  Maps.Sets.bound(Bound);
  IntegerMap Bad = Q.Conflicts.intersectRange(W.Elements);
  Bad = Bad.intersectParameters(Maps.Starts.ranges(Bad.usedParameters()));
  Decision Empty = Bad.isEmpty();
  if (Empty == Decision(true))
    return;
  if (Empty && !OwnReads.empty()) {
    Bad = Bad.subtractRange(overwrittenWithItself());
    Empty = Bad.isEmpty();
    if (Empty == Decision(true))
      return;
  }
  if (!Empty)
    return undecided(TooManySteps);
  bool None = false;
  if (!decideValues(Q, W, Bad, {}, None) && !None)
    search(Q, W, Bad);
}

/// True if a hazard, or a reason why there may be one, was recorded. \p Empty
/// if there is none for values of the scalars that agree with \p Fixed.
bool HazardFinder::decideValues(const Question &Q, const Window &W,
                                const IntegerMap &Bad,
                                const ScalarValues &Fixed, bool &Empty) {
  Maps.Sets.bound(Bound);
  IntegerMap Sample =
      Bad.intersectParameters(Maps.Starts.define(Bad.usedParameters(), Fixed));
  Decision None = Sample.isEmpty();
  Empty = None == Decision(true);
  if (Empty)
    return false;
  if (!None) {
    Exhausted = true;
    return false;
  }
  if (Q.OtherLoop || Q.Relation.Kind == ReadKind::Unknown) {
    undecided(Q.OtherLoop ? OtherLoop : UnknownReads);
    return true;
  }
  if (Q.Relation.Kind == ReadKind::Any)
    return confirm(Q, W, Sample, ReadVerdict::Anywhere, Fixed);
  IntegerMap Earlier = toEarlier(Maps.Sets, Result);
  IntegerMap Behind = Sample.intersect(Earlier);
  Decision NotBehind = Behind.isEmpty();
  if (!NotBehind) {
    Exhausted = true;
    return false;
  }
  if (!*NotBehind && confirm(Q, W, Behind, ReadVerdict::Behind, Fixed))
    return true;
  if (Worst && Worst->Verdict <= ReadVerdict::Ahead && *NotBehind)
    return true;
  IntegerMap Ahead = Sample.subtract(Earlier);
  return Ahead.isEmpty() == Decision(false) &&
         confirm(Q, W, Ahead, ReadVerdict::Ahead, Fixed);
}

IntegerSet HazardFinder::fix(const ParameterValues &Point) const {
  RelationBuilder Relations(Maps.Sets, 0, 0);
  for (auto [Number, Value] : Point)
    if (Value != INT64_MIN)
      Relations.equal({{TermKind::Parameter, Number, 1}}, -Value);
  return Relations.map().parameters();
}

/// A point where all scalars are small.
std::optional<ParameterValues>
HazardFinder::sample(const IntegerSet &Parameters) {
  Maps.Sets.bound(Bound);
  auto Point = samplePoint(Parameters);
  if (!Point)
    return std::nullopt;
  SmallVector<unsigned, 4> Scalars;
  for (auto [Number, Value] : *Point)
    if (!Maps.Starts.isStart(Number))
      Scalars.push_back(Number);
  static constexpr std::pair<int64_t, int64_t> Ranges[] = {
      {0, 0},    {0, 16},     {0, 300},        {0, 70000},
      {-16, 16}, {-300, 300}, {-70000, 70000},
  };
  for (auto [Least, Greatest] : Ranges) {
    RelationBuilder Relations(Maps.Sets, 0, 0);
    for (unsigned Number : Scalars)
      Relations.within(TermKind::Parameter, Number, {Least, {}},
                       Greatest - Least + 1);
    Maps.Sets.bound(Bound);
    IntegerSet Small = Parameters.intersect(Relations.map().parameters());
    if (Small.isEmpty() != Decision(false))
      continue;
    auto Extreme = extremePoint(Small, Scalars, /*Greatest=*/Least < 0);
    if (!Extreme) {
      Maps.Sets.bound(Bound);
      Extreme = samplePoint(Small);
    }
    return Extreme ? Extreme : Point;
  }
  return Point;
}

/// Records a hazard if start indices that are wrong follow from scalars by the
/// arithmetic of the machine, too.
bool HazardFinder::confirm(const Question &Q, const Window &W,
                           const IntegerMap &Bad, ReadVerdict Verdict,
                           const ScalarValues &Fixed) {
  auto Used = Bad.usedParameters();
  std::optional<ParameterValues> Point =
      Used.empty() ? ParameterValues() : sample(Bad.parameters());
  if (!Point) {
    Exhausted = true;
    return false;
  }
  // Others are in the space of the relation, and may have any value.
  llvm::erase_if(*Point, [&](auto Value) {
    return !llvm::is_contained(Used, Value.first);
  });
  ScalarValues Known = Maps.Starts.scalars(*Point);
  Known.insert(Fixed.begin(), Fixed.end());
  if (!Maps.Starts.confirms(*Point, Known))
    return false;
  if (Q.Relation.Overestimated) {
    HasUncertainRead = true;
    undecided(TooManySteps);
    return true;
  }
  ElementHazard Hazard;
  Hazard.Verdict = Verdict;
  Hazard.Writer = W.Writer;
  Hazard.Reader = Q.Relation.Cause;
  for (auto [S, Value] : Known)
    Hazard.Scalars.push_back({Maps.All.nameOf(S), Value});
  if (Verdict != ReadVerdict::Anywhere)
    describe(Hazard, Q, W, Bad, fix(*Point));
  found(std::move(Hazard));
  return true;
}

/// The first element that goes wrong, and all that are read and written, for
/// the scalars of \p Point.
void HazardFinder::describe(ElementHazard &Hazard, const Question &Q,
                            const Window &W, const IntegerMap &Bad,
                            const IntegerSet &Point) const {
  Maps.Sets.bound(Bound);
  auto Span = [&](const IntegerSet &Elements, const Shape &Array) {
    auto Bounds = Elements.intersectParameters(Point)
                      .apply(memoryNumber(Maps.Sets, Array))
                      .bounds(0);
    return Bounds ? ElementSpan{Bounds->first, Bounds->second + 1}
                  : ElementSpan{};
  };
  Hazard.Written = Span(Bad.domain(), Result).Begin;
  RelationBuilder Number(Maps.Sets, 1, 0);
  Number.equal({{TermKind::In, 0, 1}}, -Hazard.Written);
  IntegerSet First =
      Number.domain().apply(memoryNumber(Maps.Sets, Result).reverse());
  Hazard.Read = Span(Bad.intersectDomain(First).range(), Result).Begin;
  Hazard.Reads = Span(Q.Reads.range(), Operand);
  Hazard.Writes = Span(W.Elements, Result);
}

/// Values of \p S to try, ascending but for negative ones, which come last;
/// \p All if it has no others.
SmallVector<int64_t, 64> HazardFinder::valuesOf(ScalarId S, bool &All) {
  static constexpr int64_t Samples[] = {
      0,  1,  2,  3,  4,  5,   6,   7,    8,  9,  10, 12, 16,  20,
      31, 32, 50, 64, 99, 128, 255, 1000, -1, -2, -3, -8, -100};
  SmallVector<int64_t, 64> Values;
  auto Range = Maps.Starts.rangeOf(S);
  All = Range && Range->Last >= Range->Begin &&
        boundedAdd(Range->Last, -Range->Begin) / Range->Step < FewValues;
  if (All)
    for (int64_t V = Range->Begin; V <= Range->Last; V += Range->Step)
      Values.push_back(V);
  else if (Range)
    for (int64_t V : Samples) {
      V = std::clamp(V, Range->Begin, Range->Last);
      if (Range->Step != 1)
        V -= (V - Range->Begin) % Range->Step;
      if (!llvm::is_contained(Values, V))
        Values.push_back(V);
    }
  return Values;
}

/// Fixes \p Scalars, with up to \p Limit of their values together. True if all
/// is decided: a hazard was recorded, or these are all values that there are.
bool HazardFinder::tryValues(const Question &Q, const Window &W,
                             const IntegerMap &Bad, ArrayRef<ScalarId> Scalars,
                             size_t Limit) {
  std::vector<SmallVector<int64_t, 64>> Values;
  size_t Count = 1, Most = 1;
  bool Proof = true;
  for (ScalarId S : Scalars) {
    bool All = false;
    Values.push_back(valuesOf(S, All));
    Proof &= All;
    Most = std::max(Most, Values.back().size());
    Count = std::min(Count * Values.back().size(), MaxTrials + 1);
  }
  bool Every = Count <= Limit;
  size_t Stride = llvm::divideCeil(Most, Limit);
  for (size_t K = 0; K != std::min(Count, Limit); ++K) {
    // All pairs of small values come early: along diagonals.
    size_t Offset = K * Stride, Number = Offset / Most;
    size_t Shift = Number % 2 == 1 ? Number / 2 + 1 : Most - Number / 2;
    ScalarValues Fixed;
    for (auto [S, Candidates] : llvm::zip_equal(Scalars, Values)) {
      Fixed[S] = Candidates[Offset % Candidates.size()];
      Offset = Every ? Offset / Candidates.size() : Offset + Shift;
    }
    bool Empty = false;
    if (decideValues(Q, W, Bad, Fixed, Empty))
      return true;
    Proof &= Empty;
  }
  return Proof && Every;
}

/// Where the question is too hard, or unknown arithmetic is between scalars and
/// start indices, values of some scalars make the rest known.
void HazardFinder::search(const Question &Q, const Window &W,
                          const IntegerMap &Bad) {
  bool TooLong = Maps.Sets.isExceeded();
  Maps.Sets.bound(Bound);
  auto Used = Bad.usedParameters();
  auto Scalars = Maps.Starts.scalarsOf(Used, /*UnderUnknown=*/!TooLong);
  if (!TooLong) {
    for (const ScalarId &S : Scalars)
      if (tryValues(Q, W, Bad, S, MaxTrials))
        return;
    if (Scalars.size() > 1 && tryValues(Q, W, Bad, Scalars, MaxTrials))
      return;
    return undecided(Exhausted ? TooManySteps : UnknownScalars);
  }
  unsigned long Whole = std::exchange(Bound, Bound / PointShare);
  bool Decided =
      Scalars.size() <= MaxFree && tryValues(Q, W, Bad, Scalars, EasyTrials);
  for (size_t K = 0;
       !Decided && Scalars.size() <= MaxFree && K != Scalars.size(); ++K) {
    auto Others = Scalars;
    Others.erase(Others.begin() + K);
    Decided = tryValues(Q, W, Bad, Others, PartialTrials);
  }
  Bound = Whole;
  if (!Decided)
    undecided(TooManySteps);
}
