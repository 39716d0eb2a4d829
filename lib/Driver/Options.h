// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run is asked to do.

#ifndef HLOBUF_DRIVER_OPTIONS_H
#define HLOBUF_DRIVER_OPTIONS_H

#include "Driver/Budget.h"
#include "Driver/CheckSelection.h"
#include "Input/Load.h"
#include "Memory/MemorySummary.h"
#include "Results/ResultPrinter.h"
#include "Support/ExitCodes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <string>
#include <vector>

namespace hlobuf {

/// An `--output`.
struct OutputFile {
  OutputFormat Format = OutputFormat::Text;
  std::string Path;
};

/// What is printed: the verdict, or a text of each dump. A proto becomes all
/// three; the traces are what only protos hold. Proof is the ledger of
/// lib/Proof.
enum class EmitKind : uint8_t { Findings, Dump, Module, Traces, Thunks, Proof };

/// Options of hlobuf-verify, free of the command line's library.
struct VerifyOptions {
  /// Files, folders and `-`.
  std::vector<std::string> Inputs;
  /// Siblings given by hand, by role; empty ones are looked for by name.
  SiblingPaths Siblings;
  GlobTexts Globs;
  /// Read this configuration, not the ones next to the dumps.
  std::string ConfigFile;
  bool NoConfig = false;
  std::string Baseline;
  std::string WriteBaseline;
  PrintOptions Print;
  /// What goes to standard output.
  OutputFormat Format = OutputFormat::Text;
  std::vector<OutputFile> Outputs;
  /// Tell where the memory goes.
  bool WantMemory = false;
  /// How; Capacity is looked for next to each dump where it is not given.
  SummaryOptions Memory;
  /// What programs may need; those of a configuration are added.
  std::vector<Budget> Budgets;
  /// A budget or a requirement that matches nothing does not fail the run.
  bool AllowUnmatched = false;
  /// Part Shard of Shards, from 0.
  unsigned Shard = 0;
  unsigned Shards = 1;
  /// Threads; 0 for one per core.
  unsigned Jobs = 0;
  /// Print findings only, no last line.
  bool Quiet = false;
  /// List all checks that did not run above the last line.
  bool Verbose = false;
  /// Standard error is a terminal.
  bool Progress = false;
  /// With a command to run: its dumps stay, in this folder if it is not empty.
  bool KeepDumps = false;
  std::string DumpsFolder;
  /// Print texts back instead of verifying them.
  EmitKind Emit = EmitKind::Findings;

  /// Whole folders are verified.
  bool hasFolder() const {
    return llvm::any_of(Inputs, [](const std::string &Path) {
      return llvm::sys::fs::is_directory(Path);
    });
  }
};

} // namespace hlobuf

#endif // HLOBUF_DRIVER_OPTIONS_H
