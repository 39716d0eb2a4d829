// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps that are drawn.

#ifndef HLOBUF_VIEW_DRAWNPROGRAMS_H
#define HLOBUF_VIEW_DRAWNPROGRAMS_H

#include "Checks/Context.h"
#include "Draw/Picture.h"
#include "Driver/CheckSelection.h"
#include "Input/Load.h"

namespace hlobuf {

/// What was asked for.
struct DrawRequest {
  /// A part of the path of the one dump that is meant.
  std::string Pick;
  /// Bytes of the chip; nothing where files next to the dump may tell.
  std::optional<uint64_t> Capacity;
  /// Threads for a large dump; 0 is one for each core.
  unsigned Jobs = 0;
};

/// A dump, and what is drawn of it.
struct DrawnProgram {
  std::unique_ptr<LoadedDump> Loaded;
  std::unique_ptr<CheckContext> Context;
  Picture P;
  /// Why the HLO module is not used; empty if it is.
  std::string Malformed;
};

/// The dumps to draw below \p Paths, which are one, or an old and a new one:
/// one dump each. An error says what these are where it is not clear which one
/// is meant.
llvm::Expected<std::vector<Input>>
findPrograms(llvm::ArrayRef<std::string> Paths, const DrawRequest &Request);

/// Reads, verifies and draws \p In.
llvm::Expected<DrawnProgram> openProgram(const Input &In,
                                         const DrawRequest &Request,
                                         const CheckSelection &Selection);

} // namespace hlobuf

#endif // HLOBUF_VIEW_DRAWNPROGRAMS_H
