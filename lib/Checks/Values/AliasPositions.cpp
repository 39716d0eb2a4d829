// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some opcodes pass parts of their operands on instead of defining them
// (HloDataflowAnalysis::Update*ValueSet, hlo_dataflow_analysis.cc, 2017 on): a
// tuple its elements, a copy what is below the top, a copy-start its source
// at {1}, send and recv-done what they carry at {0}, async and collective
// starts their operands at {0}, collective dones their result at {1}, and a
// while what its loop leaves unchanged, which is every part without a phi. At
// such a part there is the value that is at the operand. In which place of the
// operand follows from the opcode; async parts are leaves only, tables are
// defined anew.
//
// Exception: a collective-permute-start with slice_sizes is in place and passes
// on the elements of operand 0 alone; it is left out.

#include "Checks/Values/UsedRows.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
using Steps = llvm::SmallVector<uint32_t, 4>;
} // namespace

/// Where the part \p Path of \p I comes from; nothing if \p I defines it, or
/// if that is not known. \p Leaf: the part is not a tuple. Operands have no
/// shapes in newer texts: of several rows, the one that leads to a value.
static std::optional<OperandPath> sourceOf(const CheckContext &Ctx,
                                           const Instruction &I,
                                           ArrayRef<uint32_t> Path, bool Leaf) {
  const Dump &D = Ctx.dump();
  if (I.Op.Op == Opcode::While)
    return OperandPath{0, Steps(Path)};
  if (I.Op.Op == Opcode::CollectivePermuteStart &&
      findAttribute(D.attributes(I), "slice_sizes"))
    return std::nullopt;
  std::optional<OperandPath> Last;
  for (const ForwardRule &Rule : forwardRules(I.Op.Op)) {
    auto From = forwardedPath(Rule, Path, !Leaf);
    if (!From || From->Operand >= I.Operands.size())
      continue;
    Last = From;
    if (Ctx.valueAt(D.operands(I)[From->Operand], D.Indices.get(From->Steps)))
      break;
  }
  return Last;
}

/// \p U is at a part of \p I, but not where that part comes from.
static void reportWrong(const CheckContext &Ctx, Reporter &Diags,
                        const Instruction &I, uint32_t Number,
                        const OperandPath &S) {
  const Dump &D = Ctx.dump();
  const Position &P = D.Positions[Number];
  UsedId U = Ctx.ownerOfPosition(Number);
  ShapeIndex Index = D.Indices.get(S.Steps);
  NameId Operand = D.operands(I)[S.Operand];
  ArrayRef<uint32_t> There = Ctx.positionsAt(Operand, Index);
  ShapeIndex Printed = There.empty() ? Index : D.Positions[There[0]].Index;
  std::string Held = "no value";
  if (!There.empty())
    Held = Ctx.places().tag(D[Ctx.ownerOfPosition(There[0])]).Whole.str();
  Finding F = Diags.report(
      Ctx.places().line(P).ltrim(),
      "{} is a position of {}, but it forwards operand {}, {}, which holds {}",
      D.spell(P.Name, P.Index), Ctx.places().tag(D[U]).Whole, S.Operand,
      D.spell(Operand, Printed), Held);
  F.note(Ctx.places().operand(I, S.Operand), "the operand").about(I.Name);
  aboutUsed(Ctx, F, U);
  if (There.empty())
    return;
  F.note(Ctx.places().line(D.Positions[There[0]]).ltrim(), "the value there");
  aboutUsed(Ctx, F, Ctx.ownerOfPosition(There[0]));
}

static void checkPositions(const CheckContext &Ctx, Reporter &Diags,
                           const Instruction &I) {
  const Dump &D = Ctx.dump();
  for (uint32_t Number : Ctx.positionsAt(I.Name)) {
    const Position &P = D.Positions[Number];
    UsedId U = Ctx.ownerOfPosition(Number);
    ShapeId Part = partAt(D, I, P.Index);
    if (!Part || D[U].Tag.Name == I.Name)
      continue;
    std::optional<OperandPath> S =
        sourceOf(Ctx, I, D.Indices.steps(P.Index), !D.Shapes[Part].isTuple());
    if (S && S->Operand < I.Operands.size() &&
        !isPositionOf(Ctx, U, D.operands(I)[S->Operand],
                      D.Indices.get(S->Steps)))
      reportWrong(Ctx, Diags, I, Number, *S);
  }
}

/// Reports the values that lack a position at or below \p Path of \p I.
static void checkLost(const CheckContext &Ctx, Reporter &Diags,
                      const Instruction &I, ShapeId Part, Steps &Path) {
  const Dump &D = Ctx.dump();
  const Shape &Here = D.Shapes[Part];
  ShapeIndex Index = D.Indices.get(Path);
  if (Ctx.positionsAt(I.Name, Index).empty()) {
    std::optional<OperandPath> S = sourceOf(Ctx, I, Path, !Here.isTuple());
    UsedId U;
    if (S && S->Operand < I.Operands.size())
      U = Ctx.valueAt(D.operands(I)[S->Operand], D.Indices.get(S->Steps));
    if (U) {
      Finding F = Diags.report(
          lastPositionRow(Ctx, U),
          "{} has no position at {}, which forwards operand {}, {}",
          Ctx.places().tag(D[U]).Whole, D.spell(I.Name, Index), S->Operand,
          D.Names[D.operands(I)[S->Operand]]);
      F.note(Ctx.places().operand(I, S->Operand), "the operand").about(I.Name);
      aboutUsed(Ctx, F, U);
    }
  }
  for (uint32_t K = 0; Here.isTuple() && K != Here.Elements.size(); ++K) {
    Path.push_back(K);
    checkLost(Ctx, Diags, I, Here.Elements[K], Path);
    Path.pop_back();
  }
}

void hlobuf::checkAliasPositions(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  Steps Path;
  for (const Instruction &I : D.Instructions) {
    if (forwardRules(I.Op.Op).empty() && I.Op.Op != Opcode::While)
      continue;
    checkPositions(Ctx, Diags, I);
    if (Ctx.positionsAt(I.Name).size() < D.Shapes[I.Result].Nodes)
      checkLost(Ctx, Diags, I, I.Result, Path);
  }
}
