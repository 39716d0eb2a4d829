//===- Dataflow/ScalarRange.h - Bounds of scalars ---------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_SCALARRANGE_H
#define HLOBUF_DATAFLOW_SCALARRANGE_H

#include "Dataflow/ElementMap.h"
#include "Dataflow/Program.h"

namespace hlobuf {

/// A half-open range that holds every element of the array that \p Id computes,
/// from its element type and from what its instructions do: `x % 8` is below 8.
ElementSpan scalarRange(const Program &P, HloId Id);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_SCALARRANGE_H
