// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that share a place.

#ifndef HLOBUF_DATAFLOW_ALIASANALYSIS_H
#define HLOBUF_DATAFLOW_ALIASANALYSIS_H

#include "Dataflow/DataflowAnalysis.h"
#include "Support/UnionFind.h"
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

/// The part of an operand in whose place output_to_operand_aliasing puts part
/// \p Output of \p Id; nothing if it does not say.
std::optional<OperandPart> declaredPart(const Program &P, HloId Id,
                                        uint32_t Output);

/// Must-alias sets of values, HloBuffers in XLA's words
/// (xla/hlo/analysis/hlo_alias_analysis.cc, alias_info.cc).
class AliasAnalysis {
public:
  AliasAnalysis(const DataflowAnalysis &Flow, const ReleaseRules &Rules);

  /// The representative of the set of \p V.
  HloValueId group(HloValueId V) const { return HloValueId(Groups[V.index()]); }
  bool same(HloValueId A, HloValueId B) const { return group(A) == group(B); }

  /// The pairs of \p Id; of a fusion without those it declares, if
  /// \p BodyOnly.
  std::vector<InPlacePair> inPlace(HloId Id, bool BodyOnly = false);

private:
  void join(HloValueId A, HloValueId B);
  void join(HloId A, uint32_t PartA, HloId B, uint32_t PartB);
  void joinAll();
  void joinAll(HloId A, HloId B);
  void joinLoop(HloId While);
  void joinDonated();
  std::vector<InPlacePair> findPairs(HloId Id, bool BodyOnly);

  const DataflowAnalysis &Flow;
  const Program &P;
  ReleaseRules Rules;
  UnionFind Sets;
  /// By value; filled when Sets are complete.
  std::vector<uint32_t> Groups;
  /// Fusions that were asked for, two bits each.
  std::vector<bool> SearchedFusions;
  /// Their pairs, half-open in MemoPairs; few have some.
  llvm::DenseMap<uint32_t, IndexRange> Memo;
  std::vector<InPlacePair> MemoPairs;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ALIASANALYSIS_H
