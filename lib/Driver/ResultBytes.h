// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as bytes.

#ifndef HLOBUF_DRIVER_RESULTBYTES_H
#define HLOBUF_DRIVER_RESULTBYTES_H

#include "Input/Inputs.h"
#include "Results/Result.h"

namespace hlobuf {

/// A result, and the dump that it is about.
struct StoredResult {
  /// Its Path, and the Path of each of its Files, are those of the dump.
  Input In;
  /// Without what budgets, summaries and comments that are updated add.
  DumpResult Result;
};

/// \p Stored as bytes that only this build of the program reads.
std::string packResult(StoredResult Stored);

/// What packResult() made of it; nothing if \p Bytes are damaged.
std::optional<StoredResult> unpackResult(llvm::StringRef Bytes);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_RESULTBYTES_H
