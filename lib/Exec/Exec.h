// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command, and all that it compiles.

#ifndef HLOBUF_EXEC_EXEC_H
#define HLOBUF_EXEC_EXEC_H

#include "Driver/Options.h"

namespace hlobuf {

/// Runs the command that the options' inputs are, with flags that make XLA
/// dump, and verifies what it dumped, not what the folder held before. Its
/// input, output and exit status pass through; findings go to \p Err. A
/// temporary folder of dumps stays if anything that is printed names its files.
/// \p HasCommand says that there is a command.
int runExec(const VerifyOptions &Options, bool HasCommand, raw_ostream &Out,
            raw_ostream &Err);

} // namespace hlobuf

#endif // HLOBUF_EXEC_EXEC_H
