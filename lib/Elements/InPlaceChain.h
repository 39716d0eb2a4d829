// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of an operand.

#ifndef HLOBUF_ELEMENTS_INPLACECHAIN_H
#define HLOBUF_ELEMENTS_INPLACECHAIN_H

#include "Elements/Scalars.h"

namespace hlobuf {

/// The updates that make a result out of an operand, in place.
struct InPlaceChain {
  /// Where the chain begins, if Found: else all elements are changed.
  bool Found = false;
  uint32_t Operand = 0;
  uint32_t Part = 0;
  /// dynamic-update-slices and scatters, the last one first.
  std::vector<ScopedId> Updates;
  /// A scatter is one of them.
  bool Scatters = false;
  /// The first update; invalid if there is none.
  HloId Writer;
  /// Too long to be followed.
  bool Incomplete = false;

  /// Nothing is written that was not there.
  bool onlyForwards() const { return Found && Updates.empty(); }
};

/// How part \p Part of \p Id comes from an operand. Takes its steps from
/// \p Budget.
InPlaceChain findInPlaceChain(Scalars &All, HloId Id, uint32_t Part,
                              size_t &Budget);

} // namespace hlobuf

#endif // HLOBUF_ELEMENTS_INPLACECHAIN_H
