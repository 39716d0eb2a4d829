// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variable XLA_FLAGS.

#ifndef HLOBUF_EXEC_XLAFLAGS_H
#define HLOBUF_EXEC_XLAFLAGS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hlobuf {

/// The folder that \p Flags, which XLA_FLAGS holds, make XLA dump into; empty
/// if there is none.
std::string dumpFolder(llvm::StringRef Flags);

/// Where a command dumps, and how its flags say so.
struct DumpTarget {
  /// As the flags name it, and absolute.
  std::string Folder;
  std::string Absolute;
  /// Flags in addition to the folder: `--xla_dump_hlo_as_text ..`.
  std::string Extra;
  /// Takes the place of folders that the program names.
  bool Override = false;
  /// The folder is made for this command, and nobody else's.
  bool Temporary = false;

  /// True if \p Path, a folder that flags name, is this one or one that was
  /// made for a process in it.
  bool covers(llvm::StringRef Path) const;

  /// What flags that lead here contain, as they spell it.
  std::string spelling() const;
};

/// The beginning of the names of folders that are made for one process.
inline constexpr llvm::StringRef ProcessFolderPrefix = "process-";

/// \p Flags of one process of a command, with what makes XLA dump into \p Own,
/// its folder below \p Target, in place of \p Target or the folder of another
/// process. Where they name a folder of the program's choice, that one is kept,
/// and \p Foreign becomes it.
std::string flagsOfProcess(llvm::StringRef Flags, const DumpTarget &Target,
                           llvm::StringRef Own, std::string &Foreign);

/// True if \p Flags leave out modules on purpose.
bool selectModules(llvm::StringRef Flags);

} // namespace hlobuf

#endif // HLOBUF_EXEC_XLAFLAGS_H
