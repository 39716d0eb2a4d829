// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thunk programs as text.
//
// The thunks of an executable (CompilationResultProto of
// xla/service/cpu/executable.proto, 2025-01-29 on; GpuExecutableProto of
// xla/service/gpu/gpu_executable.proto, 2026-03 on), one line each. XLA has no
// text for them; docs/thunks.md describes this one, and Dump/ThunkReader.h
// reads it.

#ifndef HLOBUF_PROTO_THUNKTEXT_H
#define HLOBUF_PROTO_THUNKTEXT_H

#include "Proto/HloProto.h"

namespace hlobuf {

struct TextSink;

/// Appends the thunks of \p P to \p To.
void printThunks(const HloProto &P, TextSink &To);

} // namespace hlobuf

#endif // HLOBUF_PROTO_THUNKTEXT_H
