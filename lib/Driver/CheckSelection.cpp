// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/CheckSelection.h"
#include "Driver/Budget.h"
#include "Support/Format.h"

using namespace hlobuf;

Expected<GlobList> GlobList::parse(StringRef Text) {
  GlobList List;
  while (!Text.empty()) {
    auto [Item, Rest] = Text.split(',');
    Text = Rest;
    Item = Item.trim();
    bool Negative = Item.consume_front("-");
    if (Item.empty())
      continue;
    Expected<llvm::GlobPattern> Pattern = llvm::GlobPattern::create(Item);
    if (!Pattern)
      return Pattern.takeError();
    List.Globs.push_back({Item, std::move(*Pattern), Negative});
  }
  return List;
}

GlobList::Match GlobList::match(StringRef Name) const {
  for (const Glob &G : llvm::reverse(Globs))
    if (G.Pattern.match(Name))
      return G.Negative ? Match::Out : Match::In;
  return Match::None;
}

GlobList GlobList::only(function_ref<bool(StringRef, bool)> Keep) const {
  GlobList List;
  for (const Glob &G : Globs)
    if (Keep(G.Text, G.Negative))
      List.Globs.push_back(G);
  return List;
}

std::vector<StringRef> GlobList::unmatched(ArrayRef<StringRef> Names) const {
  std::vector<StringRef> Result;
  for (const Glob &G : Globs)
    if (llvm::none_of(Names,
                      [&](StringRef Name) { return G.Pattern.match(Name); }))
      Result.push_back(G.Text);
  return Result;
}

std::string hlobuf::unknownCheck(StringRef Name) {
  StringRef Nearest;
  auto Least = static_cast<unsigned>(Name.size() / 3 + 1);
  for (const CheckInfo &Info : allChecks()) {
    unsigned Distance = Name.edit_distance(Info.Id, true, Least);
    if (Distance < Least) {
      Least = Distance;
      Nearest = Info.Id;
    }
  }
  std::string Text = fmt::format("no check is named '{}'", Name);
  if (!Nearest.empty())
    Text += fmt::format("; did you mean '{}'?", Nearest);
  return Text + " (see --explain)";
}

std::string hlobuf::problemWithGlobs(StringRef Globs, bool Requirements) {
  if (Globs.empty())
    return "";
  Expected<GlobList> Parsed = GlobList::parse(Globs);
  if (!Parsed)
    return llvm::toString(Parsed.takeError());
  std::vector<StringRef> Ids = {SyntaxCheck, UnreadableCheck, BudgetCheck};
  for (const CheckInfo &Info : allChecks())
    Ids.push_back(Info.Id);
  if (Requirements)
    llvm::append_range(Ids, llvm::map_range(AllSentences, sentenceKey));
  for (StringRef Glob : Parsed->unmatched(Ids))
    return unknownCheck(Glob);
  return "";
}

Expected<CheckSelection> CheckSelection::create(const GlobTexts &Texts) {
  CheckSelection Selection;
  for (auto [List, Option, Text] :
       {std::tuple(&Selection.Checks, "--checks", &Texts.Checks),
        std::tuple(&Selection.WarningsAsErrors, "--warnings-as-errors",
                   &Texts.WarningsAsErrors),
        std::tuple(&Selection.Require, "--require", &Texts.Require)}) {
    if (std::string Problem =
            problemWithGlobs(*Text, List == &Selection.Require);
        !Problem.empty())
      return makeError("{}: {}", Option, Problem);
    *List = llvm::cantFail(GlobList::parse(*Text));
  }
  Selection.Waste = Selection.Checks.only([](StringRef Glob, bool Excludes) {
    return Excludes || Glob.starts_with(WastePrefix);
  });
  return Selection;
}

bool CheckSelection::isEmpty() const {
  return llvm::none_of(allChecks(),
                       [&](const CheckInfo &Info) { return enabled(Info); });
}

bool CheckSelection::enabled(const CheckInfo &Info) const {
  GlobList::Match Found = match(Info.Id);
  return Found == GlobList::Match::In ||
         (Found == GlobList::Match::None && Info.Level != Severity::Lint);
}
