//===- Dataflow/StartIndices.h - Values of start indices --------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The start indices of slices and updates, as far as arithmetic shows:
// constants, elements of arrays that are computed from constants alone, one
// instruction under several names, and what follows for given values of the
// scalars that nothing is known of.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_STARTINDICES_H
#define HLOBUF_DATAFLOW_STARTINDICES_H

#include "Dataflow/ElementMap.h"
#include "Dataflow/Program.h"
#include "Dataflow/ScalarRange.h"

namespace hlobuf {

/// An instruction inside one chain of nested fusions.
struct ScopedId {
  /// Number of the fusion call that runs it; 0 outside of all fusions.
  uint32_t Scope = 0;
  HloId Id;
  bool operator==(const ScopedId &) const = default;
};

/// Answers for the start indices of one program.
class StartIndices {
public:
  explicit StartIndices(const Program &P) : P(P), Scopes(1) {}

  /// The scope of what \p Call runs.
  uint32_t enter(ScopedId Call);
  /// The fusion that runs \p Scope, which is not 0.
  ScopedId caller(uint32_t Scope) const { return Scopes[Scope]; }
  uint32_t numScopes() const { return static_cast<uint32_t>(Scopes.size()); }

  /// The start index \p At, clamped to [0, \p Max].
  AffineIndex start(ScopedId At, int64_t Max);

  /// A scalar that nothing is known of.
  using Unknowns = llvm::SmallVector<ScopedId, 4>;
  /// All that start number \p Start depends on, added to \p Out.
  void collect(uint32_t Start, Unknowns &Out) const;
  /// The value of start number \p Start where \p Out[k] is \p Values[k].
  int64_t value(uint32_t Start, llvm::ArrayRef<ScopedId> Out,
                llvm::ArrayRef<int64_t> Values) const;

  /// What the unknown scalar \p At may be.
  ElementSpan range(ScopedId At) const { return scalarRange(P, At.Id); }

private:
  struct Entry {
    ScopedId At;
    int64_t Max;
  };
  struct Evaluation;
  struct Element;

  ScopedId resolve(ScopedId At) const;
  std::optional<int64_t> known(ScopedId At) const;
  std::optional<int64_t> literal(HloId Id) const;

  const Program &P;
  std::vector<ScopedId> Scopes;
  llvm::DenseMap<IdPair, uint32_t> ScopeOf;
  std::vector<Entry> Starts;
  llvm::DenseMap<std::pair<IdPair, int64_t>, uint32_t> StartOf;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_STARTINDICES_H
