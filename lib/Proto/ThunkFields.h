// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of thunks.

#ifndef HLOBUF_PROTO_THUNKFIELDS_H
#define HLOBUF_PROTO_THUNKFIELDS_H

#include "HLO/ThunkKind.h"
#include "Proto/AttributeValues.h"
#include "llvm/ADT/ArrayRef.h"

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

/// Field \p Number of \p In; null if it is newer than this tool.
const ThunkField *findThunkField(ThunkMessage In, uint32_t Number);

/// All fields of \p In that the table has.
llvm::ArrayRef<ThunkField> thunkFields(ThunkMessage In);

/// `CpuKernel`.
llvm::StringRef thunkMessageName(ThunkMessage Message);

} // namespace hlobuf

#endif // HLOBUF_PROTO_THUNKFIELDS_H
