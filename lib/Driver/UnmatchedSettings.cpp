// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/UnmatchedSettings.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;
using llvm::StringRef;

void UnmatchedSettings::note(const DumpResult &R, const Settings &Applied) {
  Used.insert(&Applied);
  std::set<std::string> &Spaces = Modules[R.Module];
  Spaces.insert(R.SpaceNames.begin(), R.SpaceNames.end());
  GrowthKnown |= R.InStoredSummary;
  Answered.resize(Options.Memory.Questions.size());
  if (R.Memory)
    for (const auto &[I, Answer] : llvm::enumerate(R.Memory->Answers))
      Answered[I] = Answered[I] || !Answer.Lines.empty();
  for (const auto &[I, B] : llvm::enumerate(Applied.Budgets)) {
    bool Given = I < Options.Budgets.size();
    Source &From = Sources[Given ? nullptr : Applied.File];
    size_t At = Given ? I : I - Options.Budgets.size();
    if (From.Matched.size() <= At) {
      From.Matched.resize(At + 1);
      From.Budgets.resize(At + 1);
    }
    From.Budgets[At] = &B;
    if (llvm::is_contained(R.MatchedBudgets, I))
      From.Matched[At] = true;
  }
}

/// Modules and memory spaces that a problem names.
static constexpr size_t MaxUnmatched = 4;

/// What there is where \p B looks for a module or a memory space.
std::string UnmatchedSettings::whyNot(const Budget &B) const {
  auto Glob = llvm::cantFail(llvm::GlobPattern::create(B.Module));
  std::vector<std::string> Names;
  std::set<std::string> Spaces;
  for (const auto &[Module, There] : Modules) {
    Names.push_back(Module);
    if (Glob.match(Module))
      Spaces.insert(There.begin(), There.end());
  }
  if (llvm::none_of(Names, [&](StringRef Name) { return Glob.match(Name); }))
    return fmt::format("no module has this name, only {}",
                       listNames(Names, MaxUnmatched));
  if (Spaces.empty())
    return "no module with this name has a known need of memory";
  return fmt::format("no module with this name has a memory space '{}', only "
                     "{}",
                     B.Space,
                     listNames({Spaces.begin(), Spaces.end()}, MaxUnmatched));
}

void UnmatchedSettings::findBudgets(const ActiveConfig *File,
                                    const Source &From, List &Found) const {
  for (const auto &[I, B] : llvm::enumerate(From.Budgets))
    if (!From.Matched[I])
      Found.emplace_back(
          File ? fmt::format("{}:{}: ", File->Source->File, B->Line) : "",
          fmt::format("{} matches nothing: {}",
                      File ? "the budget" : "--max-peak=" + B->Text,
                      whyNot(*B)));
}

/// The checks that run on some dump with the configuration \p File; on any
/// dump if it is null.
void UnmatchedSettings::findRequirements(const ActiveConfig *File,
                                         List &Found) const {
  StringRef Text =
      File ? StringRef(File->Source->Require.Text) : StringRef(Options.Require);
  if (Text.empty())
    return;
  std::vector<StringRef> Running;
  for (const CheckInfo &Info : allChecks())
    if (llvm::any_of(Used, [&](const Settings *S) {
          return (!File || S->File == File) && S->Selection.enabled(Info);
        }))
      Running.push_back(Info.Id);
  GlobList Globs =
      llvm::cantFail(GlobList::parse(Text)).only([](StringRef, bool Excludes) {
        return !Excludes;
      });
  for (StringRef Glob : Globs.unmatched(Running))
    Found.emplace_back(
        File ? File->Source->File + ": " : "",
        fmt::format("{}: '{}' requires nothing: no check that is switched on "
                    "has this name",
                    File ? "require" : "--require", Glob));
}

void UnmatchedSettings::findGrowth(List &Found) const {
  if (!Options.MaxGrowth || GrowthKnown)
    return;
  std::vector<std::string> Names;
  for (const auto &[Module, Spaces] : Modules)
    Names.push_back(Module);
  Found.emplace_back("", fmt::format("--max-growth matches nothing: {} has no "
                                     "summary of {}",
                                     Options.MaxGrowth->File,
                                     listNames(Names, MaxUnmatched)));
}

void UnmatchedSettings::findQuestions(List &Found) const {
  for (const auto &[I, Asked] : llvm::enumerate(Options.Memory.Questions)) {
    if (Answered[I])
      continue;
    std::string Text = "--why=" + Asked.Value;
    if (Asked.What == WhyQuestion::Kind::NotInPlace)
      Text = "--why-not-in-place=" + Asked.Value;
    else if (Asked.What == WhyQuestion::Kind::Apart)
      Text = fmt::format("--why={}:{}", Asked.Value, Asked.Other);
    Found.emplace_back(
        "", Text + " matches nothing: give names of values as the dump spells "
                   "them, such as fusion.1 or fusion.1{0}");
  }
}

std::vector<UnmatchedSettings::Problem> UnmatchedSettings::find() const {
  if (Used.empty())
    return {};
  List OfLine;
  List OfFiles;
  for (const auto &[File, From] : Sources)
    findBudgets(File, From, File ? OfFiles : OfLine);
  findGrowth(OfLine);
  findQuestions(OfLine);
  findRequirements(nullptr, OfLine);
  std::set<const ActiveConfig *> Files;
  for (const Settings *S : Used)
    if (S->File && Files.insert(S->File).second)
      findRequirements(S->File, OfFiles);
  // By their texts, not by addresses.
  llvm::sort(OfFiles);

  bool Strict = !Options.AllowUnmatched && Options.Shards == 1;
  std::vector<Problem> Problems;
  auto Add = [&](const List &Found, bool IsError) {
    for (const auto &[Where, Text] : Found)
      Problems.push_back(
          {IsError,
           fmt::format("{}{}: {}", Where, IsError ? "error" : "note", Text)});
  };
  Add(OfLine, Strict);
  Add(OfFiles, Strict && Options.hasFolder());
  return Problems;
}
