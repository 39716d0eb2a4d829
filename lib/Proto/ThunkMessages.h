// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thunk's message taken apart.

#ifndef HLOBUF_PROTO_THUNKMESSAGES_H
#define HLOBUF_PROTO_THUNKMESSAGES_H

#include "HLO/ThunkKind.h"
#include "Proto/AttributeValues.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace hlobuf {

/// The messages of ThunkFields.def.
enum class ThunkMessage : uint8_t {
#define HLOBUF_THUNK_MESSAGE(Name, ...) Name,
#include "Proto/ThunkFields.def"
};

/// How a message holds a slice; see ThunkFields.def.
enum class SliceForm : uint8_t { Bare, Shaped, Nullable, ShapeFirst };

/// What else of a thunk is needed.
enum class ThunkValue : uint8_t {
  /// Texts: the name of its instruction, of a kernel, of a comparator, of what
  /// a custom call calls.
  Instruction,
  Kernel,
  Comparator,
  Target,
  /// Of a kernel of a GPU: its name in the binary, that, and its arguments.
  LoadedKernel,
  Binary,
  Arity,
  /// Numbers of read slices.
  InvariantArguments,
  /// A flag for each slice.
  WrittenFlags,
  /// What connects a start and its done.
  Execution,
  ComputationStream,
  CommunicationStream,
  CopyStream,
  CopiedBytes,
  /// A copy of operand 1 is kept from one run to the next.
  CapturedOperand,
  /// The last buffer is not written.
  DynamicRoot,
  /// Memory spaces of the buffers of a collective.
  SourceSpace,
  DestinationSpace,
  /// A reduction has nothing to do but to copy.
  OneDevice,
  /// A HostOffloadingExecutableProto.
  HostProgram,
  /// A BufferAllocationProto of the embedded thunks.
  EmbeddedAllocation,
  /// The name of the module.
  ModuleName,
  /// The kind again, as a text.
  KindText,
  /// The id of the instruction in the module.
  InstructionId,
};

/// A field of a message of ThunkFields.def, or several that say nothing.
struct ThunkField {
  enum class Use : uint8_t {
    Impl,
    Slice,
    Part,
    Sequence,
    List,
    Value,
    Attribute,
    Unshown,
    Other
  };
  Use Is = Use::Other;
  /// Numbers, closed.
  uint32_t Number = 0;
  uint32_t Last = 0;
  ThunkKind Kind = ThunkKind::Unknown;
  ThunkMessage Message = {};
  SliceForm Form = {};
  ThunkAccess Access = {};
  ThunkRole Role = {};
  ThunkValue Value = {};
  AttributeForm Spelled = {};
  /// Of an attribute.
  const char *Key = nullptr;
};

/// What a ThunkProto says, by the rows of ThunkFields.def.
class ThunkParts {
public:
  /// Takes \p Message, a message \p Thunk, apart.
  ThunkParts(ThunkMessage Thunk, StringRef Message);

  /// A slice, in the order of the message.
  struct Slice {
    ThunkAccess Access;
    /// The number of its field.
    uint32_t Field;
    /// `{index:3, offset:64, size:32} f32[8]`, or `none`.
    std::string Text;
  };

  ThunkKind Kind = ThunkKind::Unknown;
  StringRef Instruction;
  StringRef ModuleName;
  /// What the host runs.
  StringRef HostProgram;
  /// Of a reduction: there is one device in all.
  bool OneDevice = false;
  /// The instruction, by its id in the module.
  std::optional<int64_t> InstructionId;
  /// ` kernel=NAME unknown=MESSAGE.NUMBER`, each after a space.
  std::string Attributes;
  SmallVector<Slice, 4> Slices;
  /// ThunkSequenceProtos.
  SmallVector<std::pair<ThunkRole, StringRef>, 2> Sequences;
  /// ThunkProtos that make one sequence.
  SmallVector<StringRef, 2> List;
  /// `64,128`: bytes of the allocations of embedded thunks.
  std::string EmbeddedSizes;
  /// A part could not be read.
  bool Damaged = false;

private:
  void read(ThunkMessage In, StringRef Message);
  void readField(ThunkMessage In, const ThunkField &Row, const WireField &F);
  bool readAttribute(const ThunkField &Row, StringRef Message);
  void readValue(ThunkValue Value, const WireField &F);
  void compareSpace(const ThunkField &Row, StringRef Message);
  void addSlice(const ThunkField &Row, StringRef Message);
  void printSlice(SliceForm Form, StringRef Message, std::string &Text);
  void noteUnknown(StringRef Message, uint32_t Number);
  void noteUnread(FieldType In, StringRef Message);
  void attribute(StringRef Key, StringRef Value);
  void applyInvariants();
  void applyFlags(ThunkMessage Thunk);
  void applyRagged();
  void applyLoader();

  SmallVector<int64_t, 4> Invariants;
  SmallVector<int64_t, 4> Flags;
  bool DynamicRoot = false;
  /// The kind again, as the thunk of a CPU states it.
  StringRef KindText;
  /// Of a norm: it is a backward one.
  bool Backward = false;
  /// Of a kernel of a GPU: its name, that in the binary, which the binary may
  /// not have, and how many arguments it takes.
  StringRef Kernel;
  StringRef Loaded;
  StringRef Binary;
  std::optional<uint64_t> Arity;
  /// Of a custom call: how many arguments and results, by field, with tokens.
  std::map<uint32_t, size_t> Passed;
  /// How these are passed to it.
  StringRef Packed;
  /// Fields that are not in the table.
  std::string Unknown;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_THUNKMESSAGES_H
