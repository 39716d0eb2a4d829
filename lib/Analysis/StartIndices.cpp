//===- Analysis/StartIndices.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/StartIndices.h"

using namespace hlobuf;
using llvm::ArrayRef;

/// Longer chains of scalar instructions are not followed.
static constexpr unsigned MaxSteps = 64;

static uint64_t keyOf(ScopedId At) {
  return uint64_t(At.Scope) << 32 | At.Id.index();
}

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

/// True if \p Op hands a scalar on as it is. A convert does where the value
/// fits, as start indices do.
static bool isForwarder(Opcode Op) {
  return Op == Opcode::Bitcast || Op == Opcode::Copy || Op == Opcode::Reshape ||
         Op == Opcode::Convert || Op == Opcode::OptBarrier ||
         Op == Opcode::Broadcast;
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
    } else if (isForwarder(N.Op) && Operands.size() == 1) {
      At.Id = Operands[0];
    } else {
      return At;
    }
  }
  return At;
}

AffineIndex StartIndices::start(ScopedId At, int64_t Max) {
  AffineIndex Index;
  Max = std::max<int64_t>(Max, 0);
  At = resolve(At);
  if (Max == 0)
    return Index;
  if (std::optional<int64_t> Value = literal(At.Id)) {
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
  const StartIndices &S;
  const Program &P;
  ArrayRef<ScopedId> Names;
  ArrayRef<int64_t> Values;
  /// Takes unknown scalars where they are only collected.
  Unknowns *Out = nullptr;
  unsigned Steps = 0;

  int64_t unknown(ScopedId At);
  int64_t compute(ScopedId At);
  std::optional<int64_t> arithmetic(Opcode Op, ArrayRef<int64_t> V) const;
  int64_t compared(HloId Id, int64_t A, int64_t B) const;
};

int64_t StartIndices::Evaluation::unknown(ScopedId At) {
  if (Out && !llvm::is_contained(*Out, At))
    Out->push_back(At);
  const auto *Known = llvm::find(Names, At);
  return Known == Names.end() ? 0 : Values[Known - Names.begin()];
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

/// Nothing for opcodes that start indices hardly use.
std::optional<int64_t>
StartIndices::Evaluation::arithmetic(Opcode Op, ArrayRef<int64_t> V) const {
  if (V.size() == 1)
    return Op == Opcode::Negate ? std::optional(-V[0]) : std::nullopt;
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

int64_t StartIndices::Evaluation::compute(ScopedId At) {
  At = S.resolve(At);
  if (std::optional<int64_t> Value = S.literal(At.Id))
    return *Value;
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
  Evaluation{*this, P, {}, {}, &Out}.compute(Starts[Start].At);
}

int64_t StartIndices::value(uint32_t Start, ArrayRef<ScopedId> Out,
                            ArrayRef<int64_t> Values) const {
  int64_t Value = Evaluation{*this, P, Out, Values}.compute(Starts[Start].At);
  return std::clamp<int64_t>(Value, 0, Starts[Start].Max);
}
