// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/AttributeRules.h"
#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;
using Verdict = AttributeVerdict;

#define row(Key, Default, Rule) {Key, Default, rule##Rule, false}
#define derived(Key, Default, Rule) {Key, Default, rule##Rule, true}
#define HLOBUF_CPU_ATTRIBUTES(Kind, ...)                                       \
  static constexpr AttributeRow Cpu##Kind[] = {__VA_ARGS__};
#define HLOBUF_GPU_ATTRIBUTES(Kind, ...)                                       \
  static constexpr AttributeRow Gpu##Kind[] = {__VA_ARGS__};
#include "HLO/StatedAttributes.def"
#undef derived
#undef row

llvm::ArrayRef<AttributeRow> hlobuf::attributeRows(ThunkKind Kind,
                                                   bool ForGpu) {
  switch (Kind) {
#define HLOBUF_CPU_ATTRIBUTES(Kind, ...)                                       \
  case ThunkKind::Kind:                                                        \
    if (!ForGpu)                                                               \
      return Cpu##Kind;                                                        \
    break;
#include "HLO/StatedAttributes.def"
  default:
    break;
  }
  switch (Kind) {
#define HLOBUF_GPU_ATTRIBUTES(Kind, ...)                                       \
  case ThunkKind::Kind:                                                        \
    if (ForGpu)                                                                \
      return Gpu##Kind;                                                        \
    break;
#include "HLO/StatedAttributes.def"
  default:
    break;
  }
  return {};
}

std::string hlobuf::statedAttribute(const ThunkProgram &T, ThunkId Id,
                                    const AttributeRow &Row, StringRef &Where) {
  std::string Stated;
  Where = T[Id].Text;
  for (const ThunkAttribute &Each : T.attributes(T[Id])) {
    if (Each.Key != Row.Key)
      continue;
    if (Stated.empty())
      Where = Each.Value;
    Stated += (Stated.empty() ? "" : " ") + Each.Value.str();
  }
  return Stated.empty() ? Row.Default.str() : Stated;
}

HloId hlobuf::wrappedInstruction(const ThunkGraph &G, ThunkId Id) {
  const Program &P = G.program();
  HloId I = G.instruction(Id);
  if (P[I].Op == Opcode::AsyncStart && P.calls(I).size() == 1)
    I = P.root(P.calls(I).front().Callee);
  // A kernel that is a collective stands for a fusion with that inside.
  if (G.thunks()[Id].Kind == ThunkKind::CollectiveKernel &&
      P[I].Op == Opcode::Fusion)
    for (HloId Inner : P.order(P.calls(I).front().Callee))
      if (P.callee(Inner, CallRole::ToApply) &&
          P[Inner].Op == Opcode::AllReduce)
        I = Inner;
  return I;
}

std::optional<StringRef> AttributeOf::attribute(HloId Of,
                                                StringRef Name) const {
  const Program &P = program();
  if (P.isHidden(Of))
    return std::nullopt;
  return findAttribute(P.module().attributes(P.module()[Of]), Name);
}

std::optional<StringRef> AttributeOf::config(StringRef Name) const {
  StringRef Config = attribute("backend_config").value_or("");
  size_t At = Config.find(fmt::format("\"{}\":", Name));
  if (At == StringRef::npos)
    return std::nullopt;
  StringRef Rest = Config.drop_front(At + Name.size() + 3);
  if (Rest.consume_front("\""))
    return Rest.take_until([](char C) { return C == '"'; });
  return Rest.take_until([](char C) { return C == ',' || C == '}'; });
}

/// What is assumed of the loader and of kernels: see docs/thunks.md.
Verdict hlobuf::ruleTrusted(const AttributeOf & /*Of*/) { return {}; }

Verdict hlobuf::ruleUnchecked(const AttributeOf & /*Of*/) {
  return Verdict::unknown();
}

Verdict hlobuf::ruleSame(const AttributeOf &Of) {
  return Verdict::expect(Of, Of.attribute(Of.Key).value_or(Of.Default).str());
}

Verdict hlobuf::ruleConfig(const AttributeOf &Of) {
  std::optional<StringRef> Own = Of.config(Of.Key);
  if (!Own)
    return Verdict::unknown();
  double Stated = 0;
  double Expected = 0;
  if (!Of.Stated.getAsDouble(Stated) && !Own->getAsDouble(Expected) &&
      Stated == Expected)
    return {};
  return Verdict::expect(Of, Own->str());
}

/// A loop whose number of rounds is stated runs so often, whatever its
/// condition says.
Verdict hlobuf::ruleTripCount(const AttributeOf &Of) {
  if (Of.Stated.empty())
    return {};
  StringRef Config = Of.attribute("backend_config").value_or("");
  size_t At = Config.find("known_trip_count");
  if (At == StringRef::npos)
    return Verdict::expect(Of, "");
  StringRef Digits =
      Config.drop_front(At).drop_until([](char C) { return llvm::isDigit(C); });
  return Verdict::expect(
      Of, Digits.take_while([](char C) { return llvm::isDigit(C); }).str());
}

Verdict hlobuf::ruleSortDimension(const AttributeOf &Of) {
  StringRef Own = Of.attribute("dimensions").value_or("{0}");
  return Verdict::expect(Of, Own.trim("{}").str());
}

/// The direction of a comparator that is nothing but one comparison; a sort
/// that states none calls the comparator.
Verdict hlobuf::ruleSortDirection(const AttributeOf &Of) {
  if (Of.Stated.empty())
    return {};
  const Program &P = Of.program();
  ComputationId C = P.callee(Of.I, CallRole::ToApply);
  HloId Root = C ? P.root(C) : HloId();
  if (!Root || P[Root].Op != Opcode::Compare || P.operands(Root).size() != 2)
    return Verdict::expect(Of, "");
  HloId Left = P.operands(Root)[0];
  HloId Right = P.operands(Root)[1];
  if (P[Left].Op != Opcode::Parameter || P[Right].Op != Opcode::Parameter)
    return Verdict::expect(Of, "");
  StringRef Direction = Of.attribute(Root, "direction").value_or("");
  bool Less = Direction == "LT" || Direction == "LE";
  if (P[Left].number() > P[Right].number())
    Less = !Less;
  return Verdict::expect(Of, Less ? "1" : "2");
}

/// The array that a top-k looks through: as many as one, or rows of it.
static const Shape *searched(const AttributeOf &Of) {
  const Program &P = Of.program();
  if (P.operands(Of.I).empty())
    return nullptr;
  const Shape &S = P.trees().shape(P[P.operands(Of.I)[0]].Shape);
  return S.isArray() && (S.Dimensions.size() == 1 || S.Dimensions.size() == 2)
             ? &S
             : nullptr;
}

Verdict hlobuf::ruleTopKBatches(const AttributeOf &Of) {
  const Shape *S = searched(Of);
  if (!S)
    return Verdict::unknown();
  return Verdict::expect(
      Of,
      std::to_string(S->Dimensions.size() == 2 ? S->Dimensions[0].Size : 1));
}

Verdict hlobuf::ruleTopKElements(const AttributeOf &Of) {
  const Shape *S = searched(Of);
  return S ? Verdict::expect(Of, std::to_string(S->Dimensions.back().Size))
           : Verdict::unknown();
}

Verdict hlobuf::ruleTopKCount(const AttributeOf &Of) {
  const ShapeTrees &Trees = Of.program().trees();
  ShapeId Result = Of.program()[Of.I].Shape;
  if (!Trees.shape(Result).isTuple() || Trees.parts(Result) < 2)
    return Verdict::unknown();
  const Shape &Values = Trees.shape(Trees.part(Result, 1));
  return Values.Dimensions.empty()
             ? Verdict::unknown()
             : Verdict::expect(Of,
                               std::to_string(Values.Dimensions.back().Size));
}

/// A library fusion is made again from the instruction that the thunk names.
Verdict hlobuf::ruleItself(const AttributeOf &Of) {
  return Verdict::expect(Of, "");
}

Verdict hlobuf::ruleTarget(const AttributeOf &Of) {
  StringRef Own = Of.program().customCallTarget(Of.I);
  return Verdict::expect(Of, unescape(Own));
}

/// What a backend_config is without the quotes of a text that is no JSON.
static std::string plainConfig(StringRef Text) {
  if (Text == "{}")
    return "";
  bool Quoted = Text.size() >= 2 && Text.front() == '"' && Text.back() == '"';
  return Quoted ? unescape(Text.drop_front().drop_back()) : Text.str();
}

Verdict hlobuf::ruleCallConfig(const AttributeOf &Of) {
  std::string Own = plainConfig(Of.attribute("backend_config").value_or(""));
  return plainConfig(Of.Stated) == Own
             ? Verdict()
             : Verdict{Verdict::Answer::Differs, std::move(Own)};
}

/// Calls of the newest interface get attributes instead.
Verdict hlobuf::ruleOpaque(const AttributeOf &Of) {
  if (Of.Stated.empty() &&
      Of.attribute("api_version").value_or("") == "API_VERSION_TYPED_FFI")
    return {};
  return ruleCallConfig(Of);
}

/// Stored since 2026-05-22, and asked for by older interfaces only.
Verdict hlobuf::ruleIsTuple(const AttributeOf &Of) {
  bool IsTuple = Of.program().trees().isTuple(Of.program()[Of.I].Shape, 0);
  if ((Of.Stated == "true") == IsTuple)
    return {};
  if (IsTuple && Of.attribute("api_version") == "API_VERSION_TYPED_FFI")
    return {};
  return IsTuple ? Verdict::unknown() : Verdict::expect(Of, "false");
}

Verdict hlobuf::ruleCalledByCustomCall(const AttributeOf &Of) {
  const Program &P = Of.program();
  if (Of.Stated.empty() || P.calls(Of.I).empty())
    return Verdict::expect(Of, "");
  const HloComputation &C = P.module()[P.calls(Of.I).front().Callee];
  return Verdict::expect(Of, Of.G.dump().Names[C.Name].str());
}

/// An array's shape with its layout, as the thunk spells it.
static Verdict expectShape(const AttributeOf &Of, HloId I, uint32_t Ordinal) {
  const Program &P = Of.program();
  if (Ordinal >= P.trees().parts(P[I].Shape))
    return Verdict::unknown();
  std::string Text;
  Of.G.dump().Shapes.print(P.trees().part(P[I].Shape, Ordinal),
                           /*WithLayout=*/true, Text);
  return Verdict::expect(Of, std::move(Text));
}

static Verdict expectOperand(const AttributeOf &Of, size_t Number) {
  llvm::ArrayRef<HloId> Operands = Of.program().operands(Of.I);
  return Number < Operands.size() ? expectShape(Of, Operands[Number], 0)
                                  : Verdict::unknown();
}

Verdict hlobuf::ruleFirstOperand(const AttributeOf &Of) {
  return expectOperand(Of, 0);
}

Verdict hlobuf::ruleResult(const AttributeOf &Of) {
  return expectShape(Of, Of.I, 0);
}

Verdict hlobuf::ruleConvolutionFilter(const AttributeOf &Of) {
  return expectOperand(Of, 1);
}

Verdict hlobuf::ruleConvolutionOutput(const AttributeOf &Of) {
  return expectShape(Of, Of.I, 1);
}

/// GetCudnnConvKind (xla/service/gpu/cublas_cudnn.cc), as
/// stream_executor::dnn::ConvolutionKind numbers it.
Verdict hlobuf::ruleConvolutionKind(const AttributeOf &Of) {
  static constexpr std::pair<StringRef, StringRef> Kinds[] = {
      {"__cudnn$convForward", "1"},
      {"__cudnn$convBackwardFilter", "2"},
      {"__cudnn$convBackwardInput", "3"},
      {"__cudnn$convBiasActivationForward", "4"},
      {"__cudnn$convForwardGraph", "5"}};
  for (const auto &[Target, Number] : Kinds)
    if (Of.program().customCallTarget(Of.I) == Target)
      return Verdict::expect(Of, Number.str());
  return Verdict::unknown();
}

/// stream_executor::dnn::ActivationMode.
Verdict hlobuf::ruleActivation(const AttributeOf &Of) {
  static constexpr StringRef Modes[] = {
      "kNone", "kSigmoid",  "kRelu", "kRelu6",     "kReluX",
      "kTanh", "kBandPass", "kElu",  "kLeakyRelu", "kGeluExact"};
  const auto *Found =
      llvm::find(Modes, Of.config("activation_mode").value_or("kNone"));
  return Found == std::end(Modes)
             ? Verdict::unknown()
             : Verdict::expect(Of, std::to_string(Found - std::begin(Modes)));
}
