//===- Facts/Computations.h - Who belongs together --------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_FACTS_COMPUTATIONS_H
#define HLOBUF_FACTS_COMPUTATIONS_H

#include "Dump/Model.h"

namespace hlobuf {

/// Instructions that surely belong to one computation: an instruction and its
/// operands do, and the only position of a value and its users. A computation
/// may fall into several such sets.
class Computations {
public:
  explicit Computations(const Dump &D);

  bool same(NameId A, NameId B) const {
    return A && B && find(A.index()) == find(B.index());
  }

private:
  uint32_t find(uint32_t Name) const;

  /// A union-find forest over names.
  mutable std::vector<uint32_t> Parents;
};

} // namespace hlobuf

#endif // HLOBUF_FACTS_COMPUTATIONS_H
