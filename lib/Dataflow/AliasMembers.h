// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alias sets by what is in them.

#ifndef HLOBUF_DATAFLOW_ALIASMEMBERS_H
#define HLOBUF_DATAFLOW_ALIASMEMBERS_H

#include "Dataflow/AliasAnalysis.h"

namespace hlobuf {

/// The values of each alias set. Built once, in linear time; AliasAnalysis only
/// knows the set of a value, which is enough for most.
class AliasMembers {
public:
  AliasMembers(const DataflowAnalysis &Flow, const AliasAnalysis &Sets);

  /// The values of the set of \p V, itself included, ascending.
  llvm::ArrayRef<HloValueId> operator[](HloValueId V) const {
    uint32_t Set = Sets.group(V).index();
    return llvm::ArrayRef(Members).slice(Begin[Set],
                                         Begin[Set + 1] - Begin[Set]);
  }

private:
  const AliasAnalysis &Sets;
  /// By representative: the values of its set begin here in Members, and end
  /// where those of the next one begin.
  std::vector<uint32_t> Begin;
  std::vector<HloValueId> Members;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ALIASMEMBERS_H
