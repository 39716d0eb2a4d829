//===- Checks/Values/InstructionShape.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside a computation the shape of an instruction follows from its opcode and
// the shapes of its operands; HloVerifier (ShapeVerifier, hlo_verifier.cc,
// 2017 on) insists on it after every pass. Checked are only rules that hold
// whatever a backend does to layouts and precision:
// - the elements of a tuple are its operands, the result of a copy or a while
//   is its operand, both buffers of a copy-start are, each but for layouts
//   (copies of arrays keep their dimensions only: on TPU of libtpu 0.0.17 to
//   0.0.51 `copy` converts f32 to bf16 on the way);
// - elementwise opcodes, convert, reverse and dynamic-update-slice keep the
//   dimensions;
// - reshape and transpose keep the number of elements, a transpose permutes
//   the dimensions as `dimensions` says, a broadcast places them there;
// - a slice has the dimensions that `slice` or `dynamic_slice_sizes` says.
// Only operands with a text of their own are compared; dynamic dimensions are
// left out. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
using Numbers = llvm::SmallVector<int64_t, 6>;

/// How the result's shape follows from the operands.
enum class Rule : uint8_t {
  None,
  /// All operands are the result but for layouts.
  Same,
  /// All operands have the result's dimensions.
  Dimensions,
  /// Operand 0 has; Second: operands 1 and up have.
  FirstDimensions,
  SecondDimensions,
  Elements,
};
} // namespace

static Rule ruleOf(Opcode Op) {
  switch (Op) {
  case Opcode::While:
    return Rule::Same;
  case Opcode::DynamicUpdateSlice:
    return Rule::FirstDimensions;
  case Opcode::Select:
    return Rule::SecondDimensions;
  // Its bounds may be scalars.
  case Opcode::Clamp:
    return Rule::None;
  case Opcode::Reverse:
    return Rule::Dimensions;
  case Opcode::Reshape:
  case Opcode::Transpose:
    return Rule::Elements;
  default:
    return isElementwise(Op) ? Rule::Dimensions : Rule::None;
  }
}

static Numbers dimensionsOf(const Shape &S) {
  Numbers Sizes;
  for (Dimension Dim : S.Dimensions)
    Sizes.push_back(Dim.Size);
  return Sizes;
}

/// The numbers of `{1,0}`; nothing if it is something else.
static std::optional<Numbers> numbersIn(std::optional<StringRef> Text) {
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return std::nullopt;
  Numbers All;
  llvm::SmallVector<StringRef, 6> Items;
  Text->split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items)
    if (Item.trim().getAsInteger(10, All.emplace_back()))
      return std::nullopt;
  return All;
}

/// The sizes that `slice={[begin:limit:stride], ..}` gives.
static std::optional<Numbers> sliceSizes(std::optional<StringRef> Text) {
  if (!Text || !Text->consume_front("{") || !Text->consume_back("}"))
    return std::nullopt;
  Numbers Sizes;
  llvm::SmallVector<StringRef, 6> Items;
  Text->split(Items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items) {
    Item = Item.trim();
    llvm::SmallVector<StringRef, 3> Parts;
    if (!Item.consume_front("[") || !Item.consume_back("]"))
      return std::nullopt;
    Item.split(Parts, ':');
    int64_t Begin, Limit, Stride = 1;
    if (Parts.size() < 2 || Parts[0].getAsInteger(10, Begin) ||
        Parts[1].getAsInteger(10, Limit) ||
        (Parts.size() > 2 && Parts[2].getAsInteger(10, Stride)) ||
        Stride <= 0 || Begin < 0 || Limit < Begin)
      return std::nullopt;
    Sizes.push_back((Limit - Begin) / Stride +
                    ((Limit - Begin) % Stride != 0 ? 1 : 0));
  }
  return Sizes;
}

namespace {
class ShapeRules {
public:
  ShapeRules(const CheckContext &A, Reporter &R, const Instruction &I)
      : A(A), D(A.dump()), R(R), I(I), Result(D.Shapes[I.Result]) {}

  void check();

private:
  /// The text of operand \p K; null if there is none.
  const Instruction *operand(uint32_t K) const {
    return K < I.Operands.size() ? A.instruction(D.operands(I)[K]) : nullptr;
  }
  bool comparable(const Shape &Other) const {
    return Result.isArray() && Other.isArray() && !Result.isDynamic() &&
           !Other.isDynamic();
  }
  void checkSame(uint32_t K, ShapeId Part);
  void checkDimensions(uint32_t K);
  void checkElements();
  void checkPlacement();
  void checkSizes(StringRef Key, std::optional<Numbers> Sizes);
  void report(uint32_t K, StringRef What, ShapeId Part);

  const CheckContext &A;
  const Dump &D;
  Reporter &R;
  const Instruction &I;
  const Shape &Result;
};
} // namespace

void ShapeRules::report(uint32_t K, StringRef What, ShapeId Part) {
  const Instruction &Other = *operand(K);
  InstructionText Text = A.places().text(I);
  R.report(Text.ShapeText, "{} has {} {}, but its operand {}, {}, has {}",
           Text.OpcodeText, What, D.Shapes.text(Part).take_front(80), K,
           D.Names[Other.Name], D.Shapes.text(Other.Result).take_front(80))
      .note(A.places().text(Other).ShapeText, "the operand")
      .about(I.Name)
      .about(Other.Name);
}

/// Operand \p K is \p Part but for layouts.
void ShapeRules::checkSame(uint32_t K, ShapeId Part) {
  const Instruction *Other = operand(K);
  if (Other && Part && !D.Shapes.equalIgnoringLayout(Part, Other->Result))
    report(K, Part == I.Result ? "shape" : "a part with shape", Part);
}

void ShapeRules::checkDimensions(uint32_t K) {
  const Instruction *Other = operand(K);
  if (Other && comparable(D.Shapes[Other->Result]) &&
      Result.Dimensions != D.Shapes[Other->Result].Dimensions)
    report(K, "shape", I.Result);
}

/// The same elements in another order.
void ShapeRules::checkElements() {
  const Instruction *Other = operand(0);
  if (!Other || !comparable(D.Shapes[Other->Result]))
    return;
  uint64_t Here = 1, There = 1;
  for (int64_t Size : dimensionsOf(Result))
    Here *= static_cast<uint64_t>(Size);
  for (int64_t Size : dimensionsOf(D.Shapes[Other->Result]))
    There *= static_cast<uint64_t>(Size);
  if (Here != There)
    report(0, "shape", I.Result);
}

/// `dimensions` says where the operand's dimensions go to (broadcast) or come
/// from (transpose).
void ShapeRules::checkPlacement() {
  const Instruction *Other = operand(0);
  std::optional<StringRef> Text = findAttribute(D.attributes(I), "dimensions");
  std::optional<Numbers> Places = numbersIn(Text);
  if (!Other || !Places || !comparable(D.Shapes[Other->Result]))
    return;
  bool Transpose = I.Op.Op == Opcode::Transpose;
  Numbers From = dimensionsOf(D.Shapes[Other->Result]);
  Numbers To = dimensionsOf(Result);
  if (Transpose)
    std::swap(From, To);
  bool Fits = Places->size() == From.size();
  for (size_t K = 0; Fits && K != From.size(); ++K) {
    auto Place = static_cast<uint64_t>((*Places)[K]);
    Fits = Place < To.size() && To[Place] == From[K];
  }
  if (Fits)
    return;
  InstructionText Parts = A.places().text(I);
  R.report(*Text, "{} has dimensions={}, which does not map {} to {}",
           D.Names[I.Name], *Text, D.Shapes.text(Other->Result),
           Parts.ShapeText)
      .note(A.places().text(*Other).ShapeText, "the operand")
      .about(I.Name)
      .about(Other->Name);
}

/// The attribute \p Key gives the result's dimensions.
void ShapeRules::checkSizes(StringRef Key, std::optional<Numbers> Sizes) {
  std::optional<StringRef> Text = findAttribute(D.attributes(I), Key);
  if (!Sizes || !Text || !Result.isArray() || Result.isDynamic() ||
      *Sizes == dimensionsOf(Result))
    return;
  R.report(*Text, "{}={} does not match the dimensions of {}", Key, *Text,
           D.Shapes.text(I.Result))
      .note(A.places().text(I).ShapeText, "the result")
      .about(I.Name);
}

void ShapeRules::check() {
  StringRef Attributes = D.attributes(I);
  uint32_t Count = I.Operands.size();
  switch (ruleOf(I.Op.Op)) {
  case Rule::Same:
    for (uint32_t K = 0; K != Count; ++K)
      checkSame(K, I.Result);
    break;
  case Rule::Dimensions:
    for (uint32_t K = 0; K != Count; ++K)
      checkDimensions(K);
    break;
  case Rule::FirstDimensions:
    checkDimensions(0);
    break;
  case Rule::SecondDimensions:
    for (uint32_t K = 1; K < Count; ++K)
      checkDimensions(K);
    break;
  case Rule::Elements:
    checkElements();
    break;
  case Rule::None:
    break;
  }
  if (I.Op.Op == Opcode::Copy && Result.isTuple())
    checkSame(0, I.Result);
  if (I.Op.Op == Opcode::Tuple)
    for (uint32_t K = 0; K < Count && K < Result.Elements.size(); ++K)
      checkSame(K, Result.Elements[K]);
  if (I.Op.Op == Opcode::CopyStart && Result.Elements.size() >= 2)
    for (uint32_t K = 0; K != 2; ++K)
      checkSame(0, Result.Elements[K]);
  if (I.Op.Op == Opcode::Transpose || I.Op.Op == Opcode::Broadcast)
    checkPlacement();
  if (I.Op.Op == Opcode::Slice)
    checkSizes("slice", sliceSizes(findAttribute(Attributes, "slice")));
  if (I.Op.Op == Opcode::DynamicSlice)
    checkSizes("dynamic_slice_sizes",
               numbersIn(findAttribute(Attributes, "dynamic_slice_sizes")));
}

namespace hlobuf {
void checkInstructionShape(const CheckContext &A, Reporter &R) {
  for (const Instruction &I : A.dump().Instructions)
    ShapeRules(A, R, I).check();
}
} // namespace hlobuf
