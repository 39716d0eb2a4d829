// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that share a place.

#ifndef HLOBUF_DATAFLOW_ALIASANALYSIS_H
#define HLOBUF_DATAFLOW_ALIASANALYSIS_H

#include "Dataflow/DataflowAnalysis.h"
#include "Program/ReleaseRules.h"
#include "Support/UnionFind.h"
#include "llvm/ADT/DenseMap.h"

namespace hlobuf {

/// Must-alias sets of values, HloBuffers in XLA's words
/// (xla/hlo/analysis/hlo_alias_analysis.cc, alias_info.cc).
class AliasAnalysis {
public:
  AliasAnalysis(const DataflowAnalysis &Flow, const ReleaseRules &Rules);

  /// The representative of the set of \p V.
  HloValueId group(HloValueId V) const { return HloValueId(Groups[V.index()]); }
  bool same(HloValueId A, HloValueId B) const { return group(A) == group(B); }

private:
  void join(HloValueId A, HloValueId B);
  void join(Part A, Part B);
  void joinAll();
  void joinAll(HloId A, HloId B);
  void joinLoop(HloId While);
  void joinLate(HloId Id);
  void joinDonated();
  ArrayRef<WorkingPair> pairs(HloId Id, bool BodyOnly);
  SmallVector<WorkingPair, 2> findPairs(HloId Id, bool BodyOnly);
  SmallVector<WorkingPair, 2> fusionPairs(HloId Id, bool Declared);
  bool isNoOp(HloId Id) const;
  Part follow(Part From) const;
  Part sourceOf(Part Output, bool BodyOnly);

  const DataflowAnalysis &Flow;
  const Program &P;
  ReleaseRules Rules;
  UnionFind Sets;
  /// By value; filled when Sets are complete.
  std::vector<uint32_t> Groups;
  /// By instruction, and of fusions by whether the body alone counts, sorted by
  /// result: a fusion with many outputs asks its root for each of them.
  DenseMap<uint32_t, std::vector<WorkingPair>> Known;
};

/// The values of each alias set. Built once, in linear time; AliasAnalysis only
/// knows the set of a value, which is enough for most.
class AliasMembers {
public:
  AliasMembers(const DataflowAnalysis &Flow, const AliasAnalysis &Sets);

  /// The values of the set of \p V, itself included, ascending.
  ArrayRef<HloValueId> operator[](HloValueId V) const {
    uint32_t Set = Sets.group(V).index();
    return ArrayRef(Members).slice(Begin[Set], Begin[Set + 1] - Begin[Set]);
  }

private:
  const AliasAnalysis &Sets;
  /// By representative: the values of its set begin here in Members, and end
  /// where those of the next one begin.
  std::vector<uint32_t> Begin;
  std::vector<HloValueId> Members;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ALIASANALYSIS_H
