// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/StartIndices.h"
#include "HLO/ArrayOrder.h"

using namespace hlobuf;

/// Deeper expressions are scalars that nothing is known of.
static constexpr unsigned MaxExpression = 100;

static SymbolicNumber wrap(const SymbolicNumber &A, IntegerType To) {
  auto Bounds = A.values().bounds(0);
  if (Bounds && Bounds->first >= To.least() && Bounds->second <= To.greatest())
    return A;
  if (!To.Signed)
    return A.modulo(To.Bits);
  SymbolicNumber Half = A.number(1).shiftLeft(To.Bits - 1);
  return A.add(Half).modulo(To.Bits).subtract(Half);
}

static SymbolicNumber computeOne(Opcode Op, const SymbolicNumber &A,
                                 IntegerType From, IntegerType To) {
  SymbolicNumber Zero = A.number(0), One = A.number(1);
  switch (Op) {
  case Opcode::Convert:
    return To.Bits == 1
               ? SymbolicNumber::indicator(A.where(CompareDirection::NE, Zero))
               : wrap(A, To);
  case Opcode::Copy:
    return A;
  case Opcode::Negate:
    return wrap(A.negate(), To);
  case Opcode::Abs:
    return wrap(A.greatest(A.negate()), To);
  case Opcode::Sign:
    return A.least(One).greatest(A.number(-1));
  case Opcode::Not:
    return From.Bits == 1 ? One.subtract(A)
                          : wrap(A.number(-1).subtract(A), To);
  default:
    return {};
  }
}

/// The bits of \p A that a constant of the form 2^k - 1 leaves.
static SymbolicNumber masked(const SymbolicNumber &A, const SymbolicNumber &B) {
  auto Mask = B.constant();
  if (!Mask || *Mask < 0 || (*Mask & (*Mask + 1)) != 0)
    return {};
  unsigned Bits = 0;
  while (*Mask >> Bits != 0)
    ++Bits;
  return A.modulo(Bits);
}

static SymbolicNumber quotient(const SymbolicNumber &A, const SymbolicNumber &B,
                               IntegerType To) {
  auto Divisor = B.constant();
  if (!Divisor || *Divisor == INT64_MIN)
    return {};
  if (*Divisor == 0)
    return wrap(A.number(-1), To);
  SymbolicNumber Quotient = A.quotient(A.number(std::abs(*Divisor)));
  return *Divisor > 0 ? Quotient : wrap(Quotient.negate(), To);
}

static SymbolicNumber remainder(const SymbolicNumber &A,
                                const SymbolicNumber &B) {
  auto Divisor = B.constant();
  if (!Divisor || *Divisor == INT64_MIN)
    return {};
  return *Divisor == 0 ? A : A.remainder(A.number(std::abs(*Divisor)));
}

/// \p Distance is at most the number of bits, which leaves none of them, or
/// the highest one.
static SymbolicNumber shiftedBy(Opcode Op, const SymbolicNumber &A,
                                unsigned Distance, IntegerType To) {
  if (Op == Opcode::ShiftLeft)
    return wrap(A.shiftLeft(Distance), To);
  SymbolicNumber Bits = Op == Opcode::ShiftRightArithmetic
                            ? wrap(A, {To.Bits, /*Signed=*/true})
                            : A.modulo(To.Bits);
  return wrap(Bits.shiftRight(Distance), To);
}

static SymbolicNumber shifted(Opcode Op, const SymbolicNumber &A,
                              const SymbolicNumber &B, IntegerType To) {
  auto Width = static_cast<int64_t>(To.Bits);
  if (auto Only = B.constant()) {
    bool TooFar = *Only < 0 || *Only > Width;
    return shiftedBy(Op, A, static_cast<unsigned>(TooFar ? Width : *Only), To);
  }
  // Others are all too far.
  IntegerSet Far = B.where(CompareDirection::LT, A.number(0))
                       .unite(A.number(Width).where(CompareDirection::LE, B));
  SymbolicNumber Shifted = shiftedBy(Op, A, To.Bits, To).restrict(Far);
  for (unsigned Distance = 0; Distance != To.Bits; ++Distance)
    Shifted = Shifted.unite(
        shiftedBy(Op, A, Distance, To)
            .restrict(B.where(CompareDirection::EQ, A.number(Distance))));
  return Shifted;
}

static SymbolicNumber computeTwo(Opcode Op, StringRef Attributes,
                                 const SymbolicNumber &A,
                                 const SymbolicNumber &B, IntegerType From,
                                 IntegerType To) {
  bool Pred = From.Bits == 1;
  switch (Op) {
  case Opcode::Add:
    return Pred ? A.greatest(B) : wrap(A.add(B), To);
  case Opcode::Subtract:
    return Pred ? SymbolicNumber() : wrap(A.subtract(B), To);
  case Opcode::Multiply:
    return Pred                           ? A.least(B)
           : A.constant() || B.constant() ? wrap(A.multiply(B), To)
                                          : SymbolicNumber();
  case Opcode::Divide:
    return quotient(A, B, To);
  case Opcode::Remainder:
    return remainder(A, B);
  case Opcode::Maximum:
    return A.greatest(B);
  case Opcode::Minimum:
    return A.least(B);
  case Opcode::And: {
    if (Pred)
      return A.least(B);
    SymbolicNumber Left = masked(A, B);
    return Left ? Left : masked(B, A);
  }
  case Opcode::Or:
    return Pred ? A.greatest(B) : SymbolicNumber();
  case Opcode::Xor:
    return Pred ? SymbolicNumber::indicator(A.where(CompareDirection::NE, B))
                : SymbolicNumber();
  case Opcode::ShiftLeft:
  case Opcode::ShiftRightArithmetic:
  case Opcode::ShiftRightLogical:
    return shifted(Op, A, B, To);
  case Opcode::Compare: {
    auto C = compareDirection(Attributes);
    return C ? SymbolicNumber::indicator(A.where(*C, B)) : SymbolicNumber();
  }
  default:
    return {};
  }
}

unsigned StartIndices::number(ScalarId S, int64_t Max, bool IsStart) {
  // Max is at least 1 where it is a start's.
  auto [Entry, New] = NumberOf.try_emplace(
      {S, IsStart ? Max : -1}, static_cast<unsigned>(Entries.size()));
  if (New)
    Entries.push_back({S, Max, IsStart});
  return Entry->second;
}

SymbolicIndex StartIndices::start(ScalarId S, int64_t Max) {
  if (Max <= 0)
    return {};
  S = All.resolve(S);
  if (std::optional<int64_t> Value = All.evaluate(S, {}))
    return {std::clamp<int64_t>(*Value, 0, Max), {}};
  return {0, number(S, Max, /*IsStart=*/true)};
}

IntegerSet StartIndices::ranges(ArrayRef<unsigned> Used) {
  RelationBuilder Relations(Sets, 0, 0);
  for (unsigned K : Used)
    if (Entries[K].IsStart)
      Relations.within(TermKind::Parameter, K, {}, Entries[K].Max + 1);
  return Relations.map().parameters();
}

/// By how much one iteration changes \p State; nothing if that is not constant.
static std::optional<int64_t> findStep(Scalars &All, ScalarId State,
                                       HloId Root) {
  const Program &P = All.program();
  ScalarId Next = All.resolve({{0, Root}, State.Part, State.Element});
  Opcode Op = P[Next.Inst.Id].Op;
  if ((Op != Opcode::Add && Op != Opcode::Subtract) ||
      P.operands(Next.Inst.Id).size() != 2)
    return std::nullopt;
  ScalarId A = All.resolve(All.operand(Next, 0));
  ScalarId B = All.resolve(All.operand(Next, 1));
  if (Op == Opcode::Add && B == State)
    std::swap(A, B);
  std::optional<int64_t> Step = All.evaluate(B, {});
  if (A != State || !Step)
    return std::nullopt;
  return Op == Opcode::Add ? *Step : -*Step;
}

/// The first value at which the loop ends that counts upwards with part \p Part
/// of its state, as its condition compares it with a constant.
static std::optional<int64_t> findEnd(Scalars &All, ScalarId State,
                                      ComputationId Condition) {
  const Program &P = All.program();
  HloId Root = P.root(Condition), Parameter = P.parameter(Condition, 0);
  if (!Root || !Parameter)
    return std::nullopt;
  ScalarId Compare = All.resolve({{0, Root}});
  if (P[Compare.Inst.Id].Op != Opcode::Compare ||
      P.operands(Compare.Inst.Id).size() != 2)
    return std::nullopt;
  auto Order = compareDirection(All.attributes(Compare.Inst.Id));
  ScalarId A = All.resolve(All.operand(Compare, 0));
  ScalarId B = All.resolve(All.operand(Compare, 1));
  ScalarId Counter{{0, Parameter}, State.Part, State.Element};
  if (B == Counter) {
    std::swap(A, B);
    Order = Order == CompareDirection::GT   ? CompareDirection::LT
            : Order == CompareDirection::GE ? CompareDirection::LE
                                            : std::optional<CompareDirection>();
  }
  std::optional<int64_t> Limit = All.evaluate(B, {});
  if (A != Counter || !Limit || !Order)
    return std::nullopt;
  if (*Order == CompareDirection::LT)
    return Limit;
  return *Order == CompareDirection::LE ? std::optional(boundedAdd(*Limit, 1))
                                        : std::nullopt;
}

std::optional<int64_t> hlobuf::countRounds(Scalars &All, HloId While) {
  const Program &P = All.program();
  ComputationId Condition = P.callee(While, CallRole::Condition);
  ComputationId Body = P.callee(While, CallRole::Body);
  HloId Root = Condition ? P.root(Condition) : HloId();
  HloId Parameter = Body ? P.parameter(Body, 0) : HloId();
  if (!Root || !Parameter || !P.root(Body) || P.operands(While).size() != 1)
    return std::nullopt;
  ScalarId Compare = All.resolve({{0, Root}});
  if (P[Compare.Inst.Id].Op != Opcode::Compare)
    return std::nullopt;
  for (size_t K : {0, 1}) {
    ScalarId S = All.resolve(All.operand(Compare, K));
    if (S.Inst.Id != P.parameter(Condition, 0))
      continue;
    ScalarId State{{0, Parameter}, S.Part, S.Element};
    auto Begin =
        All.evaluate({{0, P.operands(While)[0]}, S.Part, S.Element}, {});
    auto Step = findStep(All, State, P.root(Body));
    auto End = findEnd(All, State, Condition);
    int64_t Distance = 0;
    if (Begin && Step && End && *Step > 0 &&
        !__builtin_sub_overflow(*End, *Begin, &Distance))
      return Distance <= 0 ? 0 : (Distance - 1) / *Step + 1;
  }
  return std::nullopt;
}

/// `"known_trip_count":{"n":"10"}` in backend_config.
std::optional<int64_t> hlobuf::statedRounds(StringRef Attributes) {
  size_t Offset = Attributes.find("known_trip_count");
  int64_t Count = 0;
  if (Offset == llvm::StringRef::npos)
    return std::nullopt;
  StringRef Rest = Attributes.drop_front(Offset).drop_until(
      [](char C) { return C >= '0' && C <= '9'; });
  if (Rest.consumeInteger(10, Count) || Count <= 0 || Count > MaxElement)
    return std::nullopt;
  return Count;
}

/// The values that \p S, a resolved scalar, has inside of the body of the loop
/// whose state it is a part of; nothing if the loop does not count with it from
/// a constant to a constant.
static std::optional<CounterRange> counterRange(Scalars &All, ScalarId S) {
  const Program &P = All.program();
  ComputationId Body = P[S.Inst.Id].Parent;
  if (P[S.Inst.Id].Op != Opcode::Parameter || S.Inst.Scope != 0 ||
      P.callers(Body).size() != 1)
    return std::nullopt;
  HloId While = P.callers(Body)[0];
  if (P[While].Op != Opcode::While || P.operands(While).size() != 1 ||
      P.callee(While, CallRole::Body) != Body)
    return std::nullopt;
  ComputationId Condition = P.callee(While, CallRole::Condition);
  HloId Root = P.root(Body);
  auto Type = IntegerType::of(All.shape(S));
  if (!Condition || !Root || !Type ||
      S.Part >= P.trees().parts(P[Root].Shape) ||
      S.Part >= P.trees().parts(P[P.operands(While)[0]].Shape))
    return std::nullopt;
  std::optional<int64_t> Begin =
      All.evaluate({{0, P.operands(While)[0]}, S.Part, S.Element}, {});
  std::optional<int64_t> Step = findStep(All, S, Root);
  if (!Begin || !Step || *Step == 0 || std::abs(*Step) >= MaxElement ||
      std::abs(*Begin) >= MaxElement)
    return std::nullopt;
  std::optional<int64_t> Last;
  if (std::optional<int64_t> Count = statedRounds(All.attributes(While)))
    Last = boundedAdd(*Begin, boundedMultiply(*Count - 1, *Step));
  else if (std::optional<int64_t> End = findEnd(All, S, Condition);
           End && *Step > 0)
    Last = boundedAdd(*End, -1);
  // A counter that leaves its type's range wraps around.
  if (!Last || boundedAdd(*Last, *Step) > Type->greatest() ||
      boundedAdd(*Last, *Step) < Type->least())
    return std::nullopt;
  if (*Step > 0)
    return CounterRange{*Begin, *Last, *Step};
  return CounterRange{*Last, *Begin, -*Step};
}

std::optional<CounterRange> StartIndices::rangeOf(ScalarId S) {
  auto Type = IntegerType::of(All.shape(S));
  if (!Type)
    return std::nullopt;
  if (auto Counter = counterRange(All, S))
    return Counter;
  return CounterRange{Type->least(), Type->greatest(), 1};
}

/// The values that parameter \p K, a scalar, can have.
IntegerSet StartIndices::valuesOf(unsigned K) {
  RelationBuilder Relations(Sets, 0, 0);
  LinearTerm Self{TermKind::Parameter, K, 1}, Minus{Self.Kind, K, -1};
  auto Range = rangeOf(Entries[K].S);
  auto Type = IntegerType::of(All.shape(Entries[K].S));
  if (!Range)
    return Relations.map().parameters();
  // The negative of the least int64_t is none.
  if (Range->Begin != INT64_MIN)
    Relations.notNegative(Self, -Range->Begin);
  // Values of u64 may be over the largest int64_t.
  if (Type->Signed || Type->Bits != 64)
    Relations.notNegative(Minus, Range->Last);
  if (Range->Step != 1) {
    int64_t Count = (Range->Last - Range->Begin) / Range->Step + 1;
    LinearTerm Times = Relations.addInner(std::max<int64_t>(Count, 0));
    Times.Factor = -Range->Step;
    Relations.equal({Self, Times}, -Range->Begin);
  }
  return Relations.map().parameters();
}

IntegerSet StartIndices::define(ArrayRef<unsigned> Used,
                                const ScalarValues &Fixed) {
  Values V{Fixed, {}, {}};
  IntegerSet Defined = ranges(Used);
  for (unsigned K : Used) {
    if (!Entries[K].IsStart)
      continue;
    // number() may add entries.
    int64_t Max = Entries[K].Max;
    SymbolicNumber Start =
        value(Entries[K].S, V).greatest(constant(0)).least(constant(Max));
    Defined = Defined.intersect(
        Start.where(CompareDirection::EQ, SymbolicNumber::parameter(Sets, K)));
  }
  for (unsigned K : V.Used)
    Defined = Defined.intersect(valuesOf(K));
  return Defined;
}

ScalarValues StartIndices::scalars(const ParameterValues &Point) const {
  ScalarValues Known;
  for (auto [Number, Value] : Point)
    if (!Entries[Number].IsStart && !Entries[Number].Computed)
      Known[Entries[Number].S] = Value;
  return Known;
}

bool StartIndices::confirms(const ParameterValues &Point,
                            const ScalarValues &Known) const {
  return llvm::all_of(Point, [&](auto Value) {
    const Entry &E = Entries[Value.first];
    if (!E.IsStart)
      return true;
    std::optional<int64_t> Start = All.evaluate(E.S, Known);
    return Start && std::clamp<int64_t>(*Start, 0, E.Max) == Value.second;
  });
}

SymbolicNumber StartIndices::unknown(ScalarId S, Values &V, bool Computed) {
  unsigned K = number(S, 0, /*IsStart=*/false);
  Entries[K].Computed = Computed;
  if (!llvm::is_contained(V.Used, K))
    V.Used.push_back(K);
  return SymbolicNumber::parameter(Sets, K).restrict(valuesOf(K));
}

/// The instruction computes \p S from other scalars. A number that is only
/// converted from another type may be any.
static bool isArithmetic(Scalars &All, ScalarId S) {
  const Program &P = All.program();
  size_t Count = P.operands(S.Inst.Id).size();
  if (S.Part != 0 || !isElementwise(P[S.Inst.Id].Op) || Count == 0 || Count > 3)
    return false;
  if (P[S.Inst.Id].Op != Opcode::Convert ||
      IntegerType::of(All.shape(All.operand(S, 0))))
    return true;
  return isElementwise(P[All.resolve(All.operand(S, 0)).Inst.Id].Op);
}

SymbolicNumber StartIndices::value(ScalarId S, Values &V, unsigned Depth) {
  S = All.resolve(S);
  if (auto Entry = V.Fixed.find(S); Entry != V.Fixed.end())
    return constant(Entry->second);
  if (auto Before = V.Known.find(S); Before != V.Known.end())
    return Before->second;
  SymbolicNumber Value;
  if (std::optional<int64_t> Number = All.evaluate(S, V.Fixed))
    Value = constant(*Number);
  else if (isArithmetic(All, S)) {
    if (Depth != MaxExpression)
      Value = compute(S, V, Depth);
    if (!Value)
      Value = unknown(S, V, /*Computed=*/true);
  } else {
    Value = unknown(S, V, /*Computed=*/false);
  }
  V.Known[S] = Value;
  return Value;
}

/// Null where the arithmetic is not affine.
SymbolicNumber StartIndices::compute(ScalarId S, Values &V, unsigned Depth) {
  const Program &P = All.program();
  auto To = IntegerType::of(All.shape(S));
  size_t Count = P.operands(S.Inst.Id).size();
  auto From = IntegerType::of(All.shape(All.operand(S, Count - 1)));
  if (!To || !From)
    return {};
  auto Operand = [&](size_t K) {
    return value(All.operand(S, K), V, Depth + 1);
  };
  Opcode Op = P[S.Inst.Id].Op;
  if (Count == 1)
    return computeOne(Op, Operand(0), *From, *To);
  if (Count == 2) {
    SymbolicNumber A = Operand(0), B = Operand(1);
    return computeTwo(Op, All.attributes(S.Inst.Id), A, B, *From, *To);
  }
  if (Op == Opcode::Select)
    return Operand(0).select(Operand(1), Operand(2));
  if (Op == Opcode::Clamp)
    return Operand(1).greatest(Operand(0)).least(Operand(2));
  return {};
}

void StartIndices::collect(ScalarId S, SmallVectorImpl<ScalarId> &Out,
                           std::map<ScalarId, bool> &Seen, unsigned Depth) {
  S = All.resolve(S);
  if (!Seen.try_emplace(S, true).second || Depth == MaxExpression ||
      All.evaluate(S, {}))
    return;
  if (!isArithmetic(All, S)) {
    if (!llvm::is_contained(Out, S))
      Out.push_back(S);
    return;
  }
  for (size_t K = 0; K != All.program().operands(S.Inst.Id).size(); ++K)
    collect(All.operand(S, K), Out, Seen, Depth + 1);
}

SmallVector<ScalarId, 4> StartIndices::scalarsOf(ArrayRef<unsigned> Used,
                                                 bool UnderUnknown) {
  const ScalarValues None;
  Values V{None, {}, {}};
  SmallVector<ScalarId, 4> Out;
  std::map<ScalarId, bool> Seen;
  for (unsigned K : Used)
    if (Entries[K].IsStart && UnderUnknown)
      value(ScalarId(Entries[K].S), V);
    else if (Entries[K].IsStart)
      collect(Entries[K].S, Out, Seen, 0);
  for (unsigned K : V.Used)
    if (Entries[K].Computed)
      collect(Entries[K].S, Out, Seen, 0);
  return Out;
}
