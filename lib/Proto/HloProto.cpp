// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/HloProto.h"
#include "Proto/Fields.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using namespace hlobuf::field;
using llvm::StringRef;

bool IdTable::sort() {
  llvm::sort(All);
  return std::adjacent_find(All.begin(), All.end(), [](auto A, auto B) {
           return A.first == B.first;
         }) == All.end();
}

std::optional<uint32_t> IdTable::find(int64_t Id) const {
  auto Found = std::lower_bound(
      All.begin(), All.end(), Id,
      [](const auto &Entry, int64_t Wanted) { return Entry.first < Wanted; });
  if (Found == All.end() || Found->first != Id)
    return std::nullopt;
  return Found->second;
}

const ProtoInstruction *ProtoModule::instruction(int64_t Id) const {
  std::optional<uint32_t> Index = InstructionIds.find(Id);
  return Index ? &Instructions[*Index] : nullptr;
}

const ProtoInstruction *ProtoModule::named(StringRef Name) const {
  auto Found = llvm::lower_bound(ByName, Name, [&](uint32_t I, StringRef N) {
    return Instructions[I].Name < N;
  });
  if (Found == ByName.end() || Instructions[*Found].Name != Name)
    return nullptr;
  return &Instructions[*Found];
}

const ProtoComputation *ProtoModule::computation(int64_t Id) const {
  std::optional<uint32_t> Index = ComputationIds.find(Id);
  return Index ? &Computations[*Index] : nullptr;
}

const ProtoInstruction *ProtoModule::operand(uint32_t Parent,
                                             int64_t Id) const {
  if (const ProtoInstruction *I = instruction(Id))
    return I;
  auto Computation = static_cast<uint64_t>(Computations[Parent].Id);
  return instruction(
      static_cast<int64_t>(Computation << 32 | (uint64_t(Id) & 0xffffffff)));
}

const ProtoInstruction *ProtoModule::root(const ProtoComputation &C) const {
  auto Number = static_cast<uint32_t>(&C - Computations.data());
  const ProtoInstruction *I = operand(Number, C.Root);
  return I && I->Parent == Number ? I : nullptr;
}

const ProtoBuffer *ProtoAssignment::buffer(int64_t Id) const {
  std::optional<uint32_t> Index = BufferIds.find(Id);
  return Index ? &Buffers[*Index] : nullptr;
}

namespace {
/// Fills one HloProto; remembers the first message that is damaged.
class ProtoReader {
public:
  llvm::Expected<HloProto> read(StringRef Module, StringRef Assignment);

private:
  void indexNames();
  /// Walks \p Message, which the error will call \p What.
  void walk(StringRef Message, const char *What,
            llvm::function_ref<void(const WireField &)> Visit) {
    if (!forEachField(Message, Visit) && !Damaged)
      Damaged = What;
  }
  void numbers(const WireField &F, llvm::SmallVectorImpl<int64_t> &To,
               const char *What) {
    if (!addNumbers(F, To) && !Damaged)
      Damaged = What;
  }
  void readModule(StringRef Bytes);
  void readComputation(StringRef Bytes);
  void readInstruction(StringRef Bytes);
  void readSchedule(StringRef Bytes);
  void readAssignment(StringRef Bytes);
  void readLocation(StringRef Bytes, ProtoLocation &Place);
  void readBuffer(StringRef Bytes);
  void readAllocation(StringRef Bytes);
  void readTrace(StringRef Bytes);
  void readPeak(StringRef Bytes);
  void readAlias(StringRef Bytes);

  HloProto P;
  const char *Damaged = nullptr;
};
} // namespace

llvm::Expected<HloProto> ProtoReader::read(StringRef Module,
                                           StringRef Assignment) {
  readModule(Module);
  readAssignment(Assignment);
  if (Damaged)
    return makeError("the protocol buffer is damaged in its {}", Damaged);
  if (P.Module.Computations.empty())
    return makeError("the HloProto has no HLO module");
  if (!P.Module.ComputationIds.sort())
    return makeError("the HLO module has two computations with one id");
  if (!P.Module.InstructionIds.sort())
    return makeError("the HLO module has two instructions with one id");
  if (!P.Assignment.BufferIds.sort())
    return makeError("the buffer assignment has two logical buffers with one "
                     "id");
  indexNames();
  return std::move(P);
}

/// Releases before 2022 locate values by name.
void ProtoReader::indexNames() {
  if (llvm::all_of(P.Assignment.Buffers,
                   [](const ProtoBuffer &B) { return B.Place.Name.empty(); }))
    return;
  ProtoModule &M = P.Module;
  for (uint32_t I = 0; I != M.Instructions.size(); ++I)
    M.ByName.push_back(I);
  llvm::stable_sort(M.ByName, [&](uint32_t A, uint32_t B) {
    return M.Instructions[A].Name < M.Instructions[B].Name;
  });
}

void ProtoReader::readModule(StringRef Bytes) {
  P.Module.Bytes = Bytes;
  StringRef Schedule;
  walk(Bytes, "HloModuleProto", [&](const WireField &F) {
    if (F.Number == ModuleEntryId && !F.isMessage())
      P.Module.Entry = F.number();
    if (!F.isMessage())
      return;
    if (F.Number == ModuleName)
      P.Module.Name = F.Bytes;
    else if (F.Number == ModuleComputation)
      readComputation(F.Bytes);
    else if (F.Number == ModulePayload)
      P.Module.Payloads.push_back(F.Bytes);
    else if (F.Number == ModuleSchedule) {
      P.Module.Scheduled = true;
      Schedule = F.Bytes;
    }
  });
  for (uint32_t I = 0; I != P.Module.Computations.size(); ++I)
    P.Module.ComputationIds.add(P.Module.Computations[I].Id, I);
  for (uint32_t I = 0; I != P.Module.Instructions.size(); ++I)
    P.Module.InstructionIds.add(P.Module.Instructions[I].Id, I);
  llvm::sort(P.Module.LoopComputations);
  llvm::sort(P.Module.FusionComputations);
  P.Module.ComputationIds.sort();
  readSchedule(Schedule);
}

void ProtoReader::readComputation(StringRef Bytes) {
  ProtoModule &M = P.Module;
  ProtoComputation C;
  auto First = static_cast<uint32_t>(M.Instructions.size());
  walk(Bytes, "HloComputationProto", [&](const WireField &F) {
    if (F.Number == ComputationIdNumber && !F.isMessage())
      C.Id = F.number();
    else if (F.Number == ComputationRoot && !F.isMessage())
      C.Root = F.number();
    else if (F.Number == ComputationName && F.isMessage())
      C.Name = F.Bytes;
    else if (F.Number == ComputationThread && F.isMessage())
      C.Thread = F.Bytes;
    else if (F.Number == ComputationProgramShape && F.isMessage())
      C.Program = F.Bytes;
    else if (F.Number == ComputationInstruction && F.isMessage())
      readInstruction(F.Bytes);
  });
  C.Instructions = {First, static_cast<uint32_t>(M.Instructions.size())};
  M.Computations.push_back(std::move(C));
}

void ProtoReader::readInstruction(StringRef Bytes) {
  ProtoInstruction I;
  I.Bytes = Bytes;
  I.Parent = static_cast<uint32_t>(P.Module.Computations.size());
  walk(Bytes, "HloInstructionProto", [&](const WireField &F) {
    if (F.Number == InstructionIdNumber && !F.isMessage())
      I.Id = F.number();
    else if (F.Number == Name && F.isMessage())
      I.Name = F.Bytes;
    else if (F.Number == OpcodeName && F.isMessage())
      I.Opcode = F.Bytes;
    else if (F.Number == Shape && F.isMessage())
      I.Shape = F.Bytes;
  });
  if (I.Opcode == "while")
    llvm::append_range(P.Module.LoopComputations,
                       numbersField(Bytes, CalledComputations));
  if (I.Opcode == "fusion")
    llvm::append_range(P.Module.FusionComputations,
                       numbersField(Bytes, CalledComputations));
  P.Module.Instructions.push_back(I);
}

/// map<int64, InstructionSequence>: entries with a key 1 and a value 2.
void ProtoReader::readSchedule(StringRef Bytes) {
  walk(Bytes, "HloScheduleProto", [&](const WireField &Entry) {
    if (Entry.Number != 1 || !Entry.isMessage())
      return;
    int64_t Id = 0;
    StringRef Sequence;
    walk(Entry.Bytes, "HloScheduleProto", [&](const WireField &F) {
      if (F.Number == 1 && !F.isMessage())
        Id = F.number();
      else if (F.Number == 2 && F.isMessage())
        Sequence = F.Bytes;
    });
    std::optional<uint32_t> C = P.Module.ComputationIds.find(Id);
    if (!C) {
      P.Module.StraySequences.push_back(Id);
      return;
    }
    auto &Ids = P.Module.Computations[*C].Sequence.emplace();
    walk(Sequence, "InstructionSequence", [&](const WireField &F) {
      if (F.Number == 1)
        numbers(F, Ids, "InstructionSequence");
    });
  });
}

void ProtoReader::readAssignment(StringRef Bytes) {
  ProtoAssignment &A = P.Assignment;
  walk(Bytes, "BufferAssignmentProto", [&](const WireField &F) {
    if (!F.isMessage())
      return;
    switch (F.Number) {
    case 1:
      readBuffer(F.Bytes);
      break;
    case 2:
      readAlias(F.Bytes);
      break;
    case 3:
      readAllocation(F.Bytes);
      break;
    case 4:
      readTrace(F.Bytes);
      break;
    case 5:
      readPeak(F.Bytes);
      break;
    default:
      break;
    }
  });
  for (uint32_t I = 0; I != A.Buffers.size(); ++I)
    A.BufferIds.add(A.Buffers[I].Id, I);
}

void ProtoReader::readLocation(StringRef Bytes, ProtoLocation &Place) {
  walk(Bytes, "LogicalBufferProto.Location", [&](const WireField &F) {
    if (F.Number == 2 && F.isMessage())
      Place.Name = F.Bytes;
    else if (F.Number == 3)
      numbers(F, Place.Index, "LogicalBufferProto.Location");
    else if (F.Number == 4 && !F.isMessage())
      Place.Instruction = F.number();
  });
}

void ProtoReader::readBuffer(StringRef Bytes) {
  ProtoBuffer B;
  walk(Bytes, "LogicalBufferProto", [&](const WireField &F) {
    if (F.isMessage()) {
      if (F.Number == 3)
        readLocation(F.Bytes, B.Place);
      return;
    }
    if (F.Number == 1)
      B.Id = F.number();
    else if (F.Number == 4)
      B.Color = F.number();
  });
  P.Assignment.Buffers.push_back(std::move(B));
}

void ProtoReader::readAllocation(StringRef Bytes) {
  ProtoAllocation A;
  walk(Bytes, "BufferAllocationProto", [&](const WireField &F) {
    if (F.Number == 10) {
      numbers(F, A.ParameterIndex, "BufferAllocationProto");
    } else if (F.Number == 9 && F.isMessage()) {
      ProtoAssigned &Line = A.Assigned.emplace_back();
      walk(F.Bytes, "BufferAllocationProto.Assigned", [&](const WireField &N) {
        if (N.isMessage())
          return;
        if (N.Number == 1)
          Line.Buffer = N.number();
        else if (N.Number == 2)
          Line.Offset = N.number();
        else if (N.Number == 3)
          Line.Size = N.number();
      });
    } else if (!F.isMessage()) {
      switch (F.Number) {
      case 1:
        A.Index = F.number();
        break;
      case 2:
        A.Size = F.number();
        break;
      case 3:
        A.ThreadLocal = F.Value != 0;
        break;
      case 5:
        A.IsParameter = F.Value != 0;
        break;
      case 6:
        A.Parameter = F.number();
        break;
      case 7:
        A.MaybeLiveOut = F.Value != 0;
        break;
      case 8:
        A.Color = F.number();
        break;
      case 12:
        A.Constant = F.Value != 0;
        break;
      default:
        break;
      }
    }
  });
  P.Assignment.Allocations.push_back(std::move(A));
}

void ProtoReader::readTrace(StringRef Bytes) {
  ProtoTrace T;
  walk(Bytes, "HeapSimulatorTrace", [&](const WireField &F) {
    if (F.Number == 3 && !F.isMessage())
      T.Allocation = F.number();
    if (F.Number != 1 || !F.isMessage())
      return;
    ProtoEvent &Event = T.Events.emplace_back();
    walk(F.Bytes, "HeapSimulatorTrace.Event", [&](const WireField &N) {
      if (N.isMessage())
        return;
      if (N.Number == 1)
        Event.What = N.number();
      else if (N.Number == 2)
        Event.Buffer = N.number();
      else if (N.Number == 5)
        Event.With = N.number();
    });
  });
  P.Assignment.Traces.push_back(std::move(T));
}

void ProtoReader::readPeak(StringRef Bytes) {
  ProtoPeak Peak;
  walk(Bytes, "PeakBuffers", [&](const WireField &F) {
    if (F.Number == 1 && !F.isMessage())
      Peak.Allocation = F.number();
    else if (F.Number == 2)
      numbers(F, Peak.Buffers, "PeakBuffers");
  });
  P.Assignment.Peaks.push_back(std::move(Peak));
}

void ProtoReader::readAlias(StringRef Bytes) {
  ProtoAlias Alias;
  walk(Bytes, "BufferAlias", [&](const WireField &F) {
    if (F.Number == 1 && !F.isMessage())
      Alias.Buffer = F.number();
    else if (F.Number == 2 && F.isMessage())
      readLocation(F.Bytes, Alias.Place);
  });
  P.Assignment.Aliases.push_back(std::move(Alias));
}

llvm::Expected<HloProto> hlobuf::readHloProto(StringRef Module,
                                              StringRef Assignment) {
  return ProtoReader().read(Module, Assignment);
}
