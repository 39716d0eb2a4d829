// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the first record says of a split proto.

#ifndef HLOBUF_PROTO_SPLITMANIFEST_H
#define HLOBUF_PROTO_SPLITMANIFEST_H

#include "Support/LLVM.h"
#include <vector>

namespace hlobuf {

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

#endif // HLOBUF_PROTO_SPLITMANIFEST_H
