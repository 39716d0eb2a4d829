// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Support/Format.h"
#include "Support/Printable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;

std::unique_ptr<ResultPrinter> hlobuf::makePrinter(OutputFormat Format,
                                                   const PrintOptions &Options,
                                                   llvm::raw_ostream &OS) {
  static constexpr decltype(&makeTextPrinter) Makers[] = {
#define HLOBUF_FORMAT(Name, Spelling, Help) make##Name##Printer,
#include "Results/Formats.def"
  };
  return Makers[static_cast<size_t>(Format)](Options, OS);
}

std::string hlobuf::relativePath(StringRef Path) {
  llvm::SmallString<256> Clean = Path;
  llvm::sys::path::remove_dots(Clean, /*remove_dot_dot=*/false);
  if (!llvm::sys::path::is_absolute(Clean))
    return std::string(Clean);
  llvm::SmallString<256> Here;
  StringRef Rest = Clean;
  if (llvm::sys::fs::current_path(Here) || !Rest.consume_front(Here) ||
      !Rest.consume_front("/"))
    return std::string(Clean);
  return Rest.str();
}

std::string hlobuf::moreFindings(unsigned Count) {
  return counted(Count, "more finding") + " of this check " +
         (Count == 1 ? "is" : "are");
}

std::string hlobuf::uncountedLine(const ResultUncounted &U) {
  return fmt::format("{} only counted [{}]", moreFindings(U.Count), U.Check);
}

ShownFindings hlobuf::selectFindings(const DumpResult &R, unsigned Limit) {
  ShownFindings Shown;
  llvm::MapVector<StringRef, unsigned> Counts;
  for (const ResultFinding &F : R.Findings)
    if (F.isLoud() && (++Counts[F.Check] <= Limit || Limit == 0))
      Shown.Findings.push_back(&F);
  for (const ResultUncounted &U : R.Uncounted)
    if (U.isLoud() && Limit != 0)
      Counts[U.Check] += U.Count;
    else if (U.isLoud())
      Shown.More.push_back(uncountedLine(U));
  for (const auto &[Check, Count] : Counts)
    if (Limit != 0 && Count > Limit)
      Shown.More.push_back(fmt::format("{} not shown (see --error-limit) [{}]",
                                       moreFindings(Count - Limit), Check));
  return Shown;
}

std::string hlobuf::plainLine(const ResultPlace &Where, StringRef Message) {
  if (Where.File.empty())
    return printable(Message);
  return fmt::format("{}:{}:{}: {}", printableStart(relativePath(Where.File)),
                     Where.Line, Where.Column, printable(Message));
}
