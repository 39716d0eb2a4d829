// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array that grows and never moves.

#ifndef HLOBUF_SUPPORT_STABLEVECTOR_H
#define HLOBUF_SUPPORT_STABLEVECTOR_H

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace hlobuf {

/// Elements in blocks of a power of two, so that one stays where it is while
/// others are added, and is found in fewer steps than in a std::deque.
template <typename T> class StableVector {
public:
  T &operator[](size_t I) { return Blocks[I / BlockSize][I % BlockSize]; }
  const T &operator[](size_t I) const {
    return Blocks[I / BlockSize][I % BlockSize];
  }
  size_t size() const { return Count; }
  void add(T Item) {
    if (Count % BlockSize == 0)
      Blocks.push_back(std::make_unique<T[]>(BlockSize));
    (*this)[Count++] = std::move(Item);
  }

private:
  static constexpr size_t BlockSize = 16;
  std::vector<std::unique_ptr<T[]>> Blocks;
  size_t Count = 0;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_STABLEVECTOR_H
