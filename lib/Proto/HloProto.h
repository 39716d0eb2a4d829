// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module and its assignment as a proto.
//
// HloProto (xla/service/hlo.proto) taken apart into flat arrays that point into
// its bytes. No field that is read here changed its number since 2019.

#ifndef HLOBUF_PROTO_HLOPROTO_H
#define HLOBUF_PROTO_HLOPROTO_H

#include "HLO/Opcode.h"
#include "Proto/Wire.h"
#include "Support/Ids.h"
#include <bitset>
#include <optional>
#include <vector>

namespace hlobuf {

/// From ids, which may be any number, to indices.
class IdTable {
public:
  void add(int64_t Id, uint32_t Index) { All.push_back({Id, Index}); }
  /// Call once, after the last add(). False if an id was added twice.
  bool sort();
  /// Nothing if \p Id was not added.
  std::optional<uint32_t> find(int64_t Id) const;

private:
  std::vector<std::pair<int64_t, uint32_t>> All;
};

/// An HloInstructionProto.
struct ProtoInstruction {
  int64_t Id = 0;
  StringRef Name;
  StringRef OpcodeText;
  /// Unknown for what no release prints.
  Opcode Op = Opcode::Unknown;
  /// A ShapeProto.
  StringRef Shape;
  /// The whole HloInstructionProto.
  StringRef Bytes;
  /// Number of its computation.
  uint32_t Parent = 0;
  /// Which fields it has, but for empty ones: those that print an attribute are
  /// hardly ever there, and are not looked for in vain.
  std::bitset<128> Fields;

  bool has(uint32_t Field) const {
    return Field >= Fields.size() || Fields[Field];
  }
  /// As functions of Wire.h find them in Bytes.
  StringRef bytes(uint32_t Field) const {
    return has(Field) ? bytesField(Bytes, Field) : StringRef();
  }
  int64_t number(uint32_t Field) const {
    return has(Field) ? numberAt(Bytes, Field) : 0;
  }
  SmallVector<int64_t, 4> numbers(uint32_t Field) const {
    return has(Field) ? numbersField(Bytes, Field) : SmallVector<int64_t, 4>();
  }
};

/// An HloComputationProto.
struct ProtoComputation {
  int64_t Id = 0;
  int64_t Root = 0;
  StringRef Name;
  StringRef Thread;
  /// Indices into ProtoModule::Instructions, half-open.
  IndexRange Instructions;
  /// A ProgramShapeProto.
  StringRef Program;
  /// Ids in the order of the schedule; nothing if it has none.
  std::optional<SmallVector<int64_t, 0>> Sequence;
};

/// An HloModuleProto.
struct ProtoModule {
  StringRef Bytes;
  StringRef Name;
  /// The ProgramShapeProto of the configuration; empty where only the module is
  /// at hand.
  StringRef EntryLayout;
  int64_t Entry = 0;
  bool Scheduled = false;
  std::vector<ProtoComputation> Computations;
  std::vector<ProtoInstruction> Instructions;
  /// What backend_config_payload numbers (2026 on).
  std::vector<StringRef> Payloads;
  IdTable ComputationIds;
  IdTable InstructionIds;
  /// Ids of the conditions and bodies of loops, sorted.
  std::vector<int64_t> LoopComputations;
  /// Ids of the computations of fusions, sorted.
  std::vector<int64_t> FusionComputations;
  /// Ids in the schedule that no computation has.
  std::vector<int64_t> StraySequences;
  /// Instructions by name, sorted; only where locations have names.
  std::vector<uint32_t> ByName;

  const ProtoInstruction *instruction(int64_t Id) const;
  const ProtoInstruction *named(StringRef Name) const;
  const ProtoComputation *computation(int64_t Id) const;
  /// The instruction \p Id names inside computation \p Parent: ids were
  /// numbers of the module until 2025, and may be those of the computation.
  const ProtoInstruction *operand(uint32_t Parent, int64_t Id) const;
  /// The root of \p C; null if \p C does not have it.
  const ProtoInstruction *root(const ProtoComputation &C) const;
  ArrayRef<ProtoInstruction> instructions(const ProtoComputation &C) const {
    return ArrayRef<ProtoInstruction>(Instructions)
        .slice(C.Instructions.Begin, C.Instructions.size());
  }
};

/// Where a value is: LogicalBufferProto.Location.
struct ProtoLocation {
  int64_t Instruction = 0;
  /// Of releases before 2022, which have no instruction id.
  StringRef Name;
  SmallVector<int64_t, 2> Index;
};

/// A LogicalBufferProto: a value.
struct ProtoBuffer {
  int64_t Id = 0;
  int64_t Color = 0;
  ProtoLocation Place;
};

/// A BufferAssignmentProto.
struct ProtoAssignment {
  StringRef Bytes;
  std::vector<ProtoBuffer> Buffers;
  IdTable BufferIds;

  const ProtoBuffer *buffer(int64_t Id) const;
};

/// Reads a LogicalBufferProto.Location; false if it is damaged.
bool readLocation(StringRef Bytes, ProtoLocation &Place);

/// Where an executable keeps its thunks.
struct ThunkSource {
  enum class Backend : uint8_t { None, CPU, GPU };
  Backend Target = Backend::None;
  /// Messages that together are the one that has the thunks.
  SmallVector<StringRef, 2> Parts;
  /// Others say what some fields are instead.
  bool Overridden = false;

  /// Calls \p Visit with each message in field \p Number.
  void forEach(uint32_t Number, function_ref<void(StringRef)> Visit) const {
    for (StringRef Part : Parts)
      forEachMessage(Part, Number, Visit);
  }
  /// The first one that is not empty; empty if there is none.
  StringRef field(uint32_t Number) const {
    for (StringRef Part : Parts)
      if (StringRef Bytes = bytesField(Part, Number); !Bytes.empty())
        return Bytes;
    return "";
  }
};

/// A module and its assignment.
struct HloProto {
  ProtoModule Module;
  ProtoAssignment Assignment;
  ThunkSource Thunks;
  /// The CompilationResultProto around both, of CPU executables; empty if there
  /// is none.
  StringRef Result;
  /// The SerializedXlaExecutableMetadata in front of an executable; null if
  /// there is none.
  StringRef Header;
  /// The CompileOptionsProto after it; null if there is none.
  StringRef Options;
};

/// Takes an HloModuleProto and its BufferAssignmentProto apart, whose bytes
/// must outlive the result. Fails where a message that is needed is damaged or
/// missing; references are not followed.
Expected<HloProto> readHloProto(StringRef Module, StringRef Assignment);

} // namespace hlobuf

#endif // HLOBUF_PROTO_HLOPROTO_H
