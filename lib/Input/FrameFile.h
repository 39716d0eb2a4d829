// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that holds the files of dumps.

#ifndef HLOBUF_INPUT_FRAMEFILE_H
#define HLOBUF_INPUT_FRAMEFILE_H

#include "Support/Sources.h"
#include "llvm/ADT/MapVector.h"
#include <string>
#include <vector>

namespace hlobuf {

/// A text with `*** Begin NAME ***` frames (`--xla_dump_to=-`), taken apart; or
/// bytes that can be read only once.
struct FrameFile {
  Sources Owner;
  std::string Path;
  StringRef Text;
  /// The numbers of the lines of Text, where it was taken out of another text;
  /// see Sources::add().
  std::vector<uint32_t> Numbers = {};
  /// By name, in the order of the text.
  llvm::MapVector<StringRef, StringRef> Files;

  /// Takes Text apart; says which frames are not whole.
  std::vector<std::string> readFrames();
};

} // namespace hlobuf

#endif // HLOBUF_INPUT_FRAMEFILE_H
