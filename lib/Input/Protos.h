//===- Input/Protos.h - Dumps that are protocol buffers ---------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_INPUT_PROTOS_H
#define HLOBUF_INPUT_PROTOS_H

#include "Dump/Model.h"
#include "Support/Sources.h"
#include "llvm/Support/Error.h"

namespace hlobuf {

/// An HloProto in a file.
struct ProtoPlace {
  std::string File;
  /// Which of those in the file, from 0.
  unsigned Number = 0;
  /// What its texts are called after the file's name.
  std::string Stem;
};

/// True if a file that is named like \p Path is opened in a folder because it
/// may hold protos: `*.hlo.pb`, `*.xplane.pb`, `*-cache` (jax's compilation
/// cache), also compressed.
bool isProtoName(llvm::StringRef Path);

/// The file of the assignment as a text that XLA writes next to the proto
/// \p Path; empty if there is none.
std::string textBeside(llvm::StringRef Path);

/// The protos of one file.
struct ProtoFile {
  std::vector<ProtoPlace> Places;
  /// Found by a search in a file of an unknown kind.
  bool Searched = false;
  /// There are modules without a buffer assignment.
  bool OnlyModules = false;
  /// Why a part of the file could not be searched; empty if all was.
  std::string Trouble;
};

/// Finds the protos in \p Bytes, which the file \p Path holds.
ProtoFile findProtoPlaces(const std::string &Path, llvm::StringRef Bytes);

/// Why no dump was found in \p Path.
std::string whyNoProto(const std::string &Path, const ProtoFile &File);

/// Prints the proto \p Place, found in \p Bytes, as texts into \p Texts, and
/// puts them where a dump's files go. The names of the texts are
/// `FILE!STEM-buffer-assignment.txt`, `FILE!STEM.txt` and
/// `FILE!STEM-traces.txt`.
llvm::Error printProto(const ProtoPlace &Place, llvm::StringRef Bytes,
                       Sources &Texts,
                       std::array<DumpFile, NumFileRoles> &Files);

} // namespace hlobuf

#endif // HLOBUF_INPUT_PROTOS_H
