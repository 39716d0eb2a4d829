//===- Dataflow/StartIndices.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/StartIndices.h"

using namespace hlobuf;
using llvm::ArrayRef;

/// Longer chains of scalar instructions are not followed.
static constexpr unsigned MaxSteps = 64;

static IdPair keyOf(ScopedId At) { return {At.Scope, At.Id.index()}; }

uint32_t StartIndices::enter(ScopedId Call) {
  auto [At, New] =
      ScopeOf.try_emplace(keyOf(Call), static_cast<uint32_t>(Scopes.size()));
  if (New)
    Scopes.push_back(Call);
  return At->second;
}

std::optional<int64_t> StartIndices::literal(HloId Id) const {
  if (P[Id].Op != Opcode::Constant || P.isHidden(Id))
    return std::nullopt;
  llvm::StringRef Text = P.module().operandsText(P.module()[Id]).trim(" \t{}");
  int64_t Value = 0;
  if (Text == "true" || Text == "false")
    return Text == "true";
  if (Text.getAsInteger(10, Value))
    return std::nullopt;
  return std::clamp(Value, -MaxElement, MaxElement);
}

/// The instruction that computes \p At.
ScopedId StartIndices::resolve(ScopedId At) const {
  for (unsigned Steps = 0; Steps != MaxSteps; ++Steps) {
    const ProgramNode &N = P[At.Id];
    ArrayRef<HloId> Operands = P.operands(At.Id);
    if (N.Op == Opcode::Parameter && At.Scope != 0) {
      ScopedId Call = caller(At.Scope);
      Operands = P.operands(Call.Id);
      if (N.Number >= Operands.size())
        return At;
      At = {Call.Scope, Operands[N.Number]};
    } else if (keepsScalar(N.Op) && Operands.size() == 1) {
      At.Id = Operands[0];
    } else {
      return At;
    }
  }
  return At;
}

/// Nothing for opcodes that start indices hardly use.
static std::optional<int64_t> arithmetic(Opcode Op, ArrayRef<int64_t> V) {
  if (V.size() == 1 && Op == Opcode::Negate)
    return -V[0];
  if (V.size() == 1 && Op == Opcode::Abs)
    return V[0] < 0 ? -V[0] : V[0];
  if (V.size() == 3 && Op == Opcode::Select)
    return V[0] ? V[1] : V[2];
  if (V.size() == 3 && Op == Opcode::Clamp)
    return std::min(std::max(V[0], V[1]), V[2]);
  if (V.size() != 2)
    return std::nullopt;
  switch (Op) {
  case Opcode::Add:
    return boundedAdd(V[0], V[1]);
  case Opcode::Subtract:
    return boundedAdd(V[0], -V[1]);
  case Opcode::Multiply:
    return boundedMultiply(V[0], V[1]);
  case Opcode::Maximum:
    return std::max(V[0], V[1]);
  case Opcode::Minimum:
    return std::min(V[0], V[1]);
  case Opcode::And:
    return V[0] & V[1];
  case Opcode::Or:
    return V[0] | V[1];
  case Opcode::Divide:
    return V[1] == 0 ? 0 : V[0] / V[1];
  case Opcode::Remainder:
    return V[1] == 0 ? 0 : V[0] % V[1];
  default:
    return std::nullopt;
  }
}

/// Computes elements of arrays, numbered from 0 with the last dimension
/// fastest, where they follow from the module alone.
struct StartIndices::Element {
  const StartIndices &S;
  const Program &P;
  unsigned Steps = 0;

  using Result = std::optional<int64_t>;
  Result at(ScopedId At, int64_t N);
  Result literal(HloId Id, int64_t N) const;
  Result inner(ScopedId At, int64_t N);
  Result iota(HloId Id, ArrayRef<int64_t> Index) const;
  Result slice(ScopedId At, llvm::MutableArrayRef<int64_t> Index);
  Result broadcast(ScopedId At, ArrayRef<int64_t> Index);
  Result concatenate(ScopedId At, llvm::MutableArrayRef<int64_t> Index);
  Result elementwise(ScopedId At, int64_t N);

  const Shape &shape(HloId Id) const {
    return P.trees().shape(P.trees().part(P[Id].Shape, 0));
  }
  llvm::StringRef attributes(HloId Id) const {
    return P.isHidden(Id) ? "" : P.module().attributes(P.module()[Id]);
  }
  /// Element \p Index of operand \p K.
  Result operand(ScopedId At, size_t K, ArrayRef<int64_t> Index);
};

/// IdPair of an attribute like `dimensions={0,1}`.
static llvm::SmallVector<int64_t, 4> numbers(llvm::StringRef Attributes,
                                             llvm::StringRef Key) {
  llvm::SmallVector<int64_t, 4> All;
  llvm::SmallVector<llvm::StringRef, 4> Items;
  findAttribute(Attributes, Key).value_or("").trim("{}").split(Items, ',');
  for (llvm::StringRef Item : Items) {
    int64_t Number = 0;
    if (Item.getAsInteger(10, Number))
      break;
    All.push_back(Number);
  }
  return All;
}

/// True if memory order is the order of element numbers.
static bool isRowMajor(const Shape &S) {
  if (!S.Layout || !S.Layout->Tiles.empty())
    return !S.Layout;
  int64_t Last = static_cast<int64_t>(S.Dimensions.size());
  for (int64_t D : S.Layout->MinorToMajor) {
    if (D < 0 || static_cast<size_t>(D) >= S.Dimensions.size())
      return false;
    if (S.Dimensions[static_cast<size_t>(D)].Size == 1)
      continue;
    if (D > Last)
      return false;
    Last = D;
  }
  return true;
}

static int64_t linear(const Shape &S, ArrayRef<int64_t> Index) {
  int64_t N = 0;
  for (size_t D = 0; D != Index.size(); ++D)
    N = boundedAdd(boundedMultiply(N, S.Dimensions[D].Size), Index[D]);
  return N;
}

StartIndices::Element::Result
StartIndices::Element::operand(ScopedId At, size_t K, ArrayRef<int64_t> Index) {
  HloId Id = P.operands(At.Id)[K];
  const Shape &Y = shape(Id);
  if (!Y.isArray() || Y.Dimensions.size() != Index.size())
    return std::nullopt;
  for (size_t D = 0; D != Index.size(); ++D)
    if (Index[D] < 0 || Index[D] >= Y.Dimensions[D].Size)
      return std::nullopt;
  return at({At.Scope, Id}, linear(Y, Index));
}

StartIndices::Element::Result StartIndices::Element::literal(HloId Id,
                                                             int64_t N) const {
  if (P.isHidden(Id))
    return std::nullopt;
  llvm::StringRef Text = P.module().operandsText(P.module()[Id]);
  // Longer ones are hardly start indices, and may be left out.
  if (Text.size() > 1000 || Text.contains("...") || Text.contains("/*"))
    return std::nullopt;
  for (; N != 0 && !Text.empty(); --N)
    Text = Text.split(',').second;
  int64_t Value = 0;
  if (Text.split(',').first.trim(" \t{}").getAsInteger(10, Value))
    return std::nullopt;
  return std::clamp(Value, -MaxElement, MaxElement);
}

/// Through parameters and results of fusions.
StartIndices::Element::Result StartIndices::Element::inner(ScopedId At,
                                                           int64_t N) {
  if (P[At.Id].Op == Opcode::Parameter) {
    if (At.Scope == 0)
      return std::nullopt;
    ScopedId Call = S.caller(At.Scope);
    ArrayRef<HloId> Operands = P.operands(Call.Id);
    uint32_t Number = P[At.Id].Number;
    return Number < Operands.size() ? at({Call.Scope, Operands[Number]}, N)
                                    : std::nullopt;
  }
  ComputationId Body = P.callee(At.Id, CallRole::Calls);
  auto Scope = S.ScopeOf.find(keyOf(At));
  if (!Body || !P.root(Body) || Scope == S.ScopeOf.end())
    return std::nullopt;
  return at({Scope->second, P.root(Body)}, N);
}

StartIndices::Element::Result
StartIndices::Element::iota(HloId Id, ArrayRef<int64_t> Index) const {
  auto Dimension = numbers(attributes(Id), "iota_dimension");
  if (Dimension.empty() || Dimension[0] < 0 ||
      static_cast<size_t>(Dimension[0]) >= Index.size())
    return std::nullopt;
  return Index[static_cast<size_t>(Dimension[0])];
}

StartIndices::Element::Result
StartIndices::Element::slice(ScopedId At,
                             llvm::MutableArrayRef<int64_t> Index) {
  llvm::SmallVector<int64_t, 4> Begins(Index.size());
  llvm::SmallVector<int64_t, 4> Strides(Index.size());
  if (!parseSlice(attributes(At.Id), Begins, Strides))
    return std::nullopt;
  for (size_t D = 0; D != Index.size(); ++D)
    Index[D] = boundedAdd(Begins[D], boundedMultiply(Index[D], Strides[D]));
  return operand(At, 0, Index);
}

StartIndices::Element::Result
StartIndices::Element::broadcast(ScopedId At, ArrayRef<int64_t> Index) {
  llvm::SmallVector<int64_t, 4> Source;
  for (int64_t D : numbers(attributes(At.Id), "dimensions")) {
    if (D < 0 || static_cast<size_t>(D) >= Index.size())
      return std::nullopt;
    Source.push_back(Index[static_cast<size_t>(D)]);
  }
  return operand(At, 0, Source);
}

StartIndices::Element::Result
StartIndices::Element::concatenate(ScopedId At,
                                   llvm::MutableArrayRef<int64_t> Index) {
  auto Along = numbers(attributes(At.Id), "dimensions");
  if (Along.empty() || Along[0] < 0 ||
      static_cast<size_t>(Along[0]) >= Index.size())
    return std::nullopt;
  auto D = static_cast<size_t>(Along[0]);
  for (size_t K = 0; K != P.operands(At.Id).size(); ++K) {
    const Shape &Y = shape(P.operands(At.Id)[K]);
    if (D >= Y.Dimensions.size())
      return std::nullopt;
    if (Index[D] < Y.Dimensions[D].Size)
      return operand(At, K, Index);
    Index[D] -= Y.Dimensions[D].Size;
  }
  return std::nullopt;
}

StartIndices::Element::Result StartIndices::Element::elementwise(ScopedId At,
                                                                 int64_t N) {
  ArrayRef<HloId> Operands = P.operands(At.Id);
  llvm::SmallVector<int64_t, 3> Inputs(std::min<size_t>(Operands.size(), 3), 0);
  if (Operands.empty() || Operands.size() > 3 ||
      !arithmetic(P[At.Id].Op, Inputs))
    return std::nullopt;
  for (size_t K = 0; K != Operands.size(); ++K) {
    bool IsScalar = shape(Operands[K]).Dimensions.empty();
    Result Value = at({At.Scope, Operands[K]}, IsScalar ? 0 : N);
    if (!Value)
      return std::nullopt;
    Inputs[K] = *Value;
  }
  Result Value = arithmetic(P[At.Id].Op, Inputs);
  // Narrow types wrap around.
  unsigned Bits = shape(At.Id).Bits;
  if (Value && Bits > 1 && Bits < 32 && std::abs(*Value) >> (Bits - 1) != 0)
    return std::nullopt;
  return Value;
}

StartIndices::Element::Result StartIndices::Element::at(ScopedId At,
                                                        int64_t N) {
  const Shape &Own = shape(At.Id);
  if (!Own.isArray() || ++Steps > 4 * MaxSteps)
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> Index(Own.Dimensions.size());
  int64_t Rest = N;
  for (size_t D = Index.size(); D-- != 0;) {
    if (Own.Dimensions[D].Size <= 0)
      return std::nullopt;
    Index[D] = Rest % Own.Dimensions[D].Size;
    Rest /= Own.Dimensions[D].Size;
  }
  ArrayRef<HloId> Operands = P.operands(At.Id);
  Opcode Op = P[At.Id].Op;
  if (Op == Opcode::Constant)
    return literal(At.Id, N);
  if (Op == Opcode::Iota)
    return iota(At.Id, Index);
  if (Op == Opcode::Parameter || Op == Opcode::Fusion)
    return inner(At, N);
  if (Operands.empty())
    return std::nullopt;
  switch (Op) {
  case Opcode::Slice:
    return slice(At, Index);
  case Opcode::Broadcast:
    return broadcast(At, Index);
  case Opcode::Concatenate:
    return concatenate(At, Index);
  case Opcode::Bitcast:
    if (!isRowMajor(Own) || !isRowMajor(shape(Operands[0])) ||
        shape(Operands[0]).Bits != Own.Bits)
      return std::nullopt;
    [[fallthrough]];
  case Opcode::Reshape:
  case Opcode::Copy:
  case Opcode::Convert:
    return at({At.Scope, Operands[0]}, N);
  default:
    return elementwise(At, N);
  }
}

/// The value of the scalar \p At where nothing unknown is in it.
std::optional<int64_t> StartIndices::known(ScopedId At) const {
  if (std::optional<int64_t> Value = literal(At.Id))
    return Value;
  return Element{*this, P}.at(At, 0);
}

AffineIndex StartIndices::start(ScopedId At, int64_t Max) {
  AffineIndex Index;
  Max = std::max<int64_t>(Max, 0);
  At = resolve(At);
  if (Max == 0)
    return Index;
  if (std::optional<int64_t> Value = known(At)) {
    Index.Constant = std::clamp<int64_t>(*Value, 0, Max);
    return Index;
  }
  auto [Known, New] = StartOf.try_emplace({keyOf(At), Max},
                                          static_cast<uint32_t>(Starts.size()));
  if (New)
    Starts.push_back({At, Max});
  Index.Terms.push_back({Known->second, Max, 1});
  return Index;
}

/// Computes scalars, or finds what they depend on.
struct StartIndices::Evaluation {
  Evaluation(const StartIndices &S, const Program &P, ArrayRef<ScopedId> Names,
             ArrayRef<int64_t> Values, Unknowns *Out)
      : S(S), P(P), Names(Names), Values(Values), Out(Out) {}

  const StartIndices &S;
  const Program &P;
  ArrayRef<ScopedId> Names;
  ArrayRef<int64_t> Values;
  /// Takes unknown scalars where they are only collected.
  Unknowns *Out;
  unsigned Steps = 0;
  /// Scalars that were computed: most have several users.
  llvm::SmallDenseMap<IdPair, int64_t, 16> Known;

  int64_t unknown(ScopedId At);
  int64_t compute(ScopedId At);
  int64_t computeNew(ScopedId At);
  int64_t compared(HloId Id, int64_t A, int64_t B) const;
};

int64_t StartIndices::Evaluation::unknown(ScopedId At) {
  if (Out && !llvm::is_contained(*Out, At))
    Out->push_back(At);
  const auto *Given = llvm::find(Names, At);
  return Given == Names.end() ? 0 : Values[Given - Names.begin()];
}

int64_t StartIndices::Evaluation::compared(HloId Id, int64_t A,
                                           int64_t B) const {
  llvm::StringRef Direction =
      findAttribute(P.module().attributes(P.module()[Id]), "direction")
          .value_or("");
  if (Direction == "EQ")
    return A == B;
  if (Direction == "NE")
    return A != B;
  if (Direction == "LT")
    return A < B;
  if (Direction == "LE")
    return A <= B;
  return Direction == "GT" ? A > B : A >= B;
}

int64_t StartIndices::Evaluation::compute(ScopedId At) {
  At = S.resolve(At);
  if (std::optional<int64_t> Value = S.literal(At.Id))
    return *Value;
  if (auto Found = Known.find(keyOf(At)); Found != Known.end())
    return Found->second;
  int64_t Value = computeNew(At);
  Known[keyOf(At)] = Value;
  return Value;
}

int64_t StartIndices::Evaluation::computeNew(ScopedId At) {
  ArrayRef<HloId> Operands = P.operands(At.Id);
  // Scalars in a fusion of their own.
  if (P[At.Id].Op == Opcode::Fusion && ++Steps < MaxSteps &&
      !P.trees().isTuple(P[At.Id].Shape, 0)) {
    ComputationId Body = P.callee(At.Id, CallRole::Calls);
    auto Scope = S.ScopeOf.find(keyOf(At));
    if (Body && P.root(Body) && Scope != S.ScopeOf.end())
      return compute({Scope->second, P.root(Body)});
    return unknown(At);
  }
  Opcode Op = P[At.Id].Op;
  llvm::SmallVector<int64_t, 3> Inputs(std::min<size_t>(Operands.size(), 3), 0);
  bool IsCompare = Op == Opcode::Compare && Operands.size() == 2;
  if (Operands.empty() || Operands.size() > 3 ||
      (!IsCompare && !arithmetic(Op, Inputs)) || ++Steps >= MaxSteps)
    return unknown(At);
  for (size_t K = 0; K != Operands.size(); ++K)
    Inputs[K] = compute({At.Scope, Operands[K]});
  return IsCompare ? compared(At.Id, Inputs[0], Inputs[1])
                   : *arithmetic(Op, Inputs);
}

void StartIndices::collect(uint32_t Start, Unknowns &Out) const {
  Evaluation(*this, P, {}, {}, &Out).compute(Starts[Start].At);
}

int64_t StartIndices::value(uint32_t Start, ArrayRef<ScopedId> Out,
                            ArrayRef<int64_t> Values) const {
  int64_t Value =
      Evaluation(*this, P, Out, Values, nullptr).compute(Starts[Start].At);
  return std::clamp<int64_t>(Value, 0, Starts[Start].Max);
}
