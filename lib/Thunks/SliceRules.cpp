// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic-slice fusions: which part of an operand or result each embedded
// thunk gets (dynamic_slice_fusion_thunk.cc, xla/backends/gpu/runtime, 2026).

#include "Support/Format.h"
#include "Thunks/AttributeRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

/// Operations inside of operations, and bytes of one index: far more than
/// start indices have.
static constexpr unsigned MostDepth = 64;
static constexpr size_t MostText = 4096;

/// The index that \p I computes, as Proto/AttributeValues.cpp spells it;
/// nothing where it is something that these expressions do not have.
static std::optional<std::string> offsetOf(const AttributeContext &Attr,
                                           HloId I, unsigned Depth) {
  const Program &P = Attr.program();
  if (Depth > MostDepth)
    return std::nullopt;
  std::string Name;
  switch (P[I].Op) {
  case Opcode::Constant:
    return P.module().operandsText(P.module()[I]).str();
  case Opcode::Parameter:
    return fmt::format("p{}", P[I].number());
  case Opcode::Add:
  case Opcode::Subtract:
  case Opcode::Multiply:
  case Opcode::Select:
  case Opcode::Divide:
  case Opcode::Remainder:
  case Opcode::Minimum:
  case Opcode::Maximum:
    Name = opcodeText(P[I].Op).str();
    break;
  case Opcode::Compare:
    Name = "compare-" + Attr.attribute(I, "direction").value_or("?").str();
    break;
  default:
    return std::nullopt;
  }
  StringRef Separator = "(";
  for (HloId Operand : P.operands(I)) {
    std::optional<std::string> Inner = offsetOf(Attr, Operand, Depth + 1);
    if (!Inner || Name.size() + Inner->size() > MostText)
      return std::nullopt;
    Name += Separator.str() + *Inner;
    Separator = ",";
  }
  return Name + ')';
}

static std::string shapeText(const AttributeContext &Attr, ShapeId Shape) {
  return Attr.G.dump().Shapes.text(Shape).str();
}

/// `{0:p1,1:0}`, the start indices of \p I from operand \p First on; nothing
/// where one is not known.
static std::optional<std::string> offsetsOf(const AttributeContext &Attr,
                                            HloId I, size_t First) {
  ArrayRef<HloId> Operands = Attr.program().operands(I);
  std::string Out = "{";
  for (size_t N = First; N < Operands.size(); ++N) {
    std::optional<std::string> Offset = offsetOf(Attr, Operands[N], 0);
    if (!Offset)
      return std::nullopt;
    Out += fmt::format("{}{}:{}", N == First ? "" : ",", N - First, *Offset);
  }
  return Out + '}';
}

/// `,loop:0,linear:{80,-16,80,-16}` of the backend_config of \p I, which the
/// thunk has twice; empty if it has none.
static std::string configOf(const AttributeContext &Attr, HloId I) {
  StringRef Config = Attr.attribute(I, "backend_config").value_or("");
  size_t Start = Config.find("\"dynamic_slice_config\":{");
  if (Start == StringRef::npos)
    return "";
  StringRef Rest = Config.drop_front(Start);
  // Newer files have the numbers in an item of their own.
  auto [Before, Linear] = Rest.split("\"linear\":{");
  StringRef Loop = Before.contains("\"loop_index\"")
                       ? Before
                       : Linear.split('}').second.split('}').first;
  StringRef Own = Linear.empty() ? Before : Linear.split('}').first;
  auto Number = [](StringRef Text, StringRef Key, StringRef Usual = "0") {
    StringRef Value = Text.split(fmt::format("\"{}\":\"", Key)).second;
    return Value.empty() ? Usual : Value.split('"').first;
  };
  std::string Place = fmt::format("{},{}", Number(Own, "byte_offset"),
                                  Number(Own, "byte_stride"));
  return fmt::format(",loop:{},linear:{{{}{}}}",
                     Number(Loop, "loop_index", "none"), Place,
                     Linear.empty() ? "" : "," + Place);
}

/// \p Id without what gives its bytes another shape.
static HloId skipBitcasts(const Program &P, HloId Id) {
  while (P[Id].Op == Opcode::Bitcast)
    Id = P.operands(Id)[0];
  return Id;
}

/// Operand \p Number of \p User is a constant, also of what an async
/// computation takes.
static bool isConstant(const Program &P, HloId User, size_t Number) {
  while (Number < P.operands(User).size()) {
    HloId Given = skipBitcasts(P, P.operands(User)[Number]);
    ArrayRef<HloId> Callers = P.callers(P[Given].Parent);
    if (P[Given].Op != Opcode::Parameter || Callers.size() != 1 ||
        P[Callers[0]].Op != Opcode::AsyncStart)
      return P[Given].Op == Opcode::Constant;
    User = Callers[0];
    Number = P[Given].number();
  }
  return false;
}

/// True if \p Offsets name a parameter, as `p1`, whose operand may change.
static bool isMoving(const AttributeContext &Attr, StringRef Offsets) {
  const Program &P = Attr.program();
  while (!Offsets.empty()) {
    size_t Number = 0;
    if (!Offsets.consume_front("p") || Offsets.consumeInteger(10, Number)) {
      Offsets = Offsets.drop_front(!Offsets.empty());
      continue;
    }
    if (!isConstant(P, Attr.I, Number))
      return true;
  }
  return false;
}

/// `OFFSETS,CONFIG` of \p I. Nothing where a start index moves and the numbers
/// do not: the program goes by these alone (dynamic_slice_fusion_v2_thunk.cc,
/// BuildDynamicSliceBuffers, 2026).
static std::optional<std::string> movesOf(const AttributeContext &Attr, HloId I,
                                          size_t First) {
  std::optional<std::string> Offsets = offsetsOf(Attr, I, First);
  std::string Config = configOf(Attr, I);
  StringRef Numbers = StringRef(Config).split("linear:{").second;
  StringRef Stride = Numbers.split(',').second.take_until(
      [](char C) { return C == ',' || C == '}'; });
  if (!Offsets ||
      (isMoving(Attr, *Offsets) && (Stride.empty() || Stride == "0")))
    return std::nullopt;
  return *Offsets + Config;
}

/// What \p At is, through bitcasts and tuples.
static Part skipForwards(const Program &P, Part At) {
  while (P[At.Id].Op == Opcode::Bitcast || P[At.Id].Op == Opcode::Tuple ||
         P[At.Id].Op == Opcode::GetTupleElement) {
    std::optional<OperandPart> From = P.forwardedPart(At.Id, At.Ordinal);
    if (!From)
      return Part();
    At = {P.operands(At.Id)[From->Operand], From->Ordinal};
  }
  return At;
}

/// The part of a result that \p Update writes: `N,L,SHAPES,OFFSETS,CONFIG}`
/// with the parameter that is updated.
static std::optional<std::string> updateText(const AttributeContext &Attr,
                                             HloId Update, size_t Leaf) {
  const Program &P = Attr.program();
  HloId From = skipBitcasts(P, P.operands(Update)[0]);
  std::optional<std::string> Moves = movesOf(Attr, Update, 2);
  if (!Moves || P[From].Op != Opcode::Parameter)
    return std::nullopt;
  return fmt::format("{},{},{},{},{}}}", P[From].number(), Leaf,
                     shapeText(Attr, P[Update].Shape),
                     shapeText(Attr, P[P.operands(Update)[1]].Shape), *Moves);
}

/// The same for leaf number \p Leaf of the fusion, which is that of \p Hero, if
/// it has one.
static std::optional<std::string> resultText(const AttributeContext &Attr,
                                             HloId Hero, size_t Leaf) {
  const Program &P = Attr.program();
  HloId Root = P.root(P.calls(Attr.I).front().Callee);
  SmallVector<ArrayLeaf, 4> Leaves = Attr.G.leaves(Root);
  if (Leaf >= Leaves.size())
    return std::nullopt;
  Part At = skipForwards(P, {Root, Leaves[Leaf].Ordinal});
  if (!At)
    return std::nullopt;
  bool Updates = P[At.Id].Op == Opcode::DynamicUpdateSlice;
  Part From = Updates && Hero ? skipForwards(P, {P.operands(At.Id)[1], 0}) : At;
  if (Hero) {
    Leaves = Attr.G.leaves(Hero);
    if (Leaf >= Leaves.size() || From != Part{Hero, Leaves[Leaf].Ordinal})
      return std::nullopt;
  }
  if (Updates)
    return updateText(Attr, At.Id, Leaf);
  if (!Hero && !isSlice(P[At.Id].Op))
    return std::nullopt;
  std::string Whole =
      shapeText(Attr, P.trees().part(P[At.Id].Shape, At.Ordinal));
  return fmt::format("none,{},{},{},{{}}}}", Leaf, Whole, Whole);
}

/// The part of a parameter that \p From is: `N,SHAPES,OFFSETS,CONFIG}`.
static std::optional<std::string> parameterText(const AttributeContext &Attr,
                                                HloId From, bool SaysTwice) {
  const Program &P = Attr.program();
  HloId Part = skipBitcasts(P, From);
  bool Sliced = isSlice(P[Part].Op);
  // What is sliced may be another shape of the parameter.
  HloId Whole = Sliced ? P.operands(Part)[0] : skipBitcasts(P, Part);
  HloId Parameter = skipBitcasts(P, Whole);
  if (P[Parameter].Op != Opcode::Parameter)
    return std::nullopt;
  std::string Text = fmt::format(
      "{},{},{},", P[Parameter].number(), shapeText(Attr, P[Whole].Shape),
      shapeText(Attr, P[Sliced ? Part : From].Shape));
  if (!Sliced)
    return Text + "{}}";
  if (P[Part].Op == Opcode::DynamicSlice) {
    std::optional<std::string> Moves = movesOf(Attr, Part, 1);
    return Moves ? std::optional(Text + *Moves + '}') : std::nullopt;
  }
  std::optional<int64_t> Offset = staticSliceOffset(P, Part);
  if (!Offset)
    return std::nullopt;
  std::string Place = fmt::format("{},0", *Offset);
  return Text + fmt::format("{{}},loop:none,linear:{{{}{}}}}}", Place,
                            SaysTwice ? "," + Place : "");
}

/// Compares each of \p Count values `{..} {..}` with what \p Spell makes of its
/// number and text, which ends with `}`.
template <typename SpellFn>
static ExpectedText compareEach(const AttributeContext &Attr, size_t Count,
                                SpellFn Spell) {
  StringRef Rest = Attr.Stated;
  size_t Number = 0;
  for (; !Rest.empty(); ++Number) {
    StringRef One = Rest.take_front(Rest.find(" {"));
    Rest = Rest.drop_front(One.size()).ltrim();
    std::optional<std::string> Expected = Spell(Number, One);
    if (!Expected)
      return std::nullopt;
    if (One != "{" + *Expected)
      return "{" + *Expected;
  }
  return Number == Count ? Attr.anything() : std::nullopt;
}

ExpectedText hlobuf::ruleDynamicSlice(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (P[Attr.I].Op != Opcode::Fusion)
    return std::nullopt;
  ComputationId Body = P.calls(Attr.I).front().Callee;
  HloId Root = P.root(Body);
  // What is copied, where nothing is computed.
  HloId Copied =
      P[Root].Op == Opcode::DynamicUpdateSlice ? P.operands(Root)[1] : Root;
  HloId Hero = Attr.G.hero(Body);
  ArrayRef<HloId> Sources = Hero ? P.operands(Hero) : ArrayRef(Copied);
  auto Spell = [&](size_t Number,
                   StringRef Text) -> std::optional<std::string> {
    // Of a slice that does not move, the module does not say how.
    bool SaysTwice = Text.split("linear:{").second.count(',') > 1;
    return Number < Sources.size()
               ? parameterText(Attr, Sources[Number], SaysTwice)
               : std::nullopt;
  };
  return compareEach(Attr, Sources.size(), Spell);
}

ExpectedText hlobuf::ruleDynamicUpdate(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (P[Attr.I].Op != Opcode::Fusion)
    return std::nullopt;
  HloId Hero = Attr.G.hero(P.calls(Attr.I).front().Callee);
  return compareEach(
      Attr, Attr.G.leaves(Attr.I).size(),
      [&](size_t Number, StringRef) { return resultText(Attr, Hero, Number); });
}
