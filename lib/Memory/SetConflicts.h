// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why two arrays cannot have the same bytes.
//
// XLA gives places to alias sets: all values that must share their bytes over
// time, as loop state and updates in place. Two sets conflict if a value of
// each are live together, hold different bytes, and can be there in one
// execution.

#ifndef HLOBUF_MEMORY_SETCONFLICTS_H
#define HLOBUF_MEMORY_SETCONFLICTS_H

#include "Dataflow/ModuleAnalysis.h"

namespace hlobuf {

/// Two values that hold different bytes at one time.
struct Conflict {
  HloValueId Older;
  HloValueId Newer;
  /// Reads Older last; invalid if something else keeps it.
  HloId Reader;
  /// Writes Newer; the loop, where that is its state.
  HloId Writer;
  /// The end of the live range of Older.
  int32_t ReadStep = 0;
  /// The step of Writer: not after ReadStep.
  int32_t WriteStep = 0;

  /// Only the step that writes the one reads the other.
  bool touches() const { return ReadStep == WriteStep; }
};

/// Looks for conflicts in one module that derives times.
class SetConflicts {
public:
  explicit SetConflicts(const ModuleAnalysis &Module)
      : Module(Module), P(Module.program()),
        Members(Module.flow(), Module.aliases()) {}

  /// The longest one of two values of different sets among those of \p Values;
  /// nothing if there is none, among the first members of large sets.
  std::optional<Conflict> find(ArrayRef<HloValueId> Values) const;

  /// All values of the set of \p V.
  ArrayRef<HloValueId> members(HloValueId V) const { return Members[V]; }
  /// What \p V is a copy of, through all copies.
  HloValueId origin(HloValueId V) const;
  /// What reads \p V last, but for what only forwards it; invalid if nothing
  /// does.
  HloId lastReader(HloValueId V) const;
  /// What writes \p V: of loop state the loop.
  HloId writer(HloValueId V) const;
  /// The instruction of \p C that runs \p Id; invalid if none does.
  HloId runner(HloId Id, ComputationId C) const;

private:
  bool excludeEachOther(HloId A, HloId B) const;

  const ModuleAnalysis &Module;
  const Program &P;
  AliasMembers Members;
};

/// What runs \p C, of several the first one; invalid for the entry.
HloId callerOf(const Program &P, ComputationId C);
/// How that calls \p C.
CallRole roleOf(const Program &P, ComputationId C);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_SETCONFLICTS_H
