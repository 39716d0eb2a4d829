// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Budget.h"
#include "Support/Format.h"
#include "llvm/Support/GlobPattern.h"

using namespace hlobuf;

/// Values that an error of a budget names.
static constexpr size_t MaxContributors = 5;

bool hlobuf::matchesGlob(StringRef Glob, StringRef Text) {
  return Glob.empty() ||
         llvm::cantFail(llvm::GlobPattern::create(Glob)).match(Text);
}

std::optional<Budget> hlobuf::parseBudget(StringRef Text) {
  Budget B;
  B.Text = Text.str();
  if (size_t Colon = Text.rfind(':'); Colon != StringRef::npos) {
    B.Module = Text.take_front(Colon).str();
    Text = Text.drop_front(Colon + 1);
  }
  if (size_t Equal = Text.find('='); Equal != StringRef::npos) {
    B.Space = Text.take_front(Equal).str();
    Text = Text.drop_front(Equal + 1);
  }
  std::optional<uint64_t> Bytes = parseBytes(Text);
  if (auto Glob = llvm::GlobPattern::create(B.Module); !Glob) {
    llvm::consumeError(Glob.takeError());
    return std::nullopt;
  }
  if (!Bytes)
    return std::nullopt;
  B.Bytes = *Bytes;
  return B;
}

/// Reports \p Message with the values that hold the most.
static void addError(const MemorySummary &M, const SpaceSummary &S,
                     std::string Message, DumpResult &R) {
  ResultFinding &F = R.Findings.emplace_back();
  F.Check = BudgetCheck.str();
  F.Message = std::move(Message);
  F.Where = {R.Files.front().empty() ? R.Path : R.Files.front(), 1, 1, 1};
  F.Names.push_back(R.Module);
  if (&S != M.main())
    return;
  for (const HeldGroup &G : ArrayRef(M.Groups).take_front(MaxContributors)) {
    std::string Text = humanBytes(G.Bytes) + ": ";
    if (G.Count > 1)
      Text += fmt::format("{} x ", G.Count);
    Text += fmt::format("{} {}", G.First.Shape,
                        G.Label.empty() ? G.First.Name : G.Label);
    if (!G.First.Called.Source.empty())
      Text += " at " + G.First.Called.Source;
    F.Notes.push_back({F.Where, std::move(Text)});
  }
}

void hlobuf::checkBudgets(const MemorySummary &M,
                          ArrayRef<const Budget *> Budgets, DumpResult &R) {
  size_t Before = R.Findings.size();
  for (const Budget *B : Budgets) {
    if (!matchesGlob(B->Module, R.Module))
      continue;
    for (const SpaceSummary &S : M.Spaces) {
      if (B->Space.empty() ? &S != M.main()
                           : !StringRef(B->Space).equals_insensitive(S.Name))
        continue;
      R.MatchedBudgets.push_back(B);
      if (S.Allocated > B->Bytes)
        addError(M, S,
                 fmt::format("{} needs {} of {}, {} over the budget of {}",
                             R.Module, humanBytes(S.Allocated), S.Name,
                             humanBytes(S.Allocated - B->Bytes),
                             humanBytes(B->Bytes)),
                 R);
    }
  }
  if (R.Findings.size() != Before)
    setFingerprints(R);
}
