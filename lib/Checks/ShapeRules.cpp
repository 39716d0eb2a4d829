// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/ShapeRules.h"
#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

namespace {
using Numbers = AttributeNumbers;

/// How the result's shape follows from the operands.
enum class ShapeRule : uint8_t {
  None,
  /// All operands have the result's dimensions.
  Dimensions,
  /// Operand 0 has; Second: operands 1 and up have.
  FirstDimensions,
  SecondDimensions,
  /// Each operand has the dimensions of the element with its number.
  Paired,
  Elements,
};

/// Kinds of elements that no opcode but a conversion mixes.
enum class ElementKind : uint8_t { Other, Float, Complex };
} // namespace

static ShapeRule ruleOf(Opcode Op) {
  switch (Op) {
  case Opcode::DynamicUpdateSlice:
  case Opcode::Cholesky:
    return ShapeRule::FirstDimensions;
  case Opcode::Select:
  case Opcode::TriangularSolve:
    return ShapeRule::SecondDimensions;
  // Its bounds may be scalars.
  case Opcode::Clamp:
    return ShapeRule::None;
  case Opcode::Reverse:
    return ShapeRule::Dimensions;
  case Opcode::Reshape:
  case Opcode::Transpose:
    return ShapeRule::Elements;
  default:
    return isPaired(Op)        ? ShapeRule::Paired
           : isElementwise(Op) ? ShapeRule::Dimensions
                               : ShapeRule::None;
  }
}

/// The operands whose elements have the type of the result's: from the first
/// on, up to but not including the second.
static std::pair<uint32_t, uint32_t> typedOperands(Opcode Op, uint32_t Count) {
  switch (Op) {
  case Opcode::Compare:
  case Opcode::Convert:
  case Opcode::Complex:
  case Opcode::Real:
  case Opcode::Imag:
  case Opcode::IsFinite:
  case Opcode::Map:
  case Opcode::StochasticConvert:
  case Opcode::Bitcast:
  case Opcode::Abs: // of complex numbers, real ones
    return {0, 0};
  case Opcode::Select:
    return {1, Count};
  case Opcode::DynamicSlice:
  case Opcode::Gather:
    return {0, std::min(1u, Count)};
  case Opcode::DynamicUpdateSlice:
    return {0, std::min(2u, Count)};
  default:
    return {0, isElementwise(Op) || movesElements(Op) ? Count : 0};
  }
}

static ElementKind kindOf(const Shape &S) {
  if (S.Element.starts_with("f") || S.Element.starts_with("bf"))
    return ElementKind::Float;
  return S.Element.starts_with("c") ? ElementKind::Complex : ElementKind::Other;
}

static Numbers dimensionsOf(const Shape &S) {
  Numbers Sizes;
  for (Dimension Dim : S.Dimensions)
    Sizes.push_back(Dim.Size);
  return Sizes;
}

namespace {
struct ShapeRules {
  void check();

  uint32_t count() const { return static_cast<uint32_t>(Operands.size()); }
  ShapeId shapeOf(HloId Operand) const {
    return Operand ? P[Operand].Shape : ShapeId();
  }
  /// The shape of operand \p K if it is an array of known size; else null.
  const Shape *array(uint32_t K) const {
    ShapeId Own = K < count() ? shapeOf(Operands[K]) : ShapeId();
    return Own ? plain(Own) : nullptr;
  }
  const Shape *plain(ShapeId Id) const {
    const Shape &S = Shapes[Id];
    return S.isArray() && !S.isDynamic() ? &S : nullptr;
  }
  std::optional<StringRef> attribute(StringRef Key) const {
    return findAttribute(P.module().attributes(P.module()[Id]), Key);
  }
  /// `shape f32[4]`, of a part of the result.
  std::string spell(ShapeId Part) const {
    return fmt::format("{} {}", Part == N.Shape ? "shape" : "a part with shape",
                       shortened(Part));
  }
  StringRef shortened(ShapeId Shape) const {
    constexpr size_t Longest = 80;
    return Shapes.text(Shape).take_front(Longest);
  }
  /// Reports what is wrong at \p Where; \p Operand is shown if it is valid.
  template <typename... Ts>
  void report(StringRef Where, HloId Operand, fmt::format_string<Ts...> Format,
              Ts &&...Args) {
    Finding F = Diags.report(Where, Format, std::forward<Ts>(Args)...);
    if (Operand)
      F.note(P.place(Operand), "{} is defined here", P.spell(Operand));
    F.about(P.module(), Id);
  }
  /// Operand \p K has another shape than \p Part of the result.
  void misfit(uint32_t K, ShapeId Part) {
    report(P.place(Id), Operands[K],
           "{} has {}, but its operand {}, {}, has {}", opcodeText(N.Op),
           spell(Part), K, P.spell(Operands[K]),
           shortened(shapeOf(Operands[K])));
  }
  void checkByRule();
  void checkByOpcode();
  void checkSame(uint32_t K, ShapeId Part);
  void checkDimensions(uint32_t K, ShapeId Part);
  void checkPaired();
  void checkElements();
  void checkPlacement();
  void checkSizes(StringRef Key, std::optional<Numbers> Sizes);
  void checkWithin(uint32_t Inner, uint32_t Outer);
  void checkStarts(uint32_t First);
  void checkTypes();
  void checkComputed(ShapeId Part, std::optional<Numbers> Sizes);
  std::optional<Numbers> concatenated() const;
  std::optional<Numbers> reduced(uint32_t K) const;
  std::optional<Numbers> multiplied() const;
  std::optional<Numbers> sliced() const;
  std::optional<Numbers> padded() const;

  const Program &P;
  HloId Id;
  Reporter &Diags;
  const ShapeTable &Shapes = P.facts().dump().Shapes;
  const HloNode &N = P[Id];
  ArrayRef<HloId> Operands = P.operands(Id);
  const Shape &Result = Shapes[N.Shape];
};
} // namespace

/// Operand \p K is \p Part but for layouts.
void ShapeRules::checkSame(uint32_t K, ShapeId Part) {
  ShapeId Own = K < count() ? shapeOf(Operands[K]) : ShapeId();
  if (Own && Part && !Shapes.equalIgnoringLayout(Part, Own))
    misfit(K, Part);
}

void ShapeRules::checkDimensions(uint32_t K, ShapeId Part) {
  const Shape *Other = array(K);
  const Shape *Own = plain(Part);
  if (Other && Own && Own->Dimensions != Other->Dimensions)
    misfit(K, Part);
}

void ShapeRules::checkPaired() {
  if (!Result.isTuple()) {
    for (uint32_t K = 0; K != count(); ++K)
      checkDimensions(K, N.Shape);
    return;
  }
  for (uint32_t K = 0; K < count() && K < Result.Elements.size(); ++K)
    checkDimensions(K, Result.Elements[K]);
}

/// The same elements in another order.
void ShapeRules::checkElements() {
  const Shape *Other = array(0);
  if (!Other || !plain(N.Shape))
    return;
  uint64_t Elements = 1, Expected = 1;
  for (int64_t Size : dimensionsOf(Result))
    Elements *= static_cast<uint64_t>(Size);
  for (int64_t Size : dimensionsOf(*Other))
    Expected *= static_cast<uint64_t>(Size);
  if (Elements != Expected)
    misfit(0, N.Shape);
}

/// `dimensions` says where the operand's dimensions go to (broadcast) or come
/// from (transpose).
void ShapeRules::checkPlacement() {
  const Shape *Other = array(0);
  std::optional<StringRef> Text = attribute("dimensions");
  std::optional<Numbers> Places = numbersIn(Text);
  if (!Other || !Places || !plain(N.Shape))
    return;
  Numbers From = dimensionsOf(*Other);
  Numbers To = dimensionsOf(Result);
  if (N.Op == Opcode::Transpose)
    std::swap(From, To);
  bool Fits = Places->size() == From.size();
  for (size_t K = 0; Fits && K != From.size(); ++K) {
    auto Place = static_cast<uint64_t>((*Places)[K]);
    Fits = Place < To.size() && To[Place] == From[K];
  }
  if (!Fits)
    report(*Text, Operands[0],
           "{} has dimensions={}, which does not map {} to {}", P.spell(Id),
           *Text, Shapes.text(shapeOf(Operands[0])), Shapes.text(N.Shape));
}

/// The attribute \p Key gives the result's dimensions.
void ShapeRules::checkSizes(StringRef Key, std::optional<Numbers> Sizes) {
  std::optional<StringRef> Text = attribute(Key);
  if (Sizes && Text && plain(N.Shape) && *Sizes != dimensionsOf(Result))
    report(*Text, HloId(), "{}={} does not match the dimensions of {}", Key,
           *Text, Shapes.text(N.Shape));
}

/// The result is cut from operand 0, or operand 1 replaces a part of it.
void ShapeRules::checkWithin(uint32_t Inner, uint32_t Outer) {
  const Shape *In = Inner < count() ? array(Inner) : plain(N.Shape);
  const Shape *Out = Outer < count() ? array(Outer) : plain(N.Shape);
  if (!In || !Out)
    return;
  bool Fits = In->Dimensions.size() == Out->Dimensions.size();
  for (size_t K = 0; Fits && K != In->Dimensions.size(); ++K)
    Fits = In->Dimensions[K].Size <= Out->Dimensions[K].Size;
  if (!Fits)
    misfit(Inner < count() ? Inner : Outer, N.Shape);
}

/// One scalar for each dimension, or all in one array (until 2019).
void ShapeRules::checkStarts(uint32_t First) {
  for (uint32_t K = First; K < count(); ++K) {
    const Shape *Start = array(K);
    bool AllInOne =
        Start && Start->Dimensions.size() == 1 && count() == First + 1;
    if (Start && ((!Start->Dimensions.empty() && !AllInOne) ||
                  kindOf(*Start) != ElementKind::Other))
      report(P.place(Id), Operands[K],
             "{} starts at its operand {}, {}, which has shape {}, expected an "
             "integer",
             opcodeText(N.Op), K, P.spell(Operands[K]),
             shortened(shapeOf(Operands[K])));
  }
}

void ShapeRules::checkTypes() {
  if (!plain(N.Shape))
    return;
  auto [First, End] = typedOperands(N.Op, count());
  for (uint32_t K = First; K < End; ++K) {
    const Shape *Other = array(K);
    if (!Other || Other->Element == Result.Element)
      continue;
    ElementKind Kind = kindOf(*Other);
    if (Kind != kindOf(Result) || Kind == ElementKind::Other)
      misfit(K, N.Shape);
  }
}

/// All operands one after the other.
std::optional<Numbers> ShapeRules::concatenated() const {
  std::optional<Numbers> Along = numbersIn(attribute("dimensions"));
  const Shape *First = array(0);
  if (!First || !Along || Along->size() != 1)
    return std::nullopt;
  Numbers Sizes = dimensionsOf(*First);
  auto Dimension = static_cast<uint64_t>((*Along)[0]);
  if (Dimension >= Sizes.size())
    return std::nullopt;
  for (uint32_t K = 1; K != count(); ++K) {
    const Shape *Other = array(K);
    if (!Other || Other->Dimensions.size() != Sizes.size())
      return std::nullopt;
    // Damaged sizes may be any number.
    Sizes[Dimension] = int64_t(uint64_t(Sizes[Dimension]) +
                               uint64_t(Other->Dimensions[Dimension].Size));
  }
  return Sizes;
}

/// Operand \p K without the dimensions that are reduced.
std::optional<Numbers> ShapeRules::reduced(uint32_t K) const {
  std::optional<Numbers> Without = numbersIn(attribute("dimensions"));
  const Shape *From = array(K);
  if (!From || !Without)
    return std::nullopt;
  Numbers Sizes;
  for (size_t D = 0; D != From->Dimensions.size(); ++D)
    if (!llvm::is_contained(*Without, static_cast<int64_t>(D)))
      Sizes.push_back(From->Dimensions[D].Size);
  return Sizes;
}

/// Batch dimensions, then what is left of the left and of the right side.
std::optional<Numbers> ShapeRules::multiplied() const {
  static constexpr StringRef Batches[] = {"lhs_batch_dims", "rhs_batch_dims"};
  static constexpr StringRef Contracted[] = {"lhs_contracting_dims",
                                             "rhs_contracting_dims"};
  Numbers Sizes;
  Numbers Left;
  for (uint32_t Side = 0; Side != 2; ++Side) {
    const Shape *From = array(Side);
    if (!From)
      return std::nullopt;
    Numbers Gone;
    if (std::optional<Numbers> Batch = numbersIn(attribute(Batches[Side])))
      Gone = *Batch;
    for (int64_t D : Gone)
      if (static_cast<uint64_t>(D) >= From->Dimensions.size())
        return std::nullopt;
      else if (Side == 0)
        Sizes.push_back(From->Dimensions[static_cast<size_t>(D)].Size);
    if (std::optional<Numbers> Sum = numbersIn(attribute(Contracted[Side])))
      llvm::append_range(Gone, *Sum);
    for (size_t D = 0; D != From->Dimensions.size(); ++D)
      if (!llvm::is_contained(Gone, static_cast<int64_t>(D)))
        Left.push_back(From->Dimensions[D].Size);
  }
  llvm::append_range(Sizes, Left);
  return Sizes;
}

std::optional<Numbers> ShapeRules::sliced() const {
  auto Bounds = sliceBounds(attribute("slice"));
  if (!Bounds)
    return std::nullopt;
  Numbers Sizes;
  for (const DimensionSlice &Bound : *Bounds)
    Sizes.push_back(Bound.size());
  return Sizes;
}

std::optional<Numbers> ShapeRules::padded() const {
  const Shape *From = array(0);
  auto All = paddings(attribute("padding"));
  if (!From || !All || All->size() != From->Dimensions.size())
    return std::nullopt;
  Numbers Sizes = dimensionsOf(*From);
  for (auto [Size, Added] : llvm::zip(Sizes, *All)) {
    if (Size > INT32_MAX)
      return std::nullopt;
    Size += int64_t(Added.Below) + Added.Above +
            std::max<int64_t>(0, Size - 1) * int64_t(Added.Between);
  }
  return Sizes;
}

void ShapeRules::checkComputed(ShapeId Part, std::optional<Numbers> Sizes) {
  const Shape *Own = plain(Part);
  if (Own && Sizes && *Sizes != dimensionsOf(*Own))
    report(P.place(Id), HloId(),
           "{} has {}, but its operands give dimensions [{}]", opcodeText(N.Op),
           spell(Part), fmt::join(*Sizes, ","));
}

void ShapeRules::checkByRule() {
  switch (ruleOf(N.Op)) {
  case ShapeRule::Dimensions:
    for (uint32_t K = 0; K != count(); ++K)
      checkDimensions(K, N.Shape);
    return;
  case ShapeRule::FirstDimensions:
    return checkDimensions(0, N.Shape);
  case ShapeRule::SecondDimensions:
    for (uint32_t K = 1; K < count(); ++K)
      checkDimensions(K, N.Shape);
    return;
  case ShapeRule::Paired:
    return checkPaired();
  case ShapeRule::Elements:
    return checkElements();
  case ShapeRule::None:
    return;
  }
}

void ShapeRules::checkByOpcode() {
  constexpr uint32_t Whole = ~0u;
  switch (N.Op) {
  case Opcode::Copy:
    return Result.isTuple() ? checkSame(0, N.Shape) : void();
  case Opcode::CopyStart:
    for (uint32_t K = 0; K != 2 && Result.Elements.size() >= 2; ++K)
      checkSame(0, Result.Elements[K]);
    return;
  case Opcode::Transpose:
  case Opcode::Broadcast:
    return checkPlacement();
  case Opcode::Slice:
    checkWithin(Whole, 0);
    return checkSizes("slice", sliced());
  case Opcode::DynamicSlice:
    checkWithin(Whole, 0);
    checkStarts(1);
    return checkSizes("dynamic_slice_sizes",
                      numbersIn(attribute("dynamic_slice_sizes")));
  case Opcode::DynamicUpdateSlice:
    checkWithin(1, Whole);
    return checkStarts(2);
  case Opcode::Concatenate:
    return checkComputed(N.Shape, concatenated());
  case Opcode::Pad:
    return checkComputed(N.Shape, padded());
  case Opcode::Dot:
    return checkComputed(N.Shape, multiplied());
  case Opcode::Reduce:
    if (!Result.isTuple())
      return checkComputed(N.Shape, reduced(0));
    for (uint32_t K = 0; K != Result.Elements.size(); ++K)
      checkComputed(Result.Elements[K], reduced(K));
    return;
  case Opcode::Scatter:
    for (uint32_t K = 0; K < count() / 2; ++K)
      checkDimensions(K, Result.isTuple() && K < Result.Elements.size()
                             ? Result.Elements[K]
                             : N.Shape);
    return;
  default:
    return;
  }
}

void ShapeRules::check() {
  checkByRule();
  checkByOpcode();
  checkTypes();
}

void hlobuf::checkShapes(const Program &P, HloId Id, Reporter &Diags) {
  ShapeRules{P, Id, Diags}.check();
}
