// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of its result an instruction defines, and which it only passes
// on from its operands, follows from the opcode
// (HloDataflowAnalysis::InitializeInstructionValueSets, 2017 on): the former
// have a value of their own, the latter never. Values that are phis are left
// to `phi`.
//
// Exceptions: an async-update defines its context values (index {2} and up)
// since 2026-08-12 only. In CUDA and ROCm dumps of jax 0.12.0 all-gather-start,
// collective-permute-start and all-reduce-start are sugar of async-start, and
// then define as async-start does. The table {0} of a collective-permute-start
// with several operands has a value in no known release. A custom-call with
// declared aliasing passed the aliased parts on before 2021-10-05. A missing
// value is reported only where the live ranges prove that every value is
// listed: constants and views may have none.

#include "Checks/Values/UsedRows.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
enum class Duty : uint8_t { Never, Maybe, Always };

/// What is known of one instruction before its parts are looked at.
struct Definer {
  const Instruction &I;
  /// Some value of it is a phi.
  bool AnyPhi = false;
  /// Written as an opcode of its own, not as sugar of async-start.
  bool Genuine = false;
  /// It may forward parts by declared aliasing.
  bool OldAliasing = false;
};
} // namespace

static Duty when(bool Condition) {
  return Condition ? Duty::Always : Duty::Never;
}

/// Whether \p X has a value of its own at \p Path; \p Table if the part there
/// is a tuple.
static Duty dutyAt(const Definer &X, ArrayRef<uint32_t> Path, bool Table) {
  Opcode Op = X.I.Op.Op;
  uint32_t First = Path.empty() ? 0 : Path[0];
  auto IsForwarded = [&](const ForwardRule &Rule) {
    return forwardedPath(Rule, Path, Table).has_value();
  };
  if (definesNothing(Op) || llvm::any_of(forwardRules(Op), IsForwarded))
    return Duty::Never;
  if (Op == Opcode::Parameter)
    return when(!X.AnyPhi);
  if (Op == Opcode::AsyncUpdate)
    return !Table && First >= 2 ? Duty::Maybe : when(Table);
  if (Op == Opcode::CollectivePermuteStart && !Path.empty() && First == 0)
    return Duty::Maybe;
  // Results of what it wraps are values of that.
  if (Op == Opcode::AsyncStart ||
      (startedBy(Op) && mayBeSugar(Op) && !X.Genuine))
    return when(Table || First >= 2);
  return X.OldAliasing ? Duty::Maybe : Duty::Always;
}

static Definer describe(const CheckContext &Ctx, const Instruction &I) {
  const Dump &D = Ctx.dump();
  Definer X{I};
  X.Genuine = !D.Shapes[I.Result].isTuple();
  X.OldAliasing = I.Op.Op == Opcode::CustomCall &&
                  !Ctx.release().since(Release::CustomCallForwards) &&
                  D.attributes(I).contains("output_to_operand_aliasing");
  for (uint32_t U : Ctx.usedOfInstruction(I.Name)) {
    const ValueTag &Tag = D.Used[U].Tag;
    X.AnyPhi |= Tag.Phi;
    auto Path = D.Indices.steps(Tag.Index);
    ShapeId Part = partAt(D, I, Tag.Index);
    X.Genuine |=
        !Path.empty() && Path[0] <= 1 && Part && !D.Shapes[Part].isTuple();
  }
  return X;
}

/// Opcodes newer than this tool are treated like most opcodes, with less
/// certainty.
static Severity severityOf(const Definer &X) {
  return X.I.Op.Op == Opcode::Unknown ? Severity::Warning : Severity::Error;
}

/// Reports the first value that \p X may not define. True if there is none.
static bool checkDefined(const CheckContext &Ctx, Reporter &Diags,
                         const Definer &X) {
  const Dump &D = Ctx.dump();
  for (uint32_t U : Ctx.usedOfInstruction(X.I.Name)) {
    const ValueTag &Tag = D.Used[U].Tag;
    ShapeId Part = partAt(D, X.I, Tag.Index);
    Duty Must = Part && !Tag.Phi ? dutyAt(X, D.Indices.steps(Tag.Index),
                                          D.Shapes[Part].isTuple())
                                 : Duty::Always;
    if (Must == Duty::Maybe)
      Diags.exempt("release-dependent");
    if (Part && Must != Duty::Never)
      continue;
    TagTexts Texts = Ctx.places().tag(D.Used[U]);
    InstructionText Text = Ctx.places().text(X.I);
    StringRef Where = Texts.Index.empty() ? Texts.Name : Texts.Index;
    if (!Part) {
      Finding F = Diags.report(Where, "the shape of {} has no index {}",
                               D.Names[X.I.Name], D.Indices.text(Tag.Index));
      F.note(Text.ShapeText, "its shape").about(X.I.Name);
      aboutUsed(Ctx, F, UsedId(U));
      return false;
    }
    Finding F = Diags.reportAs(
        severityOf(X), Where,
        "{} is listed as a value, but opcode {} does not define one{}",
        Texts.Whole, Text.OpcodeText,
        Tag.Index.isRoot() ? "" : " at that index");
    F.note(Text.OpcodeText, "the instruction").about(X.I.Name);
    aboutUsed(Ctx, F, UsedId(U));
    return false;
  }
  return true;
}

/// Looks for the first part that \p X must define and that has no value; false
/// if there is one, then at \p Path.
static bool allDefined(const CheckContext &Ctx, const Definer &X, ShapeId Part,
                       llvm::SmallVectorImpl<uint32_t> &Path) {
  const Dump &D = Ctx.dump();
  const Shape &S = D.Shapes[Part];
  if (dutyAt(X, Path, S.isTuple()) == Duty::Always &&
      !Ctx.findUsed(X.I.Name, D.Indices.get(Path)))
    return false;
  if (!S.isTuple() || X.I.Op.Op == Opcode::Tuple || X.I.Op.Op == Opcode::Copy)
    return true;
  for (uint32_t K = 0; K != S.Elements.size(); ++K) {
    Path.push_back(K);
    if (!allDefined(Ctx, X, S.Elements[K], Path))
      return false;
    Path.pop_back();
  }
  return true;
}

static void checkMissing(const CheckContext &Ctx, Reporter &Diags,
                         const Definer &X) {
  const Dump &D = Ctx.dump();
  llvm::SmallVector<uint32_t, 4> Path;
  if (definesNothing(X.I.Op.Op) || allDefined(Ctx, X, X.I.Result, Path))
    return;
  ArrayRef<uint32_t> Group = Ctx.usedOfInstruction(X.I.Name);
  InstructionText Text = Ctx.places().text(X.I);
  Finding F = Diags.reportAs(
      severityOf(X), Text.OpcodeText,
      "opcode {} defines {}{}, but no such value is listed", Text.OpcodeText,
      D.Names[X.I.Name], D.Indices.text(D.Indices.get(Path)));
  F.about(X.I.Name);
  for (uint32_t U : Group.take_front(1))
    aboutUsed(Ctx,
              F.note(Ctx.places().tag(D.Used[U]).Whole,
                     "another value of the instruction"),
              UsedId(U));
}

/// A misspelled opcode is not a newer opcode.
static void checkSpelling(const CheckContext &Ctx, Reporter &Diags,
                          const Instruction &I) {
  StringRef Text = opcodeIn(Ctx, I);
  if (Opcode Other = findSimilarOpcode(Text); Other != Opcode::Unknown)
    Diags
        .reportAs(Severity::Warning, Text,
                  "unknown opcode '{}'; did you mean '{}'?", Text,
                  opcodeText(Other))
        .about(I.Name);
}

void hlobuf::checkOpcodeIndices(const CheckContext &Ctx, Reporter &Diags) {
  bool Full = Ctx.isFull();
  for (const Instruction &I : Ctx.dump().Instructions) {
    Definer X = describe(Ctx, I);
    if (I.Op.Op == Opcode::Unknown)
      checkSpelling(Ctx, Diags, I);
    if (checkDefined(Ctx, Diags, X) && Full)
      checkMissing(Ctx, Diags, X);
  }
  if (!Full)
    Diags.notCheckedWithout(Ctx, Section::Ranges, SomeUnlisted);
}
