// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a fusion reads.
//
// From its results back to its parameters: how many elements of each its
// results need. Which ones, integer sets know; here their number is enough.

#ifndef HLOBUF_MEMORY_FUSIONREADS_H
#define HLOBUF_MEMORY_FUSIONREADS_H

#include "Program/Program.h"

namespace hlobuf {

/// Elements of \p At; 1 for all else.
uint64_t elementsOf(const Program &P, Part At);

/// \p At, looked at through whatever only forwards it; invalid where the text
/// does not have it.
Part lookThrough(const Program &P, Part At);

/// \p At, looked at through all that keeps its elements, too, in whatever
/// layout; updates aside.
Part lookThroughLayouts(const Program &P, Part At);

/// The result of \p Id if that is a copy of operand 0, synchronous or not;
/// else invalid.
Part copiedPart(const Program &P, HloId Id);

/// The elements that the results of one fusion need. In linear time.
class FusionReads {
public:
  FusionReads(const Program &P, ComputationId Body) : P(P), Body(Body) {}

  /// \p Count elements of \p At, in the body, are needed.
  void need(Part At, uint64_t Count);

  /// A part of a parameter.
  struct Need {
    uint32_t Parameter = 0;
    uint32_t Ordinal = 0;
    /// At most as many as it has.
    uint64_t Elements = 0;
  };
  /// To be called once, after need().
  SmallVector<Need, 4> parameters();

  /// No element of an array is computed in the body.
  bool onlyMoves() const;

private:
  void needOperands(Part At, uint64_t Count);

  const Program &P;
  ComputationId Body;
  /// By instruction and part.
  DenseMap<IdPair, uint64_t> Needed;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_FUSIONREADS_H
