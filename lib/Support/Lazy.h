//===- Support/Lazy.h - A value computed on demand --------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_SUPPORT_LAZY_H
#define HLOBUF_SUPPORT_LAZY_H

#include <optional>

namespace hlobuf {

/// A value that is computed when it is first asked for. Not for use by several
/// threads.
template <typename T> class Lazy {
public:
  template <typename Fn> const T &get(Fn Compute) {
    if (!Value)
      Value.emplace(Compute());
    return *Value;
  }

private:
  std::optional<T> Value;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_LAZY_H
