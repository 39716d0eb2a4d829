// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over the program's memory.
//
// Runs the program without computing anything: each write says which value its
// bytes hold now, each read looks whether they still hold the value it wants.
// Loops and conditionals are followed on all their paths. Of the assignment
// only the places of values are used, no live range.

#ifndef HLOBUF_DATAFLOW_EXECUTION_H
#define HLOBUF_DATAFLOW_EXECUTION_H

#include "Dataflow/AliasAnalysis.h"
#include "Dataflow/ExecutionMemory.h"
#include "Program/Schedule.h"

namespace hlobuf {

/// Somebody reads a value whose bytes hold something else.
struct ClobberedRead {
  /// At the end of the program the entry's root for its result, the definition
  /// for an input.
  HloId Reader;
  /// Nothing at the end of the program.
  std::optional<uint32_t> Operand;
  HloValueId Value;
  /// What was written there; invalid if nothing was.
  HloValueId Written;
  /// The first bytes that do not hold the value.
  AllocationBytes Damage;
  /// The value is a constant, or a parameter that is not donated: the caller
  /// still has it at the end of the program, unchanged.
  bool Input = false;
};

/// Executes the schedule once, when it is made; see above.
class Execution {
public:
  Execution(const DataflowAnalysis &Flow, const AliasAnalysis &Groups,
            const Schedule &Order);

  /// In the order of the readers' steps; a reader and a value stand together
  /// once.
  llvm::ArrayRef<ClobberedRead> clobbered() const { return Clobbered; }
  /// What was not followed, and why.
  llvm::ArrayRef<std::string> reasons() const { return Reasons; }
  /// The value line that places \p V; invalid if it is not followed.
  ValueId valueLine(HloValueId V) const { return Lines[V.index()]; }

private:
  friend class ExecutionWalk;

  std::vector<ClobberedRead> Clobbered;
  std::vector<std::string> Reasons;
  std::vector<ValueId> Lines;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_EXECUTION_H
