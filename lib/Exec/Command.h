// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command like a shell.

#ifndef HLOBUF_EXEC_COMMAND_H
#define HLOBUF_EXEC_COMMAND_H

#include "Support/LLVM.h"
#include <string>
#include <vector>

namespace hlobuf {

/// Shells say so where a signal ended a command.
inline constexpr int SignalBase = 128;

/// Runs \p Command, a program of PATH first, with the environment of this
/// process, and waits for it. Its exit status; SignalBase and the number of the
/// signal where one ended it.
///
/// The command gets the signal dispositions and the mask that this process got,
/// ignored ones included. While it runs, signals that are sent to this process
/// alone are forwarded to it; those of the terminal reach it anyway. Processes
/// that the command leaves behind become children of this one, and are waited
/// for.
Expected<int> runCommand(const std::vector<std::string> &Command);

} // namespace hlobuf

#endif // HLOBUF_EXEC_COMMAND_H
