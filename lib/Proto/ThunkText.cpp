// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/FieldWalk.h"
#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Proto/ThunkMessages.h"
#include "Proto/Wire.h"
#include "Support/Format.h"
#include "llvm/ADT/StringMap.h"

using namespace hlobuf;

namespace {
/// Field numbers of CompilationResultProto.
enum CpuField : uint32_t { CpuSequence = 6, CpuSymbol = 7 };
/// Field numbers of GpuExecutableProto.
enum GpuField : uint32_t {
  GpuOldThunk = 7,
  GpuAllocations = 10,
  GpuOutput = 11,
  GpuConstant = 12,
  GpuThunk = 13,
};

struct ThunkPrinter {
  void printSequence(StringRef Sequence, unsigned Depth);
  void printThunk(StringRef Message, unsigned Depth);

  void printRun(const ThunkParts &Parts);
  void printResource(StringRef Users, unsigned Depth);
  void heading(ThunkRole Role, unsigned Number, const ThunkParts &Parts,
               unsigned Depth);
  void indent(unsigned Depth) { To.Out.append(1 + 2 * size_t(Depth), ' '); }

  /// Sequences of sequences; loops are nested a few times.
  static constexpr unsigned MostDepth = 256;
  ThunkMessage Thunk;
  const ProtoModule &M;
  TextSink &To;
  /// Asynchronous starts by name.
  llvm::StringMap<const ProtoInstruction *> Starts = {};
  /// A CPU's program runs on several devices.
  bool Distributed = false;
};
} // namespace

void ThunkPrinter::heading(ThunkRole Role, unsigned Number,
                           const ThunkParts &Parts, unsigned Depth) {
  indent(Depth);
  To.Out += thunkRoleText(Role);
  if (Role == ThunkRole::Branch)
    To.Out += fmt::format(" {}", Number);
  if (Role == ThunkRole::Embedded)
    To.Out += " sizes=" + Parts.EmbeddedSizes;
  To.Out += '\n';
}

void ThunkPrinter::printThunk(StringRef Message, unsigned Depth) {
  if (To.stopped())
    return;
  ThunkParts Parts(Thunk, Message);
  if (Parts.Damaged || Depth > MostDepth) {
    To.damaged("a ThunkProto");
    return;
  }
  indent(Depth);
  To.Out += thunkKindText(Parts.Kind);
  To.Out += ' ';
  StringRef Name = Parts.Instruction;
  StringRef Module = M.Name;
  // A call that is compiled by itself is `call.2 (unit)`.
  auto [Call, Unit] = Name.split(" (");
  if (Parts.Kind == ThunkKind::Call && Unit.consume_back(")")) {
    Name = Call;
    Module = Unit;
  }
  To.Out += Name.empty() ? "-" : plainName(Name);
  To.Out += Parts.Attributes;
  if (Thunk == ThunkMessage::CpuThunk && Parts.ModuleName != Module)
    To.Out += " unknown=InfoProto.module_name";
  if (Parts.Kind == ThunkKind::HostExecuteStart) {
    const ProtoInstruction *Start = Starts.lookup(Parts.Instruction);
    if (!Start || !isHostProgram(M, *Start, Parts.HostProgram))
      To.Out += " host_program=other";
  }
  if (Parts.OneDevice && Distributed)
    To.Out += " single_replica=true";
  printRun(Parts);
  StringRef Before = ": ";
  for (const ThunkParts::Slice &S : Parts.Slices) {
    To.Out += fmt::format("{}{} {}", Before, thunkAccessText(S.Access), S.Text);
    Before = ", ";
  }
  To.Out += '\n';
  unsigned Branch = 0;
  for (const auto &[Role, Sequence] : Parts.Sequences) {
    heading(Role, Role == ThunkRole::Branch ? Branch++ : 0, Parts, Depth + 1);
    printSequence(Sequence, Depth + 2);
  }
  if (!Parts.List.empty())
    heading(ThunkRole::Thunks, 0, Parts, Depth + 1);
  for (StringRef Each : Parts.List)
    printThunk(Each, Depth + 2);
}

/// The instruction that the thunk is made from again when it is loaded, unless
/// that is its own.
void ThunkPrinter::printRun(const ThunkParts &Parts) {
  if (!Parts.InstructionId)
    return;
  const ProtoInstruction *I = M.instruction(*Parts.InstructionId);
  if (!I || I->Name != Parts.Instruction)
    To.Out += " runs=" + (I ? plainName(I->Name) : "?");
}

/// A ResourceUsersProto: thunks of the sequence that share a resource.
void ThunkPrinter::printResource(StringRef Users, unsigned Depth) {
  static constexpr StringRef Kinds[] = {"unknown", "token", "communicator"};
  auto Kind = static_cast<uint64_t>(numberAt(bytesField(Users, 2), 1));
  indent(Depth);
  To.Out +=
      fmt::format("shared {}:", Kinds[Kind < std::size(Kinds) ? Kind : 0]);
  for (int64_t Index : numbersField(Users, 1))
    To.Out += fmt::format(" {}", Index);
  To.Out += '\n';
  FieldWalk Walk;
  Walk.walk(FieldType::CpuResourceUsers, Users);
  if (std::string Names = Walk.unreadNames(); !Names.empty())
    To.Out += fmt::format(" unknown - unknown={}\n", Names);
}

void ThunkPrinter::printSequence(StringRef Sequence, unsigned Depth) {
  bool Good = forEachField(Sequence, [&](const WireField &F) {
    if (F.Number == 1 && F.isMessage())
      printThunk(F.Bytes, Depth);
    else if (F.Number == 2 && F.isMessage())
      printResource(F.Bytes, Depth);
    else
      To.Out += fmt::format(" unknown - unknown=ThunkSequence.{}\n", F.Number);
  });
  if (!Good)
    To.damaged("a ThunkSequenceProto");
}

/// Calls \p Visit for all fields of all parts of \p Source.
static void forAll(const ThunkSource &Source, TextSink &To,
                   function_ref<void(const WireField &)> Visit) {
  for (StringRef Part : Source.Parts)
    if (!forEachField(Part, Visit))
      To.damaged("a message with thunks");
}

static void printCpu(const HloProto &P, TextSink &To) {
  const ThunkSource &Source = P.Thunks;
  ThunkPrinter Printer{ThunkMessage::CpuThunk, P.Module, To};
  constexpr uint32_t Replicas = 4, Partitions = 5;
  StringRef Config = bytesField(bytesField(P.Result, 1), field::ModuleConfig);
  Printer.Distributed =
      numberAt(Config, Replicas) != 1 || numberAt(Config, Partitions) != 1;
  To.Out += "Thunks: cpu\n";
  forAll(Source, To, [&](const WireField &F) {
    if (F.Number == CpuSequence && F.isMessage())
      Printer.printSequence(F.Bytes, 0);
  });
  To.Out += "Symbols:\n";
  static constexpr StringRef Kinds[] = {"unknown", "kernel", "comparator"};
  forAll(Source, To, [&](const WireField &F) {
    if (F.Number != CpuSymbol || !F.isMessage())
      return;
    auto Kind = static_cast<uint64_t>(numberAt(F.Bytes, 1));
    To.Out += fmt::format(" {} {}\n", Kinds[Kind < std::size(Kinds) ? Kind : 0],
                          plainName(bytesField(F.Bytes, 2)));
  });
}

/// A BufferAllocationProto, as far as the assignment states it, too.
static void printAllocation(StringRef Message, TextSink &To) {
  To.Out +=
      fmt::format(" {}: size {}", numberAt(Message, 1), numberAt(Message, 2));
  if (numberAt(Message, 5) != 0)
    To.Out += fmt::format(", parameter {}", numberAt(Message, 6));
  if (numberAt(Message, 12) != 0)
    To.Out += ", constant";
  if (numberAt(Message, 7) != 0)
    To.Out += ", maybe-live-out";
  To.Out += '\n';
}

static void printGpu(const HloProto &P, TextSink &To) {
  const ThunkSource &Source = P.Thunks;
  ThunkPrinter Printer{ThunkMessage::GpuThunk, P.Module, To};
  for (const ProtoInstruction &I : P.Module.Instructions)
    if (I.Op == Opcode::AsyncStart)
      Printer.Starts[I.Name] = &I;
  To.Out += "Thunks: gpu\n";
  forAll(Source, To, [&](const WireField &F) {
    if (F.Number == GpuThunk && F.isMessage())
      Printer.printThunk(F.Bytes, 0);
    else if (F.Number == GpuOldThunk)
      To.Out += " unknown - unknown=GpuExecutable.7\n";
  });
  To.Out += "Allocations:\n";
  forAll(Source, To, [&](const WireField &F) {
    if (F.Number == GpuAllocations && F.isMessage())
      forEachMessage(F.Bytes, 1, [&](StringRef Allocation) {
        printAllocation(Allocation, To);
      });
  });
  To.Out += "Constants:\n";
  forAll(Source, To, [&](const WireField &F) {
    if (F.Number == GpuConstant && F.isMessage())
      To.Out += fmt::format(" {} {}\n", numberAt(F.Bytes, 3),
                            plainName(bytesField(F.Bytes, 1)));
  });
  To.Out += "Outputs:\n";
  forAll(Source, To, [&](const WireField &F) {
    if (F.Number == GpuOutput && F.isMessage())
      To.Out += fmt::format(" {} {}\n", numberAt(bytesField(F.Bytes, 2), 1),
                            indexText(numbersField(bytesField(F.Bytes, 1), 1)));
  });
}

void hlobuf::printThunks(const HloProto &P, TextSink &To) {
  if (P.Thunks.Target == ThunkSource::Backend::CPU)
    printCpu(P, To);
  else if (P.Thunks.Target == ThunkSource::Backend::GPU)
    printGpu(P, To);
}
