// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rules make of a module.

#ifndef HLOBUF_DATAFLOW_DERIVATION_H
#define HLOBUF_DATAFLOW_DERIVATION_H

#include "Dataflow/LiveRanges.h"

namespace hlobuf {

/// Everything that a module implies by the rules of one release.
class Derivation {
public:
  /// \p Flow must outlive it; its program has no obstacle.
  Derivation(const DataflowAnalysis &Flow, const ReleaseRules &Rules)
      : P(Flow.program()), Flow(Flow), Groups(Flow, Rules), Steps(P, Rules),
        Ranges(Flow, Groups, Steps, Rules) {
    findLines();
  }

  const Facts &facts() const { return P.facts(); }
  const Program &program() const { return P; }
  const DataflowAnalysis &flow() const { return Flow; }
  const AliasAnalysis &aliases() const { return Groups; }
  const Schedule &schedule() const { return Steps; }
  const LiveRanges &ranges() const { return Ranges; }

  /// The value of the module that the dump calls (name, index); invalid if it
  /// has none.
  HloValueId find(NameId Name, ShapeIndex Index) const;
  /// The value line of \p V; invalid if the dump has none.
  ValueId lineOf(HloValueId V) const { return Lines[V.index()]; }
  /// The used value of \p V; invalid if the dump has none.
  UsedId usedOf(HloValueId V) const;

private:
  void findLines();

  const Program &P;
  const DataflowAnalysis &Flow;
  AliasAnalysis Groups;
  Schedule Steps;
  LiveRanges Ranges;
  /// By value.
  std::vector<ValueId> Lines;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_DERIVATION_H
