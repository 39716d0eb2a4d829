// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much an instruction computes.

#ifndef HLOBUF_FIT_FLOPS_H
#define HLOBUF_FIT_FLOPS_H

#include "Program/Program.h"

namespace hlobuf {

/// Floating-point operations of dots and convolutions, those inside of fusions
/// and of calls of libraries for them included; all else is free next to them.
class Flops {
public:
  explicit Flops(const Program &P);

  /// Operations of one run of \p Id; loops count one trip.
  double operator[](HloId Id) const { return ById[Id.index()]; }

private:
  double ofDot(HloId Id) const;
  double ofConvolution(HloId Id, ShapeId Output, ShapeId Kernel) const;
  double ofCudnn(HloId Id, llvm::StringRef Target) const;
  double ofCall(HloId Id) const;
  double elements(ShapeId Shape) const;

  const Program &P;
  std::vector<double> ById;
};

} // namespace hlobuf

#endif // HLOBUF_FIT_FLOPS_H
