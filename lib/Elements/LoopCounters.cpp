// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/LoopCounters.h"
#include "HLO/ArrayOrder.h"

using namespace hlobuf;

/// By how much one iteration changes \p State; nothing if that is not constant.
static std::optional<int64_t> findStep(Scalars &All, ScalarId State,
                                       HloId Root) {
  const Program &P = All.program();
  ScalarId Next = All.resolve({{0, Root}, State.Part, State.Element});
  Opcode Op = P[Next.At.Id].Op;
  if ((Op != Opcode::Add && Op != Opcode::Subtract) ||
      P.operands(Next.At.Id).size() != 2)
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
  if (P[Compare.At.Id].Op != Opcode::Compare ||
      P.operands(Compare.At.Id).size() != 2)
    return std::nullopt;
  auto Order = comparisonOf(All.attributes(Compare.At.Id));
  ScalarId A = All.resolve(All.operand(Compare, 0));
  ScalarId B = All.resolve(All.operand(Compare, 1));
  ScalarId Counter{{0, Parameter}, State.Part, State.Element};
  if (B == Counter) {
    std::swap(A, B);
    Order = Order == Comparison::GT   ? Comparison::LT
            : Order == Comparison::GE ? Comparison::LE
                                      : std::optional<Comparison>();
  }
  std::optional<int64_t> Limit = All.evaluate(B, {});
  if (A != Counter || !Limit || !Order)
    return std::nullopt;
  if (*Order == Comparison::LT)
    return Limit;
  return *Order == Comparison::LE ? std::optional(boundedAdd(*Limit, 1))
                                  : std::nullopt;
}

/// `"known_trip_count":{"n":"10"}` in backend_config.
static std::optional<int64_t> tripCount(llvm::StringRef Attributes) {
  size_t At = Attributes.find("known_trip_count");
  int64_t Count = 0;
  if (At == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef Rest = Attributes.drop_front(At).drop_until(
      [](char C) { return C >= '0' && C <= '9'; });
  if (Rest.consumeInteger(10, Count) || Count <= 0 || Count > MaxElement)
    return std::nullopt;
  return Count;
}

std::optional<CounterRange> hlobuf::counterRange(Scalars &All, ScalarId S) {
  const Program &P = All.program();
  ComputationId Body = P[S.At.Id].Parent;
  if (P[S.At.Id].Op != Opcode::Parameter || S.At.Scope != 0 ||
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
  if (std::optional<int64_t> Count = tripCount(All.attributes(While)))
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
