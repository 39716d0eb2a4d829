// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who wrote a dump.

#ifndef HLOBUF_FACTS_RELEASEWINDOW_H
#define HLOBUF_FACTS_RELEASEWINDOW_H

#include "Dump/Model.h"
#include <string>

namespace hlobuf {

/// The dates of XLA between which a dump was written, judged by its text, as
/// yyyymmdd: [From, Before).
struct ReleaseWindow {
  uint32_t From = 0;
  uint32_t Before = 99999999;

  /// Surely at or after \p R.
  bool since(Release R) const { return From >= dateOf(R); }
  /// Surely before \p R.
  bool until(Release R) const { return Before <= dateOf(R); }
  /// At or after the last change of the format that this tool knows, a page in
  /// allocation headers: what is unknown may be newer than the tool.
  bool isNewest() const { return since(Release::Pages); }
  /// The text contradicts itself: edited, or mixed from several releases.
  bool impossible() const { return From >= Before; }
};

/// \p Date, yyyymmdd, as `yyyy-mm-dd`.
std::string dateText(uint32_t Date);

/// Judges by the forms of the assignment and its siblings.
ReleaseWindow findReleaseWindow(const Dump &D);

/// Who wrote the dump.
enum class Backend : uint8_t {
  CPU,
  GPU,
  TPU,
  /// CPU or GPU: untiled layouts, and the file name does not tell.
  Untiled,
};

/// Judges by tiled layouts, else by the name of the file.
Backend findBackend(const Dump &D);

/// The same as far as the name of the assignment's file shows, which it does
/// where no layout is tiled.
Backend backendOfName(StringRef Path);

/// `CPU`, `GPU`, `TPU`, `CPU or GPU`.
StringRef backendName(Backend B);

} // namespace hlobuf

#endif // HLOBUF_FACTS_RELEASEWINDOW_H
