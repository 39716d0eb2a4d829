// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions whose residuals can be computed again.

#ifndef HLOBUF_FIT_LAYERS_H
#define HLOBUF_FIT_LAYERS_H

#include "Fit/Recompute.h"

namespace hlobuf {

/// One call of a function, or the body of a scan for all of its trips.
struct LayerCall {
  /// Its instructions of the forward pass, in schedule order.
  std::vector<HloId> Order;
  std::vector<Residual> Residuals;
  /// The step of the backward pass at which they are computed again.
  int32_t Anchor = 0;
  /// Bytes of what the function is given that are kept only then.
  std::vector<BytesChange> Inputs;
  /// As findEarlierWork() says.
  std::vector<BytesChange> Earlier;
};

/// Residuals of one line that a policy can keep.
struct SaveGroup {
  /// `train.py:12`, and the last part of the op_name.
  std::string Source;
  std::string Operation;
  /// The function that the line is in; empty if unknown.
  std::string Function;
  /// Bytes of all layers.
  uint64_t Bytes = 0;
  /// Pairs of a call and a residual of it.
  std::vector<std::pair<uint32_t, uint32_t>> Members;
};

/// A function of the program that is called once or more, or scanned.
struct Layer {
  /// `block`; empty if the module does not name functions.
  std::string Function;
  /// Of a function that is the call() of Keras layers: their names, one for
  /// each call.
  std::vector<std::string> KerasLayers;
  /// Where it is called, or scanned: `train.py:32`.
  std::string Source;
  bool Scanned = false;
  /// Calls, or trips.
  uint64_t Count = 1;
  /// Of a scan: operations of one trip, of both passes.
  double TripFlops = 0;
  std::vector<LayerCall> Calls;
  std::vector<SaveGroup> Groups;

  /// Bytes that are kept for the backward pass.
  uint64_t keptBytes() const;
  /// There is something that need not be kept.
  bool hasResiduals() const { return keptBytes() != 0; }
};

/// What is different when the residuals of \p L are computed again, but for
/// those of the groups that \p Saved has: true by number of Layer::Groups.
FitEffect recomputeLayer(const FitContext &Ctx, const Layer &L,
                         const std::vector<bool> &Saved);

/// What is different when what \p L is given is kept in the memory of the
/// host; nothing if it keeps none.
std::optional<FitEffect> offloadInputs(const Layer &L);

/// Scans whose bodies keep something for the backward pass.
std::vector<Layer> findScannedLayers(const FitContext &Ctx);

/// Functions of the entry computation that do.
struct CalledLayers {
  /// The most bytes first.
  std::vector<Layer> Layers;
  /// A clause that says why there is none; empty otherwise.
  std::string WhyNone;
};
CalledLayers findCalledLayers(const FitContext &Ctx);

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

/// Fills in Layer::Groups.
void groupResiduals(const FitContext &Ctx, Layer &L);

} // namespace hlobuf

#endif // HLOBUF_FIT_LAYERS_H
