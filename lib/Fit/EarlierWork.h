// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiler runs before a layer is computed again.

#ifndef HLOBUF_FIT_EARLIERWORK_H
#define HLOBUF_FIT_EARLIERWORK_H

#include "Fit/Layers.h"

namespace hlobuf {

/// What is different at the backward pass of \p Call when that of \p Order
/// which reads none of \p Missing, nor what is computed of it, runs at
/// LayerCall::Anchor: the gradient of the weights that come next lets logits
/// go, which would be held while the layer is computed again. Nothing where it
/// holds more. \p Order has the backward pass in schedule order; \p Missing has
/// what defines residuals. Costs O(instructions from Anchor to the last read).
std::vector<BytesChange>
findEarlierWork(const FitContext &Ctx, const LayerCall &Call,
                llvm::ArrayRef<HloId> Order,
                const llvm::DenseSet<uint32_t> &Missing);

} // namespace hlobuf

#endif // HLOBUF_FIT_EARLIERWORK_H
