// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings for people.

#ifndef HLOBUF_SUPPORT_TEXTPRINTER_H
#define HLOBUF_SUPPORT_TEXTPRINTER_H

#include "Support/Diagnostic.h"
#include "Support/Sources.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace hlobuf {

/// The source line of \p P, clamped around its column, and a line with a caret
/// below \p Bytes bytes of it. Empty for a place without a file.
std::string sourceExcerpt(const Place &P, size_t Bytes);

/// One message as clang prints it.
struct MessageLine {
  /// Empty where there is no place.
  llvm::StringRef File;
  size_t Line = 0;
  size_t Column = 0;
  /// `error`, `warning`, `lint` or `note`.
  llvm::StringRef Kind;
  llvm::StringRef Message;
  /// Empty for notes.
  llvm::StringRef Check;
  llvm::StringRef Excerpt;
};

/// Prints `file:line:col: error: message [check]` and the excerpt.
void printMessage(const MessageLine &M, llvm::raw_ostream &OS, bool Color);

/// Prints \p D with its notes.
void printDiagnostic(const Diagnostic &D, const Sources &S,
                     llvm::raw_ostream &OS, bool Color);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTPRINTER_H
