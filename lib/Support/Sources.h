// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped files and places in them.

#ifndef HLOBUF_SUPPORT_SOURCES_H
#define HLOBUF_SUPPORT_SOURCES_H

#include "Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// A place in a source: line and column count from 1, columns in bytes.
struct Place {
  StringRef File;
  /// The whole line, without its newline.
  StringRef LineText;
  size_t Line = 0;
  size_t Column = 0;
};

/// True if a file that begins like \p Start is binary: in texts, white space is
/// all that there is of control characters.
bool isBinary(StringRef Start);

/// Owns the texts of one run. A `StringRef` into one of them is both a text
/// and its place; line and column are computed only when they are printed.
class Sources {
public:
  /// The largest text that is read, in bytes: places inside a text are kept as
  /// 32-bit offsets.
  static constexpr uint64_t MaxBytes = (uint64_t(1) << 32) - 2;

  /// Maps the file \p Path, or reads standard input for `-`. gzip and zstd are
  /// recognised by content; where the first line ends in CR LF, all line ends
  /// become LF. Pipes and devices are read once, and compressed files
  /// decompressed, to their end or, where \p IsWanted refuses the first bytes
  /// (ProbeBytes), up to there: both may go on forever. Fails where the file
  /// cannot be read, is damaged, or holds more than MaxBytes.
  Expected<StringRef> open(StringRef Path,
                           function_ref<bool(StringRef)> IsWanted = {});

  /// Adds a text that is already in memory, under \p Name. Its lines are the
  /// lines \p Numbers of the file, ascending and from 1; all of them if empty.
  StringRef add(StringRef Name, std::string Text,
                std::vector<uint32_t> Numbers = {});

  /// The same with a text that somebody else owns and that outlives this
  /// object.
  void addView(StringRef Name, StringRef Text,
               std::vector<uint32_t> Numbers = {});

  /// The bytes of all texts.
  size_t bytes() const;

  /// The place of \p Where, whose data must point into (or just past) one of
  /// the texts. A place with an empty file if it does not.
  Place place(StringRef Where) const;

private:
  struct Source {
    std::string Name;
    StringRef Text;
    std::unique_ptr<llvm::MemoryBuffer> Mapped;
    std::unique_ptr<std::string> Owned;
    /// See add().
    std::vector<uint32_t> Numbers = {};
    /// Offsets of the first byte of each line; empty until a place is asked
    /// for.
    mutable std::vector<uint32_t> LineStarts = {};
  };

  std::vector<Source> All;
};

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_SOURCES_H
