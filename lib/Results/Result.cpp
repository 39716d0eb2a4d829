// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/Result.h"
#include "Dump/Reader.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace hlobuf;

template <typename PredicateFn>
static unsigned countAll(const DumpResult &R, PredicateFn Counts) {
  return static_cast<unsigned>(sumOf(R.Findings, [&](const ResultFinding &F) {
    return Counts(F) ? std::max(F.Uncounted, 1U) : 0;
  }));
}

unsigned DumpResult::count(Severity Level) const {
  return countAll(
      *this, [&](const auto &F) { return F.isLoud() && F.Level == Level; });
}

unsigned DumpResult::count(Silence Kind) const {
  return countAll(*this, [&](const auto &F) { return F.Silenced == Kind; });
}

unsigned DumpResult::passed() const {
  return static_cast<unsigned>(llvm::count_if(Checks, [](const ResultCheck &C) {
    return C.Outcome == CheckOutcome::Passed;
  }));
}

unsigned DumpResult::missedRequirements() const {
  return static_cast<unsigned>(llvm::count_if(
      Skipped, [](const SkippedCheck &G) { return G.Required; }));
}

bool DumpResult::hasUnreadable() const {
  return llvm::any_of(Findings, [](const ResultFinding &F) {
    return F.isLoud() &&
           (F.Check == UnreadableCheck ||
            (F.Check == SyntaxCheck && F.Level == Severity::Error));
  });
}

bool DumpResult::isNotUnderstood() const {
  return llvm::any_of(Findings, [](const ResultFinding &F) {
    return F.isLoud() && F.Check == SyntaxCheck && F.Level == Severity::Warning;
  });
}

std::string hlobuf::spellSentence(const SentenceResult &Result) {
  std::string Text = standingName(Result.Is).str();
  if (!Result.Extent.empty())
    Text += " (" + Result.Extent + ')';
  if (!Result.Assumption.empty())
    Text += " (on " + Result.Assumption + ')';
  if (!Result.Reasons.empty())
    Text += ": " + llvm::join(Result.Reasons, ", ");
  return Text;
}

/// Bytes of a source line that are shown at most.
static constexpr size_t LineBytes = 120;
/// Of these, bytes in front of the caret.
static constexpr size_t LeadBytes = 48;

/// The source line of \p P, clamped around its column, and a line with a caret
/// below \p Bytes bytes of it.
static std::string sourceExcerpt(const Place &P, size_t Bytes) {
  StringRef Line = P.LineText;
  size_t Caret = std::min(P.Column - 1, Line.size());
  size_t Begin = 0;
  if (Line.size() > LineBytes && Caret > LeadBytes)
    Begin = std::min(Caret - LeadBytes, Line.size() - LineBytes);
  while (Begin != 0 && isContinuation(Line[Begin]))
    --Begin;
  size_t End = std::min(Line.size(), Begin + LineBytes);
  while (End < Line.size() && isContinuation(Line[End]))
    ++End;
  StringRef Before = Begin == 0 ? "" : "...";
  StringRef After = End == Line.size() ? "" : "...";
  size_t Indent = Before.size() + columns(Line.slice(Begin, Caret));
  size_t Marked = columns(Line.slice(Caret, std::min(End, Caret + Bytes)));
  std::string Text =
      (Before + printableLine(Line.slice(Begin, End)) + After + "\n").str();
  Text.append(Indent, ' ');
  Text += '^';
  Text.append(Marked > 1 ? Marked - 1 : 0, '~');
  Text += '\n';
  return Text;
}

static SourceSpan resolve(const Sources &Texts, StringRef Loc) {
  Place P = Texts.place(Loc);
  if (P.File.empty())
    return {};
  size_t Rest = P.LineText.size() - std::min(P.Column - 1, P.LineText.size());
  size_t Bytes = std::min(Loc.size(), Rest);
  SourceSpan Result;
  Result.File = P.File.str();
  Result.Line = static_cast<uint32_t>(P.Line);
  Result.Column = static_cast<uint32_t>(P.Column);
  Result.EndColumn = static_cast<uint32_t>(P.Column + Bytes);
  size_t Character = 1 + columns(P.LineText.take_front(P.Column - 1));
  size_t Characters = columns(P.LineText.substr(P.Column - 1, Bytes));
  Result.Character = static_cast<uint32_t>(Character);
  Result.EndCharacter = static_cast<uint32_t>(Character + Characters);
  Result.Excerpt = sourceExcerpt(P, Loc.size());
  return Result;
}

ResultFinding hlobuf::resolveFinding(const Sources &Texts, Diagnostic &D) {
  ResultFinding F;
  F.Level = D.Level;
  F.Check = D.Check.str();
  F.Message = std::move(D.Message);
  F.Names.assign(std::make_move_iterator(D.Names.begin()),
                 std::make_move_iterator(D.Names.end()));
  F.Where = resolve(Texts, D.Where);
  for (Note &N : D.Notes)
    F.Notes.push_back({resolve(Texts, N.Where), std::move(N.Message), N.Kind,
                       std::move(N.Event)});
  F.Repeated = D.Repeated;
  F.Uncounted = D.Uncounted;
  return F;
}
