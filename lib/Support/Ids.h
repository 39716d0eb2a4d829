// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed 32-bit ids.

#ifndef HLOBUF_SUPPORT_IDS_H
#define HLOBUF_SUPPORT_IDS_H

#include "Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hlobuf {

/// An index into one flat array of the model. Ids of different arrays do not
/// convert into each other. A default-constructed id is invalid.
template <typename Tag> class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(size_t Index) : Raw(static_cast<uint32_t>(Index)) {}

  constexpr bool valid() const { return Raw != Invalid; }
  constexpr uint32_t index() const { return Raw; }
  constexpr explicit operator bool() const { return valid(); }
  constexpr auto operator<=>(const Id &) const = default;

private:
  static constexpr uint32_t Invalid = ~uint32_t(0);
  uint32_t Raw = Invalid;
};

/// The ids of an array of \p Count items.
template <typename IdT> auto ids(size_t Count) {
  return llvm::map_range(llvm::seq<size_t>(0, Count),
                         [](size_t I) { return IdT(I); });
}

/// A half-open range [Begin, End) of indices into a flat array.
struct IndexRange {
  uint32_t Begin = 0;
  uint32_t End = 0;

  constexpr uint32_t size() const { return End - Begin; }
  constexpr bool empty() const { return Begin == End; }
};

/// A key of hash tables made of two numbers. Do not pack them into one 64-bit
/// number: LLVM 16 hashes only the lower half of it.
using IdPair = std::pair<uint32_t, uint32_t>;

/// An interned name of an instruction, computation or parameter.
using NameId = Id<struct NameTag>;
/// An interned shape text.
using ShapeId = Id<struct ShapeTag>;
/// An allocation, in the order of the dump.
using AllocationId = Id<struct AllocationTag>;
/// A ` value:` line, in the order of the dump (not the number printed there).
using ValueId = Id<struct ValueTagTag>;
/// A block of the `Used values` section, in the order of the dump.
using UsedId = Id<struct UsedTag>;

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_IDS_H
