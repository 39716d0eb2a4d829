// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape between the bars of a parameter's header is that of its value,
// without layouts (buffer_assignment.cc BufferAllocation::ToString). For a part
// of a tuple it is the shape of that part since 2025-08-20, and before it was
// the shape of the whole parameter (TensorFlow 2.1 on). `<unknown shape>` says
// that XLA found no parameter's value in the allocation (2021-03-30 on).
// Headers have no shape before 2019-12-13.
//
// Exactly one allocation prints `output shape is |S|`: the one with the value
// at the entry root, as a whole. S is the shape of the root
// instruction without layouts, not that of the value: where the root is a
// bitcast the two differ (buffer_assignment.cc, 2017; with bars since
// 2019-12-13). Dumps before that print nothing.
//
// Where the root's text is not in the dump, only the kind and, on CPU and GPU,
// the bytes of S are compared with those of the values that fill the allocation
// (on TPU a bitcast may pad: `bf16[300,5]`).

#include "Checks/Check.h"
#include "Dataflow/ModuleAnalysis.h"

using namespace hlobuf;

/// Tuples can have thousands of elements.
static std::string shortened(StringRef Shape) {
  constexpr size_t Limit = 60;
  if (Shape.size() <= Limit)
    return Shape.str();
  return (Shape.take_front(Limit) + "..").str();
}

/// The value that the parameter header of \p Alloc describes; invalid if it
/// cannot be identified.
static ValueId parameterValue(const CheckContext &Ctx,
                              const Allocation &Alloc) {
  const Dump &D = Ctx.dump();
  ValueId Match;
  ShapeIndex Index = Alloc.ParameterIndex.canonical();
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    const Value &V = D.Values[I];
    if (V.Tag.Phi || V.Tag.Index.canonical() != Index)
      continue;
    if (Ctx.opcode(V.Tag.Name) == Opcode::Parameter)
      return ValueId(I);
    // Without texts, only a value that is alone can be identified.
    if (!Ctx.hasText(V.Tag.Name) && Alloc.Values.size() == 1)
      Match = ValueId(I);
  }
  return Match;
}

/// True if \p Printed is the shape of \p V, or the whole parameter's.
static bool fits(const CheckContext &Ctx, const Allocation &Alloc,
                 const Value &V) {
  const Dump &D = Ctx.dump();
  ShapeId Printed = Alloc.ParameterShape;
  if (D.Shapes.equalIgnoringLayout(Printed, V.Shape))
    return true;
  bool PartsOnly = Ctx.release().since(Release::ParameterParts) &&
                   !Ctx.release().impossible();
  if (Alloc.ParameterIndex.isRoot() || PartsOnly)
    return false;
  ShapeId Part = D.Shapes.at(Printed, D.Indices.steps(Alloc.ParameterIndex));
  if (!Part || !D.Shapes.equalIgnoringLayout(Part, V.Shape))
    return false;
  const Instruction *I = Ctx.instruction(V.Tag.Name);
  return !I || !I->Result || D.Shapes.equalIgnoringLayout(Printed, I->Result);
}

static void checkParameterShape(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  for (auto [K, Alloc] : llvm::enumerate(D.Allocations)) {
    if (!Alloc.isParameter() ||
        (!Alloc.UnknownParameterShape && !Alloc.ParameterShape))
      continue;
    ValueId Id = parameterValue(Ctx, Alloc);
    if (!Id)
      continue;
    const Value &V = D[Id];
    if (!Alloc.UnknownParameterShape && fits(Ctx, Alloc, V))
      continue;
    StringRef Printed = Ctx.places().header(Alloc).ParameterShape;
    Diags
        .report({Printed, AllocationId(K), Id},
                "allocation {} has parameter shape {}, but the parameter's "
                "value has {}",
                Alloc.Index, shortened(Printed),
                shortened(D.Shapes.plainText(V.Shape)))
        .note(Ctx.places().value(V).Shape, "the parameter's value is here");
  }
}

/// Where the header that lost its output shape most likely is.
static AllocationId likelyOutput(const CheckContext &Ctx) {
  const Dump &D = Ctx.dump();
  if (!D.Sequence.empty() && D.complete(Section::Used)) {
    NameId Last = D.Sequence.back().Name;
    if (UsedId U = Ctx.valueAt(Last, ShapeIndex::root()))
      if (ValueId V = Ctx.valueOf(U); V && D[D[V].Owner].MaybeLiveOut)
        return D[V].Owner;
  }
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    if (D.Allocations[I].MaybeLiveOut)
      return AllocationId(I);
  return AllocationId(0);
}

static void reportMissing(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  // Older headers have no shapes.
  if (D.Allocations.empty() || Ctx.release().impossible() ||
      !Ctx.release().since(Release::ParameterShapes))
    return;
  AllocationId Id = likelyOutput(Ctx);
  Diags.report({Ctx.places().orEnd(StringRef(), D[Id]), Id},
               "none of {} allocations has an output shape, expected one",
               D.Allocations.size());
}

/// Bits of \p S's elements without padding; nothing where they are not known.
static std::optional<uint64_t> elementBits(const Shape &S) {
  if (!S.isArray() || S.Bits == 0)
    return std::nullopt;
  uint64_t Bits = S.Bits;
  for (Dimension D : S.Dimensions)
    Bits = llvm::SaturatingMultiply(
        Bits, static_cast<uint64_t>(std::max<int64_t>(D.Size, 0)));
  return Bits;
}

/// True if some value that fills \p Alloc could have the printed shape.
static bool canHold(const CheckContext &Ctx, const Allocation &Alloc) {
  const Dump &D = Ctx.dump();
  ShapeId Output = Alloc.OutputShape;
  const Shape &Printed = D.Shapes[Output];
  std::optional<uint64_t> Bytes = logicalBytes(D.Shapes, Output);
  bool Compare = !Ctx.isTPU() && !Printed.isDynamic();
  for (const Value &V : D.values(Alloc)) {
    const Shape &Stored = D.Shapes[V.Shape];
    if (V.Size != Alloc.Size || Stored.Kind != Printed.Kind)
      continue;
    if (!Compare || Stored.isDynamic() ||
        Bytes == logicalBytes(D.Shapes, V.Shape))
      return true;
    // Whether elements of less than a byte are packed is up to the layout,
    // which the header leaves out.
    if (std::min(Printed.Bits, Stored.Bits) < 8 && elementBits(Printed) &&
        elementBits(Printed) == elementBits(Stored))
      return true;
  }
  return false;
}

/// The root of the module, unless it has another stage.
static NameId findRoot(const CheckContext &Ctx) {
  const ModuleAnalysis *Analysis = Ctx.moduleAnalysis();
  if (!Analysis || !Analysis->isUsable())
    return Ctx.entryRoot();
  const Program &P = Analysis->program();
  return P[P.root(P.module().Entry)].Name;
}

static void checkText(const CheckContext &Ctx, Reporter &Diags,
                      AllocationId Id) {
  const Dump &D = Ctx.dump();
  const Allocation &Alloc = D[Id];
  NameId Root = findRoot(Ctx);
  const Instruction *I = Root ? Ctx.instruction(Root) : nullptr;
  if (I && I->Result) {
    if (!D.Shapes.equalIgnoringLayout(Alloc.OutputShape, I->Result))
      Diags
          .report({Ctx.places().header(Alloc).OutputShape, Id},
                  "allocation {} has an output shape that differs from the "
                  "shape of the entry root {}",
                  Alloc.Index, D.Names[Root])
          .note(Ctx.places().text(*I).ShapeText, "the root's shape is here");
    return;
  }
  if (!Alloc.Values.empty() && !canHold(Ctx, Alloc))
    Diags.report({Ctx.places().header(Alloc).OutputShape, Id},
                 "allocation {} has an output shape that fits none of the "
                 "values that fill it",
                 Alloc.Index);
}

static void checkOutputShape(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  AllocationId First;
  bool Several = false;
  for (auto [I, Alloc] : llvm::enumerate(D.Allocations)) {
    if (!Alloc.hasOutputShape())
      continue;
    if (First) {
      Several = true;
      Diags
          .report(
              {Ctx.places().header(Alloc).OutputShape, AllocationId(I), First},
              "allocation {} has an output shape, and so does allocation "
              "{}, expected only one",
              Alloc.Index, D[First].Index)
          .note(Ctx.places().header(D[First]).OutputShape, "the first is here");
    } else {
      First = AllocationId(I);
    }
  }
  if (!First)
    reportMissing(Ctx, Diags);
  else if (!Several)
    checkText(Ctx, Diags, First);
}

void hlobuf::checkHeaderShape(const CheckContext &Ctx, Reporter &Diags) {
  checkParameterShape(Ctx, Diags);
  checkOutputShape(Ctx, Diags);
}
