// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module has to show.

#ifndef HLOBUF_REDUCE_INTEREST_H
#define HLOBUF_REDUCE_INTEREST_H

#include "Reduce/ChildProcess.h"
#include <memory>

namespace hlobuf {

/// What a test says of a module.
struct TestOutcome {
  /// It shows what is looked for.
  bool Good = false;
  /// Why it does not, for people; may be empty.
  std::string Problem = {};
  /// The test could not be made: nothing is known of the module.
  bool Unable = false;
};

/// Says whether a module still shows what is looked for. Threads may ask at the
/// same time, each for a slot of its own.
class Interest {
public:
  virtual ~Interest() = default;

  /// \p File holds the text of a module; \p Folder is empty and for the test.
  virtual TestOutcome test(unsigned Slot, const std::string &File,
                           const std::string &Folder) = 0;

  /// Forgets all that earlier tests left behind, such as running compilers.
  virtual void startAfresh() {}
};

/// From here on Ctrl-C does not end the process, but wasInterrupted() is true.
void catchInterrupts();
/// True once the user has asked to stop (Ctrl-C); after catchInterrupts().
bool wasInterrupted();
/// Later interrupts end the process at once.
void forgetInterrupt();

/// Runs `COMMAND FILE` in a shell, for so many seconds: exit status 0 is
/// interesting.
std::unique_ptr<Interest> makeCommandTest(std::string Command,
                                          unsigned Seconds);

/// How candidates are compiled, and what makes them interesting.
struct CompileOptions {
  /// A Python with jax.
  std::string Python = "python3";
  /// `cpu`, `tpu:v5e`, `tpu:v5e:2x2x1`, `cuda:h100` or `cuda:FILE`.
  std::string Target = "cpu";
  /// The checks of which one has to report an error or a warning: globs. Empty
  /// where the numbers decide.
  std::string Checks;
  /// What the finding's message has to contain; may be empty.
  std::string Message;
  /// On CPU: the program has to compute other numbers than an interpreter.
  bool WrongNumbers = false;
  /// How long a compilation may take.
  unsigned Seconds = 300;
};

/// Compiles each module in a Python process that stays alive, and verifies what
/// the compiler dumps; \p Slots are tested at the same time. Fails for globs
/// that name no check.
Expected<std::unique_ptr<Interest>> makeCompileTest(CompileOptions Options,
                                                    unsigned Slots);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_INTEREST_H
