// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA in a Python process.

#ifndef HLOBUF_REDUCE_COMPILER_H
#define HLOBUF_REDUCE_COMPILER_H

#include "Reduce/ChildProcess.h"

namespace hlobuf {

/// A Python that compiles HLO texts, one after the other: what it costs to
/// start jax and a compiler is paid once. python/hlobuf/_compile_worker.py is
/// what it runs.
class Compiler {
public:
  struct Answer {
    /// `ok`, `wrong` or `failed`; `absent` if there is no compiler to ask.
    std::string Word;
    /// Details, for people.
    std::string Rest;
  };

  /// Nothing is started yet. Modules are dumped to \p Folder, at least two
  /// levels below a folder of this process: `work/0/dumps`, with `work/0.log`
  /// next to it. A request may take \p Seconds.
  Compiler(std::string Python, std::string Target, std::string Folder,
           unsigned Seconds)
      : Python(std::move(Python)), Target(std::move(Target)),
        Folder(std::move(Folder)), Seconds(Seconds) {}

  /// Asks to do \p Verb, such as `compile`, with \p Arguments, separated by
  /// tabs. The process is started if it is not there, and is gone after a
  /// crash.
  Answer ask(StringRef Verb, StringRef Arguments);

  bool isRunning() const { return Process.isRunning(); }

  /// Further flags for XLA; before the first request.
  std::string Flags;

private:
  bool start(std::string &Reason);

  std::string Python;
  std::string Target;
  std::string Folder;
  unsigned Seconds;
  ChildProcess Process;
};

} // namespace hlobuf

#endif // HLOBUF_REDUCE_COMPILER_H
