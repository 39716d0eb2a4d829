// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic-slice fusions: which part of an operand or result each embedded
// thunk gets (dynamic_slice_fusion_thunk.cc, xla/backends/gpu/runtime, 2026).

#include "Support/Format.h"
#include "Thunks/AttributeRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

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

/// The part of a result that \p Root, or element \p Element of it, updates:
/// `SHAPES,OFFSETS,CONFIG}`.
static std::optional<std::string> updateText(const AttributeContext &Attr,
                                             HloId Root, int64_t Element) {
  const Program &P = Attr.program();
  if (P[Root].Op == Opcode::Tuple) {
    if (Element < 0 || static_cast<size_t>(Element) >= P.operands(Root).size())
      return std::nullopt;
    Root = P.operands(Root)[static_cast<size_t>(Element)];
  }
  std::string Whole = shapeText(Attr, P[Root].Shape);
  // Until 2026 the copy is in the body, too.
  HloId From = P[Root].Op == Opcode::Copy ? P.operands(Root)[0] : Root;
  if (P[Root].Op != Opcode::DynamicUpdateSlice)
    return isSlice(P[From].Op)
               ? std::optional(fmt::format("{},{},{{}}}}", Whole, Whole))
               : std::nullopt;
  std::optional<std::string> Offsets = offsetsOf(Attr, Root, 2);
  if (!Offsets)
    return std::nullopt;
  return fmt::format("{},{},{}{}}}", Whole,
                     shapeText(Attr, P[P.operands(Root)[1]].Shape), *Offsets,
                     configOf(Attr, Root));
}

/// The number of the parameter that element \p Element of \p Root updates, or
/// `none`.
static std::string updatedParameter(const Program &P, HloId Root,
                                    int64_t Element) {
  if (P[Root].Op == Opcode::Tuple && Element >= 0 &&
      static_cast<size_t>(Element) < P.operands(Root).size())
    Root = P.operands(Root)[static_cast<size_t>(Element)];
  if (P[Root].Op != Opcode::DynamicUpdateSlice)
    return "none";
  HloId From = P.operands(Root)[0];
  while (P[From].Op == Opcode::Bitcast)
    From = P.operands(From)[0];
  return P[From].Op == Opcode::Parameter ? std::to_string(P[From].number())
                                         : "none";
}

namespace {
/// What slices each instruction of a body, or takes all of it as an update.
struct Takers {
  Takers(const Program &P, ComputationId Body);
  /// Invalid if there is no one such thing.
  HloId operator[](HloId Id) const {
    Taker Result = All.lookup(Id.index());
    return Result.Several ? HloId() : Result.User;
  }

  struct Taker {
    HloId User;
    bool Slices = false;
    bool Several = false;
  };
  DenseMap<uint32_t, Taker> All;
};
} // namespace

Takers::Takers(const Program &P, ComputationId Body) {
  auto Users = llvm::to_vector<16>(P.order(Body));
  llvm::sort(Users, [](HloId X, HloId Y) { return X.index() < Y.index(); });
  for (HloId User : Users) {
    Opcode Op = P[User].Op;
    for (const auto &[I, Operand] : llvm::enumerate(P.operands(User))) {
      // An array that is updated is passed as the result.
      if (Op == Opcode::DynamicUpdateSlice && I != 1)
        continue;
      Taker &Own = All[Operand.index()];
      bool Sliced = I == 0 && isSlice(Op);
      Own.Several |= Own.User && Sliced == Own.Slices;
      if (!Own.User || Sliced)
        Own.User = User;
      Own.Slices |= Sliced;
    }
  }
}

/// The part of parameter \p Number of \p Body that a slice or an update takes,
/// through bitcasts, and through the copy that is embedded.
static std::optional<std::string>
parameterText(const AttributeContext &Attr, const Takers &TakersOf,
              ComputationId Body, uint32_t Number, bool SaysTwice) {
  const Program &P = Attr.program();
  HloId Part = P.parameter(Body, Number);
  if (!Part)
    return std::nullopt;
  std::string Whole = shapeText(Attr, P[Part].Shape);
  HloId User = TakersOf[Part];
  while (User && (accessesNoMemory(P[User].Op) || P[User].Op == Opcode::Copy)) {
    Part = User;
    User = TakersOf[Part];
  }
  if (!User)
    return std::nullopt;
  if (P[User].Op == Opcode::DynamicUpdateSlice)
    return fmt::format("{},{},{{}}}}", Whole, shapeText(Attr, P[Part].Shape));
  // What is sliced may be another shape of the parameter.
  Whole = shapeText(Attr, P[Part].Shape);
  std::string Text = shapeText(Attr, P[User].Shape);
  if (P[User].Op == Opcode::DynamicSlice) {
    std::optional<std::string> Offsets = offsetsOf(Attr, User, 1);
    return Offsets ? std::optional(fmt::format("{},{},{}{}}}", Whole, Text,
                                               *Offsets, configOf(Attr, User)))
                   : std::nullopt;
  }
  std::optional<int64_t> Offset = staticSliceOffset(P, User);
  if (!Offset)
    return std::nullopt;
  std::string Place = fmt::format("{},0", *Offset);
  return fmt::format("{},{},{{}},loop:none,linear:{{{}{}}}}}", Whole, Text,
                     Place, SaysTwice ? "," + Place : "");
}

/// Compares each of the values `{N,..} {M,..}` with what \p Spell makes of its
/// first number.
template <typename SpellFn>
static ExpectedText compareEach(const AttributeContext &Attr, SpellFn Spell) {
  StringRef Rest = Attr.Stated;
  while (!Rest.empty()) {
    StringRef One = Rest;
    size_t End = Rest.find(" {");
    if (End != StringRef::npos)
      One = Rest.take_front(End);
    Rest = Rest.drop_front(One.size()).ltrim();
    StringRef Tail = One;
    Tail.consume_front("{");
    std::optional<std::string> Expected = Spell(Tail);
    if (!Expected)
      return std::nullopt;
    if (Tail != *Expected)
      return One.drop_back(Tail.size()).str() + *Expected;
  }
  return Attr.anything();
}

ExpectedText hlobuf::ruleDynamicSlice(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (P[Attr.I].Op != Opcode::Fusion)
    return std::nullopt;
  ComputationId Body = P.calls(Attr.I).front().Callee;
  Takers TakersOf(P, Body);
  return compareEach(Attr, [&](StringRef &Tail) -> std::optional<std::string> {
    uint32_t Number = 0;
    if (Tail.consumeInteger(10, Number) || !Tail.consume_front(",") ||
        Number >= P.numParameters(Body))
      return std::nullopt;
    // Of a slice that does not move, the module does not say how.
    bool SaysTwice = Tail.split("linear:{").second.count(',') > 1;
    return parameterText(Attr, TakersOf, Body, Number, SaysTwice);
  });
}

ExpectedText hlobuf::ruleDynamicUpdate(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (P[Attr.I].Op != Opcode::Fusion)
    return std::nullopt;
  HloId Root = P.root(P.calls(Attr.I).front().Callee);
  return compareEach(Attr, [&](StringRef &Tail) -> std::optional<std::string> {
    StringRef Parameter = Tail.split(',').first;
    int64_t Element = 0;
    Tail = Tail.drop_front(Parameter.size());
    if (!Tail.consume_front(",") || Tail.consumeInteger(10, Element) ||
        !Tail.consume_front(",") ||
        Parameter != updatedParameter(P, Root, Element))
      return std::nullopt;
    return updateText(Attr, Root, Element);
  });
}
