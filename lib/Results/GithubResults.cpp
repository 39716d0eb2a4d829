// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;

namespace {
class GithubResults : public ResultPrinter {
public:
  using ResultPrinter::ResultPrinter;

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  void command(StringRef Kind, const SourceSpan &Loc, StringRef Title,
               StringRef Message);

  /// Something could be proved of a dump.
  bool Proves = false;
};
} // namespace

/// Escapes as actions/toolkit's command.ts does; properties need more.
static std::string escape(StringRef Text, bool Property) {
  std::string Result;
  for (char C : Text) {
    bool Special = C == '%' || C == '\r' || C == '\n' ||
                   (Property && (C == ':' || C == ','));
    if (Special)
      Result += fmt::format("%{:02X}", static_cast<unsigned char>(C));
    else
      Result += C;
  }
  return Result;
}

void GithubResults::command(StringRef Kind, const SourceSpan &Loc,
                            StringRef Title, StringRef Message) {
  OS << "::" << Kind << ' ';
  if (!Loc.File.empty())
    OS << "file=" << escape(relativePath(Loc.File), true) << ',';
  if (Loc.Line != 0)
    OS << "line=" << Loc.Line << ",col=" << Loc.Column
       << ",endColumn=" << Loc.EndColumn << ',';
  OS << "title=" << escape(Title, true) << "::" << escape(Message, false)
     << '\n';
}

void GithubResults::add(const DumpResult &R) {
  Proves |= !R.ProvesNothing;
  SourceSpan Whole{R.Path};
  if (R.isUnreadable())
    return command("error", Whole, "unreadable", R.ReadError);
  for (const ResultMessage &M : messagesOf(R)) {
    std::string Text = M.Text;
    if (M.IsMore)
      Text += fmt::format(" [{}]", M.Check);
    if (M.Finding)
      for (const std::string &Line : tellNotes(R, *M.Finding, ReportWidth))
        Text += '\n' + Line;
    bool HasPlace = M.Finding && !M.Finding->Where.File.empty();
    command(M.Level == Severity::Lint ? "notice" : severityName(M.Level),
            HasPlace ? M.Finding->Where : Whole, M.Check, Text);
  }
}

/// What was proved, once for all dumps: annotations of a step are limited.
void GithubResults::finish(const RunEnd &End) {
  if (Proves && !End.LastLine.empty())
    command("notice", {}, "hlobuf-verify", End.LastLine);
}

std::unique_ptr<ResultPrinter>
hlobuf::makeGithubPrinter(const PrintOptions &Options, raw_ostream &OS) {
  return std::make_unique<GithubResults>(Options, OS);
}
