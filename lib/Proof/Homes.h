// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value line that stands for a part.

#ifndef HLOBUF_PROOF_HOMES_H
#define HLOBUF_PROOF_HOMES_H

#include "Proof/PartSources.h"

namespace hlobuf::proof {

/// A part's home is its own line, or that of its sources where all have one and
/// the same. Sources that lead back to the part say nothing.
class Homes {
public:
  Homes(const ValuePlaces &Lines, const PartSources &From);

  /// Invalid if there is none.
  ValueId of(Part At) const {
    uint32_t N = Lines.number(At);
    return N == ValuePlaces::NoNumber || Home[N] == unset() ? ValueId()
                                                            : Home[N];
  }

private:
  /// Of a part that no line has reached yet.
  static ValueId unset() { return ValueId(size_t(~uint32_t(1))); }
  bool update(Part At);

  const ValuePlaces &Lines;
  const PartSources &From;
  /// By number of a part.
  std::vector<ValueId> Home;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_HOMES_H
