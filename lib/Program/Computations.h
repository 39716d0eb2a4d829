// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who belongs together.

#ifndef HLOBUF_PROGRAM_COMPUTATIONS_H
#define HLOBUF_PROGRAM_COMPUTATIONS_H

#include "Dump/Model.h"

namespace hlobuf {

/// Instructions that surely belong to one computation: an instruction and its
/// operands do, and the only position of a value and its users. A computation
/// may fall into several such sets.
class Computations {
public:
  explicit Computations(const Dump &D);

  bool same(NameId A, NameId B) const {
    return A && B && Groups[A.index()] == Groups[B.index()];
  }
  /// The same number for all names of which same() is true.
  uint32_t number(NameId A) const { return Groups[A.index()]; }

private:
  /// By name: the first one that is connected with it.
  std::vector<uint32_t> Groups;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_COMPUTATIONS_H
