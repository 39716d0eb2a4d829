// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/DumpComments.h"
#include "Results/ResultPrinter.h"
#include "Support/Format.h"
#include "llvm/Support/Regex.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef MismatchCheck = "verify-diagnostics";

namespace {
struct Expectation {
  ResultPlace Here;
  /// The line that it is about; nothing for `@unknown`.
  uint32_t Target = 0;
  /// `error`, `warning`, `lint` or `note`.
  StringRef Kind;
  StringRef Text;
  bool Regex = false;
  bool Met = false;
};
} // namespace

static ResultFinding mismatch(ResultPlace Where, std::string Message) {
  ResultFinding F;
  F.Level = Severity::Error;
  F.Check = MismatchCheck.str();
  F.Message = std::move(Message);
  F.Where = std::move(Where);
  return F;
}

/// `@+1`, `@-1`, `@above`, `@below`, `@unknown`, or nothing: this line. What is
/// wrong with it.
static std::string parseLine(StringRef &Rest, const DumpComment &Comment,
                             Expectation &E) {
  E.Target = E.Here.Line;
  Rest = Rest.ltrim();
  if (!Rest.consume_front("@"))
    return "";
  for (auto [Word, Line] :
       {std::pair("below", Comment.Below), std::pair("above", Comment.Above),
        std::pair("unknown", 0u)})
    if (Rest.consume_front(Word)) {
      E.Target = Line;
      return "";
    }
  bool Back = Rest.starts_with("-");
  uint32_t Distance = 0;
  if (!(Rest.consume_front("-") || Rest.consume_front("+")) ||
      Rest.consumeInteger(10, Distance))
    return "expected @+N, @-N, @above, @below or @unknown";
  E.Target = Back ? E.Target - Distance : E.Target + Distance;
  return "";
}

/// What is after `expected-`; returns what is wrong with it.
static std::string parse(StringRef Rest, const DumpComment &Comment,
                         Expectation &E) {
  for (StringRef Kind : {"error", "warning", "lint", "note"})
    if (Rest.consume_front(Kind)) {
      E.Kind = Kind;
      break;
    }
  if (E.Kind.empty())
    return "expected error, warning, lint or note after 'expected-'";
  E.Regex = Rest.consume_front("-re");
  if (std::string Problem = parseLine(Rest, Comment, E); !Problem.empty())
    return Problem;
  Rest = Rest.trim();
  if (!Rest.consume_front("{{") || !Rest.consume_back("}}"))
    return "expected the message between '{{' and '}}'";
  E.Text = Rest;
  return "";
}

/// The literal parts of \p Text quoted, and what is between `{{` and `}}`.
static std::string regexOf(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    size_t Begin = std::min(Text.find("{{"), Text.size());
    Result += llvm::Regex::escape(Text.take_front(Begin));
    Text = Text.drop_front(Begin);
    if (!Text.consume_front("{{"))
      continue;
    size_t End = std::min(Text.find("}}"), Text.size());
    Result += fmt::format("({})", Text.take_front(End));
    Text = Text.drop_front(std::min(End + 2, Text.size()));
  }
  return Result;
}

static bool fits(const Expectation &E, const ResultPlace &Where, StringRef Kind,
                 const std::string &Message) {
  if (E.Kind != Kind || Where.Line != E.Target ||
      (E.Target != 0 && Where.File != E.Here.File))
    return false;
  return E.Regex ? llvm::Regex(regexOf(E.Text)).match(Message)
                 : StringRef(Message).contains(E.Text);
}

/// Marks the expectation that a message meets; false if none does.
static bool meet(std::vector<Expectation> &All, const ResultPlace &Where,
                 StringRef Kind, const std::string &Message) {
  for (Expectation &E : All)
    if (!E.Met && fits(E, Where, Kind, Message)) {
      E.Met = true;
      return true;
    }
  return false;
}

namespace {
/// What the comments of a dump say, compared with what was found.
struct ExpectationDiff {
  std::vector<Expectation> All;
  std::vector<ResultFinding> Malformed;
  std::vector<const ResultFinding *> Unexpected;
};
} // namespace

static std::string spellMessage(const ResultFinding &F) {
  return fmt::format("{} [{}]", F.Message, F.Check);
}

/// Adds the comments of one file to \p C.
static void read(const Sources &Texts, const DumpFile &File,
                 ExpectationDiff &C) {
  for (DumpComment &Comment : commentsOf(Texts, File.Text)) {
    StringRef Rest = Comment.Text.drop_front(2).ltrim();
    if (!Rest.consume_front("expected-"))
      continue;
    Expectation E;
    E.Here = {std::move(Comment.File), Comment.Line, 1,
              static_cast<uint32_t>(Comment.Text.size() + 1)};
    E.Here.Excerpt = Comment.Text.str() + "\n^\n";
    std::string Problem = parse(Rest, Comment, E);
    if (Problem.empty())
      C.All.push_back(std::move(E));
    else
      C.Malformed.push_back(mismatch(std::move(E.Here), std::move(Problem)));
  }
}

static ExpectationDiff compareFindings(const DumpResult &R,
                                       const LoadedDump &L) {
  ExpectationDiff C;
  for (const DumpFile &File : L.Model->Files)
    read(L.Texts, File, C);
  for (const ResultFinding &F : R.Findings) {
    if (!F.isLoud())
      continue;
    for (const ResultNote &N : F.Notes)
      meet(C.All, N.Where, "note", N.Message);
    if (!meet(C.All, F.Where, severityName(F.Level), spellMessage(F)))
      C.Unexpected.push_back(&F);
  }
  return C;
}

void hlobuf::matchExpectations(DumpResult &R, const LoadedDump &L) {
  ExpectationDiff Compared = compareFindings(R, L);
  std::vector<ResultFinding> Differences = std::move(Compared.Malformed);
  for (const ResultFinding *F : Compared.Unexpected)
    Differences.push_back(mismatch(F->Where, fmt::format("unexpected {}: {}",
                                                         severityName(F->Level),
                                                         spellMessage(*F))));
  for (Expectation &E : Compared.All)
    if (!E.Met)
      Differences.push_back(mismatch(
          std::move(E.Here),
          fmt::format("expected {} \"{}\" was not found", E.Kind, E.Text)));
  for (const ResultUncounted &U : R.Uncounted)
    if (U.isLoud())
      Differences.push_back(mismatch({R.Path}, uncountedLine(U)));
  // What was expected is not a reason to say that a check did not pass.
  if (Differences.empty())
    for (ResultCheck &C : R.Checks)
      if (C.Outcome == CheckOutcome::Found)
        C.Outcome = CheckOutcome::Passed;
  R.Findings = std::move(Differences);
  R.Uncounted.clear();
  setFingerprints(R);
}
