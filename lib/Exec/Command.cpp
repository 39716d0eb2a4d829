// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exec/Command.h"
#include <array>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hlobuf;

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

Expected<int> hlobuf::runCommand(const std::vector<std::string> &Command) {
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
