// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a file is whole.
//
// The modules in a file are searched for (Container.h), and those before a cut
// are found there as in a whole file. Sizes are what shows the cut: of the
// outermost fields, pickle frames, chunks of records, or parts.

#ifndef HLOBUF_PROTO_FRAMING_H
#define HLOBUF_PROTO_FRAMING_H

#include "Support/LLVM.h"

namespace hlobuf {

/// Whether a file ends where its own sizes say.
struct Framing {
  enum class Kind : uint8_t {
    /// A file of another kind, or damaged.
    Unknown,
    Whole,
    CutOff,
  };
  Kind Is = Kind::Unknown;
  /// Of one that is a message, maybe after a header: that message.
  StringRef Message;
  /// Of an executable: the SerializedXlaExecutableMetadata in front of it; null
  /// if there is none.
  StringRef Header;
};

/// The file \p Bytes, which is not compressed. Cost is linear in its size at
/// most.
Framing framingOf(StringRef Bytes);

/// True if \p Bytes begin like a pickle with frames (protocol 4 and 5).
bool isPickle(StringRef Bytes);

} // namespace hlobuf

#endif // HLOBUF_PROTO_FRAMING_H
