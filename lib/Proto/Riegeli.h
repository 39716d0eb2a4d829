// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of records.
//
// https://github.com/google/riegeli/blob/master/doc/riegeli_records_file_format.md.
// TPU and CUDA executables are such files (libtpu 2026, CUDA plugin 2026).

#ifndef HLOBUF_PROTO_RIEGELI_H
#define HLOBUF_PROTO_RIEGELI_H

#include "Support/LLVM.h"
#include <memory>
#include <string>
#include <vector>

namespace hlobuf {

/// The first 8 bytes of such a file.
extern const StringRef RiegeliSignature;

/// The records of one file.
struct RiegeliRecords {
  /// In their order; they point into Owned.
  std::vector<StringRef> All;
  /// What was unpacked.
  std::vector<std::unique_ptr<std::string>> Owned;
  /// Bytes of the file, from its signature on.
  size_t Size = 0;
  /// Why some records could not be read; null if all were.
  const char *Trouble = nullptr;
};

/// Reads the file that \p Bytes begin with, which may continue after it. No
/// more than \p MaxBytes are unpacked. The cost is linear in Size and in what
/// is unpacked, however long \p Bytes are.
RiegeliRecords readRiegeli(StringRef Bytes, uint64_t MaxBytes);

/// True if \p Bytes, which begin with such a file, end inside of one of its
/// chunks.
bool endsInsideRiegeli(StringRef Bytes);

/// A SplitProtoManifest {1 type, 2 repeated Record {2 merged | 3 overrides the
/// field at {1 repeated {1 its number, ..}}}} (xla/util/split_proto, 2026).
struct SplitManifest {
  /// \p Records are all of the file; of none, and of others, nothing is known.
  explicit SplitManifest(ArrayRef<StringRef> Records);

  StringRef Type;
  bool Good = true;
  /// Every record is named. What is overridden is an executable's assembly or
  /// binary, before what is merged.
  bool Plain = true;
  /// Of each record after the first one.
  std::vector<bool> IsMerged;
};

} // namespace hlobuf

#endif // HLOBUF_PROTO_RIEGELI_H
