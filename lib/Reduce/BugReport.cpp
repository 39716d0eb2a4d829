// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/BugReport.h"
#include "Driver/Driver.h"
#include "Reduce/Compiler.h"
#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "Support/PrivateFolder.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
namespace fs = llvm::sys::fs;

/// What hlobuf-verify prints about \p Folder.
static std::string verdictOn(const std::string &Folder) {
  VerifyOptions Options;
  Options.Inputs = {Folder};
  Options.NoConfig = true;
  Options.Jobs = 1;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  runVerify(Options, OS, OS);
  OS.flush();
  // Places are named relative to the report.
  std::string Parent = StringRef(Folder).rsplit('/').first.str() + "/";
  return llvm::join(llvm::split(Text, Parent), "");
}

/// What follows \p Label on the first line of \p Verdict that begins with it.
static std::string lineOf(StringRef Verdict, StringRef Label) {
  for (StringRef Line : llvm::split(Verdict, '\n'))
    if (Line = Line.ltrim(); Line.consume_front(Label))
      return Line.trim().str();
  return "";
}

static std::string firstError(StringRef Verdict) {
  size_t Pos = Verdict.find(" error: ");
  return Pos == StringRef::npos
             ? ""
             : Verdict.substr(Pos + 8).split('\n').first.str();
}

namespace {
/// What was found out about the program.
struct ReportFacts {
  std::string Versions;
  std::string System;
  std::string Verdict;
  /// How many numbers are wrong; empty where it was not run.
  std::string Numbers;
  /// reproduce.py runs it.
  bool Runs = false;
};
} // namespace

static std::string reportText(const EditModule &M,
                              const BugReportOptions &Options,
                              const ReportFacts &Facts) {
  std::string Error = firstError(Facts.Verdict);
  std::string Out = fmt::format(
      "# Wrong buffer assignment for {}: {}\n\n", Options.Compile.Target,
      Error.empty() ? "wrong numbers" : Error.substr(0, Error.rfind(" [")));
  Out += fmt::format(
      "## Description\n\nThe program below is miscompiled for `{}` by {}.\n",
      Options.Compile.Target, Facts.Versions);
  if (!Facts.Numbers.empty())
    Out += fmt::format("Compiled and run on CPU, {}, compared with the same "
                       "operations, each compiled and run alone.\n",
                       Facts.Numbers);
  else
    Out += "It was compiled and not run: the evidence is the buffer assignment "
           "that XLA dumps.\n";
  if (std::string Reason = lineOf(Facts.Verdict, "why:"); !Reason.empty())
    Out += "\n" + Reason + ".\n";
  if (std::string Known = lineOf(Facts.Verdict, "known:"); !Known.empty())
    Out += "\nIt " + Known + ".\n";
  Out += fmt::format("\n## Program\n\n{} instructions, reduced from {}:\n\n"
                     "```\n{}```\n\n",
                     M.size(), Options.OriginalSize, editModuleText(M));
  Out += fmt::format(
      "`python reproduce.py` compiles it{}. `program.mlir` is the same as "
      "StableHLO.\n\n## What the buffer assignment says\n\n```\n{}```\n\n",
      Facts.Runs
          ? ", prints the expected and the actual numbers, and exits with 1"
          : "",
      Facts.Verdict);
  Out += "`dump` has the buffer assignment and the module after each pass. The "
         "text above is printed by `hlobuf-verify dump`.\n\n";
  Out += fmt::format("## System info\n\n{}\n", Facts.System);
  return Out;
}

Error hlobuf::makeReportFolder(StringRef Folder) {
  if (std::error_code Error = fs::create_directories(Folder))
    return makeError("'{}': {}", Folder, Error.message());
  std::error_code Error;
  fs::directory_iterator First(Folder, Error);
  if (Error)
    return makeError("'{}': {}", Folder, Error.message());
  if (First != fs::directory_iterator())
    return makeError("'{}' is not empty; a report goes to a new folder",
                     Folder);
  if (std::error_code Denied = fs::access(Folder, fs::AccessMode::Write))
    return makeError("'{}': {}", Folder, Denied.message());
  return Error::success();
}

/// Moves what is in the folder \p From to \p To, where nothing is replaced.
static Error moveInto(StringRef From, StringRef To) {
  for (const std::string &Path : pathsIn(From)) {
    std::string Target = (To + "/" + llvm::sys::path::filename(Path)).str();
    fs::file_status Status;
    if (!fs::status(Target, Status, /*follow=*/false))
      return makeError("'{}' is there already", Target);
    if (std::error_code Failed = fs::rename(Path, Target))
      return makeError("'{}': {}", Target, Failed.message());
  }
  return Error::success();
}

/// Writes the report to the folder \p Folder, in which `dump` is already made.
static Error writeReport(const EditModule &M, const BugReportOptions &Options,
                         const std::string &Folder) {
  const CompileOptions &From = Options.Compile;
  std::string Dump = Folder + "/dump";
  std::string Program = Folder + "/program.hlo.txt";
  if (Error Error = writeFile(Program, editModuleText(M)))
    return Error;
  Compiler Python(From.Python, From.Target, Dump, From.Seconds);
  Python.Flags = "--xla_dump_hlo_pass_re=.*";
  Compiler::Answer Built =
      Python.ask(From.WrongNumbers ? "run" : "compile", Program);
  if (Built.Word == "failed" || Built.Word == "absent")
    return makeError("{}", Built.Rest);
  // StableHLO is an extra: some modules have no such form.
  Python.ask("stablehlo", Program + "\t" + Folder + "/program.mlir");
  ReportFacts Facts;
  Facts.Versions = Python.ask("version", "").Rest;
  Facts.System = Python.ask("system", "").Rest;
  Facts.Verdict = verdictOn(Dump);
  if (From.WrongNumbers)
    Facts.Numbers = Built.Rest;
  Compiler::Answer Written =
      Python.ask("reproduce", Program + "\t" + Folder + "/reproduce.py");
  if (Written.Word != "ok")
    return makeError("{}", Written.Rest);
  Facts.Runs = Written.Rest == "runs";
  for (const auto &[Name, Text] :
       {std::pair<StringRef, std::string>{"verdict.txt", Facts.Verdict},
        {"report.md", reportText(M, Options, Facts)}})
    if (Error Error = writeFile(Folder + "/" + Name.str(), Text))
      return Error;
  return Error::success();
}

Error hlobuf::writeBugReport(const EditModule &M,
                             const BugReportOptions &Options) {
  llvm::SmallString<256> Folder(Options.Folder);
  if (std::error_code Error = fs::make_absolute(Folder))
    return llvm::errorCodeToError(Error);
  // On the same file system, so that results can be moved.
  Expected<PrivateFolder> Work =
      PrivateFolder::create(".hlobuf-reduce", Folder);
  if (!Work)
    return Work.takeError();
  std::string Report = Work->path() + "/report";
  if (std::error_code Error = fs::create_directories(Report + "/dump"))
    return llvm::errorCodeToError(Error);
  if (Error Error = writeReport(M, Options, Report))
    return Error;
  return moveInto(Report, Folder);
}
