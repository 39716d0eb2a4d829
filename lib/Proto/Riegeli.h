//===- Proto/Riegeli.h - Files of records -----------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// https://github.com/google/riegeli/blob/master/doc/riegeli_records_file_format.md.
// TPU and CUDA executables are such files (libtpu 2026, CUDA plugin 2026).
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_PROTO_RIEGELI_H
#define HLOBUF_PROTO_RIEGELI_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace hlobuf {

/// What every file of records begins with.
extern const llvm::StringRef RiegeliSignature;

struct RiegeliRecords {
  std::vector<std::string> All;
  /// Bytes of the file, from its signature on.
  size_t Size = 0;
  /// Why some records could not be read; null if all were.
  const char *Trouble = nullptr;
};

/// Reads the records of the file at the front of \p Bytes, which may go on
/// after it. No more than \p MaxBytes are unpacked.
RiegeliRecords readRiegeli(llvm::StringRef Bytes, uint64_t MaxBytes);

} // namespace hlobuf

#endif // HLOBUF_PROTO_RIEGELI_H
