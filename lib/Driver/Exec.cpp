//===- Driver/Exec.cpp ----------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Exec.h"
#include "Driver/Config.h"
#include "Driver/Driver.h"
#include "Driver/FreshDumps.h"
#include "Driver/XlaFlags.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;

/// Shells say so where a signal ended a command.
static constexpr int SignalBase = 128;

static pid_t Child = 0;

static void passOn(int Signal) {
  if (Child > 0)
    ::kill(Child, Signal);
}

/// Waits like a shell: the terminal's signals are the command's, others are
/// forwarded to it.
static int waitForChild() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGTERM, passOn);
  std::signal(SIGHUP, passOn);
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  for (int Signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP})
    std::signal(Signal, SIG_DFL);
  return WIFSIGNALED(Status) ? SignalBase + WTERMSIG(Status)
                             : WEXITSTATUS(Status);
}

/// Runs \p Command with XLA_FLAGS set to \p Flags; its exit status.
static llvm::Expected<int> runCommand(const std::vector<std::string> &Command,
                                      const std::string &Flags) {
  std::vector<char *> Arguments;
  for (const std::string &Argument : Command)
    Arguments.push_back(const_cast<char *>(Argument.c_str()));
  Arguments.push_back(nullptr);
  if (::setenv("XLA_FLAGS", Flags.c_str(), /*overwrite=*/1) != 0)
    return llvm::errorCodeToError(
        std::error_code(errno, std::generic_category()));
  if (int Error = ::posix_spawnp(&Child, Arguments.front(), nullptr, nullptr,
                                 Arguments.data(), environ))
    return llvm::errorCodeToError(
        std::error_code(Error, std::generic_category()));
  return waitForChild();
}

namespace {
/// The folder that the program dumps into. One of ours goes away unless it is
/// kept.
class DumpFolder {
public:
  ~DumpFolder() {
    if (!Temporary.empty() && !Keep &&
        llvm::sys::fs::remove_directories(Temporary))
      return; // the system clears its temporary folder
  }

  /// Makes the folder; \p Flags become those that name it.
  std::error_code create(const VerifyOptions &Options, std::string &Flags);

  bool isTemporary() const { return Path == Temporary; }

  std::string Path;
  bool Keep = false;

private:
  std::string Temporary;
};
} // namespace

std::error_code DumpFolder::create(const VerifyOptions &Options,
                                   std::string &Flags) {
  Keep = Options.KeepDumps;
  bool Given = !Options.DumpsFolder.empty();
  if (Given) {
    // The program may work elsewhere.
    Path = absolutePath(Options.DumpsFolder);
    if (std::error_code Error = llvm::sys::fs::create_directories(Path))
      return Error;
  } else {
    llvm::SmallString<128> Made;
    if (auto Error = llvm::sys::fs::createUniqueDirectory("hlobuf", Made))
      return Error;
    Path = Temporary = std::string(Made);
  }
  Flags = addDumpFlags(Flags, Path, Given);
  if (Options.FindPass)
    Flags += " --xla_dump_hlo_pass_re=.*";
  return {};
}

static std::string modules(unsigned Count) {
  return fmt::format("{} module{}", Count, Count == 1 ? "" : "s");
}

/// How \p Status, as waitForChild() has it, came about.
static std::string howItFailed(int Status) {
  if (Status > SignalBase)
    return fmt::format("was ended by signal {}", Status - SignalBase);
  return fmt::format("failed with exit status {}", Status);
}

static constexpr StringRef WithoutCache =
    "run it with JAX_ENABLE_COMPILATION_CACHE=false to verify them";

/// Why there is nothing to verify.
static std::string whyNothing(const FreshDumps &Fresh, int Status,
                              StringRef Folder) {
  if (Status != 0)
    return fmt::format("the program {} before XLA wrote a buffer assignment",
                       howItFailed(Status));
  if (Fresh.Cached != 0)
    return fmt::format("{} came out of jax's compilation cache instead of "
                       "being compiled; {}",
                       modules(Fresh.Cached), WithoutCache);
  if (Fresh.Unfinished != 0)
    return fmt::format("XLA dumped {} without a buffer assignment",
                       modules(Fresh.Unfinished));
  std::string Why = "the program compiled nothing with XLA, replaced "
                    "XLA_FLAGS, or took everything from a compilation cache "
                    "(JAX_ENABLE_COMPILATION_CACHE=false turns jax's off)";
  if (Fresh.Stale != 0)
    Why += fmt::format("; the buffer assignments in {} are older than this run",
                       Folder);
  return Why;
}

/// The entries of the cache that modules without a dump were taken from: the
/// folder is known where the environment names it.
static std::vector<std::string> entriesOf(const FreshDumps &Fresh) {
  const char *Cache = std::getenv("JAX_COMPILATION_CACHE_DIR");
  return Cache && Fresh.Cached != 0 ? cacheEntries(Cache, Fresh.CachedNames)
                                    : std::vector<std::string>();
}

/// The names of which no entry is there.
static unsigned withoutEntry(const FreshDumps &Fresh,
                             llvm::ArrayRef<std::string> Entries) {
  return static_cast<unsigned>(
      llvm::count_if(Fresh.CachedNames, [&](const std::string &Name) {
        return llvm::none_of(Entries, [&](StringRef Entry) {
          return llvm::sys::path::filename(Entry).starts_with(Name + "-");
        });
      }));
}

/// Verifies what is new in \p Folder; standard output belongs to the command.
/// \p Findings is the number of those that were printed.
static int verifyFresh(VerifyOptions Options, const FreshDumps &Fresh,
                       const std::string &Folder,
                       llvm::ArrayRef<std::string> Entries,
                       llvm::raw_ostream &Err, unsigned &Findings) {
  Options.Inputs = {Folder};
  if (Fresh.Stale != 0 || Fresh.Assignments.empty())
    Options.Inputs = Fresh.Assignments;
  Options.Inputs.insert(Options.Inputs.end(), Entries.begin(), Entries.end());
  Options.Color = Options.Color && Options.Progress;
  return runVerify(Options, Err, Err, &Findings);
}

/// True if what is written names files, whether or not anything is found.
static bool namesFiles(const VerifyOptions &Options) {
  return Options.WantMemory || Options.Format != OutputFormat::Text ||
         !Options.Outputs.empty();
}

/// Verifies what \p Fresh has, and says what it has not; the exit status.
static int judge(const VerifyOptions &Options, const FreshDumps &Fresh,
                 int Status, DumpFolder &Dumps, llvm::raw_ostream &Err) {
  std::vector<std::string> Entries = entriesOf(Fresh);
  if (Fresh.Assignments.empty() && Entries.empty()) {
    Err << "hlobuf-verify: nothing was verified: "
        << whyNothing(Fresh, Status, Dumps.Path) << '\n';
    return Status != 0 ? Status : int(ExitUnreadable);
  }
  if (Status != 0)
    Err << "hlobuf-verify: the program " << howItFailed(Status) << '\n';
  unsigned Findings = 0;
  int Verdict = verifyFresh(Options, Fresh, Dumps.Path, Entries, Err, Findings);
  if (!Entries.empty())
    Err << fmt::format("hlobuf-verify: {} out of jax's compilation cache: its "
                       "entries were verified\n",
                       modules(Fresh.Cached));
  if (unsigned Left = withoutEntry(Fresh, Entries))
    Err << fmt::format("hlobuf-verify: not verified: {} out of jax's "
                       "compilation cache; {}\n",
                       modules(Left), WithoutCache);
  Dumps.Keep |= Verdict != ExitSound || Findings != 0 || namesFiles(Options);
  return Status != 0 ? Status : Verdict;
}

int hlobuf::runExec(const VerifyOptions &Options, bool HasCommand,
                    llvm::raw_ostream &Out, llvm::raw_ostream &Err) {
  if (!HasCommand) {
    Err << "error: --exec needs a command: hlobuf-verify --exec -- python "
           "train.py\n";
    return ExitUnreadable;
  }
  const char *Given = std::getenv("XLA_FLAGS");
  std::string Flags = Given ? Given : "";
  DumpFolder Dumps;
  if (std::error_code Error = Dumps.create(Options, Flags)) {
    Err << "error: cannot make a folder for dumps: " << Error.message() << '\n';
    return ExitUnreadable;
  }
  FolderSnapshot Before(Dumps.Path);
  Out.flush();
  llvm::Expected<int> Status = runCommand(Options.Inputs, Flags);
  if (!Status) {
    Err << "error: cannot run '" << Options.Inputs.front()
        << "': " << llvm::toString(Status.takeError()) << '\n';
    return ExitUnreadable;
  }
  int Result = judge(Options, Before.changes(), *Status, Dumps, Err);
  if (Dumps.Keep && Dumps.isTemporary())
    Err << "hlobuf-verify: the dumps are in " << Dumps.Path << '\n';
  return Result;
}
