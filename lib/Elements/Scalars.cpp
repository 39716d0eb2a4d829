// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/Scalars.h"
#include "Elements/ArrayPlaces.h"

using namespace hlobuf;

/// Longer chains of copies are not followed: the scalar is then unknown.
static constexpr unsigned MaxSteps = 256;
/// Loops inside of loops whose state is followed.
static constexpr unsigned MaxLoops = 8;
/// Deeper expressions are not computed.
static constexpr unsigned MaxDepth = 200;
/// Longer texts of constants are hardly indices.
static constexpr size_t MaxLiteral = 1 << 20;

uint32_t Scalars::enter(ScopedId Call) {
  auto [Entry, New] = ScopeOf.try_emplace(IdPair(Call.Scope, Call.Id.index()),
                                          static_cast<uint32_t>(Scopes.size()));
  if (New)
    Scopes.push_back(Call);
  return Entry->second;
}

/// The index of element \p Number, the last dimension fastest; nothing if there
/// is none.
static std::optional<SmallVector<int64_t, 6>> indexOf(const Shape &S,
                                                      int64_t Number) {
  SmallVector<int64_t, 6> Index(S.Dimensions.size());
  for (size_t D = Index.size(); D-- != 0;) {
    if (S.Dimensions[D].Size <= 0)
      return std::nullopt;
    Index[D] = Number % S.Dimensions[D].Size;
    Number /= S.Dimensions[D].Size;
  }
  if (!S.isArray() || Number != 0)
    return std::nullopt;
  return Index;
}

/// The number of the element at \p Index; nothing if there is none.
static std::optional<int64_t> numberOf(const Shape &S,
                                       ArrayRef<int64_t> Index) {
  if (!S.isArray() || S.Dimensions.size() != Index.size())
    return std::nullopt;
  int64_t Number = 0;
  for (size_t D = 0; D != Index.size(); ++D) {
    if (Index[D] < 0 || Index[D] >= S.Dimensions[D].Size)
      return std::nullopt;
    Number =
        boundedAdd(boundedMultiply(Number, S.Dimensions[D].Size), Index[D]);
  }
  return Number;
}

std::optional<AttributeNumbers>
hlobuf::dimensionsIn(StringRef Attributes, StringRef Key, unsigned Rank) {
  std::optional<StringRef> Text = findAttribute(Attributes, Key);
  if (!Text)
    return AttributeNumbers();
  auto Numbers = numbersIn(Text);
  if (!Numbers)
    return std::nullopt;
  for (size_t K = 0; K != Numbers->size(); ++K)
    if ((*Numbers)[K] < 0 || (*Numbers)[K] >= static_cast<int64_t>(Rank) ||
        llvm::is_contained(ArrayRef(*Numbers).take_front(K), (*Numbers)[K]))
      return std::nullopt;
  return Numbers;
}

const Scalars::Joined &Scalars::joined(HloId Concatenate) {
  auto [Known, New] = Concatenates.try_emplace(Concatenate.index());
  Joined &All = Known->second;
  size_t Rank = shape({{0, Concatenate}}).Dimensions.size();
  auto Dims = dimensionsIn(attributes(Concatenate), "dimensions", Rank);
  if (!New || !Dims || Dims->size() != 1)
    return All;
  All.Along = (*Dims)[0];
  int64_t Begin = 0;
  for (HloId Operand : P.operands(Concatenate)) {
    const Shape &Y = shape({{0, Operand}});
    if (!Y.isArray() || Y.Dimensions.size() != Rank)
      break;
    All.Begins.push_back(Begin);
    Begin = boundedAdd(Begin, Y.Dimensions[All.Along].Size);
  }
  return All;
}

std::optional<MovedDimensions> Scalars::moved(HloId Id, size_t Operand) {
  const Shape &To = shape({{0, Id}});
  const Shape &From = shape({{0, P.operands(Id)[Operand]}});
  size_t Rank = To.Dimensions.size();
  Opcode Op = P[Id].Op;
  auto Dims = dimensionsIn(attributes(Id), "dimensions", Rank);
  if (!To.isArray() || !From.isArray() || !Dims ||
      (Op != Opcode::Broadcast && From.Dimensions.size() != Rank))
    return std::nullopt;
  MovedDimensions All(From.Dimensions.size());
  for (size_t D = 0; D != All.size(); ++D)
    All[D].Source = static_cast<int64_t>(D);
  if (Op == Opcode::Slice) {
    auto Bounds = sliceBounds(findAttribute(attributes(Id), "slice"));
    if (!Bounds || Bounds->size() != Rank)
      return std::nullopt;
    for (auto [Moved, Bound] : llvm::zip_equal(All, *Bounds))
      Moved = {Moved.Source, Bound.Stride, Bound.Begin};
  } else if (Op == Opcode::Broadcast && Dims->size() == All.size()) {
    for (size_t D = 0; D != All.size(); ++D) // One of size 1 is repeated.
      All[D].Source = From.Dimensions[D].Size == To.Dimensions[(*Dims)[D]].Size
                          ? (*Dims)[D]
                          : -1;
  } else if (Op == Opcode::Transpose && Dims->size() == Rank) {
    for (size_t D = 0; D != Rank; ++D)
      All[(*Dims)[D]].Source = static_cast<int64_t>(D);
  } else if (Op == Opcode::Reverse) {
    for (int64_t D : *Dims)
      All[D] = {D, -1, To.Dimensions[D].Size - 1};
  } else if (Op == Opcode::Concatenate && Operand < joined(Id).Begins.size()) {
    All[joined(Id).Along].Offset = -joined(Id).Begins[Operand];
  } else {
    return std::nullopt;
  }
  return All;
}

bool Scalars::stepOverMove(ScalarId &S) {
  auto Index = indexOf(shape(S), S.Element);
  if (!Index)
    return false;
  size_t Source = 0;
  if (P[S.Inst.Id].Op == Opcode::Concatenate) {
    const Joined &All = joined(S.Inst.Id);
    if (All.Begins.empty())
      return false;
    Source = llvm::upper_bound(All.Begins, (*Index)[All.Along]) -
             All.Begins.begin() - 1;
  }
  auto Dims = moved(S.Inst.Id, Source);
  if (!Dims)
    return false;
  SmallVector<int64_t, 6> From;
  for (const MovedDimension &D : *Dims)
    From.push_back(
        D.Source < 0 ? 0
                     : boundedAdd(D.Offset, boundedMultiply((*Index)[D.Source],
                                                            D.Factor)));
  ScalarId Operand{{S.Inst.Scope, P.operands(S.Inst.Id)[Source]}};
  auto Number = numberOf(shape(Operand), From);
  if (!Number)
    return false;
  Operand.Element = *Number;
  S = Operand;
  return true;
}

/// Leaves \p While, whose state \p S is a part of, if the loop does not change
/// that part.
bool Scalars::leaveLoop(ScalarId &S, HloId While) {
  ComputationId Body = P.callee(While, CallRole::Body);
  if (!Body || P.operands(While).size() != 1 || Nested == MaxLoops)
    return false;
  HloId Parameter = P.parameter(Body, 0), Root = P.root(Body);
  if (!Parameter || !Root || S.Part >= P.trees().parts(P[Root].Shape))
    return false;
  ScalarId State{{0, Parameter}, S.Part, S.Element};
  // While this one is determined, it counts as changed.
  auto [Known, New] = Resolved.try_emplace(State, State);
  if (New) {
    ++Nested;
    ScalarId Next = resolve({{0, Root}, S.Part, S.Element});
    --Nested;
    ScalarId Initial = State;
    if (Next == State)
      Initial = {{0, P.operands(While)[0]}, S.Part, S.Element};
    Resolved[State] = Initial;
    Known = Resolved.find(State);
  }
  if (Known->second == State)
    return false;
  S = Known->second;
  return true;
}

/// Leaves the computation that \p S is a parameter of.
bool Scalars::stepOutOf(ScalarId &S) {
  uint32_t Number = P[S.Inst.Id].number();
  if (S.Inst.Scope != 0) {
    ScopedId Call = caller(S.Inst.Scope);
    if (Number >= P.operands(Call.Id).size())
      return false;
    S.Inst = {Call.Scope, P.operands(Call.Id)[Number]};
    return true;
  }
  ComputationId C = P[S.Inst.Id].Parent;
  if (P.callers(C).size() != 1)
    return false;
  HloId Caller = P.callers(C)[0];
  ArrayRef<HloId> Operands = P.operands(Caller);
  if (P[Caller].Op == Opcode::While)
    return Number == 0 && leaveLoop(S, Caller);
  uint32_t Operand = Number;
  if (P[Caller].Op == Opcode::Conditional) {
    ArrayRef<HloCall> Calls = P.calls(Caller);
    auto IsThis = [&](const HloCall &Call) { return Call.Callee == C; };
    if (Number != 0 || llvm::count_if(Calls, IsThis) != 1)
      return false;
    Operand = 1 + uint32_t(llvm::find_if(Calls, IsThis) - Calls.begin());
  } else if (P[Caller].Op != Opcode::Call) {
    return false;
  }
  if (Operand >= Operands.size())
    return false;
  S.Inst.Id = Operands[Operand];
  return true;
}

/// Replaces \p S by what it is a copy of; false if it is none.
bool Scalars::step(ScalarId &S) {
  const HloNode &N = P[S.Inst.Id];
  ArrayRef<HloId> Operands = P.operands(S.Inst.Id);
  if (N.Sugar)
    return false;
  if (N.Op == Opcode::Parameter)
    return stepOutOf(S);
  if (N.Op == Opcode::Fusion) {
    ComputationId Body = P.callee(S.Inst.Id, CallRole::Calls);
    HloId Root = Body ? P.root(Body) : HloId();
    if (!Root || S.Part >= P.trees().parts(P[Root].Shape))
      return false;
    S.Inst = {enter(S.Inst), Root};
    return true;
  }
  if (Operands.empty())
    return false;
  switch (N.Op) {
  case Opcode::While:
    return leaveLoop(S, S.Inst.Id);
  case Opcode::CopyDone:
    if (P[Operands[0]].Op != Opcode::CopyStart ||
        P.operands(Operands[0]).empty())
      return false;
    S.Inst.Id = P.operands(Operands[0])[0];
    return true;
  case Opcode::Bitcast: {
    const Shape &From = shape({{S.Inst.Scope, Operands[0]}});
    bool Single = shape(S).isArray() && From.isArray() &&
                  ArrayOrder(From).elements() == 1 &&
                  ArrayOrder(shape(S)).elements() == 1;
    if (From.Element != shape(S).Element ||
        (!Single && !(isRowMajor(From) && isRowMajor(shape(S)))))
      return false;
    S.Inst.Id = Operands[0];
    return true;
  }
  case Opcode::Copy:
  case Opcode::Reshape:
    S.Inst.Id = Operands[0];
    return true;
  default:
    if (!accessesNoMemory(N.Op))
      return S.Part == 0 && stepOverMove(S);
    std::optional<OperandPart> From = P.forwardedPart(S.Inst.Id, S.Part);
    if (!From)
      return false;
    S.Inst.Id = Operands[From->Operand];
    S.Part = From->Ordinal;
    return true;
  }
}

ScalarId Scalars::resolve(ScalarId S) {
  for (unsigned Steps = 0; Steps != MaxSteps; ++Steps) {
    ScalarId Before = S;
    if (!step(S))
      return S;
    // The last instruction with a name of its own.
    if (P[Before.Inst.Id].Op == Opcode::GetTupleElement ||
        P[Before.Inst.Id].Op == Opcode::Slice)
      Names.try_emplace(S, Before.Inst.Id);
  }
  return S;
}

HloId Scalars::nameOf(ScalarId S) {
  auto Known = Names.find(S);
  return Known == Names.end() ? S.Inst.Id : Known->second;
}

ScalarId Scalars::operand(ScalarId S, size_t K) const {
  HloId Id = P.operands(S.Inst.Id)[K];
  bool Single = shape({{S.Inst.Scope, Id}}).Dimensions.empty();
  return {{S.Inst.Scope, Id}, 0, Single ? 0 : S.Element};
}

/// The elements of a constant, the last dimension fastest; none if the text
/// leaves some out, or if not all of them are integers.
static std::vector<int64_t> elementsIn(StringRef Text) {
  std::vector<int64_t> Values;
  if (Text.size() > MaxLiteral)
    return Values;
  while (!(Text = Text.ltrim(" \t{},")).empty()) {
    if (Text.consume_front("/*")) { // the index of a row
      Text = Text.split("*/").second;
      continue;
    }
    StringRef Word =
        Text.take_until([](char C) { return StringRef(" \t{},").contains(C); });
    Text = Text.drop_front(Word.size());
    bool Truth = Word == "true" || Word == "false";
    int64_t Value = Word == "true";
    if (!Truth && Word.getAsInteger(10, Value))
      return {};
    Values.push_back(Value);
  }
  return Values;
}

std::optional<int64_t> Scalars::literal(ScalarId S) {
  if (P[S.Inst.Id].Op != Opcode::Constant || P.isHidden(S.Inst.Id) ||
      !IntegerType::of(shape(S)))
    return std::nullopt;
  auto [Known, New] = Literals.try_emplace(S.Inst.Id.index());
  if (New)
    Known->second = elementsIn(P.module().operandsText(P.module()[S.Inst.Id]));
  auto Element = static_cast<size_t>(S.Element);
  if (Element >= Known->second.size())
    return std::nullopt;
  return Known->second[Element];
}

std::optional<int64_t> Scalars::evaluate(ScalarId S,
                                         const ScalarValues &Known) {
  ScalarValues Done;
  return compute(S, Known, Done, 0);
}

std::optional<int64_t> Scalars::compute(ScalarId S, const ScalarValues &Known,
                                        ScalarValues &Done, unsigned Depth) {
  S = resolve(S);
  if (auto Entry = Known.find(S); Entry != Known.end())
    return Entry->second;
  if (auto Before = Done.find(S); Before != Done.end())
    return Before->second;
  if (std::optional<int64_t> Value = literal(S))
    return Value;
  auto To = IntegerType::of(shape(S));
  const HloNode &N = P[S.Inst.Id];
  if (!To || Depth == MaxDepth || S.Part != 0)
    return std::nullopt;
  std::optional<int64_t> Value;
  if (N.Op == Opcode::Iota) {
    auto Index = indexOf(shape(S), S.Element);
    AttributeNumbers D;
    int64_t Dimension = 0;
    auto Text = findAttribute(attributes(S.Inst.Id), "iota_dimension");
    if (!Index || !Text || Text->getAsInteger(10, Dimension) || Dimension < 0 ||
        static_cast<size_t>(Dimension) >= Index->size())
      return std::nullopt;
    return To->wrap((*Index)[Dimension]);
  }
  size_t Count = P.operands(S.Inst.Id).size();
  if (!isElementwise(N.Op) || Count == 0 || Count > 3)
    return std::nullopt;
  SmallVector<int64_t, 3> In;
  for (size_t K = 0; K != Count; ++K) {
    auto One = compute(operand(S, K), Known, Done, Depth + 1);
    if (!One)
      return std::nullopt;
    In.push_back(*One);
  }
  // Of a select or clamp all but the first may be asked for.
  if (IntegerType::of(shape(operand(S, Count - 1))))
    Value = computeInteger(N.Op, In, *To, attributes(S.Inst.Id));
  if (Value)
    Done[S] = *Value;
  return Value;
}
