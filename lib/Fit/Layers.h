// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions whose residuals can be computed again.

#ifndef HLOBUF_FIT_LAYERS_H
#define HLOBUF_FIT_LAYERS_H

#include "Fit/FitContext.h"

namespace hlobuf {

/// What the backward pass reads of the forward pass.
struct Residual {
  /// Invalid for one of a scan.
  HloValueId Value;
  /// Of one layer.
  SplitBytes Bytes;
  /// First and last step of the backward pass that reads it.
  int32_t FirstRead = 0;
  int32_t LastRead = -1;
  /// What is not held where it is not kept.
  std::vector<BytesChange> Freed;
};

/// One call of a function, or the body of a scan for all of its trips.
struct LayerCall {
  /// Its instructions of the forward pass, in schedule order.
  std::vector<HloId> Order;
  std::vector<Residual> Residuals;
  /// The step of the backward pass at which they are computed again.
  int32_t Anchor = 0;
  /// Bytes of what the body of a scan is given that are kept only then.
  std::vector<BytesChange> Inputs;
};

/// A function of the program that is called once or more, or scanned.
struct Layer {
  /// `block`; empty if the module does not name functions.
  std::string Function;
  /// Where it is called, or scanned: `train.py:32`.
  std::string Source;
  bool Scanned = false;
  /// Calls, or trips.
  uint64_t Count = 1;
  /// By call: the name of the module that it is of, where a library of layers
  /// gives it one.
  std::vector<std::string> Modules;
  /// Of a scan: products of one trip, of both passes.
  uint64_t TripProducts = 0;
  std::vector<LayerCall> Calls;
};

/// What is different when the residuals of \p L are computed again.
FitEffect recomputeLayer(const FitContext &Ctx, const Layer &L);

/// Scans whose bodies keep something for the backward pass.
std::vector<Layer> findScannedLayers(const FitContext &Ctx);

/// Functions of the entry computation that do, the most bytes first.
std::vector<Layer> findCalledLayers(const FitContext &Ctx);

} // namespace hlobuf

#endif // HLOBUF_FIT_LAYERS_H
