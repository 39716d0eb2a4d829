// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One failure element a test case, as all schemas of JUnit's XML allow: its
// text holds all errors of the dump. No times, so that equal runs give equal
// files.

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

namespace {
class JUnitResults : public ResultPrinter {
public:
  using ResultPrinter::ResultPrinter;

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  /// The counts, which depend on all cases, come before the cases.
  std::string Cases;
  unsigned Tests = 0;
  unsigned Failures = 0;
  unsigned Errors = 0;
  unsigned Skipped = 0;
};
} // namespace

/// \p Text, which prints, for an attribute or an element.
static std::string escape(StringRef Text) {
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  llvm::printHTMLEscaped(llvm::json::fixUTF8(Text), OS);
  return OS.str();
}

/// What is said of \p R with \p Level, as text.
static std::string describe(const DumpResult &R,
                            ArrayRef<ResultMessage> Messages, Severity Level) {
  std::string Text;
  for (const ResultMessage &M : Messages) {
    if (M.Level != Level)
      continue;
    std::string Line =
        fmt::format("{}: {} [{}]", severityName(Level), M.Text, M.Check);
    if (M.Finding)
      Text +=
          plainLine(M.Finding->Where, Line) + '\n' + M.Finding->Where.Excerpt;
    else
      Text += (M.IsMore ? "" : printableStart(R.Path) + ": ") +
              printable(Line) + '\n';
    if (M.Finding)
      for (const std::string &Note : tellNotes(R, *M.Finding, ReportWidth))
        Text += Note + '\n';
  }
  return Text;
}

/// The failure element of a dump with errors.
static std::string failure(const DumpResult &R,
                           ArrayRef<ResultMessage> Messages) {
  const ResultMessage *First =
      llvm::find_if(Messages, [](const ResultMessage &M) {
        return M.Level == Severity::Error;
      });
  std::string Title = First->Text;
  if (unsigned More = R.errors() - 1)
    Title += fmt::format(" (and {} more)", More);
  return fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n",
                     escape(printable(Title)), escape(First->Check),
                     escape(describe(R, Messages, Severity::Error)));
}

/// What was proved, a line a sentence. Not as properties: not all schemas allow
/// a test case to have them.
static std::string describeVerdict(const DumpResult &R) {
  std::string Text;
  if (R.ProvesNothing)
    return Text;
  for (Sentence S : AllSentences)
    if (!R[S].Hidden)
      Text += fmt::format("{}: {}\n", sentenceName(S),
                          printable(spellSentence(R[S])));
  return Text;
}

void JUnitResults::add(const DumpResult &R) {
  ++Tests;
  std::vector<ResultMessage> Messages = messagesOf(R);
  Cases += fmt::format(
      "    <testcase name=\"{}\" classname=\"{}\">\n",
      escape(printable(relativePath(R.Path))),
      escape(R.Module.empty() ? "hlobuf-verify" : printable(R.Module)));
  if (R.isUnreadable()) {
    ++Errors;
    Cases += fmt::format("      <error message=\"{}\" type=\"unreadable\"/>\n",
                         escape(printable(R.ReadError)));
  } else if (R.hasErrors()) {
    ++Failures;
    Cases += failure(R, Messages);
  } else if (R.Verified == 0) {
    ++Skipped;
    Cases += "      <skipped message=\"no check could run\"/>\n";
  }
  std::string Output = describeVerdict(R) +
                       describe(R, Messages, Severity::Warning) +
                       describe(R, Messages, Severity::Lint);
  if (!Output.empty())
    Cases += fmt::format("      <system-out>{}</system-out>\n", escape(Output));
  Cases += "    </testcase>\n";
}

void JUnitResults::finish(const RunEnd &) {
  OS << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  std::string Counts = fmt::format(
      "name=\"hlobuf-verify\" tests=\"{}\" failures=\"{}\" errors=\"{}\"",
      Tests, Failures, Errors);
  OS << "<testsuites " << Counts << ">\n";
  OS << "  <testsuite " << Counts << " skipped=\"" << Skipped << "\">\n"
     << Cases << "  </testsuite>\n</testsuites>\n";
}

std::unique_ptr<ResultPrinter>
hlobuf::makeJUnitPrinter(const PrintOptions &Options, raw_ostream &OS) {
  return std::make_unique<JUnitResults>(Options, OS);
}
