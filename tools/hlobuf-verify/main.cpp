// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a run.

#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Driver/Driver.h"
#ifdef __linux__
#include "Exec/Exec.h"
#endif
#include "Support/HumanBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::OptionCategory InputOptions("Inputs");
static cl::OptionCategory CheckOptions("Checks");
static cl::OptionCategory OutputOptions("Output");

static cl::list<std::string> Inputs(cl::Positional,
                                    cl::desc("<dump|folder|-> ..."),
                                    cl::cat(InputOptions));
static cl::opt<std::string>
    Values("values", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Values file of the dump (default: next to it, by name)"));
static cl::opt<std::string> LiveRange("live-range", cl::value_desc("file"),
                                      cl::cat(InputOptions),
                                      cl::desc("Live range file of the dump"));
static cl::opt<std::string> Report("report", cl::value_desc("file"),
                                   cl::cat(InputOptions),
                                   cl::desc("Memory usage report of the dump"));
static cl::opt<std::string>
    Module("module", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Scheduled HLO module of the dump"));
static JobsOption Jobs(InputOptions);

static cl::opt<bool>
    Exec("exec", cl::cat(InputOptions),
         cl::desc("Run the command after -- and verify what it compiles"));
static cl::opt<bool> Keep(
    "keep", cl::cat(InputOptions),
    cl::desc(
        "With --exec, keep the dumps (default: only if there are findings)"));
static cl::opt<std::string>
    KeepDumps("keep-dumps", cl::value_desc("folder"), cl::cat(InputOptions),
              cl::desc("With --exec, dump into this folder and keep it"));
static cl::opt<bool> FindPass(
    "find-pass", cl::cat(InputOptions),
    cl::desc("With --exec, dump after each pass and name the one that first "
             "shows what a finding is about"));
static cl::opt<std::string>
    Shard("shard", cl::value_desc("i/n"), cl::cat(InputOptions),
          cl::desc("Verify part i of n of the dumps, counting from 0"));

static cl::opt<std::string>
    Checks("checks", cl::value_desc("globs"), cl::cat(CheckOptions),
           cl::desc("Comma-separated globs of checks to run; '-' excludes "
                    "(default: all except lints)"));
static cl::opt<std::string>
    WarningsAsErrors("warnings-as-errors", cl::value_desc("globs"),
                     cl::cat(CheckOptions),
                     cl::desc("Globs of checks whose warnings become errors"));
static cl::opt<std::string>
    ConfigFile("config", cl::value_desc("file"), cl::cat(CheckOptions),
               cl::desc("Configuration (default: the .hlobuf.yaml in the "
                        "folder of each dump, or the closest one above it)"));
static cl::opt<bool> NoConfig("no-config", cl::cat(CheckOptions),
                              cl::desc("Do not read any configuration"));
static cl::opt<bool>
    DumpConfig("dump-config", cl::cat(CheckOptions),
               cl::desc("Print the effective configuration and exit"));
static cl::opt<std::string>
    BaselineFile("baseline", cl::value_desc("file"), cl::cat(CheckOptions),
                 cl::desc("Ignore findings listed in this file"));
static cl::opt<std::string>
    WriteBaseline("write-baseline", cl::value_desc("file"),
                  cl::cat(CheckOptions),
                  cl::desc("Write all findings to this file, for --baseline"));
static cl::opt<bool> VerifyDiagnostics(
    "verify-diagnostics", cl::cat(CheckOptions),
    cl::desc("Compare the findings with comments in the dumps, such as // "
             "expected-error @below {{text}}"));
static cl::opt<bool>
    Update("update", cl::cat(CheckOptions),
           cl::desc("With --verify-diagnostics, write these comments into the "
                    "dumps"));
static cl::opt<std::string>
    Require("require", cl::value_desc("globs"), cl::cat(CheckOptions),
            cl::desc("Globs of checks that must be able to run on every dump"));
static cl::opt<bool> ListChecks("list-checks", cl::cat(CheckOptions),
                                cl::desc("List all checks and exit"));
static cl::opt<std::string> Explain(
    "explain", cl::value_desc("check"), cl::cat(CheckOptions),
    cl::desc("Explain a check, the checks of a rule such as D04, or a known "
             "defect such as defect-1, and exit"));

static cl::opt<EmitKind, false, NamedValues<EmitKind>> Emit(
    "emit", cl::init(EmitKind::Findings), cl::cat(OutputOptions),
    cl::desc("What to print"),
    cl::values(clEnumValN(EmitKind::Findings, "findings", "findings (default)"),
               clEnumValN(EmitKind::Dump, "dump",
                          "the dump, printed back from the model"),
               clEnumValN(EmitKind::Module, "module",
                          "the HLO module, also that of a proto"),
               clEnumValN(EmitKind::Traces, "traces",
                          "heap simulator traces and more of a proto"),
               clEnumValN(EmitKind::Thunks, "thunks",
                          "the program that runs, of an executable")));
static constexpr llvm::StringLiteral FormatNames[] = {
#define HLOBUF_FORMAT(Name, Spelling, Help) Spelling,
#include "Results/Formats.def"
};
static cl::opt<OutputFormat, false, NamedValues<OutputFormat>>
    Format("format", cl::init(OutputFormat::Text), cl::cat(OutputOptions),
           cl::desc("Format of standard output"),
           cl::ValuesClass({
#define HLOBUF_FORMAT(Name, Spelling, Help)                                    \
  clEnumValN(OutputFormat::Name, Spelling, Help),
#include "Results/Formats.def"
           }));
static cl::list<std::string>
    Outputs("output", cl::value_desc("format:file"), cl::cat(OutputOptions),
            cl::desc("Also write this file; may be repeated"));
static cl::opt<bool> WantMemory("summary", cl::cat(OutputOptions),
                                cl::desc("Show memory use"));
static cl::list<std::string>
    Why("why", cl::value_desc("value"), cl::cat(OutputOptions),
        cl::desc("Say why a value, as fusion.1{0}, is live: what reads it; may "
                 "be repeated"));
static cl::list<std::string> WhyNotInPlace(
    "why-not-in-place", cl::value_desc("value"), cl::cat(OutputOptions),
    cl::desc("Say why a value is not written over an operand, and how many "
             "bytes its loop copies; may be repeated"));
static cl::list<std::string>
    WhyApart("why-apart", cl::value_desc("a:b"), cl::cat(OutputOptions),
             cl::desc("Say why value b is not in the memory of value a; may be "
                      "repeated"));
static cl::list<std::string>
    MaxPeak("max-peak", cl::value_desc("bytes"), cl::cat(CheckOptions),
            cl::desc("Most that a program may need of its main memory, as "
                     "12GiB; [MODULE:][SPACE=]BYTES for some; may be "
                     "repeated"));
static cl::opt<std::string>
    MaxGrowth("max-growth", cl::value_desc("limit:file"), cl::cat(CheckOptions),
              cl::desc("Most that a program may need more than in the output "
                       "of --summary --format=json, as 5%:old.jsonl"));
static cl::opt<bool> AllowUnmatched(
    "allow-unmatched", cl::cat(CheckOptions),
    cl::desc("Only note budgets and requirements that match nothing"));
static cl::opt<unsigned> Top("top", cl::init(10), cl::value_desc("n"),
                             cl::cat(OutputOptions),
                             cl::desc("Rows of each table of --summary "
                                      "(default 10)"));
static cl::opt<GroupBy>
    By("by", cl::cat(OutputOptions), cl::desc("One table of --summary only:"),
       cl::values(clEnumValN(GroupBy::Line, "line", "by source line"),
                  clEnumValN(GroupBy::Op, "op", "by scope of op_name"),
                  clEnumValN(GroupBy::Value, "value", "by value"),
                  clEnumValN(GroupBy::Kind, "kind", "by kind and shape")));
static cl::opt<std::string>
    Capacity("capacity", cl::value_desc("bytes"), cl::cat(OutputOptions),
             cl::desc("Memory of the chip, as 15.75GiB, for --summary "
                      "(default: as files next to the dump say)"));
static cl::opt<unsigned> ErrorLimit(
    "error-limit", cl::init(20), cl::value_desc("n"), cl::cat(OutputOptions),
    cl::desc("Findings shown per check and dump (default 20, 0: all)"));
static cl::opt<bool> CountGates(
    "count-gates", cl::Hidden, cl::cat(OutputOptions),
    cl::desc("Count what checks skip, as JSON (utils/count-gates.py)"));
static QuietOption Quiet(OutputOptions,
                         "Print only findings, without the last line");
static cl::opt<bool>
    Verbose("verbose", cl::cat(OutputOptions),
            cl::desc("List the checks that did not run, also those that do "
                     "not apply to the dump"));

static constexpr llvm::StringLiteral Overview =
    "verify XLA buffer-assignment dumps\n\n"
    "  Reads *-buffer-assignment.txt files as XLA writes them under\n"
    "  --xla_dump_to (JAX, TensorFlow, PyTorch/XLA; CPU, GPU, TPU; 2019 on),\n"
    "  with their siblings, and proves that no two live values share bytes "
    "and\n"
    "  that everything else a dump says about itself holds.\n\n"
    "  hlobuf-verify --exec -- python train.py runs a program and verifies "
    "all\n"
    "  that it compiles.\n\n"
    "  Exit status: 0 no error, 1 errors found, 2 could not read or bad "
    "usage.\n";

static constexpr llvm::StringLiteral FirstHelp =
    "hlobuf-verify: verify XLA buffer-assignment dumps\n\n"
    "  hlobuf-verify --exec -- python train.py   run a program and verify all\n"
    "                                            that XLA compiles for it\n"
    "  hlobuf-verify DUMP...                     verify files, or all dumps "
    "in\n"
    "                                            a folder\n"
    "  hlobuf-verify --summary DUMP...           and tell where the memory "
    "goes\n"
    "  hlobuf-verify -                           verify standard input\n"
    "  hlobuf-verify --list-checks               what is checked\n"
    "  hlobuf-verify --help                      all options\n\n"
    "To get dumps:  XLA_FLAGS=--xla_dump_to=/tmp/dumps python train.py\n";

/// `FORMAT:FILE`; nothing if it is not that.
static std::optional<OutputFile> parseOutput(StringRef Text) {
  auto [Name, Path] = Text.split(':');
  for (size_t I = 0; I != std::size(FormatNames); ++I)
    if (Name == FormatNames[I] && !Path.empty())
      return OutputFile{static_cast<OutputFormat>(I), Path.str()};
  return std::nullopt;
}

/// `I/N` with I below N.
static bool parseShard(StringRef Text, VerifyOptions &O) {
  auto [Part, Whole] = Text.split('/');
  return !Part.getAsInteger(10, O.Shard) && !Whole.getAsInteger(10, O.Shards) &&
         O.Shard < O.Shards;
}

/// `text:FILE, json:FILE or sarif:FILE`, with all formats.
static std::string outputForms() {
  std::string Forms;
  for (StringRef Name : FormatNames)
    Forms += (Forms.empty()                       ? ""
              : Name == std::end(FormatNames)[-1] ? " or "
                                                  : ", ") +
             Name.str() + ":FILE";
  return Forms;
}

/// The files of --output. What is wrong with them; empty if all is well.
static std::string readOutputs(VerifyOptions &O) {
  for (const std::string &Text : Outputs) {
    std::optional<OutputFile> Output = parseOutput(Text);
    if (!Output)
      return "--output: expected " + outputForms() + ", not '" + Text + "'";
    if (Output->Path == "-")
      return "--output: '-' is not a file: --format=" +
             StringRef(Text).split(':').first.str() +
             " writes to standard output";
    if (llvm::any_of(O.Outputs, [&](const OutputFile &Before) {
          return Before.Path == Output->Path;
        }))
      return "--output: '" + Output->Path + "' is given twice";
    O.Outputs.push_back(std::move(*Output));
  }
  return "";
}

/// The option that has no effect with --emit, if one is given.
static StringRef idleWithEmit() {
  // A list's own & gives its values.
  const cl::Option *Idle[] = {&Format,           std::addressof(Outputs),
                              &WantMemory,       &BaselineFile,
                              &WriteBaseline,    &Require,
                              &VerifyDiagnostics};
  for (const cl::Option *O : Idle)
    if (O->getNumOccurrences() != 0)
      return O->ArgStr;
  return "";
}

/// What the options' library cannot check; empty if all is well.
static std::string checkUsage(VerifyOptions &O) {
  if (!Shard.empty() && !parseShard(Shard, O))
    return "--shard: expected i/n with i from 0 to n-1, not '" + Shard + "'";
  if (O.WriteBaseline == "-")
    return "--write-baseline: '-' is not a file";
  for (const std::string &Text : MaxPeak) {
    std::optional<Budget> B = parseBudget(Text);
    if (!B)
      return "--max-peak: expected [MODULE:][SPACE=]BYTES, as HBM=12GiB, not "
             "'" +
             Text + "'";
    O.Budgets.push_back(std::move(*B));
  }
  if (!MaxGrowth.empty()) {
    llvm::Expected<Growth> G = readGrowth(MaxGrowth);
    if (!G)
      return llvm::toString(G.takeError());
    O.MaxGrowth = std::move(*G);
  }
  if (!Capacity.empty() && !O.Memory.Capacity)
    return "--capacity: expected bytes, as 15.75GiB or 16e9, not '" + Capacity +
           "'";
  if (O.KeepDumps && !Exec)
    return "--keep and --keep-dumps need --exec";
  if (O.FindPass && !Exec)
    return "--find-pass needs --exec";
  if (O.UpdateExpectations && !O.VerifyDiagnostics)
    return "--update needs --verify-diagnostics";
  if (StringRef Idle = idleWithEmit();
      O.Emit != EmitKind::Findings && !Idle.empty())
    return ("--emit verifies nothing: --" + Idle + " has no effect").str();
  return readOutputs(O);
}

static VerifyOptions makeOptions() {
  VerifyOptions O;
  O.Inputs.assign(Inputs.begin(), Inputs.end());
  auto Sibling = [&](FileRole Role) -> std::string & {
    return O.Siblings[static_cast<size_t>(Role)];
  };
  Sibling(FileRole::Values) = Values;
  Sibling(FileRole::LiveRange) = LiveRange;
  Sibling(FileRole::Report) = Report;
  Sibling(FileRole::Module) = Module;
  O.Checks = Checks;
  O.WarningsAsErrors = WarningsAsErrors;
  O.Require = Require;
  O.ConfigFile = ConfigFile;
  O.NoConfig = NoConfig;
  O.AllowUnmatched = AllowUnmatched;
  O.Baseline = BaselineFile;
  O.WriteBaseline = WriteBaseline;
  O.VerifyDiagnostics = VerifyDiagnostics;
  O.UpdateExpectations = Update;
  O.FindPass = FindPass;
  O.Format = Format;
  using Question = WhyQuestion::Kind;
  for (const std::string &Value : Why)
    O.Memory.Questions.push_back({Question::Live, Value, ""});
  for (const std::string &Value : WhyNotInPlace)
    O.Memory.Questions.push_back({Question::NotInPlace, Value, ""});
  for (StringRef Pair : WhyApart)
    O.Memory.Questions.push_back({Question::Apart, Pair.split(':').first.str(),
                                  Pair.split(':').second.str()});
  O.WantMemory = WantMemory || !O.Memory.Questions.empty();
  O.Memory.Top = std::max(1u, unsigned(Top));
  if (By.getNumOccurrences() != 0)
    O.Memory.By = By;
  O.Memory.Capacity = parseBytes(Capacity);
  O.Print.Version = HLOBUF_VERSION;
  O.Print.ErrorLimit = ErrorLimit;
  O.Print.Width = terminalWidth(Exec ? STDERR_FILENO : STDOUT_FILENO);
  O.Jobs = Jobs;
  O.Quiet = Quiet;
  O.Verbose = Verbose;
  O.Print.CountGates = CountGates;
  O.Print.Color = wantsColor();
  O.Progress = llvm::sys::Process::StandardErrIsDisplayed();
  O.Emit = Emit;
  O.KeepDumps = Keep || !KeepDumps.empty();
  O.DumpsFolder = KeepDumps;
  return O;
}

/// True if the arguments have a `--` with something after it, and no input
/// before it.
static bool hasCommand(int Argc, char **Argv) {
  for (int I = 1; I < Argc; ++I)
    if (StringRef(Argv[I]) == "--")
      return static_cast<size_t>(Argc - I - 1) == Inputs.size() &&
             !Inputs.empty();
  return false;
}

static int runCommand([[maybe_unused]] const VerifyOptions &O,
                      [[maybe_unused]] bool Given) {
#ifdef __linux__
  return runExec(O, Given, llvm::outs(), llvm::errs());
#else
  llvm::errs() << "error: --exec needs Linux\n";
  return ExitUnreadable;
#endif
}

static int run(int Argc, char **Argv) {
  describeColorOption();
  if (!parseOptions(Argc, Argv, "hlobuf-verify " HLOBUF_VERSION, Overview,
                    {&InputOptions, &CheckOptions, &OutputOptions,
                     &llvm::getColorCategory()}))
    return ExitUnreadable;
  if (ListChecks) {
    listChecks(llvm::outs());
    return ExitSound;
  }
  if (!Explain.empty())
    return explainCheck(Explain, llvm::outs(), llvm::errs()) ? ExitSound
                                                             : ExitUnreadable;
  VerifyOptions O = makeOptions();
  if (std::string Problem = checkUsage(O); !Problem.empty()) {
    llvm::errs() << "error: " << Problem << '\n';
    return ExitUnreadable;
  }
  if (DumpConfig)
    return dumpConfig(O, llvm::outs(), llvm::errs());
  if (Exec)
    return runCommand(O, hasCommand(Argc, Argv));
  if (Inputs.empty()) {
    llvm::outs() << FirstHelp;
    return ExitUnreadable;
  }
  llvm::outs().SetBufferSize(size_t(1) << 16);
  return runVerify(O, llvm::outs(), llvm::errs());
}

int main(int Argc, char **Argv) {
  startTool("nothing, or not everything, was verified");
  return run(Argc, Argv);
}
