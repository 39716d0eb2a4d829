// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a reduction.

#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Reduce/BugReport.h"
#include "Reduce/Compiler.h"
#include "Reduce/Interest.h"
#include "Reduce/Reducer.h"
#include "Support/AtomicFile.h"
#include "Support/ExitCodes.h"
#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "Support/PrivateFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
namespace cl = llvm::cl;

static cl::OptionCategory TestOptions("What to look for");
static cl::OptionCategory ReduceCategory("Reduction");
static cl::OptionCategory OutputOptions("Output");

static cl::opt<std::string> InputPath(cl::Positional, cl::desc("<module>"),
                                      cl::cat(TestOptions));
static cl::opt<std::string>
    Command("test", cl::value_desc("command"), cl::cat(TestOptions),
            cl::desc("Keep what this shell command, with the path of a module "
                     "after it, ends with status 0 for"));
static cl::opt<std::string>
    Checks("check", cl::value_desc("globs"), cl::cat(TestOptions),
           cl::desc("Compile, and keep what one of these checks reports an "
                    "error or a warning for"));
static cl::opt<std::string>
    Message("message", cl::value_desc("text"), cl::cat(TestOptions),
            cl::desc("With --check: the message has to contain this text"));
static cl::opt<bool> WrongNumbers(
    "wrong-numbers", cl::cat(TestOptions),
    cl::desc("Compile for CPU and run, and keep what computes other numbers "
             "than the same operations, each compiled alone"));
static cl::opt<std::string>
    Target("target", cl::init("cpu"), cl::value_desc("target"),
           cl::cat(TestOptions),
           cl::desc("Compile for cpu (default), tpu:v5e, tpu:v6e:2x2x1, .. or "
                    "cuda:h100; TPU and CUDA need no accelerator"));
static cl::opt<std::string>
    Python("python", cl::init("python3"), cl::value_desc("path"),
           cl::cat(TestOptions),
           cl::desc("The Python whose jax compiles (default: python3)"));
static cl::opt<unsigned> Timeout(
    "timeout", cl::init(300), cl::value_desc("seconds"), cl::cat(TestOptions),
    cl::desc("What a test may take (default 300); longer is not interesting"));
static JobsOption Jobs(
    ReduceCategory,
    "Tests at the same time (default: one per core); the result is the same");
static cl::opt<unsigned> MaxTime(
    "max-time", cl::init(0), cl::value_desc("seconds"), cl::cat(ReduceCategory),
    cl::desc(
        "Stop after so many seconds with the best result (default: never)"));
static cl::opt<bool>
    EndlessLoops("endless-loops", cl::cat(ReduceCategory),
                 cl::desc("Reduce what decides how often loops run, too: they "
                          "may never end then"));
static cl::opt<std::string>
    OutputPath("output", cl::value_desc("file"), cl::cat(OutputOptions),
               cl::desc("Where the result goes, and the best one so far "
                        "(default: reduced.hlo.txt)"));
static cl::alias OutputShort("o", cl::aliasopt(OutputPath), cl::NotHidden,
                             cl::desc("Same as --output"),
                             cl::cat(OutputOptions));
static cl::opt<std::string> ReportFolder(
    "report", cl::value_desc("folder"), cl::cat(OutputOptions),
    cl::desc("Write a new folder for a bug report: the program as HLO, "
             "StableHLO and Python, the dump, the verdict and report.md"));
static QuietOption Quiet(OutputOptions, "No progress on standard error");

static constexpr StringLiteral Overview =
    "make an HLO module small that shows a defect\n\n"
    "  hlobuf-reduce --check=clobbered-read --target=tpu:v5e MODULE takes out "
    "of a\n"
    "  module what is not needed for a finding of hlobuf-verify,\n"
    "  --wrong-numbers for numbers that are wrong, and --test=COMMAND for the\n"
    "  success of any command. A module is a *.before_optimizations.txt of a "
    "dump,\n"
    "  its .hlo.pb, or StableHLO (*.mlir).\n"
    "  Ctrl-C keeps the best result so far.\n\n"
    "  Exit status: 0 reduced; 1 the module does not show it; 2 could not "
    "read or\n"
    "  write, the result could not be reproduced, or bad usage.\n";

static void say(const std::string &Text) {
  if (!Quiet)
    llvm::errs() << "hlobuf-reduce: " << printable(Text) << '\n';
}

/// What is wrong with the options; empty if nothing.
static std::string problemWithOptions() {
  bool Compiles = !Checks.empty() || WrongNumbers;
  if (Command.empty() && !Compiles)
    return "say what to look for: --check, --wrong-numbers or --test";
  if (!Command.empty() && Compiles)
    return "--test is a test of its own: it cannot come with --check or "
           "--wrong-numbers";
  if (WrongNumbers && Target != "cpu")
    return "--wrong-numbers runs the program, so its target is cpu";
  if (!Message.empty() && Checks.empty())
    return "--message needs --check";
  if (std::string Idle = findIdleOption({{&Target, !Compiles, "with --test"}});
      !Idle.empty())
    return Idle;
  if (!ReportFolder.empty() && !Compiles)
    return "--report needs --check or --wrong-numbers";
  return Timeout == 0 ? "--timeout: expected at least a second" : "";
}

/// Why the result must not go where it is to go; empty if it may.
static std::string problemWithOutput() {
  keepFile(InputPath);
  if (isKept(OutputPath))
    return "'" + OutputPath + "' is an input and must not be overwritten";
  SmallVector<StringRef> Words = {Python, StringRef(Target).split(':').second};
  llvm::SplitString(Command, Words);
  for (StringRef Word : Words)
    if (llvm::sys::fs::equivalent(Word.trim("'\""), OutputPath))
      return "'" + OutputPath +
             "' is a part of the test and must not be overwritten";
  return "";
}

static CompileOptions compileOptions() {
  CompileOptions Options;
  Options.Python = Python;
  Options.Target = Target;
  Options.Checks = Checks;
  Options.Message = Message;
  Options.WrongNumbers = WrongNumbers;
  Options.Seconds = Timeout;
  return Options;
}

static Expected<std::unique_ptr<Interest>> makeTest(unsigned Slots) {
  if (!Command.empty())
    return makeCommandTest(Command, Timeout);
  return makeCompileTest(compileOptions(), Slots);
}

/// Writes \p Text to the output as a whole; false if that fails.
static bool writeResult(const std::string &Text) {
  Error Failed = writeFile(OutputPath, Text);
  if (!Failed)
    return true;
  fail(std::move(Failed));
  return false;
}

/// Writes the report, if one is wanted; false if that fails.
static bool report(const EditModule &M, unsigned OriginalSize) {
  if (ReportFolder.empty())
    return true;
  BugReportOptions Options{compileOptions(), ReportFolder, OriginalSize};
  if (Error Error = writeBugReport(M, Options)) {
    fail("--report: " + llvm::toString(std::move(Error)));
    return false;
  }
  say("the report is in " + ReportFolder);
  return true;
}

/// Reads the module; one of StableHLO becomes HLO in a Python process.
static Expected<EditModule> readInput(const PrivateFolder &Work) {
  if (!StringRef(InputPath).ends_with(".mlir"))
    return readModuleFile(InputPath);
  std::string Text = Work.path() + "/input.txt";
  Compiler Converter(Python, "cpu", Work.path() + "/input/dumps", Timeout);
  Compiler::Answer A = Converter.ask("hlo", InputPath + "\t" + Text);
  if (A.Word != "ok")
    return makeError("{}: {}", InputPath.getValue(), A.Rest);
  return readModuleFile(Text);
}

static ExitStatus reduce(EditModule Start, const PrivateFolder &Work,
                         Interest &Test, unsigned Slots) {
  bool Written = true;
  ReduceOptions Options;
  Start.EndlessLoops = EndlessLoops;
  Options.Jobs = Slots;
  Options.MaxSeconds = MaxTime;
  Options.WorkFolder = Work.path();
  Options.Keep = [&](const EditModule &M) {
    Written &= writeResult(editModuleText(M));
  };
  Options.Progress = say;
  unsigned Before = Start.size();
  Reducer R(Test, std::move(Options));
  if (!R.run(std::move(Start))) {
    if (wasInterrupted())
      return fail("interrupted before the module was tested");
    if (R.last().Unable)
      return fail(printable(R.last().Problem));
    llvm::errs() << "error: the module does not show what is looked for: "
                 << printable(R.last().Problem) << '\n';
    return ExitErrors;
  }
  if (wasInterrupted())
    say("interrupted: the best result is verified; press Ctrl-C again to leave "
        "that out");
  forgetInterrupt();
  unsigned Best = R.best().size();
  if (!R.verifyAfresh())
    return fail("the finding is not reproducible: a new process does not show "
                "it, not even for the whole module: " +
                R.last().Problem);
  if (R.best().size() != Best)
    say(fmt::format("the smallest module, of {} instructions, does not show it "
                    "in a new process",
                    Best));
  Written &= writeResult(editModuleText(R.best()));
  const ReduceCounts &C = R.counts();
  say(fmt::format("{} -> {} instructions in {:.1f} s, {} tests ({:.1f} s for "
                  "the first): {}",
                  Before, R.best().size(), C.Seconds, C.Tests, C.FirstSeconds,
                  OutputPath.getValue()));
  Written &= report(R.best(), Before);
  return Written ? ExitSound : ExitUnreadable;
}

int main(int Argc, char **Argv) {
  startTool("nothing more was reduced");
  if (!parseOptions(Argc, Argv, "hlobuf-reduce " HLOBUF_VERSION, Overview,
                    {&TestOptions, &ReduceCategory, &OutputOptions}))
    return ExitUnreadable;
  if (InputPath.empty())
    return introduce("hlobuf-reduce", Overview);
  if (std::string Problem = problemWithOptions(); !Problem.empty())
    return fail(Problem);
  if (OutputPath.empty())
    OutputPath = "reduced.hlo.txt";
  if (std::string Problem = problemWithOutput(); !Problem.empty())
    return fail(Problem);
  unsigned Slots = numJobs(Jobs);
  if (!ReportFolder.empty())
    if (Error Error = makeReportFolder(ReportFolder))
      return fail("--report: " + llvm::toString(std::move(Error)));
  Expected<PrivateFolder> Work = PrivateFolder::create(".hlobuf-reduce");
  if (!Work)
    return fail(Work.takeError());
  catchInterrupts();
  Expected<EditModule> Start = readInput(*Work);
  if (!Start)
    return fail(Start.takeError());
  Expected<std::unique_ptr<Interest>> Test = makeTest(Slots);
  if (!Test)
    return fail(Test.takeError());
  return reduce(std::move(*Start), *Work, **Test, Slots);
}
