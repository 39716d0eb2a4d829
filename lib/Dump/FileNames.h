// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files belong to one module.

#ifndef HLOBUF_DUMP_FILENAMES_H
#define HLOBUF_DUMP_FILENAMES_H

#include "Dump/Model.h"

namespace hlobuf {

/// True if \p Path is named like a file with a buffer assignment:
/// `*-buffer-assignment.txt`, `*.buffer_assignment`, also compressed.
bool isAssignmentName(StringRef Path);

/// True if \p Path is a `.txt` file without one of XLA's known tails: it holds
/// a dump if its first line says so.
bool isFreeName(StringRef Path);

/// The part of \p Path that all files of one module share. Works for the name
/// of an assignment, a sibling, or a free name.
StringRef stemOf(StringRef Path);

/// \p Path up to the name of the stage and of the device before it: what the
/// names of the compiler's other files of that module begin with
/// (xla/service/dump.cc and its callers). Empty if \p Path names no stage after
/// optimizations.
StringRef moduleStemOf(StringRef Path);

/// Of the names that the file \p Role of the module \p Stem may have, the most
/// likely one first, the first that \p Exists accepts; empty if it accepts
/// none.
std::string findCandidate(StringRef Stem, FileRole Role,
                          function_ref<bool(const std::string &)> Exists);

/// The file that holds the assignment of the fragment or module text \p Path;
/// empty if \p Exists accepts none.
std::string assignmentOf(StringRef Path,
                         function_ref<bool(const std::string &)> Exists);

/// Why the values file, live range file or module of \p D does not belong to
/// its assignment, for people; empty if it does. Judged by most of its content:
/// a sibling that agrees with at least half belongs, and the differences are
/// findings. Empty for a role without a file.
std::string whyForeign(const Dump &D, FileRole Role);

} // namespace hlobuf

#endif // HLOBUF_DUMP_FILENAMES_H
