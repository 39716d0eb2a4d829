// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page that opens from a file: the last line, the findings with their
// timelines, and what was proved of each dump.

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef Head = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>hlobuf-verify</title>
<style>
:root { --back: #fff; --text: #1c2126; --faint: #66707a; --line: #d4d8dd; --panel: #f4f5f7; --bad: #c81e1e; --good: #1f7a4d; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171a; --text: #e6e9ec; --faint: #98a2ad; --line: #343a41; --panel: #1d2126; --bad: #ff6b64; --good: #58c08d; }
}
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 0 auto; padding: 1em; }
h1 { font-size: 1.3em; overflow-wrap: anywhere; } h2 { font-size: 1.1em; margin-top: 2em; overflow-wrap: anywhere; }
section { border: 1px solid var(--line); border-left: 4px solid var(--faint); border-radius: 4px; padding: .6em 1em; margin: 1em 0; }
section.error { border-left-color: var(--bad); }
p { margin: .3em 0; overflow-wrap: anywhere; } pre { background: var(--panel); padding: .6em; overflow-x: auto; font-size: .87em; }
.error b, .broken { color: var(--bad); } .proved { color: var(--good); } small, .not { color: var(--faint); }
a { color: inherit; } code { overflow-wrap: anywhere; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border-bottom: 1px solid var(--line); padding: .2em .8em .2em 0; text-align: left; vertical-align: top; }
@media (max-width: 600px) { pre { white-space: pre-wrap; overflow-wrap: anywhere; } }
</style>
)html";

namespace {
class HtmlResults : public ResultPrinter {
public:
  HtmlResults(const PrintOptions &Options, llvm::raw_ostream &OS)
      : Limit(Options.ErrorLimit), OS(OS), Findings(FindingsText),
        Rows(RowsText) {}

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  void addFinding(const DumpResult &R, const ResultFinding &F);
  void addRow(const DumpResult &R);

  unsigned Limit;
  llvm::raw_ostream &OS;
  /// The heading, which is known at the end, comes before them.
  std::string FindingsText;
  std::string RowsText;
  llvm::raw_string_ostream Findings;
  llvm::raw_string_ostream Rows;
  MemoryTotals Totals;
};
} // namespace

/// \p Text for an element or an attribute.
static std::string htmlText(StringRef Text) {
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  llvm::printHTMLEscaped(llvm::json::fixUTF8(Text), Out);
  return Result;
}

/// \p Text with addresses as links.
static std::string htmlLinks(StringRef Text) {
  size_t Begin = Text.find("https://");
  if (Begin == StringRef::npos)
    return htmlText(Text);
  StringRef Address = Text.substr(Begin).take_until(llvm::isSpace);
  std::string Spelled = htmlText(Address);
  return fmt::format("{}<a href=\"{}\">{}</a>{}",
                     htmlText(Text.take_front(Begin)), Spelled, Spelled,
                     htmlText(Text.substr(Begin + Address.size())));
}

void HtmlResults::addFinding(const DumpResult &R, const ResultFinding &F) {
  Findings << fmt::format(
      "<section class=\"{}\">\n<p><b>{}</b>: {} [{}]</p>\n<p><small>{}</small>"
      "</p>\n<pre>{}",
      severityName(F.Level), severityName(F.Level),
      htmlText(printable(F.Message)), htmlText(F.Check),
      htmlText(plainLine(F.Where, R.Module)), htmlText(F.Where.Excerpt));
  for (const std::string &Line : tellNotes(R, withoutAdvice(F), ReportWidth))
    Findings << htmlText(Line) << '\n';
  Findings << "</pre>\n";
  for (const ResultNote &N : F.Notes)
    if (isAdvice(N))
      Findings << fmt::format("<p>{}: {}</p>\n", noteKindName(N.Kind),
                              htmlLinks(printable(N.Message)));
  Findings << "</section>\n";
}

/// The dump, and what was proved of it.
void HtmlResults::addRow(const DumpResult &R) {
  Rows << fmt::format("<tr><td>{}<br><small>{}</small></td><td>",
                      htmlText(printable(R.Module)),
                      htmlText(printable(R.Path)));
  for (size_t S = 0; S != NumSentences; ++S) {
    const SentenceResult &Said = R.Sentences[S];
    if (R.ProvesNothing || Said.Hidden)
      continue;
    StringRef Class = Said.Is == Standing::Proved   ? "proved"
                      : Said.Is == Standing::Broken ? "broken"
                                                    : "not";
    Rows << fmt::format("<span class=\"{}\">{}: {}</span><br>", Class,
                        sentenceName(static_cast<Sentence>(S)),
                        htmlText(spellSentence(Said)));
  }
  Rows << "</td></tr>\n";
}

void HtmlResults::add(const DumpResult &R) {
  if (R.isUnreadable()) {
    Findings << fmt::format(
        "<section class=\"error\"><p><b>unreadable</b>: {}</p></section>\n",
        htmlText(printable(R.ReadError)));
    return;
  }
  if (R.Memory)
    Totals.add(printable(R.Module.empty() ? R.Path : R.Module), *R.Memory);
  ShownFindings Shown = selectFindings(R, Limit);
  for (const ResultFinding *F : Shown.Findings)
    addFinding(R, *F);
  for (const std::string &Line : Shown.More)
    Findings << fmt::format("<p>{}: {}</p>\n", htmlText(printable(R.Module)),
                            htmlText(Line));
  for (const SkippedCheck &Skipped : R.Skipped)
    if (Skipped.Required)
      Findings << fmt::format("<section class=\"error\"><p><b>error</b>: "
                              "required check could not run: {} [{}]</p>"
                              "</section>\n",
                              htmlText(Skipped.Reason),
                              htmlText(Skipped.Check));
  addRow(R);
}

void HtmlResults::finish(const RunEnd &End) {
  StringRef Title =
      End.LastLine.empty() ? "hlobuf-verify" : StringRef(End.LastLine);
  OS << Head << "<h1>" << htmlText(printable(Title)) << "</h1>\n"
     << FindingsText;
  std::string Memory;
  llvm::raw_string_ostream Table(Memory);
  Totals.print(ReportWidth, Table);
  if (!Memory.empty())
    OS << "<h2>Memory</h2>\n<pre>" << htmlText(Memory) << "</pre>\n";
  if (!RowsText.empty())
    OS << "<h2>What was proved</h2>\n<table>\n" << RowsText << "</table>\n";
}

std::unique_ptr<ResultPrinter>
hlobuf::makeHtmlPrinter(const PrintOptions &Options, llvm::raw_ostream &OS) {
  return std::make_unique<HtmlResults>(Options, OS);
}
