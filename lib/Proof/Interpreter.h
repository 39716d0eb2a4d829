// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule, executed.
//
// Memory maps bytes to the values that they hold. A write replaces; so does
// the filling of constants and arguments at the start. Where places agree, a
// phi takes over its source, all phis of a border at once. A loop repeats until
// meeting the states at its head loses nothing that it reads; branches meet.

#ifndef HLOBUF_PROOF_INTERPRETER_H
#define HLOBUF_PROOF_INTERPRETER_H

#include "Proof/ProgramState.h"
#include "Proof/ReadSets.h"

namespace hlobuf::proof {

/// Decides what happens at run time: AtStart, Read, Written, NotReadBefore,
/// Awaited, BodyKept, Returned, Output, InputKept.
class Interpreter {
public:
  Interpreter(const ProofModel &X, Ledger &L);

  /// False if the program has too many steps, or is nested too deeply: what
  /// was not reached then stays open.
  bool run();

private:
  using State = ProgramState;
  using Bindings = SmallVector<Binding, 8>;

  void addPhis(HloId Id, HloId Source, Bindings &All) const;
  void fillInputs(State &S);
  void fillParameters(State &S, ComputationId C);

  // Steps.
  bool compute(State &S, ComputationId C);
  void checkResult(const State &S, HloId Root);
  bool dispatch(State &S, HloId Id);
  bool runLoop(State &S, HloId Id);
  bool runBranches(State &S, HloId Id);
  bool runCallee(State &S, HloId Caller, ComputationId Callee,
                 ArrayRef<HloId> Arguments);
  void bindResult(State &S, HloId Caller, ComputationId Callee);
  bool runBody(State &S, HloId Id);
  void step(State &S, HloId Id);
  void doReads(const State &S, HloId Id);
  Outcome read(const State &S, HloId Id, const PartRead &R);
  void checkPending(const State &S, HloId Id, const PartRead &R);
  void finish(State &S, HloId Done);
  void checkBody(const State &S, HloId Done, ComputationId Body);
  void doWrites(State &S, HloId Id);
  void joinSlices(State &S, HloId Id);
  bool mayForward(HloId Id, const PartWrite &W) const;
  bool isFilledBuffer(Part Written) const;
  Outcome written(const State &S, HloId Id, const PartWrite &W, bool Kept);
  bool keeps(State &S, HloId Id, const PartWrite &W);
  bool keepsCopy(State &S, HloId Id, const PartWrite &W);

  // Ends.
  void checkEnd(const State &S);
  Outcome output(const State &S, Part At);
  bool runLocal(State &S);
  void assumeCarried();

  const ProofModel &X;
  const Program &P;
  Ledger &L;
  ReadSets Reads;
  NumberSets Sets;
  size_t Steps = 0;
  unsigned Depth = 0;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_INTERPRETER_H
