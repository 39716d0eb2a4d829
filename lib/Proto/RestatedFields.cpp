// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables of CPU (xla/service/cpu/executable.proto) and GPU (xla/service/
// gpu/gpu_executable.proto), 2025 and 2026. A GPU runs by its own copies of
// allocations, outputs and constants; a CPU loads module and assignment.

#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace hlobuf;
using namespace hlobuf::field;

using Numbers = SmallVector<int64_t, 4>;

namespace {
/// An input_output_alias.
struct ProtoAlias {
  int64_t Parameter = 0;
  Numbers Index;
  int64_t Kind = 0;

  bool operator==(const ProtoAlias &) const = default;
};

struct RestatedFields : FieldReport {
  void run();

  void readAliases();
  void compareModule();
  void compareConfig(StringRef Config);
  void compareDevices(StringRef Config);
  void compareAssignment();
  void compareObjectFiles();
  void compareAllocations(ArrayRef<StringRef> Copies);
  void compareAllocation(int64_t Index, StringRef Copy, StringRef Own,
                         bool HaveValues);
  void compareOutputs();
  void compareOutput(const Numbers &Index, StringRef Info);
  void compareConstants();
  void compareProgramShape(StringRef Field, StringRef Shape,
                           const ProtoComputation &C);
  std::optional<bool> isArgument(Numbers Index) const;
  std::vector<std::pair<int64_t, std::string>> expectedConstants() const;

  /// Calls \p Visit with each field \p Number of the executable.
  void forEach(uint32_t Number, function_ref<void(StringRef)> Visit) {
    for (StringRef Part : Parts)
      forEachMessage(Part, Number, Visit);
  }
  StringRef field(uint32_t Number) const {
    for (StringRef Part : Parts)
      if (StringRef Bytes = bytesField(Part, Number); !Bytes.empty())
        return Bytes;
    return "";
  }

  const HloProto &P;
  const ProtoModule &M = P.Module;
  /// The messages that together are the executable.
  SmallVector<StringRef, 2> Parts = {};
  const ProtoInstruction *Root = nullptr;
  /// By index of the output.
  std::map<Numbers, ProtoAlias> Aliases = {};
};
} // namespace

/// Hands \p Visit the indices of \p Shape and of all that is inside of it.
static void forEachIndex(StringRef Shape, Numbers &Index,
                         function_ref<void(const Numbers &)> Visit) {
  constexpr uint32_t TupleShapes = 4;
  constexpr size_t MostDepth = 100;
  Visit(Index);
  int64_t Number = 0;
  if (Index.size() == MostDepth)
    return;
  forEachMessage(Shape, TupleShapes, [&](StringRef Element) {
    Index.push_back(Number++);
    forEachIndex(Element, Index, Visit);
    Index.pop_back();
  });
}

void RestatedFields::readAliases() {
  forEachMessage(bytesField(M.Bytes, ModuleAliases), 1, [&](StringRef Entry) {
    ProtoAlias A;
    Numbers Output;
    readFields(Entry, into(1, Output), into(2, A.Parameter), into(3, A.Index),
               into(4, A.Kind));
    if (A.Kind != 1 && A.Kind != 2)
      differs(
          "HloInputOutputAliasProto has kind {} at output {}, and must have "
          "1 or 2",
          A.Kind, indexText(Output));
    Aliases[Output] = A;
  });
}

void RestatedFields::compareModule() {
  constexpr uint32_t EntryName = 2, IsFusion = 7, Donors = 18;
  if (const ProtoComputation *Entry = M.computation(M.Entry))
    expectName("HloModuleProto.entry_computation_name",
               bytesField(M.Bytes, EntryName), Entry->Name);
  forEachMessage(M.Bytes, ModuleComputation, [&](StringRef C) {
    bool Fused = std::binary_search(M.FusionComputations.begin(),
                                    M.FusionComputations.end(),
                                    numberAt(C, ComputationIdNumber));
    if ((numberAt(C, IsFusion) != 0) != Fused)
      differs("HloComputationProto.is_fusion_computation of {} is {}, and must "
              "be {}",
              plainName(bytesField(C, ComputationName)), !Fused, Fused);
  });
  for (const ProtoComputation &C : M.Computations)
    compareProgramShape("HloComputationProto.program_shape", C.Program, C);
  forEachMessage(bytesField(M.Bytes, Donors), 1, [&](StringRef Donor) {
    ProtoAlias D;
    readFields(Donor, into(1, D.Parameter), into(2, D.Index));
    for (const auto &[Output, A] : Aliases)
      if (A.Parameter == D.Parameter && A.Index == D.Index)
        differs("HloModuleProto.buffer_donor has parameter {}{}, which is an "
                "alias of output {}",
                D.Parameter, indexText(D.Index), indexText(Output));
  });
}

/// The borders of the program, and what the module says of them again.
void RestatedFields::compareConfig(StringRef Config) {
  StringRef Layout = bytesField(Config, ConfigEntryLayout);
  if (Layout != bytesField(M.Bytes, ModuleProgramShape))
    differs("HloModuleProto.host_program_shape is not the "
            "entry_computation_layout of the configuration");
  compareDevices(Config);
}

/// One device runs each replica of each partition, and no other.
void RestatedFields::compareDevices(StringRef Config) {
  constexpr uint32_t Replicas = 4, Partitions = 5, Static = 15;
  int64_t NumReplicas = numberAt(Config, Replicas);
  int64_t NumPartitions = numberAt(Config, Partitions);
  if (NumReplicas <= 0 || NumPartitions <= 0)
    return differs("replica_count is {} and num_partitions {}, and both must "
                   "be positive",
                   NumReplicas, NumPartitions);
  StringRef Devices = bytesField(M.Bytes, Static);
  if (Devices != bytesField(Config, Static))
    return differs("HloModuleProto.device_assignment is not that of the "
                   "configuration");
  if (Devices.empty())
    return;
  expect("DeviceAssignmentProto.replica_count", numberAt(Devices, 1),
         NumReplicas);
  expect("DeviceAssignmentProto.computation_count", numberAt(Devices, 2),
         NumPartitions);
  int64_t Count = 0;
  std::set<int64_t> Used;
  forEachMessage(Devices, 3, [&](StringRef Partition) {
    ++Count;
    Numbers Ids = numbersField(Partition, 1);
    expect("the number of replica_device_ids", static_cast<int64_t>(Ids.size()),
           NumReplicas);
    for (int64_t Id : Ids)
      if (!Used.insert(Id).second)
        differs("replica_device_ids have device {} twice", Id);
  });
  expect("the number of computation_devices", Count, NumPartitions);
}

void RestatedFields::compareAssignment() {
  constexpr uint32_t Assigned = 9, IsAliased = 13;
  // Since 2025-05-19; then CPUs have these fields for object files and machine.
  bool StatesAliased = P.Thunks.Target == ThunkSource::Backend::GPU ||
                       !field(8).empty() || !field(9).empty();
  std::map<int64_t, int64_t> Sizes;
  int64_t Index = 0;
  forEachMessage(P.Assignment.Bytes, 3, [&](StringRef Allocation) {
    expect("BufferAllocationProto.index", numberAt(Allocation, 1), Index++);
    forEachMessage(Allocation, Assigned, [&](StringRef Each) {
      Sizes[numberAt(Each, 1)] = numberAt(Each, 3);
    });
    Numbers At = numbersField(Allocation, 10);
    bool IsParameter = numberAt(Allocation, 5) != 0;
    bool Aliased = llvm::any_of(Aliases, [&](const auto &Each) {
      return IsParameter && Each.second.Parameter == numberAt(Allocation, 6) &&
             Each.second.Index == At;
    });
    if (StatesAliased)
      expect(fmt::format("is_parameter_aliased_with_output of allocation {}",
                         Index - 1),
             numberAt(Allocation, IsAliased), Aliased);
  });
  int64_t Last = -1;
  forEachMessage(P.Assignment.Bytes, 1, [&](StringRef Buffer) {
    if (numberAt(Buffer, 1) <= std::exchange(Last, numberAt(Buffer, 1)))
      differs("logical_buffers are not in the order of their ids at {}", Last);
    auto Size = Sizes.find(numberAt(Buffer, 1));
    if (Size != Sizes.end())
      expect(fmt::format("LogicalBufferProto.size of {}", Size->first),
             numberAt(Buffer, 2), Size->second);
  });
}

/// The values in an allocation.
static std::vector<StringRef> assignedTo(StringRef Allocation) {
  std::vector<StringRef> All;
  forEachMessage(Allocation, 9, [&](StringRef Value) { All.push_back(Value); });
  return All;
}

/// The copy of a GPU has all but the values, which it has until jaxlib 0.10.
void RestatedFields::compareAllocation(int64_t Index, StringRef Copy,
                                       StringRef Own, bool HaveValues) {
  for (uint32_t Number : {1, 2, 3, 5, 6, 7, 8, 12, 13})
    expect(fmt::format("buffer_allocations[{}], field {},", Index, Number),
           numberAt(Copy, Number), numberAt(Own, Number));
  if (numbersField(Copy, 10) != numbersField(Own, 10))
    differs("buffer_allocations[{}] has parameter index {}, and must have {}",
            Index, indexText(numbersField(Copy, 10)),
            indexText(numbersField(Own, 10)));
  if (HaveValues && assignedTo(Copy) != assignedTo(Own))
    differs("buffer_allocations[{}] has other values than the assignment",
            Index);
}

void RestatedFields::compareAllocations(ArrayRef<StringRef> Copies) {
  size_t Count = 0;
  bool HaveValues = llvm::any_of(
      Copies, [](StringRef Copy) { return !assignedTo(Copy).empty(); });
  forEachMessage(P.Assignment.Bytes, 3, [&](StringRef Own) {
    if (Count < Copies.size())
      compareAllocation(int64_t(Count), Copies[Count], Own, HaveValues);
    ++Count;
  });
  if (Copies.size() < Count)
    return differs("buffer_allocations has {} allocations, and the assignment "
                   "{}",
                   Copies.size(), Count);
  // Thunks have more of their own: temps.
  for (size_t N = Count; N != Copies.size(); ++N)
    forEachField(Copies[N], [&](const WireField &F) {
      bool Plain = F.Number == 1 || F.Number == 2 || F.Number == 8;
      if (!Plain && (F.isMessage() || F.Value != 0))
        differs(
            "buffer_allocations[{}] has field {}, but the assignment has no "
            "such allocation",
            N, F.Number);
    });
}

/// True if a result may be the value of an operand, in a way that is not
/// followed here.
static bool mayForward(Opcode Op) {
  return accessesNoMemory(Op) || isControlFlow(Op) || startedBy(Op) ||
         endedBy(Op) || Op == Opcode::CustomCall ||
         Op == Opcode::SetDimensionSize || Op == Opcode::Unknown;
}

/// True if an argument of the program is the result at \p Index, as far as
/// tuples show it; nothing where something else may forward it.
std::optional<bool> RestatedFields::isArgument(Numbers Index) const {
  constexpr unsigned Longest = 10000; // A damaged module may have a circle.
  const ProtoInstruction *I = Root;
  for (unsigned N = 0; I && N != Longest; ++N) {
    Numbers Operands = I->numbers(field::Operands);
    size_t Next = 0;
    switch (I->Op) {
    case Opcode::Parameter:
      return true;
    case Opcode::Tuple:
      if (Index.empty())
        return false;
      Next = static_cast<size_t>(Index.front());
      Index.erase(Index.begin());
      break;
    case Opcode::GetTupleElement:
      Index.insert(Index.begin(), I->number(TupleIndex));
      break;
    default:
      return mayForward(I->Op) ? std::nullopt : std::optional(false);
    }
    if (Next >= Operands.size())
      return std::nullopt;
    I = M.operand(I->Parent, Operands[Next]);
  }
  return std::nullopt;
}

void RestatedFields::compareOutput(const Numbers &Index, StringRef Info) {
  std::string At = indexText(Index);
  StringRef Config = bytesField(Info, 3);
  auto Alias = Aliases.find(Index);
  if ((Config.data() != nullptr) != (Alias != Aliases.end()))
    return differs("output_info_map at {} {} alias_config", At,
                   Config.data() ? "may not have an" : "must have an");
  if (Config.data()) {
    ProtoAlias Stated;
    readFields(Config, into(2, Stated.Parameter), into(3, Stated.Index),
               into(4, Stated.Kind));
    if (Stated != Alias->second)
      differs("output_info_map at {} is an alias of parameter {}{}, and must "
              "be one of {}{}, kind {}",
              At, Stated.Parameter, indexText(Stated.Index),
              Alias->second.Parameter, indexText(Alias->second.Index),
              Alias->second.Kind);
  }
  if (auto Passed = isArgument(Index))
    expect(fmt::format("passthrough of output {}", At), numberAt(Info, 2),
           *Passed);
}

void RestatedFields::compareOutputs() {
  constexpr uint32_t Outputs = 11;
  std::map<Numbers, StringRef> Stated;
  forEach(Outputs, [&](StringRef Entry) {
    Numbers Index = numbersField(bytesField(Entry, 1), 1);
    if (!Stated.empty() && Index < Stated.rbegin()->first)
      differs("output_info_map has {} too late", indexText(Index));
    if (!Stated.try_emplace(Index, bytesField(Entry, 2)).second)
      differs("output_info_map has {} twice", indexText(Index));
  });
  Numbers Index;
  forEachIndex(Root->Shape, Index, [&](const Numbers &At) {
    auto Entry = Stated.find(At);
    if (Entry == Stated.end())
      return differs("output_info_map has no {}", indexText(At));
    compareOutput(At, Entry->second);
    Stated.erase(Entry);
  });
  for (const auto &[At, Info] : Stated)
    differs("output_info_map has {}, which the result does not have",
            indexText(At));
}

/// Ids of the computations that run on the device, each at a step of its own.
static std::set<int64_t> globalComputations(const ProtoModule &M) {
  std::set<int64_t> All = {M.Entry};
  std::vector<int64_t> Work = {M.Entry};
  while (!Work.empty()) {
    const ProtoComputation *C = M.computation(Work.back());
    Work.pop_back();
    if (!C)
      continue;
    for (const ProtoInstruction &I : M.instructions(*C))
      if (isControlFlow(I.Op))
        for (int64_t Id : I.numbers(CalledComputations))
          if (const ProtoComputation *Callee = M.computation(Id);
              Callee && (Callee->Thread.empty() || Callee->Thread == "main") &&
              All.insert(Id).second)
            Work.push_back(Id);
  }
  return All;
}

/// Allocations of constants of global computations, with the names of their
/// symbols.
std::vector<std::pair<int64_t, std::string>>
RestatedFields::expectedConstants() const {
  std::vector<std::pair<int64_t, std::string>> All;
  std::set<int64_t> Global = globalComputations(M);
  forEachMessage(P.Assignment.Bytes, 3, [&](StringRef Allocation) {
    if (numberAt(Allocation, 12) == 0)
      return;
    int64_t Id = numberAt(bytesField(Allocation, 9), 1);
    const ProtoBuffer *B = P.Assignment.buffer(Id);
    const ProtoInstruction *I =
        B ? M.instruction(B->Place.Instruction) : nullptr;
    if (!I || Global.count(M.Computations[I->Parent].Id) == 0)
      return;
    std::string Name = "buffer_for_" + I->Name.str();
    for (char &C : Name)
      C = C == '.' || C == '-' ? '_' : C;
    All.emplace_back(numberAt(Allocation, 1), std::move(Name));
  });
  return All;
}

void RestatedFields::compareConstants() {
  constexpr uint32_t Constants = 12;
  std::map<int64_t, std::string> Stated;
  forEach(Constants, [&](StringRef Constant) {
    int64_t Index = numberAt(Constant, 3);
    if (Index >= 0 &&
        !Stated.try_emplace(Index, bytesField(Constant, 1).str()).second)
      differs("constants have allocation {} twice", Index);
  });
  for (const auto &[Index, Name] : expectedConstants()) {
    auto Entry = Stated.find(Index);
    if (Entry == Stated.end()) {
      differs("constants have none for allocation {}", Index);
      continue;
    }
    expectName(
        fmt::format("symbol_name of the constant of allocation {}", Index),
        Entry->second, Name);
  }
}

/// The arguments and the result of \p C, byte for byte.
void RestatedFields::compareProgramShape(StringRef Field, StringRef Shape,
                                         const ProtoComputation &C) {
  const ProtoInstruction *Result = M.root(C);
  std::string Name = plainName(C.Name);
  if (!Result || bytesField(Shape, 2) != Result->Shape)
    differs("{} has another result than {}", Field, Name);
  std::map<int64_t, StringRef> Parameters;
  for (const ProtoInstruction &I : M.instructions(C))
    if (I.Op == Opcode::Parameter)
      Parameters[I.number(ParameterNumber)] = I.Shape;
  int64_t Number = 0;
  forEachMessage(Shape, 1, [&](StringRef Parameter) {
    auto Own = Parameters.find(Number);
    if (Own == Parameters.end() || Own->second != Parameter)
      differs("{} has another parameter {} than {}", Field, Number, Name);
    ++Number;
  });
  expect(fmt::format("the number of parameters in {}", Field), Number,
         static_cast<int64_t>(Parameters.size()));
}

/// What thunks of a CPU launch.
void RestatedFields::compareObjectFiles() {
  constexpr uint32_t FilesKind = 5, Symbols = 7;
  constexpr int64_t Kernels = 2;
  expect("CompilationResultProto.obj_files_kind", numberAt(P.Result, FilesKind),
         Kernels);
  forEach(Symbols, [&](StringRef Symbol) {
    if (int64_t Type = numberAt(Symbol, 1); Type != 1 && Type != 2)
      differs("function_type_id of {} is {}: neither kernel nor comparator",
              plainName(bytesField(Symbol, 2)), Type);
  });
}

void RestatedFields::run() {
  constexpr uint32_t GpuName = 8, GpuShape = 9, GpuAllocations = 10;
  const ProtoComputation *Entry = M.computation(M.Entry);
  Root = Entry ? M.root(*Entry) : nullptr;
  if (!Root)
    return;
  bool IsGpu = P.Thunks.Target == ThunkSource::Backend::GPU;
  Parts = P.Thunks.Parts;
  if (!IsGpu)
    Parts = {P.Result};
  readAliases();
  compareModule();
  compareConfig(bytesField(field(1), ModuleConfig));
  compareAssignment();
  if (!IsGpu)
    return compareObjectFiles();
  expectName("GpuExecutableProto.module_name", field(GpuName), M.Name);
  compareProgramShape("GpuExecutableProto.program_shape", field(GpuShape),
                      *Entry);
  std::vector<StringRef> Copies;
  forEachMessage(field(GpuAllocations), 1,
                 [&](StringRef Each) { Copies.push_back(Each); });
  compareAllocations(Copies);
  compareOutputs();
  compareConstants();
}

void hlobuf::compareFields(const HloProto &P,
                           function_ref<void(const std::string &)> Report) {
  RestatedFields{{Report}, P}.run();
}
