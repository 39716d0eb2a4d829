// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of one program.

#ifndef HLOBUF_INPUT_PROGRAMDIGEST_H
#define HLOBUF_INPUT_PROGRAMDIGEST_H

#include "HLO/ModuleDigest.h"
#include "Input/ProtoInputs.h"

namespace hlobuf {

/// A number for a program, which is the same for a dump and for an HloProto
/// that is printed: of its module, as \p Detail says, and of its assignment
/// without pages, shapes and what follows the allocations. Of the dump of the
/// text
/// \p Assignment; nothing if it has no module that can be read.
std::optional<ProgramDigest> digestOfDump(const std::string &Assignment,
                                          DigestDetail Detail);

/// The only program of a file.
struct ProtoProgram {
  ProtoPlace Place;
  /// As digestOfDump() has it.
  std::optional<ProgramDigest> Digest;
  /// Of its thunks alone.
  ProgramDigest Thunks;
  /// See ProtoFile.
  bool Searched = false;
};

/// The program in \p Bytes, the file \p Path; nothing if there is not one, and
/// if the file is damaged.
std::optional<ProtoProgram> programOfProto(const std::string &Path,
                                           llvm::StringRef Bytes,
                                           DigestDetail Detail);

} // namespace hlobuf

#endif // HLOBUF_INPUT_PROGRAMDIGEST_H
