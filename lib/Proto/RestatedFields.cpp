// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables of CPU (xla/service/cpu/executable.proto) and GPU (xla/service/
// gpu/gpu_executable.proto), 2025 and 2026.

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
struct RestatedFields : FieldReport {
  void run();

  void readAliases();
  void compareModule();
  void compareThreads(const ProtoInstruction &Caller);
  void compareConfig(StringRef Config);
  void compareDevices(StringRef Config);
  void compareOptions(StringRef Config);
  void compareAssignment();
  void compareObjectFiles();
  void compareProgramShape(StringRef Field, StringRef Shape,
                           const ProtoComputation &C);

  const HloProto &P;
  const ProtoModule &M = P.Module;
  ProtoAliases Aliases = {};
};
} // namespace

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
  if (const ProtoComputation *Entry = M.computation(M.Entry)) {
    expectName("HloModuleProto.entry_computation_name",
               bytesField(M.Bytes, EntryName), Entry->Name);
    compared(FieldType::HloModule, {EntryName});
  }
  forEachMessage(M.Bytes, ModuleComputation, [&](StringRef C) {
    bool Fused = std::binary_search(M.FusionComputations.begin(),
                                    M.FusionComputations.end(),
                                    numberAt(C, ComputationIdNumber));
    if ((numberAt(C, IsFusion) != 0) != Fused)
      differs("HloComputationProto.is_fusion_computation of {} is {}, and must "
              "be {}",
              plainName(bytesField(C, ComputationName)), !Fused, Fused);
  });
  compared(FieldType::HloComputation, {IsFusion});
  for (const ProtoInstruction &I : M.Instructions)
    compareThreads(I);
  compared(FieldType::HloComputation, {ComputationThread});
  for (const ProtoComputation &C : M.Computations)
    compareProgramShape("HloComputationProto.program_shape", C.Program, C);
  compared(FieldType::HloComputation, {ComputationProgramShape});
  forEachMessage(bytesField(M.Bytes, Donors), 1, [&](StringRef Donor) {
    ProtoAlias D;
    readFields(Donor, into(1, D.Parameter), into(2, D.Index));
    for (const auto &[Output, A] : Aliases)
      if (A.Parameter == D.Parameter && A.Index == D.Index)
        differs("HloModuleProto.buffer_donor has parameter {}{}, which is an "
                "alias of output {}",
                D.Parameter, indexText(D.Index), indexText(Output));
  });
  compared(FieldType::HloModule, {Donors});
}

/// A computation runs where its caller does, or where that starts it
/// (CheckCallableInstructionThreadName, xla/service/hlo_verifier.cc).
void RestatedFields::compareThreads(const ProtoInstruction &Caller) {
  StringRef Own = M.Computations[Caller.Parent].Thread;
  StringRef Thread =
      hasAsyncState(Caller.Op) ? Caller.bytes(ExecutionThread) : Own;
  auto Spelled = [](StringRef Name) { return Name.empty() ? "main" : Name; };
  for (int64_t Id : Caller.numbers(CalledComputations))
    if (const ProtoComputation *C = M.computation(Id))
      expectName("HloComputationProto.execution_thread of " +
                     plainName(C->Name),
                 Spelled(C->Thread), Spelled(Thread));
}

/// The borders of the program, and what the module says of them again.
void RestatedFields::compareConfig(StringRef Config) {
  StringRef Layout = bytesField(Config, ConfigEntryLayout);
  if (Layout != bytesField(M.Bytes, ModuleProgramShape))
    differs("HloModuleProto.host_program_shape is not the "
            "entry_computation_layout of the configuration");
  compared(FieldType::HloModule, {ModuleProgramShape});
  compared(FieldType::HloModuleConfig, {ConfigEntryLayout});
  compareDevices(Config);
  compareOptions(Config);
}

/// One device runs each replica of each partition, and no other.
void RestatedFields::compareDevices(StringRef Config) {
  constexpr uint32_t Replicas = 4, Partitions = 5, DeviceAssignment = 15,
                     Static = 15;
  int64_t NumReplicas = numberAt(Config, Replicas);
  int64_t NumPartitions = numberAt(Config, Partitions);
  if (NumReplicas <= 0 || NumPartitions <= 0)
    return differs("replica_count is {} and num_partitions {}, and both must "
                   "be positive",
                   NumReplicas, NumPartitions);
  StringRef Devices = bytesField(M.Bytes, DeviceAssignment);
  if (Devices != bytesField(Config, Static))
    return differs("HloModuleProto.device_assignment is not that of the "
                   "configuration");
  compared(FieldType::HloModule, {DeviceAssignment});
  compared(FieldType::HloModuleConfig, {Replicas, Partitions, Static});
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
  compared(FieldType::DeviceAssignment, {1, 2, 3});
  compared(FieldType::ComputationDevice, {1});
}

/// What an executable is loaded with (CompileOptionsProto, xla/pjrt/proto/
/// compile_options.proto, 2025). Only a program whose one argument is a tuple
/// can get its arguments as one.
void RestatedFields::compareOptions(StringRef Config) {
  constexpr uint32_t IsTupled = 2, BuildOptions = 3, Replicas = 4,
                     Partitions = 5, Devices = 9, Static = 15;
  if (!P.Options.data())
    return;
  StringRef Build = bytesField(P.Options, BuildOptions);
  SmallVector<StringRef, 4> Parameters;
  forEachMessage(bytesField(M.Bytes, ModuleProgramShape), 1,
                 [&](StringRef Shape) { Parameters.push_back(Shape); });
  if (Parameters.size() != 1 || elementType(Parameters[0]) != TupleType)
    expect("CompileOptionsProto.parameter_is_tupled_arguments",
           numberAt(P.Options, IsTupled), 0);
  expect("ExecutableBuildOptionsProto.num_replicas", numberAt(Build, Replicas),
         numberAt(Config, Replicas));
  expect("ExecutableBuildOptionsProto.num_partitions",
         numberAt(Build, Partitions), numberAt(Config, Partitions));
  if (bytesField(Build, Devices) != bytesField(Config, Static))
    differs("ExecutableBuildOptionsProto.device_assignment is not that of the "
            "configuration");
}

void RestatedFields::compareAssignment() {
  constexpr uint32_t Assigned = 9, IsAliased = 13;
  // Since 2025-05-19; then CPUs have these fields for object files and machine,
  // if there are some.
  bool StatesAliased = P.Thunks.Target == ThunkSource::Backend::GPU ||
                       bytesField(P.Result, 8).data() ||
                       bytesField(P.Result, 9).data();
  forEachMessage(P.Assignment.Bytes, 3, [&](StringRef Allocation) {
    StatesAliased |= numberAt(Allocation, IsAliased) != 0;
  });
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
  if (StatesAliased)
    compared(FieldType::BufferAllocation, {IsAliased});
  int64_t Last = -1;
  forEachMessage(P.Assignment.Bytes, 1, [&](StringRef Buffer) {
    if (numberAt(Buffer, 1) <= std::exchange(Last, numberAt(Buffer, 1)))
      differs("logical_buffers are not in the order of their ids at {}", Last);
    auto Size = Sizes.find(numberAt(Buffer, 1));
    if (Size != Sizes.end())
      expect(fmt::format("LogicalBufferProto.size of {}", Size->first),
             numberAt(Buffer, 2), Size->second);
  });
  compared(FieldType::LogicalBuffer, {2});
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
  compared(FieldType::ProgramShape, {1, 2});
}

/// What thunks of a CPU launch.
static bool endsBefore(StringRef A, StringRef B) {
  auto Last = [](StringRef Text) { return std::reverse_iterator(Text.end()); };
  auto First = [](StringRef Text) {
    return std::reverse_iterator(Text.begin());
  };
  return std::lexicographical_compare(Last(A), First(A), Last(B), First(B));
}

/// The texts in \p Files that a byte of 0 ends, among them the names of
/// symbols, in the order of their last letters.
static std::vector<StringRef> textsIn(ArrayRef<StringRef> Files) {
  std::vector<StringRef> All;
  for (StringRef Rest : Files)
    while (!Rest.empty()) {
      auto [Text, After] = Rest.split('\0');
      Rest = After;
      if (!Text.empty() && llvm::all_of(Text, llvm::isPrint))
        All.push_back(Text);
    }
  llvm::sort(All, endsBefore);
  return All;
}

/// Symbols share the ends of their names.
void RestatedFields::compareObjectFiles() {
  constexpr uint32_t OldFiles = 4, FilesKind = 5, Symbols = 7, Files = 8;
  constexpr int64_t Kernels = 2;
  expect("CompilationResultProto.obj_files_kind", numberAt(P.Result, FilesKind),
         Kernels);
  SmallVector<StringRef, 4> Code;
  for (uint32_t Field : {OldFiles, Files})
    forEachMessage(P.Result, Field,
                   [&](StringRef File) { Code.push_back(File); });
  std::vector<StringRef> Texts = textsIn(Code), Missing;
  forEachMessage(P.Result, Symbols, [&](StringRef Symbol) {
    StringRef Name = bytesField(Symbol, 2);
    auto Place = llvm::lower_bound(Texts, Name, endsBefore);
    if (Place == Texts.end() || !Place->ends_with(Name))
      Missing.push_back(Name);
    if (int64_t Type = numberAt(Symbol, 1); Type != 1 && Type != 2)
      differs("function_type_id of {} is {}: neither kernel nor comparator",
              plainName(bytesField(Symbol, 2)), Type);
  });
  if (!Missing.empty())
    differs("{} lack {} of compiled_symbols, {}",
            counted(Code.size(), "object file"), Missing.size(),
            plainName(Missing.front()));
  compared(FieldType::CpuCompilationResult, {FilesKind});
  compared(FieldType::CpuSymbol, {1});
}

void RestatedFields::run() {
  constexpr uint32_t GpuName = 8, GpuShape = 9;
  const ProtoComputation *Entry = M.computation(M.Entry);
  if (!Entry)
    return;
  readAliases();
  compareModule();
  bool IsGpu = P.Thunks.Target == ThunkSource::Backend::GPU;
  StringRef WithConfig = IsGpu ? P.Thunks.field(1) : bytesField(P.Result, 1);
  compareConfig(bytesField(WithConfig, ModuleConfig));
  compared(FieldType::ModuleWithConfig, {ModuleConfig});
  compareAssignment();
  if (!IsGpu)
    return compareObjectFiles();
  expectName("GpuExecutableProto.module_name", P.Thunks.field(GpuName), M.Name);
  compareProgramShape("GpuExecutableProto.program_shape",
                      P.Thunks.field(GpuShape), *Entry);
  compared(FieldType::GpuExecutable, {GpuName, GpuShape});
  Done.merge(compareGpuCopies(P, Aliases, Report));
}

FieldRows
hlobuf::compareFields(const HloProto &P,
                      function_ref<void(const std::string &)> Report) {
  RestatedFields All{{Report}, P};
  All.run();
  return std::move(All.Done);
}
