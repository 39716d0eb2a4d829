// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/Exec.h"
#include "Driver/Config.h"
#include "Driver/Driver.h"
#include "Exec/DumpFolder.h"
#include "Exec/FreshDumps.h"
#include "Exec/PythonProcesses.h"
#include "Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hlobuf;

/// Shells say so where a signal ended a command.
static constexpr int SignalBase = 128;

/// The command; a handler of signals reads it.
static volatile pid_t Child = 0;

/// Forwards what another process sent. The kernel sends the signals of a
/// terminal to all processes in front of it.
static void passOn(int Signal, siginfo_t *Info, void *) {
  int Saved = errno;
  if (Child > 0 && Info->si_code <= 0)
    ::kill(Child, Signal);
  errno = Saved;
}

namespace {
/// How this process takes signals while a command runs. Everything is as it
/// was when this goes away.
class SignalGuard {
public:
  SignalGuard();
  ~SignalGuard() { restore(); }
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;

  /// Back to the dispositions and the mask that this process got.
  void restore();
  /// Signals are not held back any more: there is a command to forward them to.
  void open() { ::sigprocmask(SIG_SETMASK, &Mask, nullptr); }

private:
  static constexpr std::array<int, 6> Passed = {SIGINT, SIGQUIT, SIGTERM,
                                                SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, Passed.size()> Before = {};
  /// If the process that started us ignores it, the kernel would throw the
  /// status away.
  struct sigaction BeforeChild = {};
  sigset_t Mask;
};
} // namespace

SignalGuard::SignalGuard() {
  sigset_t Blocked;
  ::sigemptyset(&Blocked);
  for (int Signal : Passed)
    ::sigaddset(&Blocked, Signal);
  ::sigprocmask(SIG_BLOCK, &Blocked, &Mask);
  struct sigaction Action = {};
  Action.sa_flags = SA_SIGINFO | SA_RESTART;
  Action.sa_sigaction = passOn;
  for (size_t I = 0; I != Passed.size(); ++I) {
    ::sigaction(Passed[I], nullptr, &Before[I]);
    // What is ignored here is ignored by the command as well.
    if (Before[I].sa_handler != SIG_IGN)
      ::sigaction(Passed[I], &Action, nullptr);
  }
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &Default, &BeforeChild);
}

void SignalGuard::restore() {
  for (size_t I = 0; I != Passed.size(); ++I)
    ::sigaction(Passed[I], &Before[I], nullptr);
  ::sigaction(SIGCHLD, &BeforeChild, nullptr);
  ::sigprocmask(SIG_SETMASK, &Mask, nullptr);
}

static Error failure(int Number) {
  return llvm::errorCodeToError(
      std::error_code(Number, std::generic_category()));
}

/// Starts \p Command in a new process; 0 if it runs, or what went wrong there.
static int start(const std::vector<std::string> &Command,
                 SignalGuard &Signals) {
  std::vector<char *> Arguments;
  for (const std::string &Argument : Command)
    Arguments.push_back(const_cast<char *>(Argument.c_str()));
  Arguments.push_back(nullptr);
  // Closed by the exec that succeeds.
  std::array<int, 2> Pipe;
  if (::pipe2(Pipe.data(), O_CLOEXEC) != 0)
    return errno;
  pid_t Process = ::fork();
  if (Process == 0) {
    Signals.restore();
    ::execvp(Arguments.front(), Arguments.data());
    int Error = errno;
    (void)!::write(Pipe[1], &Error, sizeof Error);
    ::_exit(127);
  }
  int Error = Process < 0 ? errno : 0;
  ::close(Pipe[1]);
  Child = Process;
  if (Process > 0) {
    ssize_t Count = 0;
    do
      Count = ::read(Pipe[0], &Error, sizeof Error);
    while (Count < 0 && errno == EINTR);
    if (Count == sizeof Error)
      ::waitpid(Process, nullptr, 0);
    else
      Error = 0;
  }
  ::close(Pipe[0]);
  return Error;
}

/// Runs \p Command, a program of PATH first, with the environment of this
/// process, and waits for it. Its exit status; SignalBase and the number of the
/// signal where one ended it.
///
/// The command gets the signal dispositions and the mask that this process got,
/// ignored ones included. While it runs, signals that are sent to this process
/// alone are forwarded to it; those of the terminal reach it anyway. Processes
/// that the command leaves behind become children of this one, and are waited
/// for.
static Expected<int> runCommand(const std::vector<std::string> &Command) {
  SignalGuard Signals;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (int Error = start(Command, Signals)) {
    Child = 0;
    return failure(Error);
  }
  Signals.open();
  int Status = 0;
  while (true) {
    pid_t Ended = ::waitpid(-1, &Status, 0);
    if (Ended == Child)
      break;
    if (Ended < 0 && errno != EINTR) {
      Child = 0;
      return failure(errno);
    }
  }
  Child = 0;
  return WIFSIGNALED(Status) ? SignalBase + WTERMSIG(Status)
                             : WEXITSTATUS(Status);
}

/// How \p Status, as runCommand() has it, came about.
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
  if (!Fresh.Cached.empty())
    return fmt::format(
        "{} came out of jax's compilation cache instead of being compiled; {}",
        counted(Fresh.Cached.size(), "module"), WithoutCache);
  if (Fresh.Unfinished != 0)
    return fmt::format("XLA dumped {} without a buffer assignment",
                       counted(Fresh.Unfinished, "module"));
  std::string Reason = "the program compiled nothing with XLA, replaced "
                       "XLA_FLAGS, or took everything from a compilation cache "
                       "(JAX_ENABLE_COMPILATION_CACHE=false turns jax's off)";
  if (Fresh.Stale != 0)
    Reason += fmt::format(
        "; the buffer assignments in {} are older than this run", Folder);
  return Reason;
}

/// The entries of the caches that modules without a dump were taken from: a
/// folder is known where the environment or the program names it.
static std::vector<std::string> entriesOf(const FreshDumps &Fresh,
                                          const ProcessReport &Report) {
  if (Fresh.Cached.empty())
    return {};
  std::set<std::string> Folders = Report.CacheFolders;
  if (const char *Folder = std::getenv("JAX_COMPILATION_CACHE_DIR"))
    Folders.insert(absolutePath(Folder));
  std::vector<std::string> Entries;
  for (const std::string &Folder : Folders)
    llvm::append_range(Entries, cacheEntries(Folder, Fresh.Cached));
  return Entries;
}

/// The names of which no entry is there.
static unsigned withoutEntry(const FreshDumps &Fresh,
                             ArrayRef<std::string> Entries) {
  return unsigned(llvm::count_if(Fresh.Cached, [&](const std::string &Name) {
    return llvm::none_of(Entries, [&](StringRef Entry) {
      return llvm::sys::path::filename(Entry).starts_with(Name + "-");
    });
  }));
}

/// True if what is written names files, whether or not anything is found.
static bool namesFiles(const VerifyOptions &Options) {
  return Options.WantMemory || Options.Format != OutputFormat::Text ||
         !Options.Outputs.empty();
}

/// Says what of a run was not verified; how much.
static size_t printShortfalls(const FreshDumps &Fresh,
                              ArrayRef<std::string> Entries,
                              const ProcessReport &Report, raw_ostream &Err) {
  size_t Count = Report.Shortfalls.size();
  for (const std::string &Shortfall : Report.Shortfalls)
    Err << "hlobuf-verify: not verified: " << Shortfall << '\n';
  if (Fresh.Files.empty())
    return Count;
  if (unsigned Missing = withoutEntry(Fresh, Entries)) {
    Err << fmt::format(
        "hlobuf-verify: not verified: {} out of jax's compilation cache; {}\n",
        counted(Missing, "module"), WithoutCache);
    ++Count;
  }
  if (Fresh.Unfinished != 0)
    Err << fmt::format(
        "hlobuf-verify: XLA dumped {} without a buffer assignment\n",
        counted(Fresh.Unfinished, "module"));
  return Count;
}

/// Verifies what \p Fresh has, and says what it has not; the exit status.
static int judge(const VerifyOptions &Options, FreshDumps Fresh,
                 const ProcessReport &Report, int Status, DumpFolder &Dumps,
                 raw_ostream &Err) {
  std::vector<std::string> Entries = entriesOf(Fresh, Report);
  llvm::append_range(Fresh.Files, Entries);
  if (Fresh.Files.empty()) {
    Err << "hlobuf-verify: nothing was verified: "
        << whyNothing(Fresh, Status, Dumps.path()) << '\n';
    printShortfalls(Fresh, Entries, Report, Err);
    return Status != 0 ? Status : int(ExitUnreadable);
  }
  if (Status != 0)
    Err << "hlobuf-verify: the program " << howItFailed(Status) << '\n';
  unsigned Findings = 0;
  VerifyOptions Verify = Options;
  Verify.Inputs = Fresh.Files;
  Verify.Print.Color = Options.Print.Color && Options.Progress;
  // Standard output belongs to the command.
  int Verdict = runVerify(Verify, Err, Err, &Findings);
  if (!Entries.empty())
    Err << fmt::format("hlobuf-verify: {} out of jax's compilation cache: its "
                       "entries were verified\n",
                       counted(Fresh.Cached.size(), "module"));
  if (printShortfalls(Fresh, Entries, Report, Err) && Verdict == ExitSound)
    Verdict = ExitUnreadable;
  Dumps.Own.Keep |=
      Verdict != ExitSound || Findings != 0 || namesFiles(Options);
  return Status != 0 ? Status : Verdict;
}

/// What the command dumped, in its folder and in those that it chose itself.
static FreshDumps freshDumps(const StartMark &Start,
                             const ProcessReport &Report,
                             const DumpFolder &Dumps) {
  FreshDumps Fresh;
  Fresh.add(Dumps.path(), Start);
  // Where nothing is older, all of it may be searched.
  if (Fresh.Stale == 0 && !Fresh.Files.empty())
    Fresh.Files = {Dumps.path()};
  for (const std::string &Other : Report.Others)
    Fresh.add(Other, Start);
  return Fresh;
}

/// \p Result, where standard error could be written; LLVM would end the process
/// with a status of its own.
static int withLostOutput(int Result) {
  if (!llvm::errs().has_error())
    return Result;
  llvm::errs().clear_error();
  return Result != ExitSound ? Result : int(ExitUnreadable);
}

int hlobuf::runExec(const VerifyOptions &Options, bool HasCommand,
                    raw_ostream &Out, raw_ostream &Err) {
  if (!HasCommand) {
    Err << "error: --exec needs a command: hlobuf-verify --exec -- python "
           "train.py\n";
    return ExitUnreadable;
  }
  DumpFolder Dumps;
  if (Error Failed = Dumps.create(Options)) {
    Err << "error: " << llvm::toString(std::move(Failed)) << '\n';
    return ExitUnreadable;
  }
  PythonProcesses Processes(Dumps.path());
  Processes.prepare();
  Out.flush();
  StartMark Start(Dumps.path());
  Expected<int> Status = runCommand(Options.Inputs);
  if (!Status) {
    Err << "error: cannot run '" << Options.Inputs.front()
        << "': " << llvm::toString(Status.takeError()) << '\n';
    return ExitUnreadable;
  }
  // Nobody reads what we say: that must not hide the command's exit status.
  std::signal(SIGPIPE, SIG_IGN);
  ProcessReport Report = Processes.finish();
  Dumps.tidy(Start, Report);
  int Result = judge(Options, freshDumps(Start, Report, Dumps), Report, *Status,
                     Dumps, Err);
  if (Dumps.Own.Keep && !Dumps.Own.path().empty())
    Err << "hlobuf-verify: the dumps are in " << Dumps.path() << '\n';
  return withLostOutput(Result);
}
