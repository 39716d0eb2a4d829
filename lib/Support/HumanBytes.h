// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA's human readable byte counts.

#ifndef HLOBUF_SUPPORT_HUMANBYTES_H
#define HLOBUF_SUPPORT_HUMANBYTES_H

#include "Support/LLVM.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hlobuf {

/// \p Bytes as XLA prints them in a dump: `512B`, `39.5KiB`, `4.08MiB`. One
/// decimal for KiB, two for larger units, whole units dropped before the last
/// division (tsl/platform/numbers.cc HumanReadableNumBytes, 2017).
std::string humanBytes(uint64_t Bytes);

/// Reads `15.75GiB`, `12GB`, `512 MiB`, `16e9` or a number of bytes; nothing if
/// \p Text is none of these.
std::optional<uint64_t> parseBytes(StringRef Text);

/// How many bytes more there may be than before: the larger of both.
struct GrowthLimit {
  double Bytes = 0;
  /// Of the bytes before; 0.05 is 5 %.
  double Share = 0;

  bool allows(uint64_t Before, uint64_t After) const {
    double More = static_cast<double>(After) - static_cast<double>(Before);
    return More <= Bytes || More <= Share * static_cast<double>(Before);
  }
};

/// Reads `5%`, or bytes as parseBytes() does; nothing if \p Text is neither.
std::optional<GrowthLimit> parseGrowthLimit(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_HUMANBYTES_H
