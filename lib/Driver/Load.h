//===- Driver/Load.h - Input to model ---------------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_LOAD_H
#define HLOBUF_DRIVER_LOAD_H

#include "Driver/Inputs.h"
#include "Driver/Options.h"
#include "Dump/Model.h"
#include "Dump/Reader.h"
#include "Support/Diagnostic.h"

namespace hlobuf {

/// A dump with the texts that it points into.
struct LoadedDump {
  Sources Texts;
  std::unique_ptr<Dump> Model;
  /// Lines that could not be read.
  SyntaxErrors Syntax;
  /// Siblings that hold nothing that could be read, and why; load() makes them
  /// findings.
  std::vector<Note> Unreadable;
  /// Siblings that lie beside the dump and were not used: `file (reason)`.
  std::vector<std::string> Unused;
};

/// Finds the siblings of \p In: those that the options give, else by name.
void locateFiles(Input &In, const VerifyOptions &Options);

/// Reads \p In with its siblings, which locateFiles() found. Fails where a file
/// cannot be read or the assignment is none.
llvm::Expected<std::unique_ptr<LoadedDump>> load(const Input &In,
                                                 const VerifyOptions &Options);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_LOAD_H
