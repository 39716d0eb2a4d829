// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of numbers that grow together.

#ifndef HLOBUF_SUPPORT_UNIONFIND_H
#define HLOBUF_SUPPORT_UNIONFIND_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace hlobuf {

/// Disjoint sets of the numbers below a bound, each known by its smallest
/// member. Unlike llvm::IntEqClasses, ways are shortened when they are walked,
/// so that no order of calls costs more than n log n.
class UnionFind {
public:
  explicit UnionFind(size_t Count) : Parents(Count) {
    std::iota(Parents.begin(), Parents.end(), uint32_t(0));
  }

  /// The smallest member of the set of \p Member.
  uint32_t find(uint32_t Member) {
    while (Parents[Member] != Member)
      Member = Parents[Member] = Parents[Parents[Member]];
    return Member;
  }
  void join(uint32_t A, uint32_t B) {
    A = find(A);
    B = find(B);
    Parents[std::max(A, B)] = std::min(A, B);
  }
  /// By number: the smallest member of its set. Nothing may be asked after it.
  std::vector<uint32_t> take() {
    // A parent is never larger than its child.
    for (uint32_t &Parent : Parents)
      Parent = Parents[Parent];
    return std::move(Parents);
  }

private:
  std::vector<uint32_t> Parents;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_UNIONFIND_H
