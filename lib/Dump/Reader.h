// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts to the model.

#ifndef HLOBUF_DUMP_READER_H
#define HLOBUF_DUMP_READER_H

#include "Dump/Model.h"
#include "Dump/SyntaxErrors.h"
#include <memory>

namespace hlobuf {

/// What a text is, judged by its first line that is neither empty nor a
/// comment.
enum class TextKind : uint8_t {
#define HLOBUF_FILE_ROLE(Name, Key, Tails, FirstLines, Words, Pattern) Name,
#include "Dump/FileRoles.def"
  /// By memory space; Report is by allocation.
  NewReport,
  Frames,
  Other,
};

/// The file that holds such a text; nothing for Frames and Other.
std::optional<FileRole> roleOf(TextKind Kind);

/// Judges by the first lines that are not empty.
TextKind classify(StringRef Text);

/// Why \p Text, which classify() finds to be something else, is not a buffer
/// assignment.
StringRef refusal(StringRef Text);

/// True if the values in \p Assignment have a form of releases before 2019-09:
/// `  NAME[..](#ID @C) [offset,size]: SHAPE`, or on several lines.
bool hasOldValues(StringRef Assignment);

/// Texts of that many bytes are worth a thread.
constexpr size_t LargeText = size_t(1) << 22;

/// Reads a buffer assignment and its siblings; \p Files need only hold the
/// assignment. A line that cannot be read gives one diagnostic at its place,
/// marks its section as damaged, and reading goes on after it.
std::unique_ptr<Dump> readDump(const std::array<DumpFile, NumFileRoles> &Files,
                               SyntaxErrors &Syntax);

} // namespace hlobuf

#endif // HLOBUF_DUMP_READER_H
