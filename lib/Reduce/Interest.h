// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module has to show.

#ifndef HLOBUF_REDUCE_INTEREST_H
#define HLOBUF_REDUCE_INTEREST_H

#include "Reduce/ChildProcess.h"
#include <memory>

namespace hlobuf {

/// Says whether a module still shows what is looked for. Threads may ask at the
/// same time, each for a slot of its own.
class Interest {
public:
  virtual ~Interest() = default;

  /// \p File holds the text of a module; \p Folder is empty and for the test.
  virtual bool test(unsigned Slot, const std::string &File,
                    const std::string &Folder) = 0;

  /// Forgets all that earlier tests left behind, such as running compilers.
  virtual void startAfresh() {}

  /// Why the last test of \p Slot failed, for people; may be empty.
  virtual std::string lastProblem(unsigned Slot) const = 0;

  /// True if the last test of \p Slot could not be made: nothing is known of
  /// the module.
  virtual bool wasUnable(unsigned Slot) const = 0;
};

/// From here on Ctrl-C does not end the process, but wasInterrupted() is true.
void catchInterrupts();
/// True once the user has asked to stop (Ctrl-C); after catchInterrupts().
bool wasInterrupted();
/// Later interrupts end the process at once.
void forgetInterrupt();

/// What a test may take.
struct TestLimits {
  /// How long one test may take, in seconds.
  unsigned Seconds = 300;
  unsigned Slots = 1;
};

/// Runs `COMMAND FILE` in a shell: exit status 0 is interesting.
std::unique_ptr<Interest> makeCommandTest(std::string Command,
                                          const TestLimits &Limits);

} // namespace hlobuf

#endif // HLOBUF_REDUCE_INTEREST_H
