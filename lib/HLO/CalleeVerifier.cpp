// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/AttributeSyntax.h"
#include "HLO/InstructionParser.h"
#include "HLO/ModuleVerifier.h"

using namespace hlobuf;

ShapeId VerifierContext::operandShape(const HloInstruction &I, size_t K) const {
  HloOperand Operand = M.operand(I, K);
  ShapeId Whole = M[Operand.Source].Shape;
  return Operand.Path.isRoot() ? Whole
                               : at(Whole, Tables.Indices.steps(Operand.Path));
}

static bool isFloat(const Shape &S) {
  return S.Element.starts_with("f") || S.Element.starts_with("bf");
}

/// Precision may change where no pass looks at it (ShapeVerifier with
/// allow_mixed_precision, which TPU uses), and dynamic sizes are bounds.
bool VerifierContext::compatible(ShapeId A, ShapeId B, bool Shards) const {
  if (!A || !B)
    return false;
  if (A == B)
    return true;
  const Shape &X = shape(A), &Y = shape(B);
  if (X.Kind != Y.Kind || X.Elements.size() != Y.Elements.size() ||
      X.Dimensions.size() != Y.Dimensions.size() ||
      (X.Element != Y.Element && !(isFloat(X) && isFloat(Y))))
    return false;
  for (size_t D = 0; D != X.Dimensions.size() && !Shards; ++D)
    if (X.Dimensions[D].Size != Y.Dimensions[D].Size &&
        !X.Dimensions[D].unbounded() && !Y.Dimensions[D].unbounded())
      return false;
  for (size_t K = 0; K != X.Elements.size(); ++K)
    if (!compatible(X.Elements[K], Y.Elements[K], Shards))
      return false;
  return true;
}

StringRef VerifierContext::opcodePlace(const HloInstruction &I) const {
  StringRef Head = M.head(I);
  return Head.drop_front(Head.rfind(' ') + 1);
}

std::string VerifierContext::spell(const HloInstruction &I) const {
  return fmt::format("{} {}", opcodePlace(I), name(I));
}

std::string VerifierContext::text(ShapeId Id) const {
  return Id ? Tables.Shapes.plainText(Id) : "none";
}

CalleeVerifier::CalleeVerifier(const VerifierContext &C) : VerifierContext(C) {
  for (const HloComputation &Callee : M.Computations)
    findParameters(Callee);
  Begin.push_back(static_cast<uint32_t>(Parameters.size()));
}

/// As operands of the caller, parameters are numbered 0, 1, .. (the constructor
/// of HloComputation in xla/hlo/ir/hlo_computation.cc, 2017).
void CalleeVerifier::findParameters(const HloComputation &Callee) {
  auto First = static_cast<uint32_t>(Parameters.size());
  Begin.push_back(First);
  for (uint32_t K = Callee.Instructions.Begin; K != Callee.Instructions.End;
       ++K)
    if (M.Instructions[K].Op == Opcode::Parameter)
      Parameters.emplace_back();
  size_t Count = Parameters.size() - First;
  if (Count == 0)
    return;
  for (uint32_t K = Callee.Instructions.Begin; K != Callee.Instructions.End;
       ++K) {
    const HloInstruction &I = M.Instructions[K];
    if (I.Op != Opcode::Parameter)
      continue;
    if (I.number() >= Count) {
      refuse(M.operandsText(I),
             "{} is parameter {}, but the computation has {}", name(I),
             I.number(), counted(Count, "parameter"));
      continue;
    }
    HloId &Own = Parameters[First + I.number()];
    if (Own)
      refuse(M.operandsText(I), "{} is parameter {}, but so is {}", name(I),
             I.number(), name(M[Own]));
    else
      Own = HloId(K);
  }
}

bool CalleeVerifier::verifyCalls(const HloInstruction &I) const {
  ArrayRef<HloCall> Calls = M.calls(I);
  ArrayRef<CalleeRule> Rules = calleeRules(I.Op);
  // What `fusion-start` names is what the wrapped instruction does.
  if (I.Op == Opcode::Unknown || I.Sugar || (Calls.empty() && Rules.empty()))
    return true;
  for (const HloCall &Call : Calls)
    if (llvm::none_of(Rules, [&](const CalleeRule &Rule) {
          return Rule.Role == Call.Role;
        }))
      return refuse(I, "{} has an attribute '{}', but its opcode has none",
                    spell(I), callKey(Call.Role));
  for (const CalleeRule &Rule : Rules) {
    size_t Count = 0;
    for (const HloCall &Call : Calls)
      if (Call.Role == Rule.Role &&
          !verifyParameters(I, Rule, Call.Callee, Count++))
        return false;
    if (Count < Rule.Least || Count > Rule.Most)
      return refuse(I, "'{}' of {} names {}, expected {}", callKey(Rule.Role),
                    spell(I), counted(Count, "computation"),
                    spellCount(OperandCount{Rule.Least, Rule.Most}));
  }
  if (I.Op == Opcode::Conditional && Calls.size() + 1 != M.operands(I).size())
    return refuse(I,
                  "operand count of {} is {}, expected {}: it has {} branch{}",
                  spell(I), M.operands(I).size(), Calls.size() + 1,
                  Calls.size(), Calls.size() == 1 ? "" : "es");
  return true;
}

/// How many parameters a callee has by \p Rule for \p Operands operands of the
/// caller; nothing if any number.
static std::optional<size_t> numParameters(CalleeParameters Rule,
                                           size_t Operands) {
  switch (Rule) {
  case CalleeParameters::Unchecked:
    return std::nullopt;
  case CalleeParameters::State:
  case CalleeParameters::OneEach:
    return 1;
  case CalleeParameters::Operands:
  case CalleeParameters::PerOperand:
    return Operands;
  case CalleeParameters::PerOperandButOne:
    return Operands - 1;
  case CalleeParameters::TwoPerOperand:
    return 2 * Operands;
  case CalleeParameters::Two:
    return 2;
  }
  return std::nullopt;
}

/// \p Callee is computation number \p Place of its role.
bool CalleeVerifier::verifyParameters(const HloInstruction &I,
                                      const CalleeRule &Rule,
                                      ComputationId Callee,
                                      size_t Place) const {
  size_t Operands = M.operands(I).size();
  size_t Count = parameters(Callee).size();
  // Operands of an async-start may be bound later (2026), and a fusion may have
  // operands that its computation does not take: XLA compiles it.
  bool Start = I.Op == Opcode::AsyncStart;
  bool Fewer = I.Op == Opcode::Fusion;
  std::optional<size_t> Expected = numParameters(Rule.Parameters, Operands);
  if (Expected && Count != *Expected && !(Start && Count > *Expected) &&
      !(Fewer && Count < *Expected))
    return refuse(I, "{} calls {}, which has {}, expected {}", spell(I),
                  name(Callee), counted(Count, "parameter"), *Expected);
  switch (Rule.Parameters) {
  case CalleeParameters::Operands:
    for (size_t K = 0; K != std::min(Operands, Count); ++K)
      if (!verifyPassed(I, Callee, static_cast<uint32_t>(K), K))
        return false;
    return verifyRoot(I, Callee, Start ? at(I.Shape, 1u) : I.Shape);
  case CalleeParameters::State:
    return verifyPassed(I, Callee, 0, 0) &&
           (Rule.Role != CallRole::Body || verifyRoot(I, Callee, I.Shape));
  case CalleeParameters::OneEach:
    // Another number of branches is refused later.
    return Place + 1 >= Operands || (verifyPassed(I, Callee, 0, Place + 1) &&
                                     verifyRoot(I, Callee, I.Shape));
  default:
    return true;
  }
}

bool CalleeVerifier::verifyPassed(const HloInstruction &I, ComputationId Callee,
                                  uint32_t Number, size_t Operand) const {
  HloId Parameter = parameters(Callee)[Number];
  ShapeId From = operandShape(I, Operand);
  // A number that is missing has been refused.
  return !Parameter ||
         compatible(From, M[Parameter].Shape,
                    isSharded(I.Op, M.attributes(I))) ||
         refuse(I,
                "operand {} of {} has shape {}, but parameter {} of {} has {}",
                Operand, spell(I), text(From), name(M[Parameter]), name(Callee),
                text(M[Parameter].Shape));
}

bool CalleeVerifier::verifyRoot(const HloInstruction &I, ComputationId Callee,
                                ShapeId To) const {
  const HloInstruction &Root = M[M[Callee].Root];
  bool Unbound = I.Op == Opcode::AsyncStart && shape(To).isTuple() &&
                 shape(To).Elements.empty();
  return Unbound ||
         compatible(Root.Shape, To, isSharded(I.Op, M.attributes(I))) ||
         refuse(I, "result of {} is {}, but root {} of {} has {}", spell(I),
                text(To), name(Root), name(Callee), text(Root.Shape));
}
