// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is talked to.

#ifndef HLOBUF_REDUCE_CHILDPROCESS_H
#define HLOBUF_REDUCE_CHILDPROCESS_H

#include "Support/LLVM.h"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <vector>

namespace hlobuf {

/// A program in a process group of its own, so that the terminal's signals do
/// not reach it, with pipes to its standard input and from its standard output.
/// It is killed, with all that it started, when this object goes away.
class ChildProcess {
public:
  using Clock = std::chrono::steady_clock;
  /// Asked while waiting: true to give up.
  using StopFn = std::function<bool()>;

  ChildProcess() = default;
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Starts \p Arguments, a program of PATH first. Standard error goes to the
  /// file \p Log, and standard output as well unless \p Talk. An error if it
  /// cannot be started.
  std::error_code start(const std::vector<std::string> &Arguments,
                        const std::string &Log, bool Talk);

  bool isRunning() const { return Process > 0; }

  /// False if the program does not read any more.
  bool writeLine(StringRef Line);

  /// The next line; nothing if the program ended, if it is later than \p Until,
  /// or if \p Stop says so.
  std::optional<std::string> readLine(Clock::time_point Until,
                                      const StopFn &Stop);

  /// The exit status; nothing if it was ended by a signal, as by this for being
  /// later than \p Until or because \p Stop says so.
  std::optional<int> wait(Clock::time_point Until, const StopFn &Stop);

  /// Ends the program and all that it started.
  void kill();

private:
  void closePipes();

  pid_t Process = 0;
  int In = -1;
  int Out = -1;
  /// Read and not yet returned.
  std::string Rest;
};

} // namespace hlobuf

#endif // HLOBUF_REDUCE_CHILDPROCESS_H
