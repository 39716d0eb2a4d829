// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/ChildProcess.h"
#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hlobuf;

/// How often a wait asks whether it is to stop.
static constexpr std::chrono::milliseconds Tick(100);

// What is started at this moment for another test must not get a pipe.
#ifdef __APPLE__
extern char **environ;

static constexpr short OnlyGivenFiles = POSIX_SPAWN_CLOEXEC_DEFAULT;

static int openPipe(std::array<int, 2> &Ends) { return ::pipe(Ends.data()); }
#else
static constexpr short OnlyGivenFiles = 0;

static int openPipe(std::array<int, 2> &Ends) {
  return ::pipe2(Ends.data(), O_CLOEXEC);
}
#endif

namespace {
/// What a new process is given, freed at the end.
struct SpawnSettings {
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&Files);
    ::posix_spawnattr_init(&Attributes);
    ::posix_spawnattr_setflags(
        &Attributes, OnlyGivenFiles | POSIX_SPAWN_SETPGROUP |
                         POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    sigset_t Signals;
    sigemptyset(&Signals);
    ::posix_spawnattr_setsigmask(&Attributes, &Signals);
    sigaddset(&Signals, SIGINT);
    sigaddset(&Signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&Attributes, &Signals);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&Files);
    ::posix_spawnattr_destroy(&Attributes);
  }
  posix_spawn_file_actions_t Files;
  posix_spawnattr_t Attributes;
};
} // namespace

std::error_code ChildProcess::start(const std::vector<std::string> &Arguments,
                                    const std::string &Log, bool Talk) {
  kill();
  std::array<int, 2> ToChild = {-1, -1};
  std::array<int, 2> FromChild = {-1, -1};
  if (Talk && (openPipe(ToChild) != 0 || openPipe(FromChild) != 0)) {
    std::error_code Error(errno, std::generic_category());
    for (int End : ToChild)
      ::close(End);
    return Error;
  }
  SpawnSettings Settings;
  auto *Files = &Settings.Files;
  if (Talk)
    ::posix_spawn_file_actions_adddup2(Files, ToChild[0], 0);
  else
    ::posix_spawn_file_actions_addopen(Files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(Files, 2, Log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(Files, Talk ? FromChild[1] : 2, 1);
  std::vector<char *> Words;
  for (const std::string &Argument : Arguments)
    Words.push_back(const_cast<char *>(Argument.c_str()));
  Words.push_back(nullptr);
  pid_t Started = 0;
  int Error = ::posix_spawnp(&Started, Words.front(), Files,
                             &Settings.Attributes, Words.data(), environ);
  if (Talk) {
    ::close(ToChild[0]);
    ::close(FromChild[1]);
    In = ToChild[1];
    Out = FromChild[0];
  }
  if (Error != 0) {
    closePipes();
    return {Error, std::generic_category()};
  }
  Process = Started;
  Rest.clear();
  return {};
}

bool ChildProcess::writeLine(StringRef Line) {
  std::string Text = Line.str() + '\n';
  for (size_t Done = 0; Done != Text.size();) {
    ssize_t Count = ::write(In, Text.data() + Done, Text.size() - Done);
    if (Count < 0 && errno == EINTR)
      continue;
    if (Count <= 0)
      return false;
    Done += static_cast<size_t>(Count);
  }
  return true;
}

std::optional<std::string> ChildProcess::readLine(Clock::time_point Until,
                                                  const StopFn &Stop) {
  while (true) {
    if (size_t End = Rest.find('\n'); End != std::string::npos) {
      std::string Line = Rest.substr(0, End);
      Rest.erase(0, End + 1);
      return Line;
    }
    if (Out < 0 || Clock::now() > Until || Stop())
      return std::nullopt;
    pollfd Poll = {Out, POLLIN, 0};
    int Ready = ::poll(&Poll, 1, static_cast<int>(Tick.count()));
    if (Ready <= 0)
      continue; // later, or a signal
    std::array<char, 4096> Bytes;
    ssize_t Count = ::read(Out, Bytes.data(), Bytes.size());
    if (Count < 0 && errno == EINTR)
      continue;
    if (Count <= 0)
      return std::nullopt;
    Rest.append(Bytes.data(), static_cast<size_t>(Count));
  }
}

std::optional<int> ChildProcess::wait(Clock::time_point Until,
                                      const StopFn &Stop) {
  std::chrono::microseconds Pause(500);
  while (isRunning()) {
    int Status = 0;
    pid_t Ended = ::waitpid(Process, &Status, WNOHANG);
    if (Ended == Process) {
      // What it started and left behind goes, too.
      ::kill(-Process, SIGKILL);
      Process = 0;
      closePipes();
      if (!WIFEXITED(Status))
        return std::nullopt;
      return WEXITSTATUS(Status);
    }
    if ((Ended < 0 && errno != EINTR) || Clock::now() > Until || Stop())
      kill();
    else
      std::this_thread::sleep_for(Pause);
    Pause = std::min<std::chrono::microseconds>(2 * Pause, Tick / 10);
  }
  return std::nullopt;
}

void ChildProcess::kill() {
  if (isRunning()) {
    ::kill(-Process, SIGKILL);
    while (::waitpid(Process, nullptr, 0) < 0 && errno == EINTR)
      ;
    Process = 0;
  }
  closePipes();
}

void ChildProcess::closePipes() {
  for (int *Pipe : {&In, &Out}) {
    if (*Pipe >= 0)
      ::close(*Pipe);
    *Pipe = -1;
  }
}
