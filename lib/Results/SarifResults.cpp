// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
namespace json = llvm::json;

static constexpr StringRef Home = "https://github.com/hlobuf/hlobuf";

namespace {
/// Writes results as they come; the rules and the invocation, which depend on
/// them, stand behind.
class SarifResults : public ResultPrinter {
public:
  using ResultPrinter::ResultPrinter;

  void add(const DumpResult &R) override;
  void finish(const RunEnd &End) override;

private:
  void begin();
  void addFinding(const ResultFinding &F);
  size_t ruleIndex(StringRef Check);
  void notify(StringRef Level, StringRef Path, StringRef Text);
  json::Object describeRule(StringRef Id) const;
  void writeDriver();

  /// Made with the first result: a run may end before.
  std::optional<json::OStream> Writer;
  /// Checks in the order of their first finding.
  std::vector<std::string> Rules;
  StringMap<size_t> RuleIndex;
  json::Array Notifications;
  /// What was proved of each dump, by its path.
  json::Object Verdicts;
};
} // namespace

/// \p Path as a reference, percent-encoded.
static std::string uriOf(StringRef Path) {
  std::string Relative = relativePath(Path);
  std::string Uri = llvm::sys::path::is_absolute(Relative) ? "file://" : "";
  for (char C : Relative) {
    if (llvm::isAlnum(C) || StringRef("-._~/").contains(C))
      Uri += C;
    else
      Uri += fmt::format("%{:02X}", static_cast<unsigned char>(C));
  }
  return Uri;
}

static json::Object text(StringRef Text) {
  return json::Object{{"text", json::fixUTF8(Text)}};
}

static json::Object location(const SourceSpan &Loc) {
  json::Object Physical{
      {"artifactLocation", json::Object{{"uri", uriOf(Loc.File)}}}};
  if (Loc.Line != 0)
    Physical["region"] = json::Object{{"startLine", Loc.Line},
                                      {"startColumn", Loc.Character},
                                      {"endColumn", Loc.EndCharacter}};
  return json::Object{{"physicalLocation", std::move(Physical)}};
}

static StringRef levelName(Severity Level) {
  return Level == Severity::Lint ? "note" : severityName(Level);
}

void SarifResults::begin() {
  if (Writer)
    return;
  Writer.emplace(OS, /*IndentSize=*/1);
  json::OStream &J = *Writer;
  J.objectBegin();
  J.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  J.attribute("version", "2.1.0");
  J.attributeBegin("runs");
  J.arrayBegin();
  J.objectBegin();
  J.attribute("columnKind", "unicodeCodePoints");
  J.attributeBegin("results");
  J.arrayBegin();
}

size_t SarifResults::ruleIndex(StringRef Check) {
  auto [Row, New] = RuleIndex.try_emplace(Check, Rules.size());
  if (New)
    Rules.push_back(Check.str());
  return Row->second;
}

/// With the texts that have no place and so cannot be a related location.
static std::string wholeMessage(const ResultFinding &F) {
  std::string Text = F.Message;
  for (const ResultNote &N : F.Notes)
    if (isAdvice(N))
      Text += "; " + N.Message;
  return Text;
}

void SarifResults::addFinding(const ResultFinding &F) {
  json::Object Result{
      {"ruleId", F.Check},
      {"ruleIndex", ruleIndex(F.Check)},
      {"level", levelName(F.Level)},
      {"message", text(wholeMessage(F))},
      {"partialFingerprints", json::Object{{"hlobuf/v1", F.Fingerprint}}}};
  if (!F.Where.File.empty())
    Result["locations"] = json::Array{location(F.Where)};
  json::Array Related;
  for (const ResultNote &N : F.Notes) {
    if (isAdvice(N))
      continue;
    json::Object Place =
        N.Where.File.empty() ? json::Object() : location(N.Where);
    Place["message"] = text(N.Message);
    Related.push_back(std::move(Place));
  }
  if (!Related.empty())
    Result["relatedLocations"] = std::move(Related);
  if (!F.isLoud()) {
    bool Old = F.Silenced == Silence::Baselined;
    Result["suppressions"] = json::Array{
        json::Object{{"kind", "external"},
                     {"justification", Old ? std::string("in the baseline")
                                           : json::fixUTF8(F.Reason)}}};
  }
  Writer->value(std::move(Result));
}

void SarifResults::notify(StringRef Level, StringRef Path, StringRef Text) {
  Notifications.push_back(
      json::Object{{"level", Level},
                   {"message", text(Text)},
                   {"locations", json::Array{location({Path.str()})}}});
}

void SarifResults::add(const DumpResult &R) {
  begin();
  if (R.isUnreadable())
    return notify("error", R.Path, R.ReadError);
  json::Object Verdict;
  for (Sentence S : AllSentences)
    Verdict[sentenceKey(S)] = json::fixUTF8(spellSentence(R[S]));
  Verdicts[json::fixUTF8(R.Path)] = std::move(Verdict);
  for (const ResultFinding &F : R.Findings)
    if (F.Uncounted == 0)
      addFinding(F);
  for (const ResultMessage &M : messagesOf(R))
    if (!M.Finding)
      notify(levelName(M.Level), R.Path,
             fmt::format("{} [{}]", M.Text, M.Check));
}

json::Object SarifResults::describeRule(StringRef Id) const {
  json::Object Rule{{"id", Id}};
  std::optional<RuleText> Known = Options.Describe(Id);
  if (!Known) {
    Rule["shortDescription"] = text("every line can be read");
    return Rule;
  }
  Rule["shortDescription"] = text(Known->Summary);
  Rule["helpUri"] = fmt::format("{}/blob/main/docs/checks/{}.md", Home, Id);
  if (!Known->Page.empty())
    Rule["help"] = json::Object{{"text", json::fixUTF8(Known->Page)},
                                {"markdown", json::fixUTF8(Known->Page)}};
  Rule["defaultConfiguration"] =
      json::Object{{"level", levelName(Known->Level)}};
  return Rule;
}

void SarifResults::writeDriver() {
  json::Array Described;
  for (const std::string &Rule : Rules)
    Described.push_back(describeRule(Rule));
  Writer->attribute(
      "tool",
      json::Object{{"driver", json::Object{{"name", "hlobuf-verify"},
                                           {"version", Options.Version},
                                           {"informationUri", Home},
                                           {"rules", std::move(Described)}}}});
}

void SarifResults::finish(const RunEnd &End) {
  begin();
  json::OStream &J = *Writer;
  J.arrayEnd();
  J.attributeEnd();
  writeDriver();
  json::Object Invocation{{"executionSuccessful", End.Status != ExitUnreadable},
                          {"exitCode", static_cast<int>(End.Status)}};
  if (!Notifications.empty())
    Invocation["toolExecutionNotifications"] = std::move(Notifications);
  J.attribute("invocations", json::Array{std::move(Invocation)});
  J.attribute("properties", json::Object{{"verdict", std::move(Verdicts)}});
  J.objectEnd();
  J.arrayEnd();
  J.attributeEnd();
  J.objectEnd();
  J.flush();
  OS << '\n';
}

std::unique_ptr<ResultPrinter>
hlobuf::makeSarifPrinter(const PrintOptions &Options, raw_ostream &OS) {
  return std::make_unique<SarifResults>(Options, OS);
}
