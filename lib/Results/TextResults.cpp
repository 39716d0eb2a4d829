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
  void addFindings(const DumpResult &R);
  void printTimeline(const DumpResult &R, const ResultFinding &F);
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

void TextResults::printTimeline(const DumpResult &R, const ResultFinding &F) {
  for (const std::string &Line : layOutTimeline(R, F, Options.Width))
    OS << Line << '\n';
}

void TextResults::addFindings(const DumpResult &R) {
  ShownFindings Shown = selectFindings(R, Options.ErrorLimit);
  for (const ResultFinding *F : Shown.Findings) {
    print(severityName(F->Level), F->Where, F->Message, F->Check);
    if (F->isTimeline())
      printTimeline(R, *F);
    else
      for (const ResultNote &N : F->Notes)
        print("note", N.Where, N.Message, "");
  }
  for (const std::string &Line : Shown.More)
    OS << printableStart(R.Path) << ": note: " << Line << '\n';
}

void TextResults::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    if (Options.ReadErrors)
      OS << "error: " << printable(R.ReadError) << '\n';
    return;
  }
  addFindings(R);
  for (const SkippedCheck &Skipped : R.Skipped)
    if (Skipped.Required)
      OS << fmt::format("{}: error: required check could not run: {} [{}]\n",
                        printableStart(R.Path), Skipped.Reason, Skipped.Check);
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
