// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Budget.h"
#include "Support/Format.h"
#include "Support/Json.h"
#include "Support/Sources.h"
#include "llvm/Support/GlobPattern.h"

using namespace hlobuf;
namespace json = llvm::json;

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

/// Adds a line of JSON to \p G; lines without a summary say nothing.
static void addStored(StringRef Line, Growth &G) {
  std::optional<json::Object> Dump = parseJsonObject(Line);
  const json::Object *Summary = Dump ? Dump->getObject("summary") : nullptr;
  const json::Array *Spaces = Summary ? Summary->getArray("spaces") : nullptr;
  if (!Spaces)
    return;
  std::string Module = Dump->getString("module").value_or("").str();
  for (const json::Value &Space : *Spaces)
    if (const json::Object *S = Space.getAsObject()) {
      uint64_t &Bytes =
          G.Stored[{Module, S->getString("name").value_or("").str()}];
      int64_t Known = S->getInteger("bytes").value_or(0);
      Bytes = std::max(Bytes, uint64_t(std::max<int64_t>(Known, 0)));
    }
}

Expected<Growth> hlobuf::readGrowth(StringRef Text) {
  Growth G;
  auto [Limit, File] = Text.split(':');
  G.File = File.str();
  std::optional<GrowthLimit> Known = parseGrowthLimit(Limit);
  if (!Known)
    return makeError("--max-growth: expected 5%:FILE or 100MiB:FILE");
  G.Limit = *Known;
  Sources Texts;
  Expected<StringRef> Stored = Texts.open(
      G.File, [](StringRef Start) { return Start.ltrim().starts_with("{"); });
  if (!Stored)
    return makeError("--max-growth: cannot read '{}': {}", G.File,
                     llvm::toString(Stored.takeError()));
  for (StringRef Line : llvm::split(*Stored, '\n'))
    addStored(Line, G);
  if (G.Stored.empty())
    return makeError("--max-growth: '{}' has no summaries: hlobuf-verify "
                     "--summary --format=json writes them",
                     G.File);
  return G;
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

static void checkGrowth(const MemorySummary &M, const Growth &Limit,
                        DumpResult &R) {
  for (const SpaceSummary &S : M.Spaces) {
    auto Known = Limit.Stored.find({R.Module, S.Name});
    R.InStoredSummary |= Known != Limit.Stored.end();
    if (Known == Limit.Stored.end() ||
        Limit.Limit.allows(Known->second, S.Allocated))
      continue;
    uint64_t More = S.Allocated - Known->second;
    double Percent = Known->second == 0
                         ? 100.0
                         : 100.0 * double(More) / double(Known->second);
    addError(M, S,
             fmt::format("{} needs {} of {}, {} ({:.1f}%) more than in {}",
                         R.Module, humanBytes(S.Allocated), S.Name,
                         humanBytes(More), Percent, Limit.File),
             R);
  }
}

void hlobuf::checkBudgets(const MemorySummary &M,
                          ArrayRef<const Budget *> Budgets, const Growth *Limit,
                          DumpResult &R) {
  size_t Before = R.Findings.size();
  for (const SpaceSummary &S : M.Spaces)
    R.SpaceNames.push_back(S.Name);
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
  if (Limit)
    checkGrowth(M, *Limit, R);
  if (R.Findings.size() != Before)
    setFingerprints(R);
}
