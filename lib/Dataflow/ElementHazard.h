//===- Dataflow/ElementHazard.h - Reads of overwritten elements -*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_ELEMENTHAZARD_H
#define HLOBUF_DATAFLOW_ELEMENTHAZARD_H

#include "Dataflow/ElementReads.h"

namespace hlobuf {

/// What a read of an operand means where the result has its bytes.
enum class ReadVerdict : uint8_t {
  /// Only what the same element overwrites, or what is never overwritten.
  Sound,
  /// An element at a higher address reads one at a lower address that is
  /// overwritten, so that ascending order is wrong.
  Behind,
  /// The other way round only: wrong in every order but ascending.
  Ahead,
  /// Overwritten elements may be read, which ones is not known.
  Anywhere,
  /// It cannot be determined.
  Unknown,
};

struct ElementHazard {
  ReadVerdict Verdict = ReadVerdict::Sound;
  /// An element that is written, the element of the operand that it is computed
  /// from; for Behind, the first that goes wrong in ascending order.
  int64_t Written = 0;
  int64_t Read = 0;
  /// In memory order.
  ElementSpan Writes;
  ElementSpan Reads;
  /// The update that overwrites what is read; invalid if all is overwritten.
  HloId Writer;
  /// For which values of which scalars.
  StartIndices::Unknowns Names;
  llvm::SmallVector<int64_t, 4> Values;
};

/// What the read \p Map of an operand of shape \p Operand means where the
/// elements of \p Chain, or all if nothing was found, are overwritten at the
/// operand's place. \p Result is the shape that is there.
ElementHazard findHazard(const ShapeTrees &Trees, const StartIndices &Starts,
                         const ElementMap &Map, const Shape &Operand,
                         const Shape &Result, const InPlaceChain *Chain);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ELEMENTHAZARD_H
