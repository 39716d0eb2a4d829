// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What xla/service/hlo_verifier.cc and the constructors in
// xla/hlo/ir/hlo_instructions.cc insist on (2017 on), and nothing that a
// backend may do in another way.

#include "HLO/ModuleVerifier.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;

/// Operands of a collective-permute that writes slices into operand 1.
static constexpr size_t InPlacePermute = 4;

namespace {
struct ModuleVerifier : CalleeVerifier {
  using CalleeVerifier::CalleeVerifier;
  void run();

  void verify(const HloInstruction &I);
  bool verifyOperands(const HloInstruction &I);
  bool verifyStarts(const HloInstruction &I, uint32_t First);
  bool verifyLayoutConstraints(const HloInstruction &I);
  bool verifyForwards(const HloInstruction &I);
  bool verifyResult(const HloInstruction &I);
  bool verifyNumResults(const HloInstruction &I, ShapeId Result, size_t Count);
  bool verifyAsync(const HloInstruction &I);
  bool verifyCollectiveStart(const HloInstruction &I);
  bool verifyBound(const HloInstruction &I, ShapeId Before, size_t First);
  void verifyDeclaredAliases(const HloInstruction &I);
  void verifyHeader();

  /// Operand \p K is, but for layouts, \p To, a part of the result.
  bool isPassed(const HloInstruction &I, size_t K, ShapeId To);
  bool isSame(const HloInstruction &I, ShapeId From, StringRef Text,
              ShapeId To);
};
} // namespace

void ModuleVerifier::run() {
  for (const HloInstruction &I : M.Instructions)
    verify(I);
  if (M.Entry)
    verifyHeader();
}

/// Says at most one thing of an instruction.
void ModuleVerifier::verify(const HloInstruction &I) {
  if (isGiven(I.Op)) {
    verifyCalls(I);
  } else if (verifyOperands(I) && verifyResult(I) && verifyCalls(I) &&
             I.MayDeclareAliases) {
    verifyDeclaredAliases(I);
  }
}

bool ModuleVerifier::verifyOperands(const HloInstruction &I) {
  ArrayRef<HloId> Operands = M.operands(I);
  OperandCount Expected = operandCount(I.Op);
  if (I.Op == Opcode::Tuple && shape(I.Shape).isTuple()) {
    auto Elements = static_cast<uint32_t>(shape(I.Shape).Elements.size());
    Expected = {Elements, Elements};
  }
  if (!Expected.has(Operands.size()))
    return refuse(I, "operand count of {} is {}, expected {}", spell(I),
                  Operands.size(), spellCount(Expected));
  if (!takesTuples(I.Op))
    for (size_t K = 0; K != Operands.size(); ++K)
      if (shape(operandShape(I, K)).isTuple())
        return refuse(I, "operand {} of {} is {}, expected an array", K,
                      spell(I), text(operandShape(I, K)));
  switch (I.Op) {
  case Opcode::DynamicSlice:
    return verifyStarts(I, 1);
  case Opcode::DynamicUpdateSlice:
    return verifyStarts(I, 2);
  case Opcode::CustomCall:
    return verifyLayoutConstraints(I);
  case Opcode::Dot:
    // Others are the metadata of sparse sides, as an attribute says (2024).
    return Operands.size() == 2 || findAttribute(M.attributes(I), "sparsity") ||
           refuse(I, "operand count of {} is {}, expected 2", spell(I),
                  Operands.size());
  default:
    return true;
  }
}

/// One start index for each dimension, or all in one array (until 2019).
bool ModuleVerifier::verifyStarts(const HloInstruction &I, uint32_t First) {
  size_t Count = M.operands(I).size();
  size_t Rank = shape(operandShape(I, 0)).Dimensions.size();
  return Count == First + Rank ||
         (Count == First + 1 &&
          shape(operandShape(I, First)).Dimensions.size() == 1) ||
         refuse(I, "{} has {} start ind{}, expected {}", spell(I),
                Count - First, Count - First == 1 ? "ex" : "ices", Rank);
}

/// operand_layout_constraints has a shape for each operand.
bool ModuleVerifier::verifyLayoutConstraints(const HloInstruction &I) {
  std::optional<StringRef> Text =
      findAttribute(M.attributes(I), "operand_layout_constraints");
  if (!Text)
    return true;
  Scanner Items(*Text);
  size_t Count = 0;
  for (bool Good = Items.literal('{'); !Items.literal('}'); ++Count) {
    if (Items.literal("/*"))
      Items = Scanner(Items.rest().split("*/").second);
    Good = Good && Tables.Shapes.parse(Items) &&
           (Items.literal(", ") || Items.front() == '}');
    if (!Good)
      return refuse(I, "cannot parse operand_layout_constraints of {}",
                    spell(I));
  }
  return Count == M.operands(I).size() ||
         refuse(I,
                "operand count of {} is {}, but operand_layout_constraints "
                "has {}",
                spell(I), M.operands(I).size(), Count);
}

bool ModuleVerifier::isSame(const HloInstruction &I, ShapeId From,
                            StringRef Text, ShapeId To) {
  return compatible(From, To) || refuse(I, "{} of {} has shape {}, expected {}",
                                        Text, spell(I), text(From), text(To));
}

bool ModuleVerifier::isPassed(const HloInstruction &I, size_t K, ShapeId To) {
  ShapeId From = operandShape(I, K);
  // The number is spelled only where it is needed.
  return compatible(From, To) ||
         isSame(I, From, fmt::format("operand {}", K), To);
}

/// \p Result is an array if \p Count is 1, or a tuple of so many.
bool ModuleVerifier::verifyNumResults(const HloInstruction &I, ShapeId Result,
                                      size_t Count) {
  const Shape &Own = shape(Result);
  return (Own.isTuple() ? Own.Elements.size() : 1) == Count ||
         refuse(I, "{} has shape {}, but {}", spell(I), text(I.Shape),
                counted(M.operands(I).size(), "operand"));
}

/// What is forwarded keeps its shape.
bool ModuleVerifier::verifyForwards(const HloInstruction &I) {
  for (const ForwardRule &Rule : forwardRules(I.Op)) {
    size_t Count = Rule.Result.hasEach() ? M.operands(I).size() : 1;
    for (uint32_t K = 0; K != Count; ++K) {
      auto Steps = Rule.Result.steps(K, 0);
      ShapeId To = at(I.Shape, Steps);
      ShapeId From = at(operandShape(I, K), Rule.Operand.steps(K, I.number()));
      bool Whole = Rule.Operand.Size == 0;
      if (Whole ? !isPassed(I, K, To)
                : !isSame(I, To, Steps.empty() ? "result" : "result {0}", From))
        return false;
    }
  }
  return true;
}

bool ModuleVerifier::verifyResult(const HloInstruction &I) {
  const Shape &Result = shape(I.Shape);
  size_t Count = M.operands(I).size();
  switch (I.Op) {
  case Opcode::Tuple:
    return Result.isTuple() ? verifyForwards(I)
                            : refuse(I, "{} has shape {}, expected a tuple",
                                     spell(I), text(I.Shape));
  case Opcode::While:
    return isPassed(I, 0, I.Shape);
  case Opcode::Bitcast:
  case Opcode::Copy:
  case Opcode::SetDimensionSize:
    // Arrays are compared by module-instructions.
    return (Result.isArray() && shape(operandShape(I, 0)).isArray()) ||
           isPassed(I, 0, I.Shape);
  case Opcode::Concatenate:
    for (size_t K = 0; K != Count; ++K)
      if (ShapeId From = operandShape(I, K);
          shape(From).Dimensions.size() != Result.Dimensions.size())
        return isSame(I, From, fmt::format("operand {}", K), I.Shape);
    return true;
  case Opcode::RaggedAllToAll:
    return true;
  case Opcode::Sort:
    return verifyNumResults(I, I.Shape, Count);
  case Opcode::CollectivePermute:
    // One operand, which may be a tuple, and four in place (2021 on).
    return Count == 1 || Count == InPlacePermute ||
           verifyNumResults(I, I.Shape, Count);
  default:
    if (operandCount(I.Op).Step == 2)
      return verifyNumResults(I, I.Shape, Count / 2);
    if (isCollective(I.Op) && !startedBy(I.Op))
      return verifyNumResults(I, I.Shape, Count);
    return verifyAsync(I);
  }
}

bool ModuleVerifier::verifyAsync(const HloInstruction &I) {
  // What is not bound yet has no result (late binding, 2026).
  auto IsUnbound = [&](ShapeId Id) {
    return Id && shape(Id).isTuple() && shape(Id).Elements.empty();
  };
  switch (I.Op) {
  case Opcode::CopyStart:
    return verifyForwards(I) && isPassed(I, 0, at(I.Shape, 0u));
  case Opcode::AllReduceDone:
    return compatible(at(operandShape(I, 0), 1u), I.Shape) ||
           isPassed(I, 0, I.Shape);
  case Opcode::AsyncDone:
    return IsUnbound(at(operandShape(I, 0), 1u)) || verifyForwards(I);
  case Opcode::AsyncUpdate: {
    ShapeId State = operandShape(I, 0);
    ShapeId Result = at(State, 1u);
    return verifyBound(I, at(State, 0u), 1) &&
           (IsUnbound(Result) ||
            isSame(I, at(I.Shape, 1u), "result {1}", Result));
  }
  case Opcode::AllGatherStart:
  case Opcode::AllReduceStart:
  case Opcode::CollectivePermuteStart:
    return verifyCollectiveStart(I);
  case Opcode::AsyncStart:
    return verifyBound(I, ShapeId(), 0);
  default:
    return verifyForwards(I);
  }
}

/// `(f32[4], f32[8])`, with several operands `((f32[4], ..), (f32[8], ..))`,
/// and an all-reduce-start as all-reduce, unless it is printed like an
/// async-start.
bool ModuleVerifier::verifyCollectiveStart(const HloInstruction &I) {
  size_t Count = M.operands(I).size();
  ShapeId First = at(I.Shape, 0u);
  bool Nested = First && shape(First).isTuple();
  if (I.Op == Opcode::AllReduceStart && !Nested)
    return verifyNumResults(I, I.Shape, Count);
  if (!at(I.Shape, 1u))
    return refuse(I, "{} has shape {}, expected a tuple of operand and result",
                  spell(I), text(I.Shape));
  bool Permutes = I.Op == Opcode::CollectivePermuteStart;
  return (Permutes && (Count == 1 || Count == InPlacePermute)) ||
         verifyNumResults(I, First, Count);
}

/// Operands, result and contexts: `((f32[4]), f32[4], u32[])`.
/// Operands from number \p First on are bound after those of \p Before.
bool ModuleVerifier::verifyBound(const HloInstruction &I, ShapeId Before,
                                 size_t First) {
  ShapeId Bound = at(I.Shape, 0u);
  size_t Count = M.operands(I).size();
  if (!Bound || !shape(Bound).isTuple() || !at(I.Shape, 1u))
    return refuse(I, "{} has shape {}, expected a tuple of operands and result",
                  spell(I), text(I.Shape));
  size_t Own = shape(Bound).Elements.size();
  size_t Earlier = Before ? shape(Before).Elements.size() : 0;
  if (Own != Earlier + Count - First)
    return refuse(I, "{} has shape {} with {}, expected {}", spell(I),
                  text(I.Shape), counted(Own, "operand"),
                  Earlier + Count - First);
  for (size_t K = First; K != Count; ++K)
    if (!isPassed(I, K, shape(Bound).Elements[Earlier + K - First]))
      return false;
  return true;
}

/// output_to_operand_aliasing names parts of the result and of operands.
void ModuleVerifier::verifyDeclaredAliases(const HloInstruction &I) {
  for (const DeclaredAlias &Item :
       declaredAliases(M.attributes(I), Tables.Indices)) {
    // Operands of an async-start may be bound later (2026).
    bool Later = I.Op == Opcode::AsyncStart;
    if (Item.Operand >= M.operands(I).size()) {
      if (!Later)
        refuse(Item.Text, "{} has no operand {}", spell(I), Item.Operand);
      continue;
    }
    ShapeId From = operandShape(I, Item.Operand);
    if (!at(From, Tables.Indices.steps(Item.Index)))
      refuse(Item.Text, "operand {} of {} has no part {}", Item.Operand,
             spell(I), Tables.Indices.text(Item.Index));
    else if (!at(I.Shape, Tables.Indices.steps(Item.Output)))
      refuse(Item.Text, "the result of {} has no part {}", spell(I),
             Tables.Indices.text(Item.Output));
  }
}

void ModuleVerifier::verifyHeader() {
  ArrayRef<HloId> Own = parameters(M.Entry);
  ShapeId Result = M[M[M.Entry].Root].Shape;
  // A computation that was extracted into a module of its own keeps the header
  // of the module that it comes from (SparseCore, libtpu 0.0.51).
  if (M.EntryResult && M.EntryParameters.size() != Own.size())
    return;
  auto HasParameter = [&](uint32_t Number, ShapeIndex Index) {
    return Number < Own.size() && Own[Number] &&
           at(M[Own[Number]].Shape, Tables.Indices.steps(Index));
  };
  for (const HloAlias &Item : M.Aliases)
    if (!at(Result, Tables.Indices.steps(Item.Output)))
      refuse(Item.Text, "the entry computation has no such output");
    else if (!HasParameter(Item.Parameter, Item.Index))
      refuse(Item.Text, "the entry computation has no such parameter");
  for (const HloDonor &Item : M.Donors)
    if (!HasParameter(Item.Parameter, Item.Index))
      refuse(Item.Text, "the entry computation has no such parameter");
}

void hlobuf::verifyModule(const HloModule &M, HloTables Tables,
                          function_ref<void(StringRef, std::string)> Refuse) {
  ModuleVerifier({M, Tables, Refuse}).run();
}
