// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the module implies.

#ifndef HLOBUF_DATAFLOW_EXPECTED_H
#define HLOBUF_DATAFLOW_EXPECTED_H

#include "Dataflow/Derivation.h"

namespace hlobuf {

/// What an allocation's header must say of its values.
struct ExpectedFlags {
  bool Constant = false;
  bool ThreadLocal = false;
  bool MaybeLiveOut = false;
  /// `parameter N at ShapeIndex {..}`.
  std::optional<std::pair<uint32_t, ShapeIndex>> Parameter;

  bool operator==(const ExpectedFlags &) const = default;
};

/// What the headers of allocations must say.
class HeaderFlags {
public:
  /// \p Derived must live as long as this.
  explicit HeaderFlags(const Derivation &Derived);
  ExpectedFlags operator[](AllocationId Id) const;

private:
  const Derivation &Derived;
  /// By allocation; empty where the program is from texts, which tell each by
  /// itself.
  std::vector<ExpectedFlags> OfModule;
};

/// What the header of \p Alloc says.
ExpectedFlags statedFlags(const Allocation &Alloc);

/// Bytes that every member of \p V's alias set gets on CPU and GPU; nothing
/// where a member's are not known. Computed once for all values.
std::vector<std::optional<uint64_t>> expectedSizes(const Derivation &Derived);

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_EXPECTED_H
