//===- Analysis/Aliases.h - Which values must share a place -----*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_ANALYSIS_ALIASES_H
#define HLOBUF_ANALYSIS_ALIASES_H

#include "Analysis/Dataflow.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf {

/// Part \p Output of an instruction is written in place of part \p Input of
/// operand \p Operand.
struct InPlacePair {
  uint32_t Operand = 0;
  /// Ordinals of parts of the operand's and of the instruction's shape.
  uint32_t Input = 0;
  uint32_t Output = 0;
};

/// Must-alias sets of values, HloBuffers in XLA's words
/// (xla/hlo/analysis/hlo_alias_analysis.cc, alias_info.cc).
class Aliases {
public:
  Aliases(const Dataflow &F, const Rules &R);

  /// The representative of the set of \p V.
  FlowId group(FlowId V) const { return FlowId(Groups[V.index()]); }
  bool same(FlowId A, FlowId B) const { return group(A) == group(B); }

  /// The pairs of \p Id; of a fusion without those it declares, if
  /// \p BodyOnly.
  std::vector<InPlacePair> inPlace(HloId Id, bool BodyOnly = false);

private:
  uint32_t find(uint32_t V);
  void join(FlowId A, FlowId B);
  void join(HloId A, uint32_t PartA, HloId B, uint32_t PartB);
  void joinAll(HloId A, HloId B);
  void joinLoop(HloId While);
  void joinDonated();
  std::vector<InPlacePair> findPairs(HloId Id, bool BodyOnly);

  const Dataflow &F;
  const Program &P;
  Rules R;
  std::vector<uint32_t> Groups;
  llvm::DenseMap<uint32_t, std::vector<InPlacePair>> Memo;
};

} // namespace hlobuf

#endif // HLOBUF_ANALYSIS_ALIASES_H
