// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the summary of a step on GitHub, and for comments: a heading with the
// last line, then each finding with its timeline. Sound dumps are only counted.

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class MarkdownResults : public ResultPrinter {
public:
  using ResultPrinter::ResultPrinter;

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  void addFinding(const DumpResult &R, const ResultFinding &F);

  /// The heading, which is known at the end, comes before them.
  std::string Text;
  llvm::raw_string_ostream Findings{Text};
  MemoryTotals Totals;
};
} // namespace

/// As many backticks as it takes to put \p Text between them, at least
/// \p Least.
static std::string fence(StringRef Text, size_t Least) {
  size_t Run = 0;
  for (char C : Text) {
    Run = C == '`' ? Run + 1 : 0;
    Least = std::max(Least, Run + 1);
  }
  return std::string(Least, '`');
}

/// \p Text as code in a line.
static std::string code(StringRef Text) {
  std::string Ticks = fence(Text, 1);
  StringRef Space = Text.contains('`') ? " " : "";
  return fmt::format("{}{}{}{}{}", Ticks, Space, Text, Space, Ticks);
}

/// \p Text with addresses as links, the rest as code.
static std::string markdownLinks(StringRef Text) {
  size_t Begin = Text.find("https://");
  if (Begin == StringRef::npos)
    return code(Text);
  StringRef Address = Text.substr(Begin).take_until(llvm::isSpace);
  StringRef Rest = Text.substr(Begin + Address.size()).trim();
  return fmt::format("{} <{}>{}", code(Text.take_front(Begin).trim()), Address,
                     Rest.empty() ? "" : " " + code(Rest));
}

void MarkdownResults::addFinding(const DumpResult &R, const ResultFinding &F) {
  std::string Block = F.Where.Excerpt;
  for (const std::string &Line : tellNotes(R, withoutAdvice(F), ReportWidth))
    Block += Line + '\n';
  Findings << fmt::format("\n**{}** {} {}\n", severityName(F.Level),
                          code(plainLine(F.Where, F.Message)),
                          code(fmt::format("[{}]", F.Check)));
  if (!Block.empty()) {
    std::string Ticks = fence(Block, 3);
    Findings << fmt::format("\n{}text\n{}{}\n", Ticks, Block, Ticks);
  }
  StringRef Gap = "\n";
  for (const ResultNote &N : F.Notes)
    if (isAdvice(N)) {
      Findings << fmt::format("{}* {}: {}\n", Gap, noteKindName(N.Kind),
                              markdownLinks(printable(N.Message)));
      Gap = "";
    }
}

void MarkdownResults::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    Findings << fmt::format("\n**unreadable** {}\n",
                            code(printable(R.ReadError)));
    return;
  }
  if (R.Memory)
    Totals.add(printable(R.Module.empty() ? R.Path : R.Module), *R.Memory);
  std::vector<ResultMessage> Messages = messagesOf(R, Options.ErrorLimit);
  if (Messages.empty())
    return;
  Findings << fmt::format(
      "\n#### {}\n", code(printable(R.Module.empty() ? R.Path : R.Module)));
  for (const ResultMessage &M : Messages) {
    std::string Check = fmt::format("[{}]", M.Check);
    if (M.Finding)
      addFinding(R, *M.Finding);
    else if (M.IsMore)
      Findings << "\n" << code(M.Text + " " + Check) << "\n";
    else
      Findings << fmt::format(
          "\n**error** {}: {} {}\n", StringRef(M.Text).split(": ").first,
          code(StringRef(M.Text).split(": ").second), code(Check));
  }
}

void MarkdownResults::finish(const RunEnd &End) {
  OS << "### hlobuf-verify\n";
  if (!End.LastLine.empty())
    OS << '\n' << code(End.LastLine) << '\n';
  OS << Text;
  std::string Memory;
  llvm::raw_string_ostream Table(Memory);
  Totals.print(ReportWidth, Table);
  if (!Memory.empty())
    OS << fmt::format("\n{}text\n{}{}\n", fence(Memory, 3), Memory,
                      fence(Memory, 3));
}

std::unique_ptr<ResultPrinter>
hlobuf::makeMarkdownPrinter(const PrintOptions &Options,
                            llvm::raw_ostream &OS) {
  return std::make_unique<MarkdownResults>(Options, OS);
}
