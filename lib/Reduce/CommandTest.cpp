// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command as a test.

#include "Reduce/Interest.h"
#include "Support/Format.h"
#include <csignal>
#include <unistd.h>

using namespace hlobuf;

static volatile std::sig_atomic_t Interrupted = 0;

static void onInterrupt(int) {
  // The second one, or one while the result is verified, ends all.
  if (Interrupted != 0)
    ::_exit(130);
  Interrupted = 1;
}

bool hlobuf::wasInterrupted() { return Interrupted == 1; }

void hlobuf::catchInterrupts() {
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  std::signal(SIGPIPE, SIG_IGN);
}

void hlobuf::forgetInterrupt() {
  if (Interrupted != 0)
    Interrupted = 2;
}

namespace {
class CommandTest : public Interest {
public:
  CommandTest(std::string Command, unsigned Seconds)
      : Command(std::move(Command)), Seconds(Seconds) {}

  TestOutcome test(unsigned, const std::string &File,
                   const std::string &Folder) override {
    ChildProcess Shell;
    if (std::error_code Error =
            Shell.start({"/bin/sh", "-c", Command + " \"$1\"", "sh", File},
                        Folder + "/output.txt", /*Talk=*/false))
      return {false, "cannot run '/bin/sh': " + Error.message(), true};
    auto Until = ChildProcess::Clock::now() + std::chrono::seconds(Seconds);
    std::optional<int> Status = Shell.wait(Until, wasInterrupted);
    if (!Status)
      return {false,
              fmt::format("it was ended by a signal, or took more than {} s",
                          Seconds)};
    // What a shell says of a command that it cannot run (POSIX).
    return {*Status == 0, fmt::format("its exit status is {}", *Status),
            *Status == 126 || *Status == 127};
  }

private:
  std::string Command;
  unsigned Seconds;
};
} // namespace

std::unique_ptr<Interest> hlobuf::makeCommandTest(std::string Command,
                                                  unsigned Seconds) {
  return std::make_unique<CommandTest>(std::move(Command), Seconds);
}
