// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is accessed all over.

#ifndef HLOBUF_SUPPORT_LARGEPAGES_H
#define HLOBUF_SUPPORT_LARGEPAGES_H

#include <cstddef>
#include <cstdint>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hlobuf {

/// Asks for large pages for \p Bytes bytes at \p Begin, which were not touched
/// yet and all will be: an access then hardly ever waits for a page table. Does
/// nothing for few bytes, or where the system has none.
inline void useLargePages([[maybe_unused]] void *Begin,
                          [[maybe_unused]] size_t Bytes) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t Page = uintptr_t(1) << 21;
  auto First = (reinterpret_cast<uintptr_t>(Begin) + Page - 1) & ~(Page - 1);
  auto Last = (reinterpret_cast<uintptr_t>(Begin) + Bytes) & ~(Page - 1);
  if (Last > First && Last - First >= 2 * Page)
    ::madvise(reinterpret_cast<void *>(First), Last - First, MADV_HUGEPAGE);
#endif
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_LARGEPAGES_H
