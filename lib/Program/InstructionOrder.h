// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the instructions of a computation run.

#ifndef HLOBUF_PROGRAM_INSTRUCTIONORDER_H
#define HLOBUF_PROGRAM_INSTRUCTIONORDER_H

#include "HLO/Module.h"
#include "llvm/ADT/iterator.h"

namespace hlobuf {

/// The instructions of a computation in schedule order. Where that is the order
/// of the text, no array holds it.
class InstructionOrder {
public:
  class iterator;

  /// In the order of the text, half-open.
  explicit InstructionOrder(IndexRange Text) : Text(Text) {}
  /// As \p Listed says.
  explicit InstructionOrder(llvm::ArrayRef<HloId> Listed) : Listed(Listed) {}

  HloId operator[](size_t N) const {
    return Listed.empty() ? HloId(Text.Begin + N) : Listed[N];
  }
  size_t size() const { return Listed.empty() ? Text.size() : Listed.size(); }
  iterator begin() const;
  iterator end() const;

private:
  IndexRange Text;
  llvm::ArrayRef<HloId> Listed;
};

class InstructionOrder::iterator
    : public llvm::iterator_facade_base<iterator,
                                        std::random_access_iterator_tag, HloId,
                                        std::ptrdiff_t, const HloId *, HloId> {
public:
  iterator(InstructionOrder Order, size_t At) : Order(Order), At(At) {}
  HloId operator*() const { return Order[At]; }
  iterator &operator+=(std::ptrdiff_t N) {
    At += static_cast<size_t>(N);
    return *this;
  }
  iterator &operator-=(std::ptrdiff_t N) { return *this += -N; }
  std::ptrdiff_t operator-(const iterator &Other) const {
    return static_cast<std::ptrdiff_t>(At - Other.At);
  }
  bool operator==(const iterator &Other) const { return At == Other.At; }
  bool operator<(const iterator &Other) const { return At < Other.At; }

private:
  InstructionOrder Order;
  size_t At;
};

inline InstructionOrder::iterator InstructionOrder::begin() const {
  return {*this, 0};
}
inline InstructionOrder::iterator InstructionOrder::end() const {
  return {*this, size()};
}

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_INSTRUCTIONORDER_H
