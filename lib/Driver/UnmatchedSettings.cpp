// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/UnmatchedSettings.h"
#include "Support/Format.h"

using namespace hlobuf;

void UnmatchedSettings::note(const DumpResult &R, const Settings &Applied) {
  Used.insert(&Applied);
  Answered.resize(Options.Memory.Explained.size());
  if (R.Memory)
    for (const auto &[I, Answer] : llvm::enumerate(R.Memory->Answers))
      Answered[I] = Answered[I] || !Answer.Lines.empty();
  Matched.insert(R.MatchedBudgets.begin(), R.MatchedBudgets.end());
}

/// The budgets of \p File; of the command line if it is null.
void UnmatchedSettings::findBudgets(const Config *File, List &Problems) const {
  for (const Budget &B : File ? File->Budgets : Options.Budgets)
    if (!Matched.contains(&B))
      Problems.emplace_back(
          File ? fmt::format("{}:{}: ", File->File, B.Line) : "",
          fmt::format("{} matches nothing: --summary lists modules and memory "
                      "spaces",
                      File ? "the budget" : "--max-peak=" + B.Text));
}

/// The checks that run on some dump with the configuration \p File; on any
/// dump if it is null.
void UnmatchedSettings::findRequirements(const Config *File,
                                         List &Problems) const {
  StringRef Text =
      File ? StringRef(File->Require.Text) : StringRef(Options.Globs.Require);
  if (Text.empty())
    return;
  std::vector<StringRef> Running;
  for (const CheckInfo &Info : allChecks())
    if (llvm::any_of(Used, [&](const Settings *S) {
          return (!File || S->File == File) && S->Selection.enabled(Info);
        }))
      Running.push_back(Info.Id);
  llvm::append_range(Running, llvm::map_range(AllSentences, sentenceKey));
  GlobList Globs =
      llvm::cantFail(GlobList::parse(Text)).only([](StringRef, bool Excludes) {
        return !Excludes;
      });
  for (StringRef Glob : Globs.unmatched(Running))
    Problems.emplace_back(File ? File->File + ": " : "",
                          fmt::format("{}: '{}' requires nothing: no check "
                                      "that is switched on has this name",
                                      File ? "require" : "--require", Glob));
}

void UnmatchedSettings::findQuestions(List &Problems) const {
  for (const auto &[I, Spelled] : llvm::enumerate(Options.Memory.Explained))
    if (!Answered[I])
      Problems.emplace_back(
          "", fmt::format(
                  "--why={} matches nothing: give a value as the dump spells "
                  "it, such as fusion.1{{0}}, an instruction, an argument "
                  "or a source line, or two with a colon between them",
                  Spelled));
}

std::vector<UnmatchedSettings::Problem> UnmatchedSettings::find() const {
  if (Used.empty())
    return {};
  List OfLine;
  List OfFiles;
  findBudgets(nullptr, OfLine);
  findQuestions(OfLine);
  findRequirements(nullptr, OfLine);
  std::set<const Config *> Files;
  for (const Settings *S : Used)
    if (S->File && Files.insert(S->File).second) {
      findBudgets(S->File, OfFiles);
      findRequirements(S->File, OfFiles);
    }
  // By their texts, not by addresses.
  llvm::sort(OfFiles);

  bool Strict = !Options.AllowUnmatched && Options.Shards == 1;
  std::vector<Problem> Problems;
  auto Add = [&](const List &Unmatched, bool IsError) {
    for (const auto &[Where, Text] : Unmatched)
      Problems.push_back(
          {IsError,
           fmt::format("{}{}: {}", Where, IsError ? "error" : "note", Text)});
  };
  Add(OfLine, Strict);
  Add(OfFiles, Strict && Options.hasFolder());
  return Problems;
}
