// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value computed on demand.

#ifndef HLOBUF_SUPPORT_LAZY_H
#define HLOBUF_SUPPORT_LAZY_H

#include "llvm/Support/Compiler.h"
#include <atomic>
#include <mutex>
#include <optional>

namespace hlobuf {

/// A value that is computed when it is first asked for, by whichever thread
/// comes first. Computing it may ask for other values, but not in a circle.
template <typename T> class Lazy {
public:
  template <typename Fn> const T &get(Fn Compute) {
    return LLVM_LIKELY(Ready.load(std::memory_order_acquire))
               ? *Value
               : compute(Compute);
  }

private:
  /// Apart, so that a caller that finds the value there keeps no registers for
  /// computing it.
  template <typename Fn> LLVM_ATTRIBUTE_NOINLINE const T &compute(Fn Compute) {
    std::lock_guard<std::mutex> Guard(Lock);
    if (!Value) {
      Value.emplace(Compute());
      Ready.store(true, std::memory_order_release);
    }
    return *Value;
  }

  std::atomic<bool> Ready = false;
  std::mutex Lock;
  std::optional<T> Value;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_LAZY_H
