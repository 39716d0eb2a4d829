// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where bytes pass from one instruction to another unchanged, both have the
// same shape and the same layout: XLA's verifier compares them once layouts are
// assigned (ShapeVerifier with layout_sensitive in
// xla/service/hlo_verifier.cc, 2018-2026):
// - a fusion and its computation, operand by operand, and the result;
// - loops, calls, conditionals: operands, parameters, roots, results;
// - tuples and elements, opt-barrier, add-dependency, domain;
// - a dynamic-update-slice and what it updates; inside a fusion tiles and
//   memory space are not carried on;
// - declared aliases of fusions and custom calls; a scalar may change its
//   memory space there, and a custom call may ask not to be compared
//   (xla_skip_custom_call_alias_shape_check, 2025);
// - asynchronous operations: what the start is given and what the done returns;
//   a copy-start changes memory space and split, and nothing else.
//
// On GPU memory spaces other than the host's are set after layouts, and bodies
// of fusions get none (jaxlib 0.6.2 and 0.12.0, collectives in symmetric
// memory). On CPU a custom call of a program for TPU may write a tiled result
// in the place of an array without tiles, and a loop may take `s32[4]` as
// `s32[<=4]` and give it back (XLA's own tests, compiled by jaxlib 0.12).

#include "Checks/Check.h"
#include "Checks/Execution/Violations.h"
#include "Checks/LayoutFit.h"
#include "HLO/InstructionParser.h"
#include "Program/Program.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
struct ModuleLayouts {
  void run();
  /// Something was reported of \p Id, or of what it calls.
  bool hasTold(HloId Id) const { return Told.contains(Id.index()); }

  void check(HloId Id);
  void checkCalls(HloId Id);
  void checkStart(HloId Id);
  void checkForwarded(HloId Id);
  void checkAliases(HloId Id);
  void report(Part From, Part To, StringRef Text);
  ShapeId shape(Part S) const {
    return P.trees().part(P[S.Id].Shape, S.Ordinal);
  }
  /// Element \p K of \p Id; no id if there is none.
  Part element(HloId Id, uint32_t K) const;
  std::string spell(Part S) const;

  const Program &P;
  Reporter &Diags;
  void compare(Part From, Part To, LayoutTolerance Tolerance = {});
  const Dump &D = P.facts().dump();
  Backend Target = P.facts().backend();
  DenseSet<uint32_t> Told{};
  /// The instruction that is looked at.
  HloId Current = {};
};
} // namespace

Part ModuleLayouts::element(HloId Id, uint32_t K) const {
  uint32_t Ordinal = P.trees().elementOrdinal(P[Id].Shape, K);
  return Ordinal ? Part{Id, Ordinal} : Part();
}

std::string ModuleLayouts::spell(Part S) const {
  std::string Text = P.spell(S.Id);
  if (S.Ordinal != 0)
    Text += D.Indices.text(P.trees().index(P[S.Id].Shape, S.Ordinal));
  return Text;
}

void ModuleLayouts::report(Part From, Part To, StringRef Text) {
  Diags
      .report({P, To.Id},
              "{} has layout {}, but reuses the bytes of {}, which "
              "has {}: different {}",
              spell(To), D.Shapes.text(shape(To)), spell(From),
              D.Shapes.text(shape(From)), Text)
      .note(P.place(From.Id), "{} is defined here", spell(From));
  for (HloId Id : {From.Id, To.Id, Current})
    Told.insert(Id.index());
}

/// One finding a pair: the first part that differs.
void ModuleLayouts::compare(Part From, Part To, LayoutTolerance Tolerance) {
  if (!From.Id || !To.Id || shape(From) == shape(To))
    return;
  uint32_t Parts = P.trees().parts(shape(From));
  if (Parts != P.trees().parts(shape(To)))
    return report(From, To, "structure");
  for (uint32_t I = 0; I != Parts; ++I) {
    Part X = {From.Id, From.Ordinal + I};
    Part Y = {To.Id, To.Ordinal + I};
    if (shape(X) == shape(Y))
      continue;
    StringRef Text = layoutDifference(D.Shapes[shape(X)], D.Shapes[shape(Y)],
                                      Tolerance, Target);
    if (!Text.empty())
      return report(X, Y, Text);
  }
}

/// Operands against the parameters of what is called, and roots against the
/// result: each branch of a conditional has an operand of its own, a condition
/// no result.
void ModuleLayouts::checkCalls(HloId Id) {
  Opcode Op = P[Id].Op;
  if ((Op != Opcode::Fusion && !isSynchronousCall(Op)) ||
      isSharded(Op, P.module().attributes(P.module()[Id])))
    return;
  LayoutTolerance Tolerance;
  Tolerance.MemorySpace =
      Op == Opcode::Fusion && Target != Backend::TPU && Target != Backend::CPU;
  Tolerance.Bounds =
      Op == Opcode::While && Target != Backend::TPU && Target != Backend::GPU;
  ArrayRef<HloId> Operands = P.operands(Id);
  size_t First = Op == Opcode::Conditional;
  for (const HloCall &Call : P.calls(Id)) {
    for (uint32_t N = 0; N != P.numParameters(Call.Callee); ++N)
      if (First + N < Operands.size())
        compare({Operands[First + N]}, {P.parameter(Call.Callee, N)},
                Tolerance);
    if (Call.Role != CallRole::Condition)
      compare({P.root(Call.Callee)}, {Id}, Tolerance);
    First += Op == Opcode::Conditional;
  }
  if (Op == Opcode::While && !Operands.empty())
    compare({Operands[0]}, {Id});
}

void ModuleLayouts::checkStart(HloId Id) {
  // Sugar does not print what it wraps, and may print what that calls.
  if (P[Id].Sugar || P.calls(Id).empty())
    return;
  ComputationId Body = P.calls(Id)[0].Callee;
  for (uint32_t N = 0; N != P.numParameters(Body); ++N)
    if (N < P.operands(Id).size())
      compare({P.operands(Id)[N]}, {P.parameter(Body, N)});
  Part Result = element(Id, 1);
  // As long as not all operands are bound, it is empty (late binding, 2026).
  if (Result.Id && (P.trees().parts(shape(Result)) != 1 ||
                    !P.trees().isTuple(P[Id].Shape, Result.Ordinal)))
    compare({P.root(Body)}, Result);
}

/// Elements that pass from an operand to the result. A bitcast is there to
/// change the layout, and a copy's leaves are compared where they are defined.
void ModuleLayouts::checkForwarded(HloId Id) {
  if (P[Id].Op == Opcode::Bitcast || P[Id].Op == Opcode::Copy)
    return;
  ShapeId Result = P[Id].Shape;
  for (uint32_t I = 0; I != P.trees().parts(Result); ++I)
    if (std::optional<OperandPart> From = P.forwardedPart(Id, I))
      if (!P.trees().isTuple(Result, I))
        compare({P.operands(Id)[From->Operand], From->Ordinal}, {Id, I});
}

/// output_to_operand_aliasing.
void ModuleLayouts::checkAliases(HloId Id) {
  const HloModule &M = P.module();
  if (P.isHidden(Id) || !M[Id].MayDeclareAliases)
    return;
  StringRef Attributes = M.attributes(M[Id]);
  bool Called = P[Id].Op == Opcode::CustomCall;
  if (Called && Attributes.contains("xla_skip_custom_call_alias_shape_check"))
    return;
  for (const DeclaredAlias &Item : declaredAliases(Attributes, D.Indices)) {
    if (Item.Operand >= P.operands(Id).size())
      continue;
    HloId From = P.operands(Id)[Item.Operand];
    auto In = P.trees().ordinal(P[From].Shape, Item.Index);
    auto Out = P.trees().ordinal(P[Id].Shape, Item.Output);
    if (!In || !Out)
      continue;
    LayoutTolerance Tolerance;
    Tolerance.Tiles = Tolerance.MemorySpace = P.isFusionBody(P[Id].Parent);
    Tolerance.Tiles |= Called && Target == Backend::CPU &&
                       !D.Shapes[shape({From, *In})].isTiled();
    Tolerance.MemorySpace |=
        Called && D.Shapes[shape({From, *In})].Dimensions.empty();
    compare({From, *In}, {Id, *Out}, Tolerance);
  }
}

void ModuleLayouts::check(HloId Id) {
  LayoutTolerance Tolerance;
  switch (P[Id].Op) {
  case Opcode::DynamicUpdateSlice:
    Tolerance.Tiles = Tolerance.MemorySpace = P.isFusionBody(P[Id].Parent);
    return compare({P.operands(Id)[0]}, {Id}, Tolerance);
  case Opcode::CopyStart:
    Tolerance.MemorySpace = Tolerance.Splits = true;
    compare(element(Id, 1), element(Id, 0), Tolerance);
    break;
  case Opcode::AsyncStart:
    checkStart(Id);
    break;
  default:
    if (mayDeclareAliases(P[Id].Op))
      checkAliases(Id);
    break;
  }
  checkCalls(Id);
  checkForwarded(Id);
}

void ModuleLayouts::run() {
  for (HloId Id : ids<HloId>(P.size())) {
    Current = Id;
    // What is compiled again gets its layouts then.
    if (P[Current].Shape && !P.runsElsewhere(P[Current].Parent))
      check(Current);
  }
}

void hlobuf::checkModuleLayout(const CheckContext &Ctx, Reporter &Diags) {
  // A module from another compilation stage must agree with itself, too.
  const Program *P = Ctx.program();
  if (!P || !P->obstacle().empty())
    return;
  ModuleLayouts Layouts{*P, Diags};
  Layouts.run();
  if (const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
      !Analysis || !Analysis->isUsable())
    return;
  tellViolations(
      Ctx, Diags,
      [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
        for (const Violation &V : Found)
          if (!Layouts.hasTold(V.Owed.At))
            reportViolations(Analysis, &V, Diags);
      });
}
