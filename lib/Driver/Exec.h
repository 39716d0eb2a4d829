//===- Driver/Exec.h - A program under observation --------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_EXEC_H
#define HLOBUF_DRIVER_EXEC_H

#include "Driver/Options.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace hlobuf {

/// Runs the command that the options' inputs are, with flags that make XLA
/// dump, and verifies what it dumped. Its input, output and exit status pass
/// through; findings go to \p Err. The dumps stay where something was found.
/// \p HasCommand says that there is a command.
int runExec(const VerifyOptions &Options, bool HasCommand,
            llvm::raw_ostream &Out, llvm::raw_ostream &Err);

/// \p Flags, which XLA_FLAGS holds, with what makes XLA dump into \p Folder;
/// where they already name a folder, that one is kept and \p Folder becomes
/// it.
std::string addDumpFlags(llvm::StringRef Flags, std::string &Folder);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_EXEC_H
