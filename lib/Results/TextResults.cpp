// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

namespace {
class TextResults : public ResultPrinter {
public:
  TextResults(const PrintOptions &Options, raw_ostream &OS)
      : ResultPrinter(Options, OS) {
    OS.enable_colors(Options.Color);
  }

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  void print(StringRef Kind, const SourceSpan &Loc, StringRef Message,
             StringRef Check);
  void paint(raw_ostream::Colors Color, bool IsBold) {
    if (Options.Color)
      OS.changeColor(Color, IsBold);
  }

  MemoryTotals Totals;
};
} // namespace

static raw_ostream::Colors colorOf(StringRef Kind) {
  if (Kind == "error")
    return raw_ostream::RED;
  return Kind == "note" ? raw_ostream::CYAN : raw_ostream::MAGENTA;
}

/// Prints `file:line:col: error: message [check]` and the excerpt, as clang
/// does.
void TextResults::print(StringRef Kind, const SourceSpan &Loc,
                        StringRef Message, StringRef Check) {
  auto Plain = [&] {
    if (Options.Color)
      OS.resetColor();
  };
  paint(raw_ostream::SAVEDCOLOR, true);
  if (Loc.Line != 0)
    OS << printableStart(Loc.File) << ':' << Loc.Line << ':' << Loc.Column
       << ": ";
  else if (!Loc.File.empty())
    OS << printableStart(Loc.File) << ": ";
  paint(colorOf(Kind), true);
  OS << Kind << ": ";
  Plain();
  paint(raw_ostream::SAVEDCOLOR, Kind != "note");
  OS << printable(Message);
  Plain();
  if (!Check.empty())
    OS << " [" << Check << ']';
  OS << '\n' << Loc.Excerpt;
}

void TextResults::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    if (R.Memory)
      Totals.add(printable(R.Path), *R.Memory);
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
hlobuf::makeTextPrinter(const PrintOptions &Options, raw_ostream &OS) {
  return std::make_unique<TextResults>(Options, OS);
}
