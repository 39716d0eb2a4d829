// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What thunks do.

#ifndef HLOBUF_HLO_THUNKKIND_H
#define HLOBUF_HLO_THUNKKIND_H

#include "Support/LLVM.h"
#include <cstdint>

namespace hlobuf {

/// The rows of ThunkKinds.def.
enum class ThunkKind : uint8_t {
  /// Newer than this tool.
  Unknown,
#define HLOBUF_THUNK_KIND(Enumerator, Text, Met) Enumerator,
#include "HLO/ThunkKinds.def"
};

/// As ThunkKinds.def spells it; `unknown` for Unknown.
StringRef thunkKindText(ThunkKind Kind);

/// Unknown if no kind has the text \p Text.
ThunkKind parseThunkKind(StringRef Text);

/// An executable for that backend has shown \p Kind.
bool isThunkKindMet(ThunkKind Kind, bool ForGpu);

/// A row HLOBUF_THUNK_PAIR of ThunkKinds.def.
struct ThunkPair {
  ThunkKind Start;
  ThunkKind Done;
  /// The host does the work.
  bool OnHost;
};

/// The pair that \p Kind is the start of; null if it starts nothing.
const ThunkPair *pairStartedBy(ThunkKind Kind);
/// The pair that \p Kind is the done of; null if it is none.
const ThunkPair *pairEndedBy(ThunkKind Kind);

/// True if \p Kind touches no bytes itself: what is inside of it does, or what
/// it waits for.
bool isThunkFrame(ThunkKind Kind);

/// True if \p Kind does nothing but copy bytes.
inline bool isThunkCopy(ThunkKind Kind) {
  return Kind == ThunkKind::Copy || Kind == ThunkKind::DeviceToDeviceCopy ||
         Kind == ThunkKind::DeviceToHostCopy ||
         Kind == ThunkKind::HostToDeviceCopy;
}

/// \p Key is one of StatedAttributes.def.
bool isThunkAttribute(StringRef Key);

/// What a thunk does with the bytes of a slice.
enum class ThunkAccess : uint8_t {
  Read,
  /// Reads, and the kernel was compiled as if nothing wrote them while it runs.
  Invariant,
  Write,
  /// Reads and writes.
  Update,
};

/// `read`, `invariant`, `write`, `update`.
StringRef thunkAccessText(ThunkAccess Access);

/// What a sequence of thunks inside another one is.
enum class ThunkRole : uint8_t { Thunks, Condition, Body, Branch, Embedded };

/// `thunks`, `condition`, `body`, `branch`, `embedded`.
StringRef thunkRoleText(ThunkRole Role);

} // namespace hlobuf

#endif // HLOBUF_HLO_THUNKKIND_H
