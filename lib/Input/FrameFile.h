// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that holds the files of dumps.

#ifndef HLOBUF_INPUT_FRAMEFILE_H
#define HLOBUF_INPUT_FRAMEFILE_H

#include "Support/Sources.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace hlobuf {

/// A text with `*** Begin NAME ***` frames (`--xla_dump_to=-`), or an archive,
/// taken apart.
struct FrameFile {
  Sources Owner;
  std::string Path;
  /// Of frames; the files of an archive are texts of their own.
  llvm::StringRef Text;
  /// By name; in an archive by `PATH!NAME`.
  llvm::StringMap<llvm::StringRef> Files;
  /// Names in the order of the text; in an archive sorted.
  std::vector<std::string> Order;

  bool isArchive() const { return Text.data() == nullptr; }

  /// Takes Text apart; says which frames are not whole.
  std::vector<std::string> readFrames();
  /// Keeps those files of the archive \p Bytes that may be of a dump, by their
  /// names; says which of them cannot be read. Fails where the archive is
  /// damaged. At most Sources::MaxBytes are kept.
  llvm::Expected<std::vector<std::string>> unpack(llvm::StringRef Bytes);
};

} // namespace hlobuf

#endif // HLOBUF_INPUT_FRAMEFILE_H
