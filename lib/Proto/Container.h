// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protos inside other files.
//
// Serialized executables, their pickles, entries of jax's compilation cache and
// profiles hold the HloProto of each program. Their wrappers changed every few
// months (2019-2026), and all leave it in one piece once records and
// compression are undone: so it is searched for.

#ifndef HLOBUF_PROTO_CONTAINER_H
#define HLOBUF_PROTO_CONTAINER_H

#include "Proto/HloProto.h"
#include <memory>
#include <string>
#include <vector>

namespace hlobuf {

/// A module and the assignment that belongs to it.
struct FoundProto {
  StringRef Module;
  StringRef Assignment;
  /// Both are fields of one HloProto, with nothing between them.
  bool Whole = true;
  /// The entry_computation_layout of the configuration between them, a
  /// ProgramShapeProto; empty if there is none. The runtime passes and takes
  /// buffers by it.
  StringRef EntryLayout;
  /// Object files, which kind of them, or thunks for CPUs follow.
  bool HasCode = false;
  ThunkSource Thunks;
  /// The CompilationResultProto around both, of CPU executables; empty if there
  /// is none.
  StringRef Result;
  /// The SerializedXlaExecutableMetadata in front of an executable; null if
  /// there is none.
  StringRef Header;
  /// The CompileOptionsProto after it, by which it is loaded; null if there is
  /// none.
  StringRef Options;
};

/// What a file says about the device that it was compiled for.
enum class Device : uint8_t { Unknown, CPU, GPU, TPU };

/// What wraps a proto.
enum class Wrapper : uint8_t {
  /// An HloProto and nothing else.
  None,
  /// A message, records, a pickle, or a cache entry.
  Known,
  /// Anything else: the HloProto was found by a search.
  Unknown,
  /// The file is cut off: Trouble says where. Nothing in it is kept, since what
  /// is missing may be of the same program.
  CutOff,
};

/// The protos of one file.
struct ProtoContainer {
  std::vector<FoundProto> Protos;
  Wrapper Around = Wrapper::Unknown;
  Device Target = Device::Unknown;
  /// Modules without a buffer assignment.
  unsigned Modules = 0;
  /// Those of them that have a schedule: a module gets its buffers after it.
  std::vector<StringRef> ScheduledModules;
  /// Why a part of the file was not searched; empty if all was.
  std::string Trouble;

private:
  friend class ContainerReader;
  /// What was unpacked; the protos point into it.
  std::vector<std::unique_ptr<std::string>> Unpacked;
};

/// True if a file that begins like \p Start may be a container: compressed, a
/// pickle, records, or a message with bytes in front. Neither texts nor the
/// bytes of devices are.
bool mayHoldProto(StringRef Start);

/// Finds the protos in \p Bytes, which must outlive the result. No more than
/// \p MaxBytes are unpacked.
ProtoContainer findProtos(StringRef Bytes, uint64_t MaxBytes);

/// The name of the module that \p Module, an HloModuleProto, holds.
StringRef moduleName(StringRef Module);

} // namespace hlobuf

#endif // HLOBUF_PROTO_CONTAINER_H
