// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "Support/TextPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
class TextResults : public ResultPrinter {
public:
  TextResults(const PrintOptions &Options, llvm::raw_ostream &OS)
      : Options(Options), OS(OS) {
    OS.enable_colors(Options.Color);
  }

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  void print(StringRef Kind, const ResultPlace &Where, StringRef Message,
             StringRef Check);

  PrintOptions Options;
  llvm::raw_ostream &OS;
  MemoryTotals Totals;
};
} // namespace

void TextResults::print(StringRef Kind, const ResultPlace &Where,
                        StringRef Message, StringRef Check) {
  printMessage({Where.File, Where.Line, Where.Column, Kind, Message, Check,
                Where.Excerpt},
               OS, Options.Color);
}

void TextResults::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    if (Options.ReadErrors)
      OS << "error: " << printable(R.ReadError) << '\n';
    return;
  }
  for (const ResultMessage &M : messagesOf(R, Options.ErrorLimit)) {
    if (!M.Finding) {
      OS << fmt::format("{}: {}: {} [{}]\n", printableStart(R.Path),
                        M.IsMore ? "note" : "error", M.Text, M.Check);
      continue;
    }
    print(severityName(M.Level), M.Finding->Where, M.Text, M.Check);
    if (M.Finding->isTimeline())
      for (const std::string &Line :
           layOutTimeline(R, *M.Finding, Options.Width))
        OS << Line << '\n';
    else
      for (const ResultNote &N : M.Finding->Notes)
        print("note", N.Where, N.Message, "");
  }
  if (!R.Memory)
    return;
  std::string Name = printable(
      R.Module.empty() ? R.Path : fmt::format("{} ({})", R.Module, R.Path));
  if (R.Memory->Answers.empty())
    return Totals.add(Name, *R.Memory);
  for (const WhyAnswer &Answer : R.Memory->Answers) {
    if (Answer.Lines.empty())
      continue;
    OS << fmt::format("{}: {}\n", Name, printable(Answer.Question));
    for (const std::string &Line : Answer.Lines)
      OS << "  " << Line << '\n';
  }
}

void TextResults::finish(const RunEnd &End) {
  Totals.print(Options.Width, OS);
  if (!End.LastLine.empty())
    OS << End.LastLine << '\n';
}

std::unique_ptr<ResultPrinter>
hlobuf::makeTextPrinter(const PrintOptions &Options, llvm::raw_ostream &OS) {
  return std::make_unique<TextResults>(Options, OS);
}
