// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of a tool.

#ifndef HLOBUF_COMMANDLINE_PROCESS_H
#define HLOBUF_COMMANDLINE_PROCESS_H

#include "Support/ExitCodes.h"
#include "Support/LLVM.h"
#include "llvm/ADT/Twine.h"

namespace hlobuf {

/// To be called first in main(). Freed memory goes back to the system; without
/// memory the process ends with status 2 and `error: out of memory: ` followed
/// by \p Consequence, of static storage; it ends with status 2 also where
/// standard output could not be written.
void startTool(const char *Consequence);

/// Prints \p Text, of one line or more, as an error; the status to end with.
ExitStatus fail(const llvm::Twine &Text);
ExitStatus fail(Error Failed);

/// True if standard output is to have colors: `--color`, which LLVM registers
/// for everybody, NO_COLOR, or a terminal.
bool wantsColor();

/// Says what --color takes.
void describeColorOption();

/// The columns of the terminal at file descriptor \p Descriptor, at least 60;
/// 120 if that is none.
unsigned terminalWidth(int Descriptor);

} // namespace hlobuf

#endif // HLOBUF_COMMANDLINE_PROCESS_H
