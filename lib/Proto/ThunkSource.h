// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where thunks are.

#ifndef HLOBUF_PROTO_THUNKSOURCE_H
#define HLOBUF_PROTO_THUNKSOURCE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlobuf {

/// Where an executable keeps its thunks.
struct ThunkSource {
  enum class Backend : uint8_t { None, CPU, GPU };
  Backend Of = Backend::None;
  /// Messages that together are the one that has the thunks.
  llvm::SmallVector<llvm::StringRef, 2> Parts;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_THUNKSOURCE_H
