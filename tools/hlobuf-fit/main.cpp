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
#include "Support/Printable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
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

static constexpr StringLiteral Overview =
    "what would make an XLA program fit\n\n"
    "  hlobuf-fit DUMP --capacity=15.75GiB looks for the cheapest changes of "
    "a\n"
    "  program after which it fits: donated arguments, functions that are\n"
    "  computed again, a smaller batch. Peaks are predicted from live ranges,\n"
    "  each change with what it saves and costs.\n\n"
    "  Exit status: 0 all modules fit, as they are or with their plans, 1 no "
    "plan\n"
    "  of one of them fits, 2 could not read or bad usage.\n";

static Error problem(const Input &In, StringRef Text) {
  return makeError("{}: {}", In.Path, Text);
}

/// The plan for \p L, which was read as a whole; an empty one without the
/// memory of its chip.
static Expected<FitPlan> plan(const Input &In, const LoadedDump &L,
                              std::optional<uint64_t> Bytes) {
  const Dump &D = *L.Model;
  if (!Bytes) {
    SummaryOptions Chip;
    findCapacity(In.Path, Chip);
    Bytes = Chip.Capacity;
  }
  if (!Bytes)
    return FitPlan();
  if (std::string Malformed = malformedModule(L); !Malformed.empty())
    return makeError("{}", Malformed);
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
  FitPlan Plan = findPlan(Memory, Module, *Main, *Bytes);
  Plan.Module = printable(moduleNameOf(D, In.Path));
  return Plan;
}

/// Modules of the host next to those of a chip are skipped.
static ExitStatus judgeSkipped(ArrayRef<std::string> Skipped, bool IsAlone) {
  for (StringRef Path : Skipped)
    if (IsAlone)
      fail(Path + ": no file next to it has the memory of the chip: use "
                  "--capacity");
    else
      llvm::errs() << "note: " << Path
                   << ": skipped, it is not for the chip of the others\n";
  return IsAlone && !Skipped.empty() ? ExitUnreadable : ExitSound;
}

static ExitStatus run(std::optional<uint64_t> Bytes) {
  ExitStatus Status = ExitSound;
  bool IsFirst = true;
  std::vector<std::string> Skipped;
  forEachDump(
      std::vector<std::string>(Paths.begin(), Paths.end()), Jobs,
      [&](const Input &In, std::unique_ptr<LoadedDump> L) {
        return plan(In, *L, Bytes);
      },
      [&](const Input &In, const FitPlan &Plan) {
        if (Plan.Capacity == 0) {
          Skipped.push_back(In.Path);
          return;
        }
        bool WasFirst = std::exchange(IsFirst, false);
        if (!Plan.fitsNow() && !Plan.fits())
          Status = std::max(Status, ExitErrors);
        if (Format == FitFormat::Json) {
          llvm::json::OStream J(llvm::outs());
          writePlan(Plan, J);
          llvm::outs() << '\n';
          return;
        }
        if (!WasFirst)
          llvm::outs() << '\n';
        printPlan(Plan, Top, llvm::outs());
      },
      [&](StringRef Problem) { Status = fail(Problem); });
  return std::max(Status, judgeSkipped(Skipped, IsFirst));
}

int main(int Argc, char **Argv) {
  startTool("no plan was made");
  if (!parseOptions(Argc, Argv, "hlobuf-fit " HLOBUF_VERSION, Overview,
                    {&PlanOptions, &OutputOptions}))
    return ExitUnreadable;
  if (Paths.empty())
    return introduce("hlobuf-fit", Overview);
  if (std::string Idle =
          findIdleOption({{&Top, Format == FitFormat::Json,
                           "with --format=json, which has all changes"}});
      !Idle.empty())
    return fail(Idle);
  std::optional<uint64_t> Bytes = parseBytes(Capacity);
  if (!Capacity.empty() && (!Bytes || *Bytes == 0))
    return fail("--capacity: expected bytes, as 15.75GiB or 16e9, not '" +
                Capacity + "'");
  return run(Bytes);
}
