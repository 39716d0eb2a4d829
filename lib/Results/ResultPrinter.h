// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results in a format.

#ifndef HLOBUF_RESULTS_RESULTPRINTER_H
#define HLOBUF_RESULTS_RESULTPRINTER_H

#include "Results/Result.h"
#include "Support/ExitCodes.h"

namespace hlobuf {

/// What is known of a check.
struct RuleText {
  StringRef Summary;
  /// Its page, as Markdown; empty if it has none.
  StringRef Page;
  Severity Level = Severity::Error;
};

/// The check with this id; nothing if it is a rule of the reader.
using RuleTextFn = std::optional<RuleText> (*)(StringRef Id);

/// How results are written.
enum class OutputFormat : uint8_t {
#define HLOBUF_FORMAT(Name, Spelling, Help) Name,
#include "Results/Formats.def"
};

/// What printers need to know.
struct PrintOptions {
  /// The tool's version, for reports.
  std::string Version;
  /// Findings of one check and dump that are printed as text; 0 for all.
  unsigned ErrorLimit = 20;
  /// Columns that timelines are laid out for.
  unsigned Width = 120;
  /// Color text.
  bool Color = false;
  /// As text also what could not be read, which standard output leaves to the
  /// error stream.
  bool ReadErrors = false;
  RuleTextFn Describe = nullptr;
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
  ResultPrinter(const PrintOptions &Options, raw_ostream &OS)
      : Options(Options), OS(OS) {}
  virtual ~ResultPrinter() = default;
  virtual void add(const DumpResult &R) = 0;
  virtual void finish(const RunEnd &) {}

protected:
  PrintOptions Options;
  raw_ostream &OS;
};

/// Prints results to \p OS as \p Format.
std::unique_ptr<ResultPrinter>
makePrinter(OutputFormat Format, const PrintOptions &Options, raw_ostream &OS);

// Each in a source of its own.
#define HLOBUF_FORMAT(Name, Spelling, Help)                                    \
  std::unique_ptr<ResultPrinter> make##Name##Printer(                          \
      const PrintOptions &Options, raw_ostream &OS);
#include "Results/Formats.def"

/// \p Path below the current folder if it is there; else as it is.
std::string relativePath(StringRef Path);

/// One thing that is said of a dump, and counts.
struct ResultMessage {
  Severity Level = Severity::Error;
  StringRef Check;
  std::string Text;
  /// Null where there is none: findings that are only counted, and required
  /// checks that could not run.
  const ResultFinding *Finding = nullptr;
  /// Findings that are not shown: no error of its own.
  bool IsMore = false;
};

/// The loud findings of \p R, at most \p Limit of a check, 0 for all; how many
/// more there are of it; and the required checks that could not run.
std::vector<ResultMessage> messagesOf(const DumpResult &R, unsigned Limit = 0);

/// `file:line:col: message` for a note of a finding, without its place where
/// there is none.
std::string plainLine(const SourceSpan &Loc, StringRef Message);

} // namespace hlobuf

#endif // HLOBUF_RESULTS_RESULTPRINTER_H
