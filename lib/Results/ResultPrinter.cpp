// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Results/ResultPrinter.h"
#include "Support/Format.h"
#include "Support/Printable.h"
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

std::string hlobuf::plainLine(const ResultPlace &Where, StringRef Message) {
  if (Where.File.empty())
    return printable(Message);
  return fmt::format("{}:{}:{}: {}", printableStart(relativePath(Where.File)),
                     Where.Line, Where.Column, printable(Message));
}
