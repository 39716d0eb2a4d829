//===- Facts/Succession.cpp -----------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts/Succession.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using llvm::ArrayRef;

Succession::Succession(const Dump &D, std::vector<Member> Members,
                       int32_t Steps, int32_t Gap)
    : Steps(Steps), Gap(Gap), ReachesEnd(D.Values.size()),
      ReachesStart(D.Values.size()), Rows(D.Values.size()) {
  auto Key = [&](const Member &M) {
    const Value &V = D[M.V];
    return std::tuple(V.Owner, V.Offset, M.Start, M.End, V.Tag.Id);
  };
  llvm::sort(Members,
             [&](const Member &M, const Member &N) { return Key(M) < Key(N); });
  for (ArrayRef<Member> Rest = Members; !Rest.empty();) {
    const Value &First = D[Rest.front().V];
    ArrayRef<Member> Same = Rest.take_while([&](const Member &M) {
      return D[M.V].Owner == First.Owner && D[M.V].Offset == First.Offset;
    });
    addPlace(Same);
    Rest = Rest.drop_front(Same.size());
  }
}

/// \p Same is sorted by time.
void Succession::addPlace(ArrayRef<Member> Same) {
  // By the step at which the next one may begin.
  llvm::DenseMap<int32_t, ValueId> Ended;
  for (const Member &M : Same) {
    auto Before = Ended.find(M.Start);
    bool Follows = Before != Ended.end();
    Rows[M.V.index()] = Follows ? Rows[Before->second.index()] : ++NumRows;
    ReachesStart[M.V.index()] =
        M.Start == 0 || (Follows && ReachesStart[Before->second.index()]);
    Ended.try_emplace(M.End, M.V);
    Ended.try_emplace(M.End + Gap, M.V);
  }
  llvm::DenseSet<int32_t> Started;
  for (const Member &M : llvm::reverse(Same)) {
    if (M.End != Steps && !Started.contains(M.End) &&
        !Started.contains(M.End + Gap))
      continue;
    ReachesEnd[M.V.index()] = true;
    Started.insert(M.Start);
  }
}
