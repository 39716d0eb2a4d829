// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that ran.

#ifndef HLOBUF_DRIVER_SAVEDEXECUTABLES_H
#define HLOBUF_DRIVER_SAVEDEXECUTABLES_H

#include "Input/Inputs.h"

namespace hlobuf {

/// Gives the text dumps in \p List the thunks of the executables \p Files of
/// the same programs: those with the same module and assignment, in the same
/// folder if there are any. Where these stand for programs that differ, nothing
/// is joined. Executables without a dump become dumps of their own. Uses \p
/// Jobs threads; 0 is one per core.
void joinExecutables(InputList &List, llvm::ArrayRef<std::string> Files,
                     unsigned Jobs);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_SAVEDEXECUTABLES_H
