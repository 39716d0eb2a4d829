// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a plan.

#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Driver/Capacity.h"
#include "Fit/FitPlan.h"
#include "Input/Load.h"
#include "Results/Result.h"
#include "Support/ExitCodes.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {
enum class FitFormat { Text, Json };
} // namespace

static cl::OptionCategory PlanOptions("Plan");
static cl::OptionCategory OutputOptions("Output");

static cl::list<std::string> Paths(cl::Positional, cl::desc("<dump>..."),
                                   cl::cat(PlanOptions));
static cl::opt<std::string>
    Capacity("capacity", cl::value_desc("bytes"), cl::cat(PlanOptions),
             cl::desc("Memory of the chip, such as 15.75GiB (default: as XLA's "
                      "files next to the dump say)"));
static JobsOption Jobs(PlanOptions);
static cl::opt<FitFormat, false, NamedValues<FitFormat>> Format(
    "format", cl::init(FitFormat::Text), cl::cat(OutputOptions),
    cl::desc("Format of standard output"),
    cl::values(clEnumValN(FitFormat::Text, "text", "for people (default)"),
               clEnumValN(FitFormat::Json, "json",
                          "one JSON object per module, one per line")));
static cl::opt<unsigned>
    Top("top", cl::init(5), cl::value_desc("n"), cl::cat(OutputOptions),
        cl::desc("Changes shown that are not in the plan (default 5, 0: all)"));

static constexpr llvm::StringLiteral Overview =
    "what would make an XLA program fit\n\n"
    "  hlobuf-fit DUMP --capacity=15.75GiB looks for the cheapest changes of "
    "a\n"
    "  program after which it fits: donated arguments, residuals that are\n"
    "  computed again or wait on the host, a smaller type, a smaller batch. "
    "Peaks\n"
    "  are predicted from live ranges, each change with what it saves and "
    "costs.\n\n"
    "  Exit status: 0 all modules fit, as they are or with their plans, 1 no "
    "plan\n"
    "  of one of them fits, 2 could not read or bad usage.\n";

static constexpr llvm::StringLiteral FirstHelp =
    "hlobuf-fit: what would make an XLA program fit\n\n"
    "  hlobuf-fit DUMP                       for the chip it was compiled for\n"
    "  hlobuf-fit DUMP --capacity=15.75GiB   for another one\n"
    "  hlobuf-fit --help                     all options\n\n"
    "To get dumps:  XLA_FLAGS=--xla_dump_to=/tmp/dumps python train.py\n";

static void fail(const llvm::Twine &Text) {
  llvm::errs() << "error: " << Text << '\n';
}

namespace {
/// A plan for one dump, or why there is none.
struct Answer {
  FitPlan Plan;
  std::vector<std::string> Errors;
};
} // namespace

static Answer problem(const Input &In, StringRef Text) {
  return {{}, {fmt::format("{}: {}", In.Path, Text)}};
}

/// The plan for \p L, which was read as a whole.
static Answer plan(const Input &In, const LoadedDump &L,
                   std::optional<uint64_t> Bytes) {
  const Dump &D = *L.Model;
  if (!Bytes) {
    SummaryOptions Chip;
    findCapacity(In.Path, Chip);
    Bytes = Chip.Capacity;
  }
  if (!Bytes)
    return problem(In, "no file next to it has the memory of the chip: use "
                       "--capacity");
  if (!D.complete(Section::Module) || !D.complete(Section::Allocations))
    return problem(In, "no HLO module next to it, which a plan needs");
  Facts A(D);
  ModuleAnalysis Module(A, ProgramSource::Module);
  if (!Module.obstacle().empty() || !Module.derivesTime())
    return problem(In, Module.obstacle().empty()
                           ? StringRef("its module has no schedule")
                           : Module.obstacle());
  MemoryUse Memory(A, [&] { return &Module; });
  const SpaceUse *Main = Memory.space(0);
  if (!Main || !Memory.isTimed())
    return problem(In, "no live ranges, which a plan needs");
  Answer Found;
  Found.Plan = findPlan(Memory, Module, *Main, *Bytes);
  Found.Plan.Module =
      printable(D.Module.Name.empty() ? moduleNameOf(In.Path) : D.Module.Name);
  return Found;
}

static Answer answer(Input &In, std::optional<uint64_t> Bytes) {
  locateFiles(In, {});
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In, {});
  if (!L)
    return {{}, {llvm::toString(L.takeError())}};
  if (!(*L)->Syntax.empty())
    return {{}, (*L)->damage()};
  if (std::string Malformed = malformedModule(**L); !Malformed.empty())
    return {{}, {Malformed}};
  return plan(In, **L, Bytes);
}

static ExitStatus run(std::optional<uint64_t> Bytes) {
  ExitStatus Status = ExitSound;
  InputList Found = findInputs(Paths);
  for (const InputError &Error : Found.Errors) {
    fail(printable(Error.Text));
    Status = ExitUnreadable;
  }
  if (Found.Dumps.empty() && Found.Errors.empty()) {
    fail("no dump in '" + printable(Paths[0]) + "'");
    return ExitUnreadable;
  }
  bool Misses = false;
  auto Work = [&](size_t I) { return answer(Found.Dumps[I], Bytes); };
  runInOrder(Found.Dumps.size(), Jobs, Work, [&](size_t I, Answer &A) {
    for (const std::string &Error : A.Errors) {
      fail(printableLines(Error));
      Status = ExitUnreadable;
    }
    if (!A.Errors.empty())
      return;
    Misses |= !A.Plan.fitsNow() && !A.Plan.fits();
    if (Format == FitFormat::Json) {
      llvm::json::OStream J(llvm::outs());
      writePlan(A.Plan, J);
      llvm::outs() << '\n';
      return;
    }
    if (I != 0)
      llvm::outs() << '\n';
    printPlan(A.Plan, Top, llvm::outs());
  });
  return Status == ExitSound && Misses ? ExitErrors : Status;
}

int main(int Argc, char **Argv) {
  startTool("no plan was made");
  if (!parseOptions(Argc, Argv, "hlobuf-fit " HLOBUF_VERSION, Overview,
                    {&PlanOptions, &OutputOptions}))
    return ExitUnreadable;
  if (Paths.empty()) {
    llvm::outs() << FirstHelp;
    return ExitUnreadable;
  }
  if (std::string Idle =
          findIdleOption({{&Top, Format == FitFormat::Json,
                           "with --format=json, which has all changes"}});
      !Idle.empty()) {
    fail(Idle);
    return ExitUnreadable;
  }
  std::optional<uint64_t> Bytes = parseBytes(Capacity);
  if (!Capacity.empty() && (!Bytes || *Bytes == 0)) {
    fail("--capacity: expected bytes, as 15.75GiB or 16e9, not '" + Capacity +
         "'");
    return ExitUnreadable;
  }
  return run(Bytes);
}
