// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of kernels, products of matrices and library calls.

#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "Support/Format.h"
#include "Thunks/AttributeRules.h"

using namespace hlobuf;

/// The numbers of `["2","4"]`, the value of item \p Name.
static AttributeNumbers configList(const AttributeContext &Attr,
                                   StringRef Name) {
  StringRef Config = Attr.attribute("backend_config").value_or("");
  StringRef List = Config.split(fmt::format("\"{}\":[", Name)).second;
  return numbersBetweenCommas(List.split(']').first)
      .value_or(AttributeNumbers());
}

/// The array that a kernel has an element for each, or the first one of them.
static const Shape &mainResult(const AttributeContext &Attr) {
  const ShapeTrees &Trees = Attr.program().trees();
  ShapeId Result = Attr.program()[Attr.I].Shape;
  while (Trees.shape(Result).isTuple() && Trees.parts(Result) > 1)
    Result = Trees.part(Result, 1);
  return Trees.shape(Result);
}

/// An emitter that takes no notice of partitions: one work group does all.
static bool isSequential(const Program &P, HloId I) {
  while (wrapsComputation(P[I].Op))
    I = P.root(P.calls(I).front().Callee);
  return P[I].Op == Opcode::Scatter || P[I].Op == Opcode::Concatenate ||
         P[I].Op == Opcode::Pad;
}

/// A work group for each partition of the result's outermost dimensions, or for
/// each tile that partitions are rounded up to (ParallelTaskAssigner, 2015;
/// fusion emitters of xla/backends/cpu/codegen, 2025).
ExpectedText hlobuf::ruleWorkGroups(const AttributeContext &Attr) {
  const Shape &S = mainResult(Attr);
  auto Partitions = configList(Attr, "outer_dimension_partitions");
  if (Partitions.size() > S.Dimensions.size())
    return std::nullopt;
  int64_t Count = 1;
  int64_t Tiles = 1;
  int64_t Outer = 1;
  for (size_t N = 0; N != Partitions.size(); ++N) {
    // Layouts have the most minor dimension first.
    size_t D = S.Layout && S.Layout->MinorToMajor.size() == S.Dimensions.size()
                   ? size_t(S.Layout->MinorToMajor[S.Dimensions.size() - 1 - N])
                   : N;
    int64_t Size = D < S.Dimensions.size() ? S.Dimensions[D].Size : 0;
    if (Partitions[N] <= 0 || Size <= 0 || Partitions[N] > Size ||
        __builtin_mul_overflow(Count, Partitions[N], &Count) ||
        __builtin_mul_overflow(Outer, Size, &Outer))
      return std::nullopt;
    int64_t Tile = (Size - 1) / Partitions[N] + 1;
    Tiles *= (Size - 1) / Tile + 1;
  }
  // Since 0.12.0.1 the outer dimensions may be one, which has tiles.
  int64_t Tile = (Outer - 1) / Count + 1;
  for (int64_t Groups : {Tiles, (Outer - 1) / Tile + 1,
                         isSequential(Attr.program(), Attr.I) ? 1 : Count})
    if (Attr.Stated == fmt::format("{{{},1,1}}", Groups))
      return Attr.anything();
  return fmt::format("{{{},1,1}}", Count);
}

/// What kernels of CPUs assume of all of their arrays: 64, inside libtpu 32
/// (EIGEN_MAX_ALIGN_BYTES, 2025).
ExpectedText hlobuf::ruleAlignment(const AttributeContext &Attr) {
  if (Attr.Stated.empty())
    return "";
  int64_t Alignment = Attr.Stated == "32" ? 32 : 64;
  bool Holds = llvm::all_of(
      Attr.G.thunks().slices(Attr.thunk()), [&](const ThunkSlice &S) {
        return S.Missing || S.Bytes.Offset % Alignment == 0;
      });
  return Holds ? ExpectedText(std::to_string(Alignment)) : std::nullopt;
}

/// Blocks of a Triton kernel: one for each tile of its result
/// (block_level_fusion_config, 2024 on). Nothing for other kernels.
static std::optional<int64_t> tritonBlocks(const AttributeContext &Attr) {
  StringRef Config = Attr.attribute("backend_config").value_or("");
  if (!Config.contains("\"block_level_fusion_config\":{") ||
      Config.count("\"sizes\":[") != 1)
    return std::nullopt;
  auto Tiles = configList(Attr, "sizes");
  const Shape &S = mainResult(Attr);
  if (Tiles.size() != S.Dimensions.size())
    return std::nullopt;
  int64_t Count = 1;
  for (size_t D = 0; D != Tiles.size(); ++D) {
    int64_t Size = S.Dimensions[D].Size;
    if (Tiles[D] <= 0 || Size <= 0 ||
        __builtin_mul_overflow(Count, (Size - 1) / Tiles[D] + 1, &Count))
      return std::nullopt;
  }
  return Count;
}

/// Kernels of fusions have blocks and threads in one dimension
/// (CalculateLaunchDimensions, xla/service/gpu/launch_dimensions.cc), and all
/// kernels some.
static ExpectedText expectOneDimension(const AttributeContext &Attr) {
  auto Sizes = numbersBetweenCommas(Attr.Stated.trim("{}"));
  if (!Sizes || llvm::is_contained(*Sizes, 0))
    return std::nullopt;
  if (Attr.program()[Attr.I].Op != Opcode::Fusion &&
      Attr.thunk().Kind != ThunkKind::CollectiveKernel)
    return Attr.anything();
  return fmt::format("{{{},1,1}}", Sizes->front());
}

/// The same for what the kernel was made for, which may be another instruction
/// that computes the same (thunk-invariant) with other tiles.
static AttributeContext ofKernel(const AttributeContext &Attr) {
  HloId Owner = Attr.G.kernelOwner(Attr.thunk().Kernel);
  return {Attr.G,   Attr.Id,      Owner ? Owner : Attr.I,
          Attr.Key, Attr.Default, Attr.Stated};
}

ExpectedText hlobuf::ruleBlocks(const AttributeContext &Attr) {
  if (std::optional<int64_t> Count = tritonBlocks(ofKernel(Attr)))
    return fmt::format("{{{},1,1}}", *Count);
  return expectOneDimension(Attr);
}

/// A warp has 32 threads on CUDA, and 64 on ROCm but for RDNA.
ExpectedText hlobuf::ruleThreads(const AttributeContext &Attr) {
  AttributeContext Kernel = ofKernel(Attr);
  if (!tritonBlocks(Kernel))
    return expectOneDimension(Attr);
  int64_t Warps = 0;
  if (Kernel.config("num_warps").value_or("").getAsInteger(10, Warps))
    return Attr.anything();
  if (Attr.Stated == fmt::format("{{{},1,1}}", 64 * uint64_t(Warps)))
    return Attr.anything();
  return fmt::format("{{{},1,1}}", 32 * static_cast<uint64_t>(Warps));
}

/// The dimensions that a product takes as one: batches, rows, columns.
using MatrixGroups = std::array<AttributeNumbers, 3>;

/// `{1,129,20,4,80,20,0,c64}`: 1 for rows one after the other or 2 for columns,
/// how many rows, columns and matrices, the elements from one row, or column,
/// to the next and from one matrix to the next (MatrixLayout::For,
/// xla/service/gpu/matmul_utils.cc).
static std::optional<std::string> matrixText(const Shape &S,
                                             const MatrixGroups &Groups) {
  if (!S.Layout)
    return std::nullopt;
  std::array<int64_t, 3> Sizes = {1, 1, 1};
  for (size_t G = 0; G != Groups.size(); ++G)
    for (int64_t D : Groups[G])
      if (D < 0 || D >= static_cast<int64_t>(S.Dimensions.size()) ||
          __builtin_mul_overflow(
              Sizes[G], S.Dimensions[static_cast<size_t>(D)].Size, &Sizes[G]))
        return std::nullopt;
  // The most minor group first.
  SmallVector<size_t, 3> Order;
  for (int64_t D : S.Layout->MinorToMajor)
    for (size_t G = 0; G != Groups.size(); ++G)
      if (!Groups[G].empty() && Groups[G].back() == D)
        Order.push_back(G);
  for (size_t G = Groups.size(); G-- != 0;)
    if (Groups[G].empty())
      Order.push_back(G);
  if (Order.size() != Groups.size() || Order[0] == 0)
    return std::nullopt;
  auto [Batches, Rows, Columns] = Sizes;
  int64_t Lead = Sizes[Order[0]];
  int64_t Matrix = 0;
  if (__builtin_mul_overflow(Rows, Columns, &Matrix) ||
      __builtin_mul_overflow(Lead, Batches, &Batches))
    return std::nullopt;
  if (Order[1] == 0)
    Matrix = std::exchange(Lead, Batches);
  return fmt::format("{{{},{},{},{},{},{},0,{}}}", Order[0] == 2 ? 1 : 2, Rows,
                     Columns, Sizes[0], Lead, Sizes[0] == 1 ? 0 : Matrix,
                     S.Element);
}

/// The factors of a product and what it is added to, as matrices.
ExpectedText hlobuf::ruleMatrix(const AttributeContext &Attr) {
  const Program &P = Attr.program();
  MatrixGroups Factors[2], Result;
  const Shape *Shapes[2];
  if (P.operands(Attr.I).size() < 2)
    return std::nullopt;
  int64_t Next = 0;
  for (size_t N : {0, 1}) {
    Shapes[N] = &P.trees().shape(P[P.operands(Attr.I)[N]].Shape);
    auto List = [&](StringRef Name) {
      return configList(
          Attr, fmt::format("{}_{}_dimensions", N == 0 ? "lhs" : "rhs", Name));
    };
    auto &[Batch, Rows, Columns] = Factors[N];
    Batch = List("batch");
    AttributeNumbers &Inner = N == 0 ? Columns : Rows;
    AttributeNumbers &Outer = N == 0 ? Rows : Columns;
    Inner = List("contracting");
    for (size_t D = 0; D != Shapes[N]->Dimensions.size(); ++D)
      if (auto Own = static_cast<int64_t>(D);
          !llvm::is_contained(Batch, Own) && !llvm::is_contained(Inner, Own))
        Outer.push_back(Own);
    // The result has batches, rows of the first and columns of the second.
    for (size_t D = 0; N == 0 && D != Batch.size(); ++D)
      Result[0].push_back(Next++);
    for (size_t D = 0; D != Outer.size(); ++D)
      Result[N + 1].push_back(Next++);
  }
  std::optional<std::string> Own =
      Attr.Key == "lhs"   ? matrixText(*Shapes[0], Factors[0])
      : Attr.Key == "rhs" ? matrixText(*Shapes[1], Factors[1])
                          : matrixText(mainResult(Attr), Result);
  return Own;
}

/// The kernel of the instruction, or of one that computes the same. In 0.11.0
/// kernels are named for a fusion that is made of the instruction.
ExpectedText hlobuf::ruleKernelName(const AttributeContext &Attr) {
  HloId Own = Attr.G.instruction(Attr.Id);
  StringRef Stated = Attr.Stated;
  HloId Owner = Attr.G.kernelOwner(Stated);
  if (!Owner && Stated.consume_back("_fusion"))
    Owner = Attr.G.kernelOwner(Stated);
  if (Owner && (Owner == Own || Attr.G.equal().compareInstructions(
                                    Own, Owner) == Equality::Equal))
    return Attr.anything();
  return kernelName(Attr.program().spell(Own), true);
}

ExpectedText hlobuf::ruleAbsent(const AttributeContext &Attr) {
  return Attr.Stated.empty() ? Attr.anything() : std::nullopt;
}

/// AsBlasLtEpilogue (xla/service/gpu/matmul_utils.cc), as BlasLtEpilogueProto
/// numbers it.
ExpectedText hlobuf::ruleEpilogue(const AttributeContext &Attr) {
  static constexpr std::pair<StringRef, StringRef> Epilogues[] = {
      {"DEFAULT", "0"},       {"RELU", "1"},      {"BIAS", "2"},
      {"BIAS_RELU", "3"},     {"GELU", "4"},      {"SILU", "5"},
      {"GELU_AUX", "7"},      {"BIAS_GELU", "8"}, {"BIAS_SILU", "9"},
      {"BIAS_GELU_AUX", "10"}};
  StringRef Own = Attr.config("epilogue").value_or("DEFAULT");
  for (const auto &[Name, Number] : Epilogues)
    if (Name == Own)
      return Number.str();
  return std::nullopt;
}

ExpectedText hlobuf::ruleAlgorithm(const AttributeContext &Attr) {
  StringRef Own = Attr.config("selected_algorithm").value_or("0");
  return Attr.Stated == Own || Attr.Stated == "0" ? Attr.anything()
                                                  : std::nullopt;
}

/// The text in quotes at the front of \p Text; nothing where it is not plain.
static std::optional<StringRef> takeQuoted(StringRef &Text) {
  size_t End = Text.find('"', 1);
  if (End == StringRef::npos || Text.take_front(End).contains('\\'))
    return std::nullopt;
  StringRef Inside = Text.slice(1, End);
  Text = Text.drop_front(End + 1).ltrim();
  return Inside;
}

static ExpectedText takeAttributes(StringRef &Text, unsigned Depth);

/// Takes a value of attributes off the front of \p Text, as MLIR prints it, and
/// spells it as Proto/AttributeValues.cpp does; nothing where it is another.
static ExpectedText takeValue(StringRef &Text, unsigned Depth) {
  if (Text.starts_with("{"))
    return takeAttributes(Text, Depth + 1);
  if (Text.starts_with("\"")) {
    std::optional<StringRef> Inside = takeQuoted(Text);
    return Inside ? ExpectedText(fmt::format("\"{}\"", *Inside)) : std::nullopt;
  }
  bool IsArray = Text.starts_with("array<");
  StringRef Value =
      Text.take_front(IsArray ? Text.find('>') + 1 : Text.find_first_of(",}"));
  Text = Text.drop_front(Value.size()).ltrim();
  if (IsArray) {
    std::string Array = Value.str();
    std::erase(Array, ' ');
    return std::move(Array);
  }
  auto [Number, Type] = Value.split(':');
  Number = Number.trim();
  Type = Type.trim();
  if (Number == "true" || Number == "false")
    return Number.str();
  int64_t Whole = 0;
  double Real = 0;
  if (!Number.getAsInteger(10, Whole))
    return fmt::format("{}:{}", Number, Type.empty() ? "i64" : Type);
  if (Number.starts_with("0x") || Number.getAsDouble(Real))
    return std::nullopt;
  return Type == "f32"
             ? fmt::format("{}:f32", static_cast<float>(Real))
             : fmt::format("{}:{}", Real, Type.empty() ? "f64" : Type);
}

/// `{"a-b"=85:ui8,lower=true}` of `{lower = true, "a-b" = 85 : ui8}`, at the
/// front of \p Text.
static ExpectedText takeAttributes(StringRef &Text, unsigned Depth) {
  constexpr unsigned MostDepth = 64;
  std::map<std::string, std::string> All;
  if (!Text.consume_front("{") || Depth > MostDepth)
    return std::nullopt;
  for (Text = Text.ltrim(); !Text.consume_front("}"); Text = Text.ltrim()) {
    ExpectedText Key =
        Text.starts_with("\"")
            ? takeValue(Text, Depth)
            : Text.take_until([](char C) { return C == '='; }).rtrim().str();
    Text = Text.drop_front(std::min(Text.find('='), Text.size()));
    if (!Key || !Text.consume_front("="))
      return std::nullopt;
    Text = Text.ltrim();
    ExpectedText Value = takeValue(Text, Depth);
    if (!Value || (!Text.consume_front(",") && !Text.starts_with("}")))
      return std::nullopt;
    All[*Key] = *Value;
  }
  std::string Out = "{";
  for (const auto &[Key, Value] : All)
    Out += fmt::format("{}{}={}", Out.size() == 1 ? "" : ",", Key, Value);
  return Out + '}';
}

ExpectedText hlobuf::ruleCallAttributes(const AttributeContext &Attr) {
  StringRef Own = Attr.attribute("backend_config").value_or("{}");
  ExpectedText Expected = takeAttributes(Own, 0);
  return Expected == Attr.Stated.str() || !Attr.Stated.contains('?')
             ? Expected
             : std::nullopt;
}
