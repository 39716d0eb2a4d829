// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows an instruction's operands.
//
// PrintExtraAttributes of xla/hlo/ir/hlo_instructions.cc, in its order. What
// says nothing about buffers, reads or thunks is left out: precision,
// shardings, statistics.

#include "Proto/AttributeValues.h"
#include "Proto/DimensionText.h"
#include "Proto/ShapeText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::field;
using llvm::StringRef;

namespace {
/// Prints the attributes of one instruction.
class AttributePrinter : public FieldPrinter {
public:
  AttributePrinter(const ProtoModule &M, const ProtoInstruction &I,
                   TextSink &To)
      : FieldPrinter(I, To), M(M), ByDimension(I, To) {}

  void print();

private:
  void printByOpcode();
  void printCollective();
  void printIndexed();
  void printGroups();
  void printPermute();
  void printAliases();
  void printCalls();
  void callee(StringRef Key, llvm::ArrayRef<int64_t> All, size_t Number);
  void printFrontend();
  void printPredecessors();
  void printMetadata();
  void printBackendConfig();

  const ProtoModule &M;
  DimensionPrinter ByDimension;
};
} // namespace

void AttributePrinter::print() {
  printByOpcode();
  printCalls();
  printFrontend();
  printPredecessors();
  printMetadata();
  printBackendConfig();
}

void AttributePrinter::printByOpcode() {
  if (is("get-tuple-element"))
    return number("index", TupleIndex);
  if (is("compare")) {
    To.Out +=
        ", direction=" + plainName(bytesField(I.Bytes, ComparisonDirection));
    return;
  }
  if (is("iota")) {
    auto All = numbersField(I.Bytes, Dimensions);
    To.Out += fmt::format(", iota_dimension={}", All.empty() ? 0 : All.front());
    return;
  }
  if (is("rng-get-and-update-state"))
    return number("delta", Delta);
  if (is("reduce-precision")) {
    number("exponent_bits", ExponentBits);
    return number("mantissa_bits", MantissaBits);
  }
  if (is("fusion")) {
    To.Out += ", kind=" + plainName(bytesField(I.Bytes, FusionKind));
    return printAliases();
  }
  if (is("slice"))
    return ByDimension.printSlice();
  if (is("copy-start")) {
    if (std::optional<int64_t> Index = numberField(I.Bytes, PrefetchIndex))
      To.Out += fmt::format(", cross_program_prefetch_index={}", *Index);
    return;
  }
  if (is("async-start") || is("async-update") || is("async-done")) {
    StringRef Thread = bytesField(I.Bytes, ExecutionThread);
    if (is("async-start") && !Thread.empty() && Thread != "main")
      To.Out += fmt::format(", async_execution_thread=\"{}\"", escaped(Thread));
    return printAliases();
  }
  printIndexed();
}

/// Opcodes that name dimensions, sizes or windows.
void AttributePrinter::printIndexed() {
  if (is("pad"))
    return ByDimension.printPadding();
  if (is("dynamic-slice"))
    return list("dynamic_slice_sizes",
                numbersField(I.Bytes, DynamicSliceSizes));
  if (is("gather"))
    return ByDimension.printGather();
  if (is("scatter"))
    return ByDimension.printScatter();
  if (is("dot") || is("scaled-dot"))
    return ByDimension.printDot();
  if (is("convolution")) {
    ByDimension.printWindow();
    return ByDimension.printConvolution();
  }
  if (is("reduce-window") || is("select-and-scatter"))
    return ByDimension.printWindow();
  if (is("custom-call")) {
    ByDimension.printWindow();
    if (!bytesField(I.Bytes, ConvolutionNumbers).empty())
      ByDimension.printConvolution();
    To.Out += fmt::format(", custom_call_target=\"{}\"",
                          escaped(bytesField(I.Bytes, CustomCallTarget)));
    flag("custom_call_has_side_effect", SideEffect);
    if (StringRef Version =
            callVersionName(numberField(I.Bytes, CallVersion).value_or(1));
        Version != "API_VERSION_ORIGINAL")
      To.Out += (", api_version=" + Version).str();
    return printAliases();
  }
  static constexpr StringRef WithDimensions[] = {"broadcast",
                                                 "concatenate",
                                                 "reduce",
                                                 "transpose",
                                                 "reverse",
                                                 "map",
                                                 "get-dimension-size",
                                                 "set-dimension-size",
                                                 "sort",
                                                 "scan"};
  if (llvm::is_contained(WithDimensions, I.Opcode)) {
    list("dimensions", numbersField(I.Bytes, Dimensions));
    if (is("sort"))
      flag("is_stable", IsStable);
    if (is("scan"))
      number("num_carries", NumCarries);
    return;
  }
  if (is("fft")) {
    To.Out +=
        (", fft_type=" + fftTypeName(numberField(I.Bytes, FftType).value_or(0)))
            .str();
    return list("fft_length", numbersField(I.Bytes, FftLength));
  }
  if (is("topk"))
    return number("k", TopKCount);
  printCollective();
}

void AttributePrinter::printCollective() {
  static constexpr StringRef Collectives[] = {
      "all-gather",           "all-gather-start", "all-reduce",
      "all-reduce-start",     "all-to-all",       "reduce-scatter",
      "collective-broadcast", "ragged-all-to-all"};
  bool Permute = I.Opcode.starts_with("collective-permute") &&
                 !I.Opcode.ends_with("-done");
  bool Transfer = I.Opcode.starts_with("send") || I.Opcode.starts_with("recv");
  if (!Permute && !Transfer && !llvm::is_contained(Collectives, I.Opcode))
    return;
  if (has(ChannelId))
    number("channel_id", ChannelId);
  printGroups();
  if (Transfer)
    return flag("is_host_transfer", HostTransfer);
  if (Permute)
    return printPermute();
  if (!is("all-reduce") && !is("all-reduce-start"))
    listIfAny("dimensions", numbersField(I.Bytes, Dimensions));
  flag("use_global_device_ids", GlobalDeviceIds);
}

/// In the form that the module has: a list (on its own until 2024), or what
/// makes it.
void AttributePrinter::printGroups() {
  StringRef List = message(DeviceList);
  StringRef Iota = bytesField(I.Bytes, IotaGroups);
  if (Iota.empty())
    Iota = bytesField(List, 2);
  if (!Iota.empty()) {
    To.Out += ", replica_groups=" + iotaText({numberField(Iota, 1).value_or(0),
                                              numberField(Iota, 2).value_or(0)},
                                             numbersField(Iota, 3),
                                             numbersField(Iota, 4));
    return;
  }
  if (StringRef Mesh = bytesField(I.Bytes, MeshGroups); !Mesh.empty()) {
    To.Out += ", replica_groups=" + meshGroupsText(Mesh);
    return;
  }
  std::string Groups = groupsText(List.empty() ? I.Bytes : List,
                                  List.empty() ? ReplicaGroups : 1u);
  if (Groups != "{}")
    To.Out += ", replica_groups=" + Groups;
}

void AttributePrinter::printPermute() {
  To.Out += ", source_target_pairs=" + pairsText(I.Bytes, SourceTargets);
  // The lists of all slices, one after the other.
  llvm::SmallVector<int64_t, 4> Sizes =
      numbersField(I.Bytes, DynamicSliceSizes);
  auto Sources = numbersField(I.Bytes, Operands);
  const ProtoInstruction *First =
      Sources.empty() ? nullptr : M.operand(I.Parent, Sources.front());
  size_t Rank = First ? numbersField(First->Shape, 3).size() : 0;
  if (Rank == 0 || Sizes.empty() || Sizes.size() % Rank != 0)
    return;
  To.Out += ", slice_sizes={";
  for (size_t At = 0; At != Sizes.size(); At += Rank)
    To.Out += (At == 0 ? "" : ",") +
              indexText(llvm::ArrayRef<int64_t>(Sizes).slice(At, Rank));
  To.Out += '}';
}

void AttributePrinter::printAliases() {
  StringRef Separator = ", output_to_operand_aliasing={";
  bool Any = false;
  WireReader In(I.Bytes);
  for (WireField F; In.next(F);) {
    if (F.Number != OutputAliases || !F.isMessage())
      continue;
    if (!isMessage(F.Bytes) && !To.Damaged)
      To.Damaged = "OutputOperandAliasing";
    To.Out += fmt::format("{}{}: ({}, {})", Separator,
                          spacedIndex(numbersField(F.Bytes, 1)),
                          numberField(F.Bytes, 2).value_or(0),
                          spacedIndex(numbersField(F.Bytes, 3)));
    Separator = ", ";
    Any = true;
  }
  if (Any)
    To.Out += '}';
}

void AttributePrinter::callee(StringRef Key, llvm::ArrayRef<int64_t> All,
                              size_t Number) {
  if (Number >= All.size())
    return;
  const ProtoComputation *C = M.computation(All[Number]);
  To.Out += fmt::format("{}%{}", Key,
                        C ? plainName(C->Name)
                          : fmt::format("no-computation-{}", All[Number]));
}

void AttributePrinter::printCalls() {
  auto All = numbersField(I.Bytes, CalledComputations);
  size_t Count = All.size();
  if (Count == 0 || is("async-update") || is("async-done"))
    return;
  if (is("while")) { // the proto has the body first (hlo_instruction.cc)
    callee(", condition=", All, 1);
    return callee(", body=", All, 0);
  }
  if (is("select-and-scatter")) {
    callee(", select=", All, 0);
    return callee(", scatter=", All, 1);
  }
  if (is("conditional")) {
    auto Operands = numbersField(I.Bytes, field::Operands);
    const ProtoInstruction *First =
        Operands.empty() ? nullptr : M.operand(I.Parent, Operands.front());
    if (Count == 2 && First &&
        primitiveName(elementType(First->Shape)) == "pred") {
      callee(", true_computation=", All, 0);
      return callee(", false_computation=", All, 1);
    }
  }
  static constexpr StringRef Applying[] = {
      "call",           "map",  "reduce-window", "reduce", "all-reduce",
      "reduce-scatter", "sort", "scatter",       "scan",   "all-reduce-start"};
  if (llvm::is_contained(Applying, I.Opcode))
    return callee(", to_apply=", All, 0);
  bool Branches = is("conditional");
  bool List = Branches || is("custom-call");
  StringRef Key = Branches ? ", branch_computations={"
                  : List   ? ", called_computations={"
                           : ", calls=";
  for (size_t Number = 0; Number != Count && !To.stopped(); ++Number)
    callee(Number == 0 ? Key : ", ", All, Number);
  if (List)
    To.Out += '}';
}

void AttributePrinter::printFrontend() {
  StringRef Separator = ", frontend_attributes={";
  bool Any = false;
  forEachField(message(FrontendAttributes), [&](const WireField &F) {
    if (F.Number != 1 || !F.isMessage())
      return;
    To.Out +=
        fmt::format("{}{}=\"{}\"", Separator, plainName(bytesField(F.Bytes, 1)),
                    escaped(bytesField(F.Bytes, 2)));
    Separator = ",";
    Any = true;
  });
  if (Any)
    To.Out += '}';
}

void AttributePrinter::printPredecessors() {
  auto All = numbersField(I.Bytes, ControlPredecessors);
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
  StringRef Bytes = message(Metadata);
  std::string Text;
  auto Add = [&](const std::string &Item) {
    Text += (Text.empty() ? "" : " ") + Item;
  };
  for (auto [Key, Field] : {std::pair("op_type", 1u), std::pair("op_name", 2u),
                            std::pair("source_file", 3u)})
    if (StringRef Value = bytesField(Bytes, Field); !Value.empty())
      Add(fmt::format("{}=\"{}\"", Key, escaped(Value)));
  for (auto [Key, Field] :
       {std::pair("source_line", 4u), std::pair("source_end_line", 17u),
        std::pair("source_column", 18u), std::pair("source_end_column", 19u),
        std::pair("stack_frame_id", 15u)})
    if (int64_t Value = numberField(Bytes, Field).value_or(0); Value != 0)
      Add(fmt::format("{}={}", Key, Value));
  if (!Text.empty())
    To.Out += ", metadata={" + Text + '}';
}

/// True if \p Text can be printed as it is: one line whose braces match.
static bool isPlainJson(StringRef Text) {
  if (!Text.starts_with("{") || !Text.ends_with("}"))
    return false;
  int Depth = 0;
  bool Quoted = false;
  for (size_t At = 0; At != Text.size(); ++At) {
    char C = Text[At];
    if (static_cast<unsigned char>(C) < ' ')
      return false;
    if (Quoted && C == '\\')
      ++At;
    else if (C == '"')
      Quoted = !Quoted;
    else if (!Quoted && (C == '{' || C == '}'))
      Depth += C == '{' ? 1 : -1;
    if (At >= Text.size() || (Depth == 0 && At + 1 != Text.size()))
      return false;
  }
  return Depth == 0 && !Quoted;
}

void AttributePrinter::printBackendConfig() {
  StringRef Config = bytesField(I.Bytes, BackendConfig);
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
  if (isPlainJson(Config))
    To.Out += (", backend_config=" + Config).str();
  else
    To.Out += fmt::format(", backend_config=\"{}\"", escaped(Config));
}

void hlobuf::printAttributes(const ProtoModule &M, const ProtoInstruction &I,
                             TextSink &To) {
  AttributePrinter(M, I, To).print();
}
