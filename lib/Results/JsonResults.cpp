// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Results/Timeline.h"
#include "Support/Json.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
namespace json = llvm::json;

namespace {
class JsonResults : public ResultPrinter {
public:
  using ResultPrinter::ResultPrinter;

  void add(const DumpResult &R) override;
};
} // namespace

static void writePlace(json::OStream &J, const SourceSpan &Loc) {
  if (Loc.File.empty())
    return;
  writeText(J, "file", Loc.File);
  if (Loc.Line == 0)
    return;
  J.attribute("line", Loc.Line);
  J.attribute("column", Loc.Column);
  J.attribute("end_column", Loc.EndColumn);
}

static void writeFinding(json::OStream &J, const DumpResult &R,
                         const ResultFinding &F) {
  writeText(J, "check", F.Check);
  writeText(J, "severity", severityName(F.Level));
  writeText(J, "message", F.Message);
  writeTexts(J, "names", F.Names);
  writeText(J, "fingerprint", F.Fingerprint);
  writePlace(J, F.Where);
  writeRows(J, "notes", F.Notes, [&](const ResultNote &N) {
    writeText(J, "message", N.Message);
    if (N.Kind != NoteKind::Plain)
      writeText(J, "kind", noteKindName(N.Kind));
    if (N.Kind == NoteKind::Step && N.Event.Step >= 0)
      J.attribute("step", N.Event.Step);
    writePlace(J, N.Where);
  });
  if (F.isTimeline())
    writeTexts(J, "timeline", layOutTimeline(R, F, ReportWidth));
}

static void writeFiles(json::OStream &J, const DumpResult &R) {
  J.attributeObject("files", [&] {
    for (size_t Role = 0; Role != NumFileRoles; ++Role)
      if (!R.Files[Role].empty())
        writeText(J, infoOf(static_cast<FileRole>(Role)).Key, R.Files[Role]);
  });
}

static void writeSentences(json::OStream &J, const DumpResult &R) {
  J.attributeObject("verdict", [&] {
    for (Sentence S : AllSentences)
      J.attributeObject(sentenceKey(S), [&] {
        const SentenceResult &Result = R[S];
        writeText(J, "status", standingName(Result.Is));
        writeTexts(J, "because", Result.Reasons);
        if (!Result.Assumption.empty())
          writeText(J, "given", Result.Assumption);
        if (!Result.Extent.empty())
          writeText(J, "extent", Result.Extent);
      });
  });
}

/// Of each kind of statement, how many ended how.
static void writeObligations(json::OStream &J, const DumpResult &R) {
  static constexpr StringRef Names[] = {"proved", "assumed", "gap", "violated"};
  J.attributeObject("obligations", [&] {
    for (const ResultCheck &C : R.Checks)
      for (const auto &[Kind, Counts] : C.Proof.Obligations)
        J.attributeObject(Kind, [&, &Counts = Counts] {
          for (auto [Name, Count] : llvm::zip(Names, Counts))
            J.attribute(Name, Count);
        });
  });
}

static void writeVerdict(json::OStream &J, const DumpResult &R) {
  J.attribute("errors", R.errors());
  J.attribute("warnings", R.count(Severity::Warning));
  J.attribute("suppressed", R.count(Silence::Suppressed));
  J.attribute("baselined", R.count(Silence::Baselined));
  J.attribute("checks", R.Checks.size());
  J.attribute("passed", R.passed());
  J.attribute("verified", R.Verified);
  writeSentences(J, R);
  writeObligations(J, R);
  writeRows(J, "not_checked", R.Skipped, [&](const SkippedCheck &Skipped) {
    writeText(J, "check", Skipped.Check);
    writeText(J, "reason", Skipped.Reason);
    writeText(J, "class", skipKindName(Skipped.Kind));
    if (Skipped.Missing)
      writeText(J, "missing", infoOf(*Skipped.Missing).Key);
    if (Skipped.Required)
      J.attribute("required", true);
  });
  writeRows(J, "assumed", R.Exempted, [&](const ResultExempt &E) {
    writeText(J, "check", E.Check);
    writeText(J, "gate", E.Gate);
    J.attribute("count", E.Count);
  });
  writeTexts(J, "unused_files", R.UnusedFiles);
  J.attributeArray("findings", [&] {
    for (const ResultFinding &F : R.Findings)
      if (F.isListed())
        J.object([&] { writeFinding(J, R, F); });
  });
}

/// Findings that are counted and not listed; a key that few dumps have.
static void writeUncounted(json::OStream &J, const DumpResult &R) {
  auto Counted = llvm::make_filter_range(
      R.Findings, [](const auto &F) { return F.isLoud() && F.Uncounted != 0; });
  if (!Counted.empty())
    writeRows(J, "not_listed", Counted, [&](const ResultFinding &F) {
      writeText(J, "check", F.Check);
      writeText(J, "severity", severityName(F.Level));
      J.attribute("count", F.Uncounted);
    });
}

void JsonResults::add(const DumpResult &R) {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("schema", 1);
    writeText(J, "tool", "hlobuf-verify");
    writeText(J, "version", Options.Version);
    writeText(J, "dump", R.Path);
    writeText(J, "module", R.Module);
    writeFiles(J, R);
    writeText(J, "status",
              R.isUnreadable() || R.hasUnreadable() ? "unreadable"
              : R.hasErrors()                       ? "errors"
              : R.isNotUnderstood()                 ? "unreadable"
                                                    : "sound");
    writeVerdict(J, R);
    writeUncounted(J, R);
    if (R.Memory) {
      J.attributeBegin("summary");
      writeMemory(*R.Memory, J);
      J.attributeEnd();
    }
    if (R.isUnreadable())
      writeText(J, "input_error", R.ReadError);
  });
  OS << '\n';
}

std::unique_ptr<ResultPrinter>
hlobuf::makeJsonPrinter(const PrintOptions &Options, raw_ostream &OS) {
  return std::make_unique<JsonResults>(Options, OS);
}
