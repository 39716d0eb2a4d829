// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// async-start to async-done.
//
// A chain is an async-start, any number of async-updates and an async-done;
// since 2026-08-11 its state may pass through tuples, barriers and loops
// (xla/hlo/ir/hlo_instructions.cc). Each link is looked for once, so that long
// chains cost no more than short ones.

#ifndef HLOBUF_PROGRAM_ASYNCCHAINS_H
#define HLOBUF_PROGRAM_ASYNCCHAINS_H

#include "Program/ProgramGraph.h"
#include "llvm/ADT/DenseMap.h"

namespace hlobuf {

/// The chains of one program, which must outlive them.
class AsyncChains {
public:
  explicit AsyncChains(const ProgramGraph &Graph) : Graph(Graph) {}
  /// Finds the chains of the first \p Count instructions, which print operands.
  void link(size_t Count);

  /// The async-start or -update that operand 0 of \p Id comes from, looking
  /// through tuples, elements, barriers and loop state; invalid if unknown.
  HloId producer(HloId Id) const;
  /// The start of the chain that async op \p Id belongs to, itself if it is
  /// one; invalid if unknown.
  HloId start(HloId Id) const;
  /// The last element of the chain that goes on from \p Start, an async-start
  /// or -update: its done if there is one.
  HloId end(HloId Start) const;
  /// The last async-update, or the start, of the chain that begins with
  /// \p Start.
  HloId lastUpdate(HloId Start) const;
  /// Operand number \p Number of those bound so far at \p Id; invalid if there
  /// are fewer.
  HloId boundOperand(HloId Id, uint32_t Number) const;
  /// Operands bound so far at \p Id, an async-start or -update.
  SmallVector<HloId, 8> boundOperands(HloId Id) const;

private:
  const ProgramGraph &Graph;
  /// By element: what updates and dones take the state from, the start, the
  /// end, and by update the element before it that binds operands.
  DenseMap<uint32_t, HloId> Producers;
  DenseMap<uint32_t, HloId> ChainStart;
  DenseMap<uint32_t, HloId> ChainEnd;
  DenseMap<uint32_t, HloId> BoundBefore;
  /// By element: itself, or the one before it that binds operands.
  DenseMap<uint32_t, HloId> LastBinding;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_ASYNCCHAINS_H
