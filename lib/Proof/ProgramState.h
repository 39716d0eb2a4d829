// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory holds at one moment of an execution.

#ifndef HLOBUF_PROOF_PROGRAMSTATE_H
#define HLOBUF_PROOF_PROGRAMSTATE_H

#include "Proof/ByteMemory.h"
#include "Proof/ProofModel.h"

namespace hlobuf::proof {

/// A line, and that of its source; the source may be invalid.
using Binding = std::pair<ValueId, ValueId>;

/// Memory, and operations that are under way. Copies are states of other paths,
/// which share \p Sets.
class ProgramState {
public:
  /// Nothing was written.
  ProgramState(const ProofModel &X, NumberSets &Sets)
      : X(&X), Sets(&Sets), Bytes(X.Lines.dump().Allocations.size()) {}

  /// True if all bytes of \p Line hold it.
  bool holds(ValueId Line) const {
    return Bytes.holds(X->place(Line), Line.index(), *Sets);
  }
  /// True if where \p Line is lost the computation \p Body wrote, or another
  /// one that runs after it on the same stream.
  bool isOverwrittenBy(ValueId Line, ComputationId Body) const;
  /// \p Line is lost, at \p Who: to which value.
  Evidence lost(ValueId Line, std::string Who) const;

  /// The bytes of \p Line hold it, and nothing else.
  void write(ValueId Line) { Bytes.write(X->place(Line), Line.index(), *Sets); }
  /// They hold it, too.
  void add(ValueId Line) { add(Line, Line.index()); }
  /// The computation \p Body, of an async chain, wrote \p Line.
  void mark(ValueId Line, ComputationId Body) { add(Line, markOf(Body)); }
  /// Writes \p Line before the first step. Constants with one literal may have
  /// one place.
  void fill(ValueId Line);
  /// The bytes of \p Line, which a copy writes, hold the same already: a value
  /// for which \p IsSame is true. False if there is none.
  bool keepSame(ValueId Line, function_ref<bool(ValueId)> IsSame);
  /// All at once: a line's bytes hold it where they hold its source, should
  /// that be in the same place; one phi may be the source of another.
  void bind(ArrayRef<Binding> All);
  /// Keeps what \p Other holds, too. Adds values that are lost somewhere to
  /// \p Lost.
  void meet(const ProgramState &Other, SmallVectorImpl<uint32_t> &Lost);

  /// The operation that \p Start begins still writes \p Line.
  void setPending(ValueId Line, HloId Start);
  /// The start of what still writes \p Line; invalid if nothing does.
  HloId pendingStart(ValueId Line) const {
    return Pending.lookup(Line.index());
  }
  bool isPending(HloId Start) const {
    return Unfinished.count(Start.index()) != 0;
  }
  /// What \p Start began is over.
  void finish(HloId Start);

private:
  bool isWrittenInOrder(uint32_t Set, StringRef Stream) const;
  void add(ValueId Line, uint32_t Value);
  /// Above the numbers of all lines.
  uint32_t markOf(ComputationId Body) const {
    return static_cast<uint32_t>(X->Lines.dump().Values.size()) + Body.index();
  }

  const ProofModel *X;
  NumberSets *Sets;
  ByteMemory Bytes;
  /// By value line: the start of what still writes it.
  DenseMap<uint32_t, HloId> Pending;
  /// By start: these lines, and maybe some that others write by now.
  DenseMap<uint32_t, SmallVector<uint32_t, 2>> Unfinished;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_PROGRAMSTATE_H
