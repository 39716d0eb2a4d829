// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/AliasMembers.h"
#include <numeric>

using namespace hlobuf;

AliasMembers::AliasMembers(const DataflowAnalysis &Flow,
                           const AliasAnalysis &Sets)
    : Sets(Sets), Begin(Flow.values().size() + 1),
      Members(Flow.values().size()) {
  for (size_t I = 0; I != Members.size(); ++I)
    ++Begin[Sets.group(HloValueId(I)).index() + 1];
  std::partial_sum(Begin.begin(), Begin.end(), Begin.begin());
  std::vector<uint32_t> Next(Begin.begin(), Begin.end() - 1);
  for (size_t I = 0; I != Members.size(); ++I)
    Members[Next[Sets.group(HloValueId(I)).index()]++] = HloValueId(I);
}
