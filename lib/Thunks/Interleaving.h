// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of custom calls of a GPU: operands and results, each in order.

#ifndef HLOBUF_THUNKS_INTERLEAVING_H
#define HLOBUF_THUNKS_INTERLEAVING_H

#include "Proof/Ledger.h"
#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// True if \p S is not where \p Leaf is known to be.
bool isElsewhere(const ThunkSlice &S, const ArrayLeaf &Leaf);

/// What is shown of all of \p All, of which there are as many as arrays, if
/// they are the places of \p Operands and \p Results in some way; nothing if
/// there is none.
std::optional<proof::Outcome> interleaved(ArrayRef<const ThunkSlice *> All,
                                          ArrayRef<ArrayLeaf> Operands,
                                          ArrayRef<ArrayLeaf> Results);

} // namespace hlobuf

#endif // HLOBUF_THUNKS_INTERLEAVING_H
