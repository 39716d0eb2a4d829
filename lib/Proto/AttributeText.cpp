// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows an instruction's operands.
//
// PrintExtraAttributes of xla/hlo/ir/hlo_instructions.cc, in its order. What
// says nothing about buffers, reads or thunks is left out: precision,
// shardings, statistics.

#include "HLO/Opcode.h"
#include "Proto/AttributeValues.h"
#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::field;

namespace {
using Form = AttributeForm;

/// An attribute of an opcode.
struct Attribute {
  Opcode Op;
  StringRef Key;
  Form Spelled;
  uint32_t Field;
  /// Values that are left out, separated by `|`; or IfAny.
  StringRef Unless = "";
  /// The field with the message that it is in; 0 for the instruction itself.
  uint32_t Inside = 0;
};

/// The attribute is left out if its field is not there.
constexpr StringRef IfAny = "-";

/// Prints the attributes of one instruction.
struct AttributePrinter {
  void print();

  void print(const Attribute &Row);
  void printCollective();
  void printGroups();
  void printPermute();
  void printAliases();
  void printCalls();
  void callee(StringRef Key, ArrayRef<int64_t> All, size_t Number);
  void printFrontend();
  void printPredecessors();
  void printMetadata();
  void printBackendConfig();
  /// The message in \p Field; an empty one if it is damaged.
  StringRef message(uint32_t Field) {
    if (!I.has(Field))
      return StringRef();
    StringRef Bytes = I.bytes(Field);
    if (isMessage(Bytes))
      return Bytes;
    To.damaged("a HloInstructionProto");
    return StringRef();
  }
  /// True if Opcodes.def says that the instruction names computations so.
  bool mustName(CallRole Role) const {
    return llvm::any_of(calleeRules(Op), [&](const CalleeRule &Rule) {
      return Rule.Role == Role && Rule.Least != 0;
    });
  }

  const ProtoModule &M;
  const ProtoInstruction &I;
  TextSink &To;
  Opcode Op = I.Op;
};
} // namespace

/// In the order of the texts. Collectives are below.
static constexpr Attribute Attributes[] = {
    // clang-format off
    {Opcode::GetTupleElement, "index", Form::Number, TupleIndex},
    {Opcode::Compare, "direction", Form::Word, ComparisonDirection},
    {Opcode::Iota, "iota_dimension", Form::FirstOfList, Dimensions},
    {Opcode::RngGetAndUpdateState, "delta", Form::Number, Delta},
    {Opcode::ReducePrecision, "exponent_bits", Form::Number, ExponentBits},
    {Opcode::ReducePrecision, "mantissa_bits", Form::Number, MantissaBits},
    {Opcode::Fusion, "kind", Form::Word, FusionKind},
    {Opcode::CopyStart, "cross_program_prefetch_index", Form::Number, PrefetchIndex, IfAny},
    {Opcode::AsyncStart, "async_execution_thread", Form::Quoted, ExecutionThread, "\"\"|\"main\""},
    {Opcode::CustomCall, "window", Form::Window, field::Window},
    {Opcode::CustomCall, "dim_labels", Form::Labels, ConvolutionNumbers, IfAny},
    {Opcode::CustomCall, "feature_group_count", Form::Number, FeatureGroups, "0|1"},
    {Opcode::CustomCall, "batch_group_count", Form::Number, BatchGroups, "0|1"},
    {Opcode::CustomCall, "custom_call_target", Form::Quoted, CustomCallTarget},
    {Opcode::CustomCall, "custom_call_has_side_effect", Form::Flag, SideEffect},
    {Opcode::CustomCall, "api_version", Form::CallVersion, field::CallVersion, "API_VERSION_UNSPECIFIED|API_VERSION_ORIGINAL"},
    {Opcode::Fft, "fft_type", Form::FftType, field::FftType},
    {Opcode::Fft, "fft_length", Form::List, FftLength},
    {Opcode::Topk, "k", Form::Number, TopKCount},
    {Opcode::Slice, "slice", Form::Slice, SliceDimensions},
    {Opcode::Pad, "padding", Form::Padding, field::Padding},
    {Opcode::DynamicSlice, "dynamic_slice_sizes", Form::List, DynamicSliceSizes},
    {Opcode::Gather, "offset_dims", Form::List, 1, "", GatherNumbers},
    {Opcode::Gather, "collapsed_slice_dims", Form::List, 2, "", GatherNumbers},
    {Opcode::Gather, "start_index_map", Form::List, 3, "", GatherNumbers},
    {Opcode::Gather, "operand_batching_dims", Form::List, 5, "{}", GatherNumbers},
    {Opcode::Gather, "start_indices_batching_dims", Form::List, 6, "{}", GatherNumbers},
    {Opcode::Gather, "index_vector_dim", Form::Number, 4, "", GatherNumbers},
    {Opcode::Gather, "slice_sizes", Form::List, GatherSliceSizes},
    {Opcode::Gather, "indices_are_sorted", Form::Flag, IndicesSorted},
    {Opcode::Scatter, "update_window_dims", Form::List, 1, "", ScatterNumbers},
    {Opcode::Scatter, "inserted_window_dims", Form::List, 2, "", ScatterNumbers},
    {Opcode::Scatter, "scatter_dims_to_operand_dims", Form::List, 3, "", ScatterNumbers},
    {Opcode::Scatter, "input_batching_dims", Form::List, 5, "{}", ScatterNumbers},
    {Opcode::Scatter, "scatter_indices_batching_dims", Form::List, 6, "{}", ScatterNumbers},
    {Opcode::Scatter, "index_vector_dim", Form::Number, 4, "", ScatterNumbers},
    {Opcode::Scatter, "indices_are_sorted", Form::Flag, IndicesSorted},
    {Opcode::Scatter, "unique_indices", Form::Flag, UniqueIndices},
    {Opcode::Dot, "lhs_batch_dims", Form::List, 3, "{}", DotNumbers},
    {Opcode::Dot, "lhs_contracting_dims", Form::List, 1, "", DotNumbers},
    {Opcode::Dot, "rhs_batch_dims", Form::List, 4, "{}", DotNumbers},
    {Opcode::Dot, "rhs_contracting_dims", Form::List, 2, "", DotNumbers},
    {Opcode::ScaledDot, "lhs_batch_dims", Form::List, 3, "{}", DotNumbers},
    {Opcode::ScaledDot, "lhs_contracting_dims", Form::List, 1, "", DotNumbers},
    {Opcode::ScaledDot, "rhs_batch_dims", Form::List, 4, "{}", DotNumbers},
    {Opcode::ScaledDot, "rhs_contracting_dims", Form::List, 2, "", DotNumbers},
    {Opcode::Convolution, "window", Form::Window, field::Window},
    {Opcode::Convolution, "dim_labels", Form::Labels, ConvolutionNumbers},
    {Opcode::Convolution, "feature_group_count", Form::Number, FeatureGroups, "0|1"},
    {Opcode::Convolution, "batch_group_count", Form::Number, BatchGroups, "0|1"},
    {Opcode::ReduceWindow, "window", Form::Window, field::Window},
    {Opcode::SelectAndScatter, "window", Form::Window, field::Window},
    {Opcode::Broadcast, "dimensions", Form::List, Dimensions},
    {Opcode::Concatenate, "dimensions", Form::List, Dimensions},
    {Opcode::Reduce, "dimensions", Form::List, Dimensions},
    {Opcode::Transpose, "dimensions", Form::List, Dimensions},
    {Opcode::Reverse, "dimensions", Form::List, Dimensions},
    {Opcode::Map, "dimensions", Form::List, Dimensions},
    {Opcode::GetDimensionSize, "dimensions", Form::List, Dimensions},
    {Opcode::SetDimensionSize, "dimensions", Form::List, Dimensions},
    {Opcode::Sort, "dimensions", Form::List, Dimensions},
    {Opcode::Sort, "is_stable", Form::Flag, IsStable},
    {Opcode::Scan, "dimensions", Form::List, Dimensions},
    {Opcode::Scan, "num_carries", Form::Number, NumCarries},
    // clang-format on
};

/// Field \p Number of \p Message: the last one of numbers, the first one of
/// bytes; one without a value if there is none.
static WireField findField(StringRef Message, uint32_t Number, bool Bytes) {
  WireField Last;
  WireReader In(Message);
  for (WireField F; In.next(F);)
    if (F.Number == Number && F.isMessage() == Bytes) {
      Last = F;
      if (Bytes)
        break;
    }
  return Last;
}

static bool isListed(StringRef Value, StringRef All) {
  while (!All.empty()) {
    auto [First, Rest] = All.split('|');
    if (First == Value)
      return true;
    All = Rest;
  }
  return false;
}

void AttributePrinter::print(const Attribute &Row) {
  if (Row.Unless == IfAny && !I.has(Row.Field))
    return;
  if (Row.Spelled == Form::Padding || Row.Spelled == Form::Window ||
      Row.Spelled == Form::Labels)
    message(Row.Field);
  // Of what is not there, an empty message says the same.
  StringRef In = Row.Inside != 0    ? message(Row.Inside)
                 : I.has(Row.Field) ? I.Bytes
                                    : "";
  std::string Value =
      isRepeatedForm(Row.Spelled)
          ? repeatedText(Row.Spelled, In, Row.Field)
          : valueText(Row.Spelled,
                      findField(In, Row.Field,
                                fieldOf(Row.Spelled) != FieldType::Number));
  if ((Value.empty() && Row.Spelled != Form::Padding) ||
      isListed(Value, Row.Unless))
    return;
  ((((To.Out += ", ") += Row.Key) += '=') += Value);
}

void AttributePrinter::print() {
  for (const Attribute &Row : Attributes)
    if (Row.Op == Op)
      print(Row);
  printCollective();
  if (mayDeclareAliases(Op))
    printAliases();
  printCalls();
  printFrontend();
  printPredecessors();
  printMetadata();
  printBackendConfig();
}

void AttributePrinter::printCollective() {
  if (!isCollective(Op) && !isTransfer(Op))
    return;
  print({Op, "channel_id", Form::Number, ChannelId, "0"});
  printGroups();
  if (isTransfer(Op))
    return print({Op, "is_host_transfer", Form::Flag, HostTransfer, ""});
  if (isPermute(Op))
    return printPermute();
  if (Op != Opcode::AllReduce && Op != Opcode::AllReduceStart)
    print({Op, "dimensions", Form::List, Dimensions, "{}"});
  print({Op, "use_global_device_ids", Form::Flag, GlobalDeviceIds, ""});
}

/// In the form that the module has: a list (on its own until 2024), or what
/// makes it.
void AttributePrinter::printGroups() {
  StringRef List = message(DeviceList);
  StringRef Iota = I.bytes(IotaGroups);
  if (Iota.empty())
    Iota = bytesField(List, 2);
  if (!Iota.empty()) {
    To.Out += ", replica_groups=" + iotaText(Iota);
    return;
  }
  if (StringRef Mesh = I.bytes(MeshGroups); !Mesh.empty()) {
    To.Out += ", replica_groups=" + meshGroupsText(Mesh);
    return;
  }
  std::string Groups = repeatedText(Form::Groups, List.empty() ? I.Bytes : List,
                                    List.empty() ? ReplicaGroups : 1u);
  if (Groups != "{}")
    To.Out += ", replica_groups=" + Groups;
}

void AttributePrinter::printPermute() {
  To.Out += ", source_target_pairs=" +
            repeatedText(Form::Pairs, I.Bytes, SourceTargets);
  // The lists of all slices, one after the other.
  SmallVector<int64_t, 4> Sizes = I.numbers(DynamicSliceSizes);
  auto Sources = I.numbers(Operands);
  const ProtoInstruction *First =
      Sources.empty() ? nullptr : M.operand(I.Parent, Sources.front());
  size_t Rank = First ? numbersField(First->Shape, 3).size() : 0;
  if (Rank == 0 || Sizes.empty() || Sizes.size() % Rank != 0)
    return;
  To.Out += ", slice_sizes={";
  for (size_t Index = 0; Index != Sizes.size(); Index += Rank)
    To.Out += (Index == 0 ? "" : ",") +
              indexText(ArrayRef<int64_t>(Sizes).slice(Index, Rank));
  To.Out += '}';
}

void AttributePrinter::printAliases() {
  std::vector<std::string> Items;
  forEachMessage(I.Bytes, OutputAliases, [&](StringRef Alias) {
    if (!isMessage(Alias))
      To.damaged("a OutputOperandAliasing");
    Items.push_back(
        fmt::format("{}: ({}, {})", spacedIndex(numbersField(Alias, 1)),
                    numberAt(Alias, 2), spacedIndex(numbersField(Alias, 3))));
  });
  if (!Items.empty())
    To.Out += fmt::format(", output_to_operand_aliasing={{{}}}",
                          fmt::join(Items, ", "));
}

void AttributePrinter::callee(StringRef Key, ArrayRef<int64_t> All,
                              size_t Number) {
  if (Number >= All.size())
    return;
  const ProtoComputation *C = M.computation(All[Number]);
  (To.Out += Key) += '%';
  if (C)
    appendName(To.Out, C->Name);
  else
    appendFormat(To.Out, "no-computation-{}", All[Number]);
}

void AttributePrinter::printCalls() {
  auto All = I.numbers(CalledComputations);
  size_t Count = All.size();
  if (Count == 0 || continuesAsync(Op))
    return;
  if (mustName(CallRole::Body)) { // the proto has the body first
                                  // (hlo_instruction.cc)
    callee(", condition=", All, 1);
    return callee(", body=", All, 0);
  }
  if (mustName(CallRole::Select)) {
    callee(", select=", All, 0);
    return callee(", scatter=", All, 1);
  }
  bool Branches = mustName(CallRole::Branch);
  if (Branches) {
    auto Operands = I.numbers(field::Operands);
    const ProtoInstruction *First =
        Operands.empty() ? nullptr : M.operand(I.Parent, Operands.front());
    if (Count == 2 && First &&
        primitiveName(elementType(First->Shape)) == "pred") {
      callee(", true_computation=", All, 0);
      return callee(", false_computation=", All, 1);
    }
  }
  if (mustName(CallRole::ToApply))
    return callee(", to_apply=", All, 0);
  bool List = Branches || Op == Opcode::CustomCall;
  StringRef Key = Branches ? ", branch_computations={"
                  : List   ? ", called_computations={"
                           : ", calls=";
  for (size_t Number = 0; Number != Count && !To.stopped(); ++Number)
    callee(Number == 0 ? Key : ", ", All, Number);
  if (List)
    To.Out += '}';
}

void AttributePrinter::printFrontend() {
  std::vector<std::string> Items;
  forEachMessage(message(FrontendAttributes), 1, [&](StringRef Entry) {
    Items.push_back(plainName(bytesField(Entry, 1)) + '=' +
                    quoted(bytesField(Entry, 2)));
  });
  if (!Items.empty())
    To.Out +=
        fmt::format(", frontend_attributes={{{}}}", fmt::join(Items, ","));
}

void AttributePrinter::printPredecessors() {
  auto All = I.numbers(ControlPredecessors);
  StringRef Separator = ", control-predecessors={";
  for (int64_t Id : All) {
    if (To.stopped())
      return;
    const ProtoInstruction *P = M.operand(I.Parent, Id);
    To.Out += fmt::format("{}%{}", Separator,
                          P ? plainName(P->Name)
                            : fmt::format("no-instruction-{}", Id));
    Separator = ", ";
  }
  if (!All.empty())
    To.Out += '}';
}

/// OpMetadataToString (xla/hlo/ir/hlo_op_metadata.cc), as far as findings
/// spell it.
void AttributePrinter::printMetadata() {
  struct Item {
    StringRef Key;
    StringRef Text = {};
    int64_t Number = 0;
  };
  Item Type{"op_type"}, Name{"op_name"}, File{"source_file"};
  Item Line{"source_line"}, EndLine{"source_end_line"};
  Item Column{"source_column"}, EndColumn{"source_end_column"};
  Item Frame{"stack_frame_id"};
  if (!readFields(I.bytes(Metadata), into(1, Type.Text), into(2, Name.Text),
                  into(3, File.Text), into(4, Line.Number),
                  into(17, EndLine.Number), into(18, Column.Number),
                  into(19, EndColumn.Number), into(15, Frame.Number)))
    To.damaged("a HloInstructionProto");
  StringRef Separator = ", metadata={";
  for (const Item &Each :
       {Type, Name, File, Line, EndLine, Column, EndColumn, Frame}) {
    if (Each.Text.empty() && Each.Number == 0)
      continue;
    ((To.Out += Separator) += Each.Key) += '=';
    To.Out +=
        Each.Text.empty() ? std::to_string(Each.Number) : quoted(Each.Text);
    Separator = " ";
  }
  if (Separator == " ")
    To.Out += '}';
}

/// True if \p Text can be printed as it is: one line whose braces match.
static bool isPlainJson(StringRef Text) {
  if (!Text.starts_with("{") || !Text.ends_with("}"))
    return false;
  int Depth = 0;
  bool Quoted = false;
  for (size_t Index = 0; Index != Text.size(); ++Index) {
    char C = Text[Index];
    if (static_cast<unsigned char>(C) < ' ')
      return false;
    if (Quoted && C == '\\')
      ++Index;
    else if (C == '"')
      Quoted = !Quoted;
    else if (!Quoted && (C == '{' || C == '}'))
      Depth += C == '{' ? 1 : -1;
    if (Index >= Text.size() || (Depth == 0 && Index + 1 != Text.size()))
      return false;
  }
  return Depth == 0 && !Quoted;
}

void AttributePrinter::printBackendConfig() {
  StringRef Config = I.bytes(BackendConfig);
  // A payload holds the text itself or its number in the module (2026 on).
  StringRef Payload = message(BackendConfigPayload);
  if (Config.empty())
    Config = bytesField(Payload, 1);
  std::optional<int64_t> Number = numberField(Payload, 2);
  if (Config.empty() && Number && *Number >= 0 &&
      static_cast<uint64_t>(*Number) < M.Payloads.size())
    Config = M.Payloads[static_cast<size_t>(*Number)];
  if (Config.empty())
    return;
  To.Out += ", backend_config=";
  To.Out += isPlainJson(Config) ? Config.str() : quoted(Config);
}

void hlobuf::printAttributes(const ProtoModule &M, const ProtoInstruction &I,
                             TextSink &To) {
  AttributePrinter{M, I, To}.print();
}
