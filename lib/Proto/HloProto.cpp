// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/HloProto.h"
#include "Proto/Fields.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace hlobuf;
using namespace hlobuf::field;

bool IdTable::sort() {
  llvm::sort(All);
  return std::adjacent_find(All.begin(), All.end(), [](auto A, auto B) {
           return A.first == B.first;
         }) == All.end();
}

std::optional<uint32_t> IdTable::find(int64_t Id) const {
  auto Entry = std::lower_bound(
      All.begin(), All.end(), Id,
      [](const auto &Row, int64_t Key) { return Row.first < Key; });
  if (Entry == All.end() || Entry->first != Id)
    return std::nullopt;
  return Entry->second;
}

const ProtoInstruction *ProtoModule::instruction(int64_t Id) const {
  std::optional<uint32_t> Index = InstructionIds.find(Id);
  return Index ? &Instructions[*Index] : nullptr;
}

const ProtoInstruction *ProtoModule::named(StringRef Name) const {
  auto Entry = llvm::lower_bound(ByName, Name, [&](uint32_t I, StringRef N) {
    return Instructions[I].Name < N;
  });
  if (Entry == ByName.end() || Instructions[*Entry].Name != Name)
    return nullptr;
  return &Instructions[*Entry];
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
  return instruction(int64_t(Computation << 32 | (uint64_t(Id) & 0xffffffff)));
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
struct ProtoReader {
  Expected<HloProto> read(StringRef Module, StringRef Assignment);

  void indexNames();
  /// Reads \p Message, which the error will call \p Text.
  template <typename... Ts>
  void walk(StringRef Message, const char *Text,
            const FieldTarget<Ts> &...Targets) {
    if (!readFields(Message, Targets...) && !Damaged)
      Damaged = Text;
  }
  void readModule(StringRef Bytes);
  void readComputation(StringRef Bytes);
  void readInstruction(StringRef Bytes);
  void dropHandedLoops();
  void readSchedule(StringRef Bytes);
  void readAssignment(StringRef Bytes);

  HloProto P;
  /// Ids of the computations that custom calls call.
  std::vector<int64_t> Handed;
  const char *Damaged = nullptr;
};
} // namespace

Expected<HloProto> ProtoReader::read(StringRef Module, StringRef Assignment) {
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
    return makeError(
        "the buffer assignment has two logical buffers with one id");
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
  std::ranges::stable_sort(M.ByName, {},
                           [&](uint32_t A) { return M.Instructions[A].Name; });
}

void ProtoReader::readModule(StringRef Bytes) {
  ProtoModule &M = P.Module;
  M.Bytes = Bytes;
  StringRef Schedule;
  walk(Bytes, "HloModuleProto", into(ModuleEntryId, M.Entry),
       into(ModuleName, M.Name),
       into(ModuleComputation, [&](StringRef C) { readComputation(C); }),
       into(ModulePayload, [&](StringRef Text) { M.Payloads.push_back(Text); }),
       into(ModuleSchedule, Schedule));
  M.Scheduled = Schedule.data() != nullptr;
  for (uint32_t I = 0; I != M.Computations.size(); ++I)
    M.ComputationIds.add(M.Computations[I].Id, I);
  for (uint32_t I = 0; I != M.Instructions.size(); ++I)
    M.InstructionIds.add(M.Instructions[I].Id, I);
  llvm::sort(M.LoopComputations);
  llvm::sort(M.FusionComputations);
  M.ComputationIds.sort();
  dropHandedLoops();
  readSchedule(Schedule);
}

/// The dataflow analysis does not enter what custom calls hand to other
/// execution threads: parameters of loops are values of their own there.
void ProtoReader::dropHandedLoops() {
  ProtoModule &M = P.Module;
  std::set<int64_t> Visited;
  while (!Handed.empty()) {
    int64_t Id = Handed.back();
    Handed.pop_back();
    const ProtoComputation *C = M.computation(Id);
    if (!C || !Visited.insert(Id).second)
      continue;
    for (const ProtoInstruction &I : M.instructions(*C))
      llvm::append_range(Handed, numbersField(I.Bytes, CalledComputations));
  }
  llvm::erase_if(M.LoopComputations,
                 [&](int64_t Id) { return Visited.count(Id) != 0; });
}

void ProtoReader::readComputation(StringRef Bytes) {
  ProtoModule &M = P.Module;
  ProtoComputation C;
  auto First = static_cast<uint32_t>(M.Instructions.size());
  walk(Bytes, "HloComputationProto", into(ComputationIdNumber, C.Id),
       into(ComputationRoot, C.Root), into(ComputationName, C.Name),
       into(ComputationThread, C.Thread),
       into(ComputationProgramShape, C.Program),
       into(ComputationInstruction, [&](StringRef I) { readInstruction(I); }));
  C.Instructions = {First, static_cast<uint32_t>(M.Instructions.size())};
  M.Computations.push_back(std::move(C));
}

void ProtoReader::readInstruction(StringRef Bytes) {
  ProtoModule &M = P.Module;
  ProtoInstruction I;
  I.Bytes = Bytes;
  I.Parent = static_cast<uint32_t>(M.Computations.size());
  bool Good = forEachField(Bytes, [&](const WireField &F) {
    if (F.Number < I.Fields.size() && !(F.isMessage() && F.Bytes.empty()))
      I.Fields.set(F.Number);
    if (F.Number == InstructionIdNumber && !F.isMessage())
      I.Id = F.number();
    if (!F.isMessage())
      return;
    if (F.Number == Name)
      I.Name = F.Bytes;
    else if (F.Number == OpcodeName)
      I.OpcodeText = F.Bytes;
    else if (F.Number == Shape)
      I.Shape = F.Bytes;
  });
  if (!Good && !Damaged)
    Damaged = "HloInstructionProto";
  PrintedOpcode Printed = parseOpcode(I.OpcodeText);
  I.Op = Printed.Sugar ? Opcode::Unknown : Printed.Op;
  if (I.Op == Opcode::While)
    llvm::append_range(M.LoopComputations, I.numbers(CalledComputations));
  if (I.Op == Opcode::Fusion)
    llvm::append_range(M.FusionComputations, I.numbers(CalledComputations));
  if (I.Op == Opcode::CustomCall)
    llvm::append_range(Handed, I.numbers(CalledComputations));
  M.Instructions.push_back(I);
}

/// map<int64, InstructionSequence>: entries with a key 1 and a value 2.
void ProtoReader::readSchedule(StringRef Bytes) {
  auto AddEntry = [&](StringRef Entry) {
    int64_t Id = 0;
    StringRef Sequence;
    walk(Entry, "HloScheduleProto", into(1, Id), into(2, Sequence));
    std::optional<uint32_t> C = P.Module.ComputationIds.find(Id);
    if (!C)
      return P.Module.StraySequences.push_back(Id);
    walk(Sequence, "InstructionSequence",
         into(1, P.Module.Computations[*C].Sequence.emplace()));
  };
  walk(Bytes, "HloScheduleProto", into(1, AddEntry));
}

void ProtoReader::readAssignment(StringRef Bytes) {
  ProtoAssignment &A = P.Assignment;
  A.Bytes = Bytes;
  walk(Bytes, "BufferAssignmentProto", into(1, [&](StringRef Message) {
         ProtoBuffer &B = A.Buffers.emplace_back();
         StringRef Place;
         walk(Message, "LogicalBufferProto", into(1, B.Id), into(4, B.Color),
              into(3, Place));
         if (!readLocation(Place, B.Place) && !Damaged)
           Damaged = "LogicalBufferProto.Location";
       }));
  for (uint32_t I = 0; I != A.Buffers.size(); ++I)
    A.BufferIds.add(A.Buffers[I].Id, I);
}

bool hlobuf::readLocation(StringRef Bytes, ProtoLocation &Place) {
  return readFields(Bytes, into(2, Place.Name), into(3, Place.Index),
                    into(4, Place.Instruction));
}

Expected<HloProto> hlobuf::readHloProto(StringRef Module,
                                        StringRef Assignment) {
  return ProtoReader().read(Module, Assignment);
}
