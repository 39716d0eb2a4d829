// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps that are drawn.

#ifndef HLOBUF_VIEW_DRAWNPROGRAM_H
#define HLOBUF_VIEW_DRAWNPROGRAM_H

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

/// Reads, verifies and draws the dump of \p Path; an error says which ones
/// these are where it is not clear which one is meant.
llvm::Expected<DrawnProgram> openProgram(const std::string &Path,
                                         const DrawRequest &Request,
                                         const CheckSelection &Selection);

} // namespace hlobuf

#endif // HLOBUF_VIEW_DRAWNPROGRAM_H
