//===- Results/ResultPrinter.h - Results in a format ------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_RESULTS_RESULTPRINTER_H
#define HLOBUF_RESULTS_RESULTPRINTER_H

#include "Results/Result.h"
#include "Support/ExitStatus.h"

namespace hlobuf {

/// What is known of a check.
struct RuleText {
  llvm::StringRef Summary;
  /// Its page, as Markdown; empty if it has none.
  llvm::StringRef Page;
  Severity Level = Severity::Error;
};

/// The check with this id; nothing if it is a rule of the reader.
using RuleTextFn = std::optional<RuleText> (*)(llvm::StringRef Id);

/// What all printers need to know.
struct PrintOptions {
  /// The tool's version, for reports.
  std::string Version;
  /// Findings of one check and dump that are printed as text; 0 for all.
  unsigned ErrorLimit = 20;
  /// Columns that timelines are laid out for.
  unsigned Width = 120;
  /// Count what checks leave out, in JSON; for those who write checks.
  bool CountGates = false;
};

/// How a run ended.
struct RunEnd {
  ExitStatus Status = ExitSound;
  /// Empty where none is wanted.
  std::string LastLine;
};

/// Takes the results of a run in the order of the inputs.
class ResultPrinter {
public:
  virtual ~ResultPrinter() = default;
  virtual void add(const DumpResult &R) = 0;
  virtual void finish(const RunEnd &) {}
};

/// Prints for people, as compilers do. With \p ReadErrors also what could not
/// be read.
std::unique_ptr<ResultPrinter> makeTextPrinter(const PrintOptions &Options,
                                               llvm::raw_ostream &OS,
                                               bool Color, bool ReadErrors);
/// One JSON object a line and dump: docs/schema/hlobuf-1.schema.json.
std::unique_ptr<ResultPrinter> makeJsonPrinter(const PrintOptions &Options,
                                               llvm::raw_ostream &OS);
/// SARIF 2.1.0.
std::unique_ptr<ResultPrinter> makeSarifPrinter(const PrintOptions &Options,
                                                llvm::raw_ostream &OS,
                                                RuleTextFn Describe);
/// JUnit's XML, a test case for each dump.
std::unique_ptr<ResultPrinter> makeJUnitPrinter(llvm::raw_ostream &OS);
/// Workflow commands of GitHub Actions, which become annotations.
std::unique_ptr<ResultPrinter> makeGithubPrinter(llvm::raw_ostream &OS);

/// \p Path below the current folder if it is there; else as it is.
std::string relativePath(llvm::StringRef Path);

/// `9 more findings of this check are only counted [check]`.
std::string uncountedLine(const ResultUncounted &U);

/// `file:line:col: message` for a note of a finding, without its place where
/// there is none.
std::string plainLine(const ResultPlace &Where, llvm::StringRef Message);

} // namespace hlobuf

#endif // HLOBUF_RESULTS_RESULTPRINTER_H
