// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checks can ask.

#ifndef HLOBUF_CHECKS_CONTEXT_H
#define HLOBUF_CHECKS_CONTEXT_H

#include "Memory/Waste.h"

namespace hlobuf {

class LaunchProof;
class ModuleAnalysis;
class Program;
class ThunkGraph;
class ValueNames;
namespace proof {
struct Proof;
} // namespace proof

/// The facts of one dump and, if it has a module, what that implies, computed
/// when first asked for. All checks of the dump share it.
class CheckContext : public Facts {
public:
  explicit CheckContext(const Dump &D);
  ~CheckContext();

  /// The program of the module; null without a complete module and complete
  /// allocations.
  const Program *program() const;
  /// True if the module has \p Name in a computation that another execution
  /// thread runs, from other places.
  bool runsElsewhere(NameId Name) const;
  /// What that implies; null without one.
  const ModuleAnalysis *moduleAnalysis() const;
  /// What the program implies by the used values alone, which must be complete;
  /// null if the dump states nothing else, as most do: it is then not kept.
  const ModuleAnalysis *textAnalysis() const;
  /// What was shown of the execution of program(); null without one.
  const proof::Proof *proof() const;
  /// What was shown of the program that the dump states; null if it states
  /// none.
  const proof::Proof *statedProof() const;
  /// The thunks and their instructions; null without the module analysis or if
  /// it has an obstacle.
  const ThunkGraph *thunkGraph() const;
  /// What is shown of them; thunkGraph() is not null.
  const LaunchProof &launchProof() const;

  /// Bytes over time.
  const MemoryUse &memory() const;
  /// What values are called.
  const ValueNames &names() const;
  /// What the program could do without.
  const MemoryAnswers &answers() const;

private:
  struct Cache;
  std::unique_ptr<Cache> Memo;
};

} // namespace hlobuf

#endif // HLOBUF_CHECKS_CONTEXT_H
