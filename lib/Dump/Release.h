// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What XLA changed, and when.

#ifndef HLOBUF_DUMP_RELEASE_H
#define HLOBUF_DUMP_RELEASE_H

#include <cstddef>
#include <cstdint>

namespace hlobuf {

/// The changes of XLA that matter here: the rows of Releases.def.
enum class Release : uint8_t {
#define HLOBUF_RELEASE(Name, Date, After, Before) Name,
#include "Dump/Releases.def"
};

/// A row of Releases.def.
struct ReleaseInfo {
  /// The first day with the change, as yyyymmdd; 0 for what was always so.
  uint32_t Date;
};

namespace detail {
inline constexpr ReleaseInfo Releases[] = {
#define HLOBUF_RELEASE(Name, Date, After, Before) {Date},
#include "Dump/Releases.def"
};
} // namespace detail

/// The row of \p R.
constexpr const ReleaseInfo &infoOf(Release R) {
  return detail::Releases[static_cast<size_t>(R)];
}

} // namespace hlobuf

#endif // HLOBUF_DUMP_RELEASE_H
