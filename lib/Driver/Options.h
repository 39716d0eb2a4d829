//===- Driver/Options.h - What a run is asked to do -------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_OPTIONS_H
#define HLOBUF_DRIVER_OPTIONS_H

#include "Dump/Model.h"
#include <array>
#include <string>
#include <vector>

namespace hlobuf {

/// Options of hlobuf-verify, free of the command line's library.
struct VerifyOptions {
  /// Files, folders and `-`.
  std::vector<std::string> Inputs;
  /// Siblings given by hand, by role; empty ones are looked for by name.
  std::array<std::string, NumFileRoles> Siblings;
  /// Globs; see GlobList.
  std::string Checks;
  std::string WarningsAsErrors;
  std::string Require;
  /// Findings of one check and dump that are printed; 0 for all.
  unsigned ErrorLimit = 20;
  /// Threads; 0 for one per core.
  unsigned Jobs = 0;
  /// Print findings only, no last line.
  bool Quiet = false;
  bool Color = false;
  /// Standard error is a terminal that can show progress.
  bool Progress = false;
  /// Print dumps back instead of verifying them.
  bool EmitDump = false;
};

/// Exit statuses of hlobuf-verify.
enum ExitStatus : int {
  /// No error.
  ExitSound = 0,
  /// At least one error, or a required check that could not run.
  ExitErrors = 1,
  /// Bad usage, or an input that could not be read.
  ExitTrouble = 2,
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_OPTIONS_H
