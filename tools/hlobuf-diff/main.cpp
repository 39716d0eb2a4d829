// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options to a comparison.

#include "Checks/Context.h"
#include "CommandLine/Help.h"
#include "CommandLine/Process.h"
#include "Compare/MemoryDiff.h"
#include "Dump/FileNames.h"
#include "Input/Load.h"
#include "Memory/StatedMemory.h"
#include "Results/Result.h"
#include "Support/ExitCodes.h"
#include "Support/Format.h"
#include "Support/HumanBytes.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "Support/RegularFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <unistd.h>

using namespace hlobuf;
namespace cl = llvm::cl;

namespace {
enum class DiffFormat { Text, Json };
} // namespace

static cl::OptionCategory CompareOptions("Comparison");
static cl::OptionCategory OutputOptions("Output");

static cl::list<std::string> Paths(cl::Positional, cl::desc("<old> <new>"),
                                   cl::cat(CompareOptions));
static cl::opt<std::string> MaxGrowth(
    "max-growth", cl::value_desc("bytes"), cl::cat(CompareOptions),
    cl::desc("Exit with 1 only if a peak grows by more, such as 64MiB or 5%"));
static JobsOption Jobs(CompareOptions);
static cl::opt<DiffFormat, false, NamedValues<DiffFormat>> Format(
    "format", cl::init(DiffFormat::Text), cl::cat(OutputOptions),
    cl::desc("Format of standard output"),
    cl::values(
        clEnumValN(DiffFormat::Text, "text", "for people (default)"),
        clEnumValN(DiffFormat::Json, "json",
                   "one JSON object per pair of modules, one per line")));
static cl::opt<unsigned>
    Top("top", cl::init(10), cl::value_desc("n"), cl::cat(OutputOptions),
        cl::desc("Rows shown of each memory space (default 10, 0: all)"));
static QuietOption Quiet(OutputOptions, "Print nothing, for the exit status");

static constexpr StringLiteral Overview =
    "compare the memory of two XLA programs\n\n"
    "  hlobuf-diff OLD NEW compares two buffer assignments, or those in two\n"
    "  folders: peaks by memory space, what may have caused the change, and\n"
    "  the values that came, went, grew or shrank at the peak. Values are "
    "matched\n"
    "  by op_name, source line and shape, modules by program, never by "
    "number.\n\n"
    "  Exit status: 0 no difference (+0.0 %), or within --max-growth; 1 "
    "different, or\n"
    "  beyond it; 2 could not read or bad usage.\n";

namespace {
/// The dumps of one argument.
struct SideOfDiff {
  std::vector<ProgramMemory> Programs;
  /// What is said about it on standard error.
  std::string Messages;
  bool Failed = false;
};
} // namespace

/// The memory usage report \p Path, if it is one, and alone.
static std::optional<ProgramMemory> readReport(const std::string &Path) {
  auto File = openRegularFile(Path);
  if (!File || roleOf(classify(File->getBuffer())) != FileRole::Report ||
      !assignmentOf(Path, [](const std::string &Name) {
         return llvm::sys::fs::exists(Name);
       }).empty())
    return std::nullopt;
  SummaryOptions All;
  All.Top = ~0U;
  auto Stated = readStatedMemory(File->getBuffer(), All);
  if (!Stated || !Stated->Summary)
    return std::nullopt;
  return describeReport(*Stated->Summary);
}

/// Reads what is at \p Path on \p Threads threads.
static SideOfDiff readSide(const std::string &Path, unsigned Threads) {
  SideOfDiff Side;
  if (std::optional<ProgramMemory> Report = readReport(Path)) {
    Side.Programs.push_back(std::move(*Report));
    return Side;
  }
  using Read = std::pair<ProgramMemory, std::vector<std::string>>;
  forEachDump(
      Path, Threads,
      [](const Input &In, std::unique_ptr<LoadedDump> L) -> Expected<Read> {
        CheckContext Context(*L->Model);
        return Read(
            describeProgram(Context.memory(), Context.names(),
                            Context.moduleAnalysis(),
                            printable(moduleNameOf(*L->Model, In.Path))),
            L->Unused);
      },
      [&](const Input &, Read &R) {
        for (const std::string &Unused : R.second)
          if (!Quiet)
            Side.Messages += "note: not used: " + printable(Unused) + '\n';
        Side.Programs.push_back(std::move(R.first));
      },
      [&](StringRef Problem) {
        Side.Messages += "error: " + printable(Problem) + '\n';
        Side.Failed = true;
      });
  return Side;
}

static void print(const MemoryDiff &D) {
  if (Quiet)
    return;
  if (Format == DiffFormat::Text)
    return printDiff(D, Top, terminalWidth(STDOUT_FILENO), llvm::outs());
  llvm::json::OStream J(llvm::outs());
  writeDiff(D, J);
  llvm::outs() << '\n';
}

/// By how many bytes the peaks change, one way or the other.
static uint64_t changeOf(const MemoryDiff &D) {
  return sumOf(D.Spaces, [](const SpaceDiff &S) { return S.Peak.size(); });
}

static bool isWithin(const GrowthLimit &G, const MemoryDiff &D) {
  return llvm::all_of(D.Spaces, [&](const SpaceDiff &S) {
    return G.allows(S.Peak.Old, S.Peak.New);
  });
}

/// Compares all pairs, prints those that differ, the largest change first, and
/// what the other ones are in one line.
static ExitStatus compare(const SideOfDiff &Old, const SideOfDiff &New,
                          const std::optional<GrowthLimit> &Allowed) {
  std::vector<MemoryDiff> Diffs;
  unsigned Came = 0;
  unsigned Went = 0;
  for (ProgramPair Pair : pairPrograms(Old.Programs, New.Programs)) {
    Came += !Pair.Old;
    Went += !Pair.New;
    if (Pair.Old && Pair.New)
      Diffs.push_back(
          compareMemory(Old.Programs[*Pair.Old], New.Programs[*Pair.New]));
  }
  std::ranges::stable_sort(Diffs, std::greater(), changeOf);
  size_t Different =
      llvm::count_if(Diffs, [](const MemoryDiff &D) { return D.differs(); });
  bool Single = Diffs.size() == 1 && Came + Went == 0;
  for (const MemoryDiff &D : Diffs)
    if (Single || D.differs() || Format == DiffFormat::Json)
      print(D);
  if (!Single && !Quiet && Format != DiffFormat::Json)
    llvm::outs() << fmt::format(
        "{} pairs of modules: {} differ; {} new, {} gone\n", Diffs.size(),
        Different, Came, Went);
  if (Old.Failed || New.Failed)
    return ExitUnreadable;
  // A limit that nothing is held to would allow everything.
  if (Allowed && Diffs.empty())
    return fail("--max-growth matches nothing: no module is in both");
  if (Allowed)
    return llvm::all_of(
               Diffs,
               [&](const MemoryDiff &D) { return isWithin(*Allowed, D); })
               ? ExitSound
               : ExitErrors;
  bool Noticeable =
      llvm::any_of(Diffs, [](const MemoryDiff &D) { return D.isNoticeable(); });
  return Noticeable || Came + Went != 0 ? ExitErrors : ExitSound;
}

int main(int Argc, char **Argv) {
  startTool("nothing, or not everything, was compared");
  if (!parseOptions(Argc, Argv, "hlobuf-diff " HLOBUF_VERSION, Overview,
                    {&CompareOptions, &OutputOptions}))
    return ExitUnreadable;
  if (Paths.empty())
    return introduce("hlobuf-diff", Overview);
  if (Paths.size() != 2)
    return fail("expected an old and a new dump or folder");
  if (Paths[0] == "-" && Paths[1] == "-")
    return fail("only one of the two can be standard input");
  if (std::string Idle =
          findIdleOption({{&Format, Quiet, "with --quiet"},
                          {&Top, Quiet, "with --quiet"},
                          {&Top, Format == DiffFormat::Json,
                           "with --format=json, which has all rows"}});
      !Idle.empty())
    return fail(Idle);
  std::optional<GrowthLimit> Allowed;
  if (!MaxGrowth.empty() && !(Allowed = parseGrowthLimit(MaxGrowth)))
    return fail("--max-growth: expected bytes such as 64MiB, or 5%, not '" +
                MaxGrowth + "'");
  std::array<SideOfDiff, 2> Sides;
  unsigned Threads = numJobs(Jobs);
  runInOrder(
      Sides.size(), Threads,
      [&](size_t I) { return readSide(Paths[I], std::max(1u, Threads / 2)); },
      [&](size_t I, SideOfDiff &Side) {
        llvm::errs() << Side.Messages;
        Sides[I] = std::move(Side);
      });
  if (Sides[0].Programs.empty() || Sides[1].Programs.empty())
    return ExitUnreadable;
  if (Sides[0].Programs.front().OfReport != Sides[1].Programs.front().OfReport)
    return fail("a memory usage report cannot be compared with a dump");
  return compare(Sides[0], Sides[1], Allowed);
}
