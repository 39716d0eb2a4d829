// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for the host inside of executables for GPUs.

#ifndef HLOBUF_PROTO_HOSTPROGRAMS_H
#define HLOBUF_PROTO_HOSTPROGRAMS_H

#include "Proto/HloProto.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace hlobuf {

/// Compares what the host runs with the computations that it was compiled from.
class HostPrograms {
public:
  explicit HostPrograms(const ProtoModule &M);

  /// True if \p Executable, a HostOffloadingExecutableProto
  /// (xla/core/host_offloading/host_offloading_executable.proto, 2025), is of
  /// what the asynchronous start \p Start calls: its module is that
  /// computation with all below it, but for names and memory spaces, and was
  /// compiled with the same arguments and result.
  bool isProgramOf(StringRef Start, StringRef Executable) const;

private:
  const ProtoModule &M;
  llvm::StringMap<const ProtoInstruction *> Starts;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_HOSTPROGRAMS_H
