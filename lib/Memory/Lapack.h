// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LAPACK works in.

#ifndef HLOBUF_MEMORY_LAPACK_H
#define HLOBUF_MEMORY_LAPACK_H

#include "Dump/Model.h"
#include <optional>

namespace hlobuf {

/// The bytes that \p Call, a custom call of a module on CPU, allocates for a
/// routine of LAPACK while it runs, for one matrix after the other; 0 if it
/// needs none; nothing if that is not known.
std::optional<uint64_t> lapackWorkspace(const Dump &D,
                                        const HloInstruction &Call);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_LAPACK_H
