// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps inside of other texts.

#ifndef HLOBUF_INPUT_PASTEDTEXT_H
#define HLOBUF_INPUT_PASTEDTEXT_H

#include "Support/LLVM.h"
#include <optional>
#include <string>
#include <vector>

namespace hlobuf {

/// A dump as XLA wrote it, out of a text that it was pasted or logged into.
struct PastedText {
  std::string Text;
  /// Of each line of Text, its number in the other text, from 1.
  std::vector<uint32_t> Lines;
  /// Lines of the other text that are not of the dump.
  size_t Around = 0;
};

/// Finds a buffer assignment, or `*** Begin ***` frames, in \p Text and undoes
/// what can be undone with certainty: text before and after, what each line
/// begins with (quote marks, indentation, the heads of log lines), HTML
/// entities, colors, carriage returns, and empty lines between all lines. Lines
/// that do not fit are left as they are, for the reader to refuse. Nothing if
/// there is no dump, or nothing to undo.
std::optional<PastedText> undoPasting(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_INPUT_PASTEDTEXT_H
