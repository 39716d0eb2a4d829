// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results on the bytes of operands.

#include "Proof/Deciders.h"
#include "Proof/SameBytes.h"
#include "Proof/TypeRules.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

namespace {
/// An operand part that an instruction reads where a result has its bytes.
struct Overlay {
  Part Result;
  WorkingPair Pair;
  const Shape &Written;
  const Shape &Read;
  BytePlace Target;
  BytePlace Source;
};

class InPlace {
public:
  InPlace(const ProofModel &X, ElementRule Elements)
      : X(X), Elements(Elements) {}
  Outcome decide(const Obligation &O);

private:
  std::optional<Outcome> bySimpleRule(const Overlay &At);
  Outcome byOpcode(const Overlay &At);

  const ProofModel &X;
  ElementRule Elements;
};
} // namespace

static Outcome needsSets(StringRef Why) {
  return {Reason::NeedsIntegerSets, Why.str()};
}

/// True if tiles of the result have padding where the operand has elements, or
/// may: whether whole tiles are written is not known.
static bool mayWritePadding(const Overlay &At) {
  if (isSameType(At.Written, At.Read) || !At.Written.isTiled())
    return false;
  std::optional<uint64_t> Padded = tiledBytesOf(At.Written);
  auto Elements = static_cast<uint64_t>(countElements(At.Written));
  return !Padded || *Padded * 8 != Elements * storedBits(At.Written);
}

Outcome InPlace::decide(const Obligation &O) {
  Part Result = {O.At, O.Part};
  Part Operand = X.operandPart(O.At, O.Operand, O.OperandPart);
  Overlay At = {Result,
                {O.Operand, O.OperandPart, O.Part},
                X.Lines.shape(Result),
                X.Lines.shape(Operand),
                X.place(X.Lines.line(Result)),
                X.place(X.Home.of(Operand))};
  if (std::optional<Outcome> Simple = bySimpleRule(At))
    return *Simple;
  Evidence Shown = {X.P.spell(O.At), X.Home.of(Operand), X.Lines.line(Result)};
  // XLA places a result exactly on an operand, or apart from it.
  if (!At.Target.beginsLike(At.Source))
    return {Breach::PartlyThere, Shown};
  Outcome Own = byOpcode(At);
  if (Own.kind() != OutcomeKind::Gap)
    return Own;
  Shown.Text = Own.evidence().Text;
  auto IsThere = [&](OperandPart Other) {
    ValueId Home = X.operandHome(O.At, Other.Operand, Other.Ordinal);
    return Home && X.place(Home).beginsLike(At.Target);
  };
  std::optional<bool> Sound =
      Elements({O.At, O.Part, {O.Operand, O.OperandPart}, IsThere});
  if (!Sound || (*Sound && mayWritePadding(At)))
    return {Reason(Own.code()), Shown};
  if (*Sound)
    return Rule::IntegerSets;
  Shown.Text = X.P.spell(O.At);
  return {Breach::ElementsOverwritten, Shown};
}

std::optional<Outcome> InPlace::bySimpleRule(const Overlay &At) {
  HloId Id = At.Result.Id;
  if (joinsSlices(X, Id)) {
    std::optional<bool> InPlace = areSlicesInPlace(X, Id);
    if (!InPlace)
      return Reason::NotSlices;
    if (!*InPlace)
      return Outcome(Breach::SlicesApart, X.P.spell(Id));
    return Rule::SlicesSideBySide;
  }
  Opcode Op = X.op(Id);
  if (Op != Opcode::Fusion && At.Target.beginsLike(At.Source) &&
      llvm::is_contained(X.Does.pairs(Id), At.Pair) &&
      (isSameType(At.Written, At.Read) || Op == Opcode::CustomCall ||
       Op == Opcode::SetDimensionSize))
    return Rule::DefinedInPlace;
  // Its bytes stay as they are, whatever else is read there.
  if (forwardedOperand(X, At.Result))
    return Rule::Forwarded;
  return std::nullopt;
}

Outcome proof::inPlaceByOpcode(Opcode Op, const Shape &Written,
                               const Shape &Read) {
  if (Op == Opcode::Copy && !isSameType(Written, Read))
    return needsSets("copy to another layout");
  if (isElementwise(Op) || Op == Opcode::BitcastConvert) {
    if (hasSameSizes(Written, Read) && hasSameOrder(Written, Read) &&
        storedBits(Written) == storedBits(Read))
      return Rule::Elementwise;
    return needsSets("elementwise, another layout or width");
  }
  if (Op == Opcode::Reshape) {
    if (isRowMajor(Written) && isRowMajor(Read))
      return Rule::Identity;
    return needsSets("reshape");
  }
  return needsSets(opcodeText(Op));
}

Outcome InPlace::byOpcode(const Overlay &At) {
  Opcode Op = X.op(At.Result.Id);
  if (Op == Opcode::Fusion &&
      worksInPlace(X, At.Result, {At.Pair.Operand, At.Pair.OperandPart}))
    return Rule::DefinedInPlace;
  if (Op == Opcode::Unknown)
    return {Reason::UnknownOpcode, X.P.spell(At.Result.Id)};
  return inPlaceByOpcode(Op, At.Written, At.Read);
}

void proof::decideInPlace(const ProofModel &X, ElementRule Elements,
                          Ledger &L) {
  InPlace Rules(X, Elements);
  L.decide(Topic::InPlace, [&](const Obligation &O) -> Outcome {
    if (X.Lines.isCarried(X.P[O.At].Parent))
      return Gate::CompiledElsewhere;
    return Rules.decide(O);
  });
}
