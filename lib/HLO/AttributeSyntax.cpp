// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As xla/hlo/ir/hlo_instruction.cc and hlo_instructions.cc print them.

#include "HLO/AttributeSyntax.h"
#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "HLO/TopLevel.h"
#include "Support/Format.h"
#include "Support/Scanner.h"

using namespace hlobuf;

static bool isNumber(StringRef Text) {
  Scanner In(Text);
  int64_t Number = 0;
  return In.signedNumber(Number) && In.atEnd();
}

bool hlobuf::isFlag(StringRef Text) {
  return Text == "true" || Text == "false";
}

/// Takes numbers, or lists of them, between braces.
static bool takeList(Scanner &In, unsigned Depth = 0) {
  constexpr unsigned Deepest = 8;
  if (Depth == Deepest || !In.literal('{'))
    return false;
  if (In.literal('}'))
    return true;
  do {
    In.literal(' ');
    int64_t Number = 0;
    if (!In.signedNumber(Number) && !takeList(In, Depth + 1))
      return false;
  } while (In.literal(','));
  return In.literal('}');
}

static bool isList(StringRef Text) {
  Scanner In(Text);
  return takeList(In) && In.atEnd();
}

static bool isFlatList(StringRef Text) {
  return isList(Text) && !Text.drop_front().contains('{');
}

/// `{{0,1},{1,0}}`.
static bool isPairs(StringRef Text) {
  if (!isList(Text))
    return false;
  SmallVector<StringRef, 8> Pairs;
  Text.drop_front().split(Pairs, '}', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return llvm::all_of(Pairs, [](StringRef Pair) {
    Pair.consume_front(",");
    return Pair.ltrim().starts_with("{") && Pair.count('{') == 1 &&
           Pair.count(',') == 1;
  });
}

/// `{{0,1},{2,3}}`, `[2,4]<=[8]T(1,0)`, or the axes of a mesh.
static bool isGroups(StringRef Text) {
  if (Text.starts_with("{"))
    return isList(Text);
  if (!Text.starts_with("["))
    return Text.contains("mesh");
  return Text.contains("]<=[") &&
         Text.find_first_not_of("0123456789,[]<=T()") == StringRef::npos;
}

/// `([2,2]T(1,0)) {'axis'}`, where the devices of a mesh are and what the
/// groups go along: with a comma before it, a key of its own (jaxlib 0.10.0 to
/// 0.11.0).
static bool isMeshDevices(StringRef Text) {
  return Text.consume_front("(") && Text.contains(')');
}

static bool isBounds(StringRef Text) { return sliceBounds(Text).has_value(); }

static bool isPadding(StringRef Text) { return paddings(Text).has_value(); }

/// Numbers between `x`; of a padding two for each, between `_`.
static bool isWindowRow(StringRef Text) {
  Scanner In(Text);
  do {
    int64_t Number = 0;
    if (!In.signedNumber(Number) ||
        (In.literal('_') && !In.signedNumber(Number)))
      return false;
  } while (In.literal('x'));
  return In.atEnd();
}

/// `{size=3x3 stride=2x2 pad=0_1x0_1}`.
static bool isWindow(StringRef Text) {
  static constexpr StringRef Keys[] = {
      "size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"};
  if (!Text.consume_front("{") || !Text.consume_back("}"))
    return false;
  while (!Text.empty()) {
    auto [Item, Rest] = Text.split(' ');
    auto [Key, Row] = Item.split('=');
    if (!llvm::is_contained(Keys, Key) || !isWindowRow(Row))
      return false;
    Text = Rest;
  }
  return true;
}

/// `b01f_01io->b01f`: as many dimensions on each side, each of the two letters
/// once.
static bool isLabels(StringRef Text) {
  auto [Sides, Result] = Text.split("->");
  auto [Left, Right] = Sides.split('_');
  auto IsSide = [&, Size = Left.size()](StringRef Side, StringRef Letters) {
    return Side.size() == Size &&
           llvm::all_of(Letters, [&](char C) { return Side.count(C) == 1; }) &&
           llvm::all_of(Side, [&](char C) {
             return llvm::isDigit(C) || C == '?' || Letters.contains(C);
           });
  };
  return IsSide(Left, "bf") && IsSide(Right, "io") && IsSide(Result, "bf");
}

static constexpr StringRef Directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
static constexpr StringRef FusionKinds[] = {"kLoop", "kInput", "kOutput",
                                            "kCustom"};
static constexpr StringRef FftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

template <const auto &Words> static bool isOneOf(StringRef Text) {
  return llvm::is_contained(Words, Text);
}

static bool isQuoted(StringRef Text) {
  return Text.size() >= 2 && Text.front() == '"' && Text.back() == '"';
}

/// What is between the braces, ModuleVerifier looks at.
static bool isBraced(StringRef Text) {
  return Text.starts_with("{") && Text.ends_with("}");
}

static bool isName(StringRef Text) {
  Text.consume_front("%");
  Scanner In(Text);
  StringRef Name;
  return In.name(Name) && In.atEnd();
}

static bool isNames(StringRef Text) {
  if (!Text.consume_front("{"))
    return isName(Text);
  if (!Text.consume_back("}"))
    return false;
  while (!Text.empty()) {
    auto [Name, Rest] = Text.split(", ");
    if (!isName(Name) || (Rest.empty() && Text.ends_with(", ")))
      return false;
    Text = Rest;
  }
  return true;
}

/// Of what nobody reads, where it ends.
static bool isWhole(StringRef Text) {
  if (Text.consume_front("{"))
    return closingBracket(Text) + 1 == Text.size();
  return isQuoted(Text) || isFlag(Text);
}

static bool isAliases(StringRef Text) {
  ShapeIndexTable Indices;
  return parseAliases(Text, Indices).has_value();
}

namespace {
struct AttributeRow {
  StringRef Key;
  /// Null for those of any instruction that this tool does not read; they come
  /// after all others (HloInstruction::ExtraAttributesToString).
  bool (*Matches)(StringRef Value);
  /// It names computations.
  std::optional<CallRole> Role = std::nullopt;
};
} // namespace

/// Sorted by key.
static constexpr AttributeRow Rows[] = {
    {"async_execution_thread", isQuoted},
    {"backend_config", nullptr},
    {"body", isName, CallRole::Body},
    {"branch_computations", isNames, CallRole::Branch},
    {"called_computations", isNames, CallRole::Called},
    {"calls", isNames, CallRole::Calls},
    {"channel_id", isNumber},
    {"collapsed_slice_dims", isFlatList},
    {"condition", isName, CallRole::Condition},
    {"control-predecessors", isNames},
    {"custom_call_target", isQuoted},
    {"device_ids", isMeshDevices},
    {"dim_labels", isLabels},
    {"dimensions", isFlatList},
    {"direction", isOneOf<Directions>},
    {"dynamic_slice_sizes", isFlatList},
    {"false_computation", isName, CallRole::Branch},
    {"feature_group_count", isNumber},
    {"fft_length", isFlatList},
    {"fft_type", isOneOf<FftTypes>},
    {"frontend_attributes", nullptr},
    {"index", isNumber},
    {"index_vector_dim", isNumber},
    {"input_batching_dims", isFlatList},
    {"inserted_window_dims", isFlatList},
    {"iota_dimension", isNumber},
    {"is_composite", nullptr},
    {"is_stable", isFlag},
    {"kind", isOneOf<FusionKinds>},
    {"lhs_batch_dims", isFlatList},
    {"lhs_contracting_dims", isFlatList},
    {"metadata", nullptr},
    {"offset_dims", isFlatList},
    {"operand_batching_dims", isFlatList},
    {"operand_layout_constraints", isBraced},
    {"output_to_operand_aliasing", isAliases},
    {"padding", isPadding},
    {"replica_groups", isGroups},
    {"rhs_batch_dims", isFlatList},
    {"rhs_contracting_dims", isFlatList},
    {"scatter", isName, CallRole::Scatter},
    {"scatter_dims_to_operand_dims", isFlatList},
    {"scatter_indices_batching_dims", isFlatList},
    {"select", isName, CallRole::Select},
    {"sharding", nullptr},
    {"slice", isBounds},
    {"slice_sizes", isList}, // {{2},{2}} of a collective-permute in place
    {"source_target_pairs", isPairs},
    {"start_index_map", isFlatList},
    {"start_indices_batching_dims", isFlatList},
    {"statistics", nullptr},
    {"to_apply", isName, CallRole::ToApply},
    {"true_computation", isName, CallRole::Branch},
    {"update_window_dims", isFlatList},
    {"use_global_device_ids", isFlag},
    {"window", isWindow},
};
static_assert(std::size(Rows) <= 64, "RowSet has a bit for each");
using RowSet = uint64_t;

static const AttributeRow *rowOf(StringRef Key) {
  if (Key.empty())
    return nullptr;
  // Of those that begin alike few have the same size.
  const AttributeRow *Row =
      llvm::lower_bound(Rows, Key[0], [](const AttributeRow &R, char First) {
        return R.Key[0] < First;
      });
  for (; Row != std::end(Rows) && Row->Key[0] == Key[0]; ++Row)
    if (Row->Key == Key)
      return Row;
  return nullptr;
}

/// Keys that are not looked at, but that are known: what is computed, tuning,
/// and what older releases print (hlo_parser.cc, 2019-2026).
static bool isOtherKey(StringRef Key) {
  static constexpr StringRef Keys =
      " algorithm api_version async_group_id async_group_name "
      "batch_group_count constrain_layout convolution_kind "
      "cross_program_prefetch_index custom_call_has_side_effect "
      "debug_attributes delta distribution domain epsilon exponent_bits "
      "feature_index has_dynamic_root indices_are_sorted infeed_config "
      "inferred_dimension is_associative is_host_transfer is_reverse k largest "
      "lhs_ragged_dims literal mantissa_bits num_carries operand_precision "
      "order origin outfeed_config outfeed_shape padding_type "
      "parameter_replication preserve_layout result_accuracy rhs_group_dims "
      "schedule sparsity sparsity_config type unique_indices ";
  return Keys.contains(fmt::format(" {} ", Key));
}

static RowSet bitOf(const AttributeRow *Row) {
  return RowSet(1) << (Row - std::begin(Rows));
}

StringRef hlobuf::callKey(CallRole Role) {
  // Of several the newest, which is the first.
  return llvm::find_if(
             Rows, [&](const AttributeRow &Row) { return Row.Role == Role; })
      ->Key;
}

std::optional<CallRole> hlobuf::callRole(StringRef Key) {
  const AttributeRow *Row = rowOf(Key);
  return Row ? Row->Role : std::nullopt;
}

namespace {
struct NeededAttribute {
  Opcode Op;
  StringRef Key;
};
} // namespace

/// What XLA prints for every instruction of an opcode, sorted by opcode.
static constexpr NeededAttribute Needed[] = {
    {Opcode::AllGather, "dimensions"},
    {Opcode::Broadcast, "dimensions"},
    {Opcode::Compare, "direction"},
    {Opcode::Concatenate, "dimensions"},
    {Opcode::Convolution, "dim_labels"},
    {Opcode::CustomCall, "custom_call_target"},
    {Opcode::Dot, "lhs_contracting_dims"},
    {Opcode::Dot, "rhs_contracting_dims"},
    {Opcode::DynamicSlice, "dynamic_slice_sizes"},
    {Opcode::Fft, "fft_length"},
    {Opcode::Fft, "fft_type"},
    {Opcode::Fusion, "kind"},
    {Opcode::Gather, "collapsed_slice_dims"},
    {Opcode::Gather, "index_vector_dim"},
    {Opcode::Gather, "offset_dims"},
    {Opcode::Gather, "slice_sizes"},
    {Opcode::Gather, "start_index_map"},
    {Opcode::GetDimensionSize, "dimensions"},
    {Opcode::Iota, "iota_dimension"},
    {Opcode::Pad, "padding"},
    {Opcode::Reduce, "dimensions"},
    {Opcode::ReduceScatter, "dimensions"},
    {Opcode::Reverse, "dimensions"},
    {Opcode::Scatter, "index_vector_dim"},
    {Opcode::Scatter, "inserted_window_dims"},
    {Opcode::Scatter, "scatter_dims_to_operand_dims"},
    {Opcode::Scatter, "update_window_dims"},
    {Opcode::SetDimensionSize, "dimensions"},
    {Opcode::Slice, "slice"},
    {Opcode::Sort, "dimensions"},
    {Opcode::Transpose, "dimensions"}};

/// The names of \p Value, one or a list in braces.
static void addCalls(StringRef Value, CallRole Role,
                     function_ref<void(StringRef, CallRole)> Visit) {
  StringRef Only = Value;
  Only.consume_front("%");
  if (isName(Only))
    return Visit(Only, Role);
  Value.consume_front("{");
  Value.consume_back("}");
  while (!Value.empty()) {
    auto [Name, Rest] = Value.split(", ");
    Value = Rest;
    Name.consume_front("%");
    if (isName(Name))
      Visit(Name, Role);
  }
}

/// True if \p Text is the value of \p Key alone, or followed by a
/// backend_config, which is JSON: most attributes end so.
static bool isLastValue(StringRef Key, StringRef Text) {
  if (Key != "backend_config") {
    size_t End = Text.find('}') + 1;
    if (End == Text.size())
      return End != 0;
    Text = Text.substr(End);
    if (!Text.consume_front(", backend_config="))
      return false;
  }
  return !Text.contains('=') && (Text.ends_with("}") || Text.ends_with("\""));
}

bool hlobuf::readAttributes(StringRef Attributes, Opcode Op,
                            function_ref<void(StringRef, CallRole)> VisitCall,
                            function_ref<void(StringRef, std::string)> Refuse,
                            function_ref<void(StringRef)> VisitUnknown) {
  RowSet Read = 0;
  // `calls=%a, %b` names several without braces (hlo_instruction.cc).
  bool More = false;
  StringRef Rest = Attributes;
  StringRef Key;
  while (takeAttributeKey(Rest, Key)) {
    const AttributeRow *Row = rowOf(Key);
    if (Row && !Row->Matches && !(Read & bitOf(Row)) &&
        isLastValue(Key, Rest)) {
      Rest = "";
      break;
    }
    StringRef Value = takeAttributeValue(Rest);
    if (Value.begin() == Key.end()) {
      if (!More)
        return Refuse(Key, "expected an attribute"), false;
      addCalls(Key, CallRole::Calls, VisitCall);
      continue;
    }
    More = Row && Row->Role == CallRole::Calls;
    if (!Row) {
      if (!isOtherKey(Key))
        VisitUnknown(Key);
      continue;
    }
    // What an opcode of a newer XLA prints may have another meaning.
    bool IsKnown = Op != Opcode::Unknown || Row->Matches == isNames;
    if (IsKnown && (Read & bitOf(Row)))
      Refuse(Key, fmt::format("there is a second attribute {}", Key));
    else if (IsKnown && !(Row->Matches ? Row->Matches : isWhole)(Value))
      Refuse(Key, fmt::format("cannot parse attribute {}", Key));
    Read |= bitOf(Row);
    if (Row->Role)
      addCalls(Value, *Row->Role, VisitCall);
  }
  if (!Rest.empty())
    return Refuse(Rest, "expected an attribute"), false;
  for (const NeededAttribute &Each : rowsFor<Needed>(Op))
    if (!(Read & bitOf(rowOf(Each.Key))))
      return Refuse(Attributes, fmt::format("{} has no attribute {}",
                                            opcodeText(Op), Each.Key)),
             false;
  static const RowSet Predecessors = bitOf(rowOf("control-predecessors"));
  return (Read & Predecessors) != 0;
}
