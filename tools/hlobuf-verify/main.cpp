// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a run.

#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Driver/Driver.h"
#ifdef __linux__
#include "Exec/Exec.h"
#endif
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace hlobuf;
namespace cl = llvm::cl;

static cl::OptionCategory InputOptions("Inputs");
static cl::OptionCategory CheckOptions("Checks");
static cl::OptionCategory OutputOptions("Output");

static cl::list<std::string> Inputs(cl::Positional,
                                    cl::desc("<dump|folder|-> ..."),
                                    cl::cat(InputOptions));
static cl::list<std::string> Siblings(
    "sibling", cl::value_desc("kind:file"), cl::cat(InputOptions),
    cl::desc("Another file of the dump (default: next to it, by name): "
             "values:FILE, live-range:FILE or report:FILE; may be repeated"));
static cl::opt<std::string>
    Module("module", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Scheduled HLO module of the dump"));
static JobsOption Jobs(InputOptions);

static cl::opt<bool>
    Exec("exec", cl::cat(InputOptions),
         cl::desc("Run the command after -- and verify what it compiles"));
static cl::opt<std::string>
    KeepDumps("keep-dumps", cl::ValueOptional, cl::value_desc("folder"),
              cl::cat(InputOptions),
              cl::desc("With --exec, keep the dumps (default: only if there "
                       "are findings), in this folder if one is named"));
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
static cl::opt<std::string>
    BaselineFile("baseline", cl::value_desc("file"), cl::cat(CheckOptions),
                 cl::desc("Ignore findings listed in this file"));
static cl::opt<std::string>
    WriteBaseline("write-baseline", cl::value_desc("file"),
                  cl::cat(CheckOptions),
                  cl::desc("Write all findings to this file, for --baseline"));
static cl::opt<std::string>
    Require("require", cl::value_desc("globs"), cl::cat(CheckOptions),
            cl::desc("Globs of checks that must be able to run on every dump, "
                     "and sentences (execution) that must be shown"));
static cl::opt<std::string>
    Explain("explain", cl::ValueOptional, cl::value_desc("check"),
            cl::cat(CheckOptions),
            cl::desc("List all checks, or explain one, a known defect such as "
                     "defect-1, or a gate, and exit"));

static cl::opt<EmitKind, false, NamedValues<EmitKind>> Emit(
    "emit", cl::init(EmitKind::Findings), cl::cat(OutputOptions),
    cl::desc("What to print"),
    cl::values(clEnumValN(EmitKind::Findings, "findings", "findings (default)"),
               clEnumValN(EmitKind::Dump, "dump", "the dump, as text"),
               clEnumValN(EmitKind::Module, "module",
                          "the HLO module, also that of a proto"),
               clEnumValN(EmitKind::Traces, "traces",
                          "heap simulator traces and more of a proto"),
               clEnumValN(EmitKind::Thunks, "thunks",
                          "the program that runs, of an executable"),
               clEnumValN(EmitKind::Proof, "proof",
                          "what has to be shown, and what became of it")));
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
            cl::desc("Also write this file, in a format that --format takes, "
                     "as json:FILE; may be repeated"));
static cl::opt<SummaryTable, false, NamedValues<SummaryTable>> Summary(
    "summary", cl::ValueOptional, cl::init(SummaryTable::Rows),
    cl::cat(OutputOptions), cl::desc("Show memory use"),
    cl::values(clEnumValN(SummaryTable::Rows, "", ""),
               clEnumValN(SummaryTable::Scopes, "op", "by scope of op_name"),
               clEnumValN(SummaryTable::Copies, "copies",
                          "what is copied, and why")));
static cl::list<std::string>
    WhyValues("why", cl::value_desc("A[:B]"), cl::cat(OutputOptions),
              cl::desc("Say why A is live, or why A and B have bytes of their "
                       "own: values, instructions, arguments or source "
                       "lines; may be repeated"));
static cl::list<std::string> MaxPeak(
    "max-peak", cl::value_desc("bytes"), cl::cat(CheckOptions),
    cl::desc("Most that a program may need of its main memory, as 12GiB; "
             "[MODULE:][SPACE=]BYTES for some; may be repeated"));
static cl::opt<bool> AllowUnmatched(
    "allow-unmatched", cl::cat(CheckOptions),
    cl::desc("Only note budgets and requirements that match nothing"));
static cl::opt<unsigned>
    Top("top", cl::init(10), cl::value_desc("n"), cl::cat(OutputOptions),
        cl::desc("Rows of each table of --summary (default 10)"));
static cl::opt<std::string>
    Capacity("capacity", cl::value_desc("bytes"), cl::cat(OutputOptions),
             cl::desc("Memory of the chip, as 15.75GiB, for --summary "
                      "(default: as files next to the dump say)"));
static cl::opt<unsigned> ErrorLimit(
    "error-limit", cl::init(20), cl::value_desc("n"), cl::cat(OutputOptions),
    cl::desc("Findings shown per check and dump (default 20, 0: all)"));
static QuietOption Quiet(OutputOptions,
                         "Print only findings, without the last line");
static cl::opt<bool> Verbose("verbose", cl::cat(OutputOptions),
                             cl::desc("List the checks that did not run, also "
                                      "those that do not apply to the dump"));

static constexpr StringLiteral Overview =
    "verify XLA buffer-assignment dumps\n\n"
    "  Reads *-buffer-assignment.txt files as XLA writes them under\n"
    "  --xla_dump_to (JAX, TensorFlow, PyTorch/XLA; CPU, GPU, TPU; 2019 on),\n"
    "  with their siblings, and proves that no two live values share bytes "
    "and\n"
    "  that everything else a dump says about itself holds.\n\n"
    "  hlobuf-verify --exec -- python train.py runs a program and verifies "
    "all\n"
    "  that it compiles. hlobuf-verify DUMP... verifies files, or all dumps in "
    "a\n"
    "  folder; '-' is standard input. hlobuf-verify --summary DUMP... shows "
    "where\n"
    "  the memory goes, too; hlobuf-verify --explain lists what is checked.\n\n"
    "  Exit status: 0 no error, 1 errors found, 2 could not read or bad "
    "usage.\n";

/// `I/N` with I below N.
static bool parseShard(StringRef Text, VerifyOptions &O) {
  auto [Part, Whole] = Text.split('/');
  return !Part.getAsInteger(10, O.Shard) && !Whole.getAsInteger(10, O.Shards) &&
         O.Shard < O.Shards;
}

/// What stands for the name before the `:` of \p Text in \p Known, and the path
/// after it; fails where \p Option is not given so.
template <typename T>
static Expected<std::pair<T, std::string>>
readNamed(StringRef Option, StringRef Text,
          ArrayRef<std::pair<StringRef, T>> Known) {
  auto [Name, Path] = Text.split(':');
  std::string Forms;
  for (const auto &[Spelling, Meaning] : Known) {
    if (Spelling == Name && !Path.empty())
      return std::pair(Meaning, Path.str());
    Forms += (Forms.empty() ? "" : ", ") + Spelling.str() + ":FILE";
  }
  return makeError("{}: expected one of {}, not '{}'", Option, Forms, Text);
}

/// The files of --output and --sibling.
static Error readFiles(VerifyOptions &O) {
  static constexpr std::pair<StringRef, OutputFormat> Formats[] = {
#define HLOBUF_FORMAT(Name, Spelling, Help) {Spelling, OutputFormat::Name},
#include "Results/Formats.def"
  };
  static constexpr std::pair<StringRef, FileRole> Kinds[] = {
      {"values", FileRole::Values},
      {"live-range", FileRole::LiveRange},
      {"report", FileRole::Report}};
  for (StringRef Text : Siblings) {
    auto File = readNamed<FileRole>("--sibling", Text, Kinds);
    if (!File)
      return File.takeError();
    O.Siblings[static_cast<size_t>(File->first)] = File->second;
  }
  for (StringRef Text : Outputs) {
    auto File = readNamed<OutputFormat>("--output", Text, Formats);
    if (!File)
      return File.takeError();
    if (File->second == "-")
      return makeError("--output: '-' is not a file: --format={} writes to "
                       "standard output",
                       Text.split(':').first);
    O.Outputs.push_back({File->first, File->second});
  }
  return Error::success();
}

/// The first option that has no effect with the other ones; empty if none.
static std::string idleOption(const VerifyOptions &O) {
  constexpr StringRef Emitting = "with --emit, which verifies nothing";
  constexpr StringRef Alone = "without --exec";
  constexpr StringRef Unasked = "without --summary";
  bool Emits = O.Emit != EmitKind::Findings;
  bool Listing = O.Emit == EmitKind::Proof && O.Format == OutputFormat::Json;
  std::vector<IdleOption> Rows = {
      {&KeepDumps, !Exec, Alone},
      {&Module, Exec, "with --exec"},
      {std::addressof(Siblings), Exec, "with --exec"},
      {&Top, !O.WantMemory, Unasked},
      {&Capacity, !O.WantMemory, Unasked},
      {&Verbose, O.Quiet, "with --quiet"},
      {&NoConfig, !O.ConfigFile.empty(), "with --config"}};
  // A list's own & gives its values.
  const cl::Option *Verifying[] = {&Format,
                                   std::addressof(Outputs),
                                   &Summary,
                                   std::addressof(WhyValues),
                                   std::addressof(MaxPeak),
                                   &AllowUnmatched,
                                   &BaselineFile,
                                   &WriteBaseline,
                                   &Require,
                                   &WarningsAsErrors,
                                   &ErrorLimit,
                                   &Verbose};
  for (const cl::Option *Option : Verifying)
    Rows.push_back(
        {Option, Emits && !(Listing && Option == &Format), Emitting});
  return findIdleOption(Rows);
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
  if (!Capacity.empty() && !O.Memory.Capacity)
    return "--capacity: expected bytes, as 15.75GiB or 16e9, not '" + Capacity +
           "'";
  if (std::string Idle = idleOption(O); !Idle.empty())
    return Idle;
  return llvm::toString(readFiles(O));
}

static VerifyOptions makeOptions() {
  VerifyOptions O;
  O.Inputs.assign(Inputs.begin(), Inputs.end());
  O.Siblings[static_cast<size_t>(FileRole::Module)] = Module;
  O.Globs = {Checks, WarningsAsErrors, Require};
  O.ConfigFile = ConfigFile;
  O.NoConfig = NoConfig;
  O.AllowUnmatched = AllowUnmatched;
  O.Baseline = BaselineFile;
  O.WriteBaseline = WriteBaseline;
  O.Format = Format;
  O.Memory.Explained.assign(WhyValues.begin(), WhyValues.end());
  O.WantMemory =
      Summary.getNumOccurrences() != 0 || !O.Memory.Explained.empty();
  O.Memory.Top = std::max(1u, unsigned(Top));
  O.Memory.Table = Summary;
  O.Memory.Capacity = parseBytes(Capacity);
  O.Print.Version = HLOBUF_VERSION;
  O.Print.ErrorLimit = ErrorLimit;
  O.Print.Width = terminalWidth(Exec ? STDERR_FILENO : STDOUT_FILENO);
  O.Jobs = Jobs;
  O.Quiet = Quiet;
  O.Verbose = Verbose;
  O.Print.Color = wantsColor();
  O.Progress = llvm::sys::Process::StandardErrIsDisplayed();
  O.Emit = Emit;
  O.KeepDumps = KeepDumps.getNumOccurrences() != 0;
  O.DumpsFolder = KeepDumps;
  return O;
}

/// True if the arguments have a `--` with something after it, and no input
/// before it.
static bool hasCommand(int Argc, char **Argv) {
  for (int I = 1; I < Argc; ++I)
    if (StringRef(Argv[I]) == "--")
      return size_t(Argc - I - 1) == Inputs.size() && !Inputs.empty();
  return false;
}

static int runCommand([[maybe_unused]] const VerifyOptions &O,
                      [[maybe_unused]] bool HasCommand) {
#ifdef __linux__
  return runExec(O, HasCommand, llvm::outs(), llvm::errs());
#else
  return fail("--exec needs Linux");
#endif
}

/// Pages of checks, also of those that follow as `--explain total-bytes`, or
/// the list.
static int explain() {
  std::vector<std::string> Names(Inputs.begin(), Inputs.end());
  if (!Explain.empty())
    Names.insert(Names.begin(), Explain);
  if (Names.empty())
    listChecks(llvm::outs());
  for (const std::string &Name : Names)
    if (!explainCheck(Name, llvm::outs(), llvm::errs()))
      return ExitUnreadable;
  return ExitSound;
}

static int run(int Argc, char **Argv) {
  describeColorOption();
  if (!parseOptions(Argc, Argv, "hlobuf-verify " HLOBUF_VERSION, Overview,
                    {&InputOptions, &CheckOptions, &OutputOptions,
                     &llvm::getColorCategory()}))
    return ExitUnreadable;
  if (Explain.getNumOccurrences() != 0)
    return explain();
  VerifyOptions O = makeOptions();
  if (std::string Problem = checkUsage(O); !Problem.empty())
    return fail(Problem);
  if (Exec)
    return runCommand(O, hasCommand(Argc, Argv));
  if (Inputs.empty())
    return introduce("hlobuf-verify", Overview);
  llvm::outs().SetBufferSize(size_t(1) << 16);
  return runVerify(O, llvm::outs(), llvm::errs());
}

int main(int Argc, char **Argv) {
  startTool("nothing, or not everything, was verified");
  return run(Argc, Argv);
}
