//===- hlobuf-verify/main.cpp - Options to a run --------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace hlobuf;
namespace cl = llvm::cl;

static cl::OptionCategory InputOptions("Inputs");
static cl::OptionCategory CheckOptions("Checks");
static cl::OptionCategory OutputOptions("Output");

static cl::list<std::string> Inputs(cl::Positional,
                                    cl::desc("<dump|folder|-> ..."),
                                    cl::cat(InputOptions));
static cl::opt<std::string>
    Values("values", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Values file of the dump (default: beside it, by name)"));
static cl::opt<std::string> LiveRange("live-range", cl::value_desc("file"),
                                      cl::cat(InputOptions),
                                      cl::desc("Live range file of the dump"));
static cl::opt<std::string> Report("report", cl::value_desc("file"),
                                   cl::cat(InputOptions),
                                   cl::desc("Memory usage report of the dump"));
static cl::opt<std::string>
    Module("module", cl::value_desc("file"), cl::cat(InputOptions),
           cl::desc("Scheduled HLO module of the dump"));
static cl::opt<unsigned> Jobs("jobs", cl::init(0), cl::value_desc("n"),
                              cl::cat(InputOptions),
                              cl::desc("Threads (default: one per core)"));
static cl::alias JobsShort("j", cl::aliasopt(Jobs), cl::desc("Same as --jobs"),
                           cl::cat(InputOptions));

static cl::opt<std::string>
    Checks("checks", cl::value_desc("globs"), cl::cat(CheckOptions),
           cl::desc("Checks to run, by comma-separated globs; '-' takes out "
                    "(default: all but lints)"));
static cl::opt<std::string>
    WarningsAsErrors("warnings-as-errors", cl::value_desc("globs"),
                     cl::cat(CheckOptions),
                     cl::desc("Checks whose warnings are errors"));
static cl::opt<std::string>
    Require("require", cl::value_desc("globs"), cl::cat(CheckOptions),
            cl::desc("Checks that must be able to run on every dump"));
static cl::opt<bool> ListChecks("list-checks", cl::cat(CheckOptions),
                                cl::desc("List all checks and exit"));
static cl::opt<std::string> Explain("explain", cl::value_desc("check"),
                                    cl::cat(CheckOptions),
                                    cl::desc("Explain a check and exit"));

namespace {
enum class EmitKind { Findings, Dump };
} // namespace
static cl::opt<EmitKind> Emit(
    "emit", cl::init(EmitKind::Findings), cl::cat(OutputOptions),
    cl::desc("What to print"),
    cl::values(clEnumValN(EmitKind::Findings, "findings", "findings (default)"),
               clEnumValN(EmitKind::Dump, "dump",
                          "the dump again, from the model")));
static cl::opt<unsigned> ErrorLimit(
    "error-limit", cl::init(20), cl::value_desc("n"), cl::cat(OutputOptions),
    cl::desc("Findings shown per check and dump (default 20, 0: all)"));
static cl::opt<bool> Quiet("quiet", cl::cat(OutputOptions),
                           cl::desc("Print findings only, no last line"));
static cl::alias QuietShort("q", cl::aliasopt(Quiet),
                            cl::desc("Same as --quiet"),
                            cl::cat(OutputOptions));

/// LLVM registers `--color` for everybody who links its Support library.
static cl::opt<cl::boolOrDefault> &colorOption() {
  return *static_cast<cl::opt<cl::boolOrDefault> *>(
      cl::getRegisteredOptions()["color"]);
}

static constexpr llvm::StringLiteral Overview =
    "verify XLA buffer-assignment dumps\n\n"
    "  Reads *-buffer-assignment.txt files as XLA writes them under\n"
    "  --xla_dump_to (JAX, TensorFlow, PyTorch/XLA; CPU, GPU, TPU; 2019 on),\n"
    "  with their siblings, and proves that no two live values share bytes "
    "and\n"
    "  that everything else a dump says about itself holds.\n\n"
    "  Exit status: 0 no error, 1 errors found, 2 could not read or bad "
    "usage.\n";

static constexpr llvm::StringLiteral FirstHelp =
    "hlobuf-verify: verify XLA buffer-assignment dumps\n\n"
    "  hlobuf-verify DUMP...        verify files, or all dumps in a folder\n"
    "  hlobuf-verify -              verify standard input\n"
    "  hlobuf-verify --list-checks  what is checked\n"
    "  hlobuf-verify --help         all options\n\n"
    "To get dumps:  XLA_FLAGS=--xla_dump_to=/tmp/dumps python train.py\n"
    "Then:          hlobuf-verify /tmp/dumps\n";

static void printVersion(llvm::raw_ostream &OS) {
  OS << "hlobuf-verify " << HLOBUF_VERSION << '\n';
}

static bool wantsColor() {
  if (colorOption() != cl::BOU_UNSET)
    return colorOption() == cl::BOU_TRUE;
  return llvm::sys::Process::StandardOutHasColors() && !std::getenv("NO_COLOR");
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
  O.ErrorLimit = ErrorLimit;
  O.Jobs = Jobs;
  O.Quiet = Quiet;
  O.Color = wantsColor();
  O.Progress = llvm::sys::Process::StandardErrIsDisplayed();
  O.EmitDump = Emit == EmitKind::Dump;
  return O;
}

/// Large arrays go back to the system when they are freed, also after growing:
/// glibc would raise the threshold and keep them.
static void limitHeap() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

int main(int Argc, char **Argv) {
  limitHeap();
  cl::HideUnrelatedOptions({&InputOptions, &CheckOptions, &OutputOptions,
                            &llvm::getColorCategory()});
  cl::SetVersionPrinter(printVersion);
  if (!cl::ParseCommandLineOptions(Argc, Argv, Overview, &llvm::errs()))
    return ExitTrouble;
  if (ListChecks) {
    listChecks(llvm::outs());
    return ExitSound;
  }
  if (!Explain.empty())
    return explainCheck(Explain, llvm::outs(), llvm::errs()) ? ExitSound
                                                             : ExitTrouble;
  if (Inputs.empty()) {
    llvm::outs() << FirstHelp;
    return ExitTrouble;
  }
  llvm::outs().SetBufferSize(size_t(1) << 16);
  return runVerify(makeOptions(), llvm::outs(), llvm::errs());
}
