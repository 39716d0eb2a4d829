// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the instructions of a computation run.

#ifndef HLOBUF_PROGRAM_INSTRUCTIONORDER_H
#define HLOBUF_PROGRAM_INSTRUCTIONORDER_H

#include "HLO/Module.h"
#include "llvm/ADT/STLExtras.h"

namespace hlobuf {

/// Where the instructions of an InstructionOrder come from.
struct OrderSource {
  /// Null if it is the text.
  const HloId *Listed = nullptr;
  /// The first one in the text.
  uint32_t First = 0;

  bool operator==(const OrderSource &) const = default;
};

/// The instructions of a computation in schedule order. Where that is the order
/// of the text, no array holds it.
class InstructionOrder
    : public llvm::indexed_accessor_range<InstructionOrder, OrderSource, HloId,
                                          HloId *, HloId> {
public:
  /// In the order of the text, half-open.
  explicit InstructionOrder(IndexRange Text)
      : indexed_accessor_range({nullptr, Text.Begin}, 0,
                               static_cast<std::ptrdiff_t>(Text.size())) {}
  /// As \p Listed says.
  explicit InstructionOrder(llvm::ArrayRef<HloId> Listed)
      : indexed_accessor_range({Listed.data(), 0}, 0,
                               static_cast<std::ptrdiff_t>(Listed.size())) {}

  /// Number \p N.
  static HloId dereference(const OrderSource &From, std::ptrdiff_t N) {
    auto At = static_cast<size_t>(N);
    return From.Listed ? From.Listed[At] : HloId(From.First + At);
  }
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_INSTRUCTIONORDER_H
