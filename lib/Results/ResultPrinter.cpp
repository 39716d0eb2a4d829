// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

std::unique_ptr<ResultPrinter> hlobuf::makePrinter(OutputFormat Format,
                                                   const PrintOptions &Options,
                                                   raw_ostream &OS) {
  static constexpr decltype(&makeTextPrinter) Makers[] = {
#define HLOBUF_FORMAT(Name, Spelling, Help) make##Name##Printer,
#include "Results/Formats.def"
  };
  return Makers[static_cast<size_t>(Format)](Options, OS);
}

std::string hlobuf::relativePath(StringRef Path) {
  llvm::SmallString<256> Clean = Path;
  llvm::sys::path::remove_dots(Clean, /*remove_dot_dot=*/false);
  llvm::SmallString<256> Folder;
  StringRef Rest = Clean;
  bool IsBelow = llvm::sys::path::is_absolute(Clean) &&
                 !llvm::sys::fs::current_path(Folder) &&
                 Rest.consume_front(Folder) && Rest.consume_front("/");
  return IsBelow ? Rest.str() : std::string(Clean);
}

/// `9 more findings of this check are`.
static std::string moreFindings(unsigned Count) {
  return counted(Count, "more finding") + " of this check " +
         (Count == 1 ? "is" : "are");
}

std::vector<ResultMessage> hlobuf::messagesOf(const DumpResult &R,
                                              unsigned Limit) {
  std::vector<ResultMessage> All;
  llvm::MapVector<StringRef, unsigned> Counts;
  for (const ResultFinding &F : R.Findings)
    if (F.isLoud() && F.Uncounted != 0 && Limit != 0)
      Counts[F.Check] += F.Uncounted;
    else if (F.isLoud() && F.Uncounted != 0)
      All.push_back({F.Level, F.Check,
                     moreFindings(F.Uncounted) + " only counted", nullptr,
                     true});
    else if (F.isLoud() && (++Counts[F.Check] <= Limit || Limit == 0))
      All.push_back({F.Level, F.Check, F.Message, &F});
  for (const auto &[Check, Count] : Counts)
    if (Limit != 0 && Count > Limit)
      All.push_back(
          {Severity::Error, Check,
           moreFindings(Count - Limit) + " not shown (see --error-limit)",
           nullptr, true});
  for (const SkippedCheck &Skipped : R.Skipped)
    if (Skipped.Required)
      All.push_back({Severity::Error, Skipped.Check,
                     "required check could not run: " + Skipped.Reason});
  return All;
}

std::string hlobuf::plainLine(const SourceSpan &Loc, StringRef Message) {
  if (Loc.File.empty())
    return printable(Message);
  return fmt::format("{}:{}:{}: {}", printableStart(relativePath(Loc.File)),
                     Loc.Line, Loc.Column, printable(Message));
}
