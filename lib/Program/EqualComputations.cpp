// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/EqualComputations.h"
#include "HLO/AttributeSyntax.h"
#include "Support/Format.h"

using namespace hlobuf;

static constexpr uint32_t Unplaced = ~0U;

/// Callees are defined before their callers.
EqualComputations::EqualComputations(const Program &P)
    : P(P), Places(P.size(), Unplaced) {
  Known.reserve(P.module().Computations.size());
  for (ComputationId C : ids<ComputationId>(P.module().Computations.size()))
    Known.push_back(describe(C));
}

/// Attributes that say nothing of what is computed, and those that name
/// computations, which are compared themselves.
static bool isLeftOut(StringRef Key, Opcode Op) {
  if (Key == "backend_config")
    return Op != Opcode::CustomCall;
  static constexpr StringRef Keys[] = {
      "metadata",   "sharding", "frontend_attributes", "control-predecessors",
      "statistics", "origin"};
  return llvm::is_contained(Keys, Key) || callRole(Key);
}

bool EqualComputations::add(HloId Id, std::string &Text) const {
  const HloNode &Node = P[Id];
  Text += fmt::format("{} {} {}", opcodeText(Node.Op), Node.Shape.index(),
                      Node.number());
  if (P.isHidden(Id))
    return true;
  bool Whole = true;
  const HloInstruction &Line = P.module()[Id];
  if (Node.Op == Opcode::Constant) {
    StringRef Literal = P.module().operandsText(Line);
    Whole = !Literal.contains("...");
    Text += Literal;
  }
  if (Node.Op == Opcode::Unknown)
    Text += P.module().head(Line).rsplit(' ').second;
  StringRef Rest = P.module().attributes(Line);
  StringRef Key;
  while (takeAttributeKey(Rest, Key)) {
    StringRef Value = takeAttributeValue(Rest);
    // `calls=%a, %b` names several without braces.
    if (!isLeftOut(Key, Node.Op) && !(Value.empty() && Key.starts_with("%")))
      Text += fmt::format(", {}={}", Key, Value);
  }
  for (const HloCall &Call : P.calls(Id)) {
    const Description &Callee = Known[Call.Callee.index()];
    Whole &= Callee.Whole;
    Text += fmt::format(" {}:{}", callKey(Call.Role), Callee.Number);
  }
  return Whole;
}

void EqualComputations::visit(HloId From, SmallVectorImpl<HloId> &Order) {
  SmallVector<std::pair<HloId, size_t>, 16> Path;
  auto Enter = [&](HloId Id) {
    // Anything until it has its place.
    if (std::exchange(Places[Id.index()], 0) == Unplaced)
      Path.push_back({Id, 0});
  };
  Enter(From);
  while (!Path.empty()) {
    auto &[Id, Next] = Path.back();
    if (Next != P.operands(Id).size()) {
      Enter(P.operands(Id)[Next++]);
      continue;
    }
    Order.push_back(Id);
    Path.pop_back();
  }
}

SmallVector<HloId, 16> EqualComputations::inOrder(ComputationId C) {
  SmallVector<HloId, 16> Order;
  if (HloId Root = P.root(C))
    visit(Root, Order);
  for (HloId Id : P.order(C))
    visit(Id, Order);
  for (size_t I = 0; I != Order.size(); ++I)
    Places[Order[I].index()] = static_cast<uint32_t>(I);
  return Order;
}

EqualComputations::Description EqualComputations::describe(ComputationId C) {
  Description Own;
  std::string Text;
  for (HloId Id : inOrder(C)) {
    Own.Whole &= add(Id, Text);
    for (HloId Operand : P.operands(Id))
      Text += fmt::format(" %{}", Places[Operand.index()]);
    Text += '\n';
  }
  Own.Number = Numbers.insert({Text, uint32_t(Numbers.size())}).first->second;
  return Own;
}

Equality EqualComputations::compare(const Description &X,
                                    const Description &Y) {
  if (X.Number != Y.Number)
    return Equality::Different;
  return X.Whole && Y.Whole ? Equality::Equal : Equality::Unknown;
}

Equality EqualComputations::compare(ComputationId X, ComputationId Y) const {
  return X == Y ? Equality::Equal : compare(Known[X.index()], Known[Y.index()]);
}

Equality EqualComputations::compareInstructions(HloId X, HloId Y) const {
  if (P[X].Op != P[Y].Op || P.calls(X).size() != P.calls(Y).size())
    return Equality::Different;
  if (wrapsComputation(P[X].Op)) {
    Equality All = Equality::Equal;
    for (size_t C = 0; C != P.calls(X).size(); ++C)
      All = std::min(All, compare(P.calls(X)[C].Callee, P.calls(Y)[C].Callee));
    return All;
  }
  std::string Own, Other;
  bool Whole = add(X, Own);
  Whole &= add(Y, Other);
  for (auto [Id, Text] : {std::pair(X, &Own), std::pair(Y, &Other)})
    for (HloId Operand : P.operands(Id))
      *Text += fmt::format(" {}", P[Operand].Shape.index());
  if (Own != Other)
    return Equality::Different;
  return Whole ? Equality::Equal : Equality::Unknown;
}
