//===- Driver/ResultPrinter.h - Results in a format -------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_RESULTPRINTER_H
#define HLOBUF_DRIVER_RESULTPRINTER_H

#include "Driver/Result.h"

namespace hlobuf {

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

/// Prints for people, as compilers do. With \p Troubles also what could not be
/// read.
std::unique_ptr<ResultPrinter> makeTextPrinter(const VerifyOptions &Options,
                                               llvm::raw_ostream &OS,
                                               bool Color, bool Troubles);
/// One JSON object a line and dump: docs/schema/hlobuf-1.schema.json.
std::unique_ptr<ResultPrinter> makeJsonPrinter(const VerifyOptions &Options,
                                               llvm::raw_ostream &OS);
/// SARIF 2.1.0.
std::unique_ptr<ResultPrinter> makeSarifPrinter(const VerifyOptions &Options,
                                                llvm::raw_ostream &OS);
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

#endif // HLOBUF_DRIVER_RESULTPRINTER_H
