// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/AttributeRules.h"
#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "Support/Format.h"

using namespace hlobuf;

#define row(Key, Default, Rule) {Key, Default, rule##Rule, false}
#define derived(Key, Default, Rule) {Key, Default, rule##Rule, true}
#define HLOBUF_CPU_ATTRIBUTES(Kind, ...)                                       \
  static constexpr AttributeRow Cpu##Kind[] = {__VA_ARGS__};
#define HLOBUF_GPU_ATTRIBUTES(Kind, ...)                                       \
  static constexpr AttributeRow Gpu##Kind[] = {__VA_ARGS__};
#include "HLO/StatedAttributes.def"
#undef derived
#undef row

ArrayRef<AttributeRow> hlobuf::attributeRows(ThunkKind Kind, bool ForGpu) {
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
                                    const AttributeRow &Row, StringRef &Loc) {
  std::string Stated;
  Loc = T[Id].Text;
  for (const ThunkAttribute &Each : T.attributes(T[Id])) {
    if (Each.Key != Row.Key)
      continue;
    if (Stated.empty())
      Loc = Each.Value;
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

std::optional<StringRef> AttributeContext::attribute(HloId From,
                                                     StringRef Name) const {
  const Program &P = program();
  if (P.isHidden(From))
    return std::nullopt;
  return findAttribute(P.module().attributes(P.module()[From]), Name);
}

std::optional<StringRef> AttributeContext::config(StringRef Name) const {
  StringRef Config = attribute("backend_config").value_or("");
  size_t Offset = Config.find(fmt::format("\"{}\":", Name));
  if (Offset == StringRef::npos)
    return std::nullopt;
  StringRef Rest = Config.drop_front(Offset + Name.size() + 3);
  if (Rest.consume_front("\""))
    return Rest.take_until([](char C) { return C == '"'; });
  return Rest.take_until([](char C) { return C == ',' || C == '}'; });
}

/// What is assumed of the loader and of kernels: see docs/thunks.md.
ExpectedText hlobuf::ruleTrusted(const AttributeContext &Attr) {
  return Attr.anything();
}

ExpectedText hlobuf::ruleUnchecked(const AttributeContext & /*Attr*/) {
  return std::nullopt;
}

/// What the text of an instruction leaves out is not always what a proto does.
ExpectedText hlobuf::ruleSame(const AttributeContext &Attr) {
  Opcode Op = Attr.program()[Attr.I].Op;
  bool Convolves = Op == Opcode::Convolution || Op == Opcode::CustomCall;
  StringRef Usual = Attr.Key == "feature_group_count" && Convolves ? "1"
                    : Attr.Key == "api_version" ? "API_VERSION_ORIGINAL"
                                                : Attr.Default;
  return Attr.attribute(Attr.Key).value_or(Usual).str();
}

ExpectedText hlobuf::ruleConfig(const AttributeContext &Attr) {
  std::optional<StringRef> Own = Attr.config(Attr.Key);
  if (!Own)
    return std::nullopt;
  double Stated = 0;
  double Expected = 0;
  if (!Attr.Stated.getAsDouble(Stated) && !Own->getAsDouble(Expected) &&
      Stated == Expected)
    return Attr.anything();
  return Own->str();
}

/// A loop whose number of rounds is stated runs so often, whatever its
/// condition says.
ExpectedText hlobuf::ruleTripCount(const AttributeContext &Attr) {
  StringRef Config = Attr.attribute("backend_config").value_or("");
  size_t Offset = Config.find("known_trip_count");
  if (Offset == StringRef::npos)
    return "";
  StringRef Digits = Config.drop_front(Offset).drop_until(
      [](char C) { return llvm::isDigit(C); });
  return Digits.take_while([](char C) { return llvm::isDigit(C); }).str();
}

ExpectedText hlobuf::ruleSortDimension(const AttributeContext &Attr) {
  StringRef Own = Attr.attribute("dimensions").value_or("{0}");
  return Own.trim("{}").str();
}

/// The direction of a comparator that is nothing but one comparison; emitters
/// know it of others, too. A sort that states none calls the comparator.
ExpectedText hlobuf::ruleSortDirection(const AttributeContext &Attr) {
  if (Attr.Stated.empty())
    return Attr.anything();
  const Program &P = Attr.program();
  ComputationId C = P.callee(Attr.I, CallRole::ToApply);
  HloId Root = C ? P.root(C) : HloId();
  if (!Root || P[Root].Op != Opcode::Compare || P.operands(Root).size() != 2)
    return std::nullopt;
  HloId Left = P.operands(Root)[0];
  HloId Right = P.operands(Root)[1];
  if (P[Left].Op != Opcode::Parameter || P[Right].Op != Opcode::Parameter)
    return std::nullopt;
  StringRef Direction = Attr.attribute(Root, "direction").value_or("");
  bool Less = Direction == "LT" || Direction == "LE";
  if (P[Left].number() > P[Right].number())
    Less = !Less;
  return Less ? "1" : "2";
}

/// The array that a top-k looks through: as many as one, or rows of it.
static const Shape *searched(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (P.operands(Attr.I).empty())
    return nullptr;
  const Shape &S = P.trees().shape(P[P.operands(Attr.I)[0]].Shape);
  return S.isArray() && (S.Dimensions.size() == 1 || S.Dimensions.size() == 2)
             ? &S
             : nullptr;
}

ExpectedText hlobuf::ruleTopKBatches(const AttributeContext &Attr) {
  const Shape *S = searched(Attr);
  if (!S)
    return std::nullopt;
  return std::to_string(S->Dimensions.size() == 2 ? S->Dimensions[0].Size : 1);
}

ExpectedText hlobuf::ruleTopKElements(const AttributeContext &Attr) {
  if (const Shape *S = searched(Attr))
    return std::to_string(S->Dimensions.back().Size);
  return std::nullopt;
}

/// How many it finds in each row; nothing where that is not known.
static std::optional<int64_t> numFound(const AttributeContext &Attr) {
  const ShapeTrees &Trees = Attr.program().trees();
  ShapeId Result = Attr.program()[Attr.I].Shape;
  if (!Trees.shape(Result).isTuple() || Trees.parts(Result) < 2)
    return std::nullopt;
  const Shape &Values = Trees.shape(Trees.part(Result, 1));
  return Values.Dimensions.empty()
             ? std::nullopt
             : std::optional(Values.Dimensions.back().Size);
}

ExpectedText hlobuf::ruleTopKCount(const AttributeContext &Attr) {
  if (std::optional<int64_t> Count = numFound(Attr))
    return std::to_string(*Count);
  return std::nullopt;
}

/// A top-k gets how many elements a row has, and how many to find
/// (xla/service/gpu/kernels/topk_custom_kernel.cc).
ExpectedText hlobuf::rulePacking(const AttributeContext &Attr) {
  const Shape *S = searched(Attr);
  std::optional<int64_t> Count = numFound(Attr);
  if (Attr.program().customCallTarget(Attr.I) != "__gpu$TopK" || !S || !Count)
    return ruleEmpty(Attr);
  return fmt::format("{{0,={},1,2,={}}} {{5}}", S->Dimensions.back().Size,
                     *Count);
}

/// The kernel of a top-k for at least so many, a power of two
/// (xla/service/gpu/kernels/topk_custom_kernel.cc).
ExpectedText hlobuf::ruleLibraryKernel(const AttributeContext &Attr) {
  const Shape *S = searched(Attr);
  std::optional<int64_t> Count = numFound(Attr);
  if (Attr.program().customCallTarget(Attr.I) != "__gpu$TopK" || !S || !Count)
    return ruleEmpty(Attr);
  return fmt::format("topk_k{}_{}_t",
                     llvm::PowerOf2Ceil(static_cast<uint64_t>(*Count)),
                     S->Element == "f32" ? "float_uint32" : "bfloat16_uint16");
}

/// A library fusion is made again from the instruction that the thunk names,
/// and a kernel gets its slices in the order of the thunk.
ExpectedText hlobuf::ruleEmpty(const AttributeContext & /*Attr*/) { return ""; }

ExpectedText hlobuf::ruleTarget(const AttributeContext &Attr) {
  StringRef Own = Attr.program().customCallTarget(Attr.I);
  return unescape(Own);
}

/// What a backend_config is without the quotes of a text that is no JSON.
static std::string plainConfig(StringRef Text) {
  if (Text == "{}")
    return "";
  bool Quoted = Text.size() >= 2 && Text.front() == '"' && Text.back() == '"';
  return Quoted ? unescape(Text.drop_front().drop_back()) : Text.str();
}

ExpectedText hlobuf::ruleCallConfig(const AttributeContext &Attr) {
  std::string Own = plainConfig(Attr.attribute("backend_config").value_or(""));
  return plainConfig(Attr.Stated) == Own ? Attr.anything() : Own;
}

/// Calls of the newest interface get attributes instead.
ExpectedText hlobuf::ruleOpaque(const AttributeContext &Attr) {
  if (Attr.Stated.empty() &&
      Attr.attribute("api_version").value_or("") == "API_VERSION_TYPED_FFI")
    return Attr.anything();
  return ruleCallConfig(Attr);
}

/// Stored since 2026-05-22, and asked for by older interfaces only.
ExpectedText hlobuf::ruleIsTuple(const AttributeContext &Attr) {
  bool IsTuple =
      Attr.program().trees().isTuple(Attr.program()[Attr.I].Shape, 0);
  if ((Attr.Stated == "true") == IsTuple ||
      (IsTuple && Attr.attribute("api_version") == "API_VERSION_TYPED_FFI"))
    return Attr.anything();
  return IsTuple ? std::nullopt : ExpectedText("false");
}

ExpectedText hlobuf::ruleCalledByCustomCall(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (Attr.Stated.empty() || P.calls(Attr.I).empty())
    return "";
  const HloComputation &C = P.module()[P.calls(Attr.I).front().Callee];
  return P.module().name(C).str();
}

static bool isToken(const Program &P, const ArrayLeaf &Leaf) {
  ShapeId Part = P.trees().part(P[Leaf.Instruction].Shape, Leaf.Ordinal);
  return P.trees().shape(Part).Kind == ShapeKind::Token;
}

/// `read-0 write-2`: which arguments and results are tokens.
ExpectedText hlobuf::ruleTokenPlaces(const AttributeContext &Attr) {
  std::string Places;
  auto Add = [&](ArrayRef<ArrayLeaf> Leaves, StringRef Does) {
    for (const auto &[Place, Leaf] : llvm::enumerate(Leaves))
      if (isToken(Attr.program(), Leaf))
        Places +=
            fmt::format("{}{}-{}", Places.empty() ? "" : " ", Does, Place);
  };
  Add(Attr.G.operandLeaves(Attr.I, /*Tokens=*/true), "read");
  Add(Attr.G.leaves(Attr.I, /*Tokens=*/true), "write");
  return std::move(Places);
}

/// An array's shape with its layout, as the thunk spells it.
static ExpectedText expectShape(const AttributeContext &Attr, HloId I,
                                uint32_t Ordinal) {
  const Program &P = Attr.program();
  if (Ordinal >= P.trees().parts(P[I].Shape))
    return std::nullopt;
  ShapeId Part = P.trees().part(P[I].Shape, Ordinal);
  return Attr.G.dump().Shapes.text(Part).str();
}

static ExpectedText expectOperand(const AttributeContext &Attr, size_t Number) {
  ArrayRef<HloId> Operands = Attr.program().operands(Attr.I);
  return Number < Operands.size() ? expectShape(Attr, Operands[Number], 0)
                                  : std::nullopt;
}

ExpectedText hlobuf::ruleFirstOperand(const AttributeContext &Attr) {
  return expectOperand(Attr, 0);
}

ExpectedText hlobuf::ruleResult(const AttributeContext &Attr) {
  return expectShape(Attr, Attr.I, 0);
}

ExpectedText hlobuf::ruleSecondOperand(const AttributeContext &Attr) {
  return expectOperand(Attr, 1);
}

ExpectedText hlobuf::ruleFirstElement(const AttributeContext &Attr) {
  return expectShape(Attr, Attr.I, 1);
}

/// Stated only where it is another one (Proto/HostPrograms.cpp).
ExpectedText hlobuf::ruleHostProgram(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  if (Attr.Stated.empty() || P.calls(Attr.I).empty())
    return Attr.anything();
  return P.module().name(P.module()[P.calls(Attr.I).front().Callee]).str();
}

/// The places that the start of a done writes (jaxlib 0.12.0).
ExpectedText hlobuf::ruleStartedResults(const AttributeContext &Attr) {
  const ThunkProgram &T = Attr.G.thunks();
  if (Attr.Stated.empty() || Attr.program().operands(Attr.I).empty())
    return Attr.anything();
  std::string Places;
  for (ThunkId Start : Attr.G.thunksOf(Attr.program().operands(Attr.I)[0]))
    for (const ThunkSlice &S : T.slices(T[Start]))
      if (S.writes())
        Places += fmt::format("{}{{{},{},{},{}}}", Places.empty() ? "" : " ",
                              S.Bytes.Allocation, S.Bytes.Offset, S.Bytes.Size,
                              Attr.G.dump().Shapes.text(S.Shape));
  return std::move(Places);
}

/// GetCudnnConvKind (xla/service/gpu/cublas_cudnn.cc), as
/// stream_executor::dnn::ConvolutionKind numbers it.
ExpectedText hlobuf::ruleConvolutionKind(const AttributeContext &Attr) {
  static constexpr std::pair<StringRef, StringRef> Kinds[] = {
      {"__cudnn$convForward", "1"},
      {"__cudnn$convBackwardFilter", "2"},
      {"__cudnn$convBackwardInput", "3"},
      {"__cudnn$convBiasActivationForward", "4"},
      {"__cudnn$convForwardGraph", "5"}};
  for (const auto &[Target, Number] : Kinds)
    if (Attr.program().customCallTarget(Attr.I) == Target)
      return Number.str();
  return std::nullopt;
}

/// stream_executor::dnn::ActivationMode.
ExpectedText hlobuf::ruleActivation(const AttributeContext &Attr) {
  static constexpr StringRef Modes[] = {
      "kNone", "kSigmoid",  "kRelu", "kRelu6",     "kReluX",
      "kTanh", "kBandPass", "kElu",  "kLeakyRelu", "kGeluExact"};
  const auto *Row =
      llvm::find(Modes, Attr.config("activation_mode").value_or("kNone"));
  if (Row == std::end(Modes))
    return std::nullopt;
  return std::to_string(Row - std::begin(Modes));
}

std::vector<AttributeFault> hlobuf::compareAttributes(const ThunkGraph &G,
                                                      proof::Ledger &Book) {
  using namespace proof;
  const ThunkProgram &T = G.thunks();
  std::vector<AttributeFault> Faults;
  Book.decide(Topic::Attribute, [&](const Obligation &O) -> Outcome {
    ThunkId Id(O.Part);
    if (!T[Id].Understood)
      return Reason::UnknownThunk;
    if (!G.instruction(Id))
      return Reason::ThunkWithoutInstruction;
    const AttributeRow &Row = attributeRows(T[Id].Kind, T.ForGpu)[O.Operand];
    StringRef Where;
    std::string Stated = statedAttribute(T, Id, Row, Where);
    ExpectedText Expected = Row.Rule(
        {G, Id, wrappedInstruction(G, Id), Row.Key, Row.Default, Stated});
    if (Expected == Stated)
      return Rule::SaysTheSame;
    if (!Expected || Row.IsDerived)
      return {Reason::NotDerived, Row.Key.str()};
    Faults.push_back({Id, Row.Key, Where, Stated, *Expected});
    return {Breach::OtherAttribute, Row.Key.str()};
  });
  return Faults;
}
