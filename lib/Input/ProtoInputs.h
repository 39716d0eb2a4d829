// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps that are protocol buffers.

#ifndef HLOBUF_INPUT_PROTOINPUTS_H
#define HLOBUF_INPUT_PROTOINPUTS_H

#include "Dump/Model.h"
#include "Proto/Container.h"
#include "Support/Sources.h"
#include <mutex>
#include <optional>

namespace hlobuf {

class ProtoCache;

/// An HloProto in a file.
struct ProtoPlace {
  std::string File;
  /// Which of those in the file, from 0.
  unsigned Number = 0;
  /// What its texts are called after the file's name.
  std::string Stem;
  /// What its dump is called, where the file is from a process that dumps.
  std::string DumpStem;
  /// Shared by the places of one run; null if the file has no others.
  std::shared_ptr<ProtoCache> Cache;
};

/// True if a file that is named like \p Path is opened in a folder because it
/// may hold protos: `*.hlo.pb`, `*.xplane.pb`, `*-cache` (jax's compilation
/// cache), also compressed, and executables.
bool isProtoName(StringRef Path);

/// True for `*.pjrt`, which processes below `--exec` save
/// (python/hlobuf/_exec_hook.py).
inline bool isExecutableName(StringRef Path) { return Path.ends_with(".pjrt"); }

/// The file of the assignment as a text that XLA writes next to the proto
/// \p Path, or that an executable is named like; empty if there is none.
std::string textBeside(StringRef Path);

/// The protos of one file.
struct ProtoFile {
  std::vector<ProtoPlace> Places;
  /// Found by a search in a file of an unknown kind.
  bool Searched = false;
  /// There are modules without a buffer assignment.
  bool OnlyModules = false;
  /// How many of them have a schedule, and are not a later stage of one that
  /// has an assignment.
  unsigned ScheduledModules = 0;
  /// Why a part of the file could not be searched; empty if all was.
  std::string Trouble;
};

/// Finds the protos in \p Bytes, which the file \p Path holds.
ProtoFile findProtoPlaces(const std::string &Path, StringRef Bytes);

/// Why no dump was found in \p Path.
std::string whyNoProto(const std::string &Path, const ProtoFile &File);

/// A file that holds protos, and those.
struct OpenProtoFile {
  /// Owns the bytes that Found points into, unless they were given.
  Sources Texts;
  ProtoContainer Container;
};

/// Keeps the file that was opened last: to find the protos of one costs as much
/// as to read all of it, and those of a profile are wanted one after another.
/// May be used by several threads.
class ProtoCache {
public:
  /// The file of \p Place, whose bytes are \p Bytes where somebody holds them.
  /// Fails where it cannot be read.
  Expected<std::shared_ptr<const OpenProtoFile>>
  open(const ProtoPlace &Place, std::optional<StringRef> Bytes);

private:
  std::mutex Lock;
  std::string Path;
  std::shared_ptr<const OpenProtoFile> Last;
};

/// Prints the proto \p Place as texts into \p Texts, and puts them where a
/// dump's files go. The names of the texts are
/// `FILE!STEM-buffer-assignment.txt`, `FILE!STEM.txt` and
/// `FILE!STEM-traces.txt`. The bytes of the file are
/// \p Bytes, where somebody holds them. Fails where it cannot be read or is
/// damaged.
Error printProto(const ProtoPlace &Place, std::optional<StringRef> Bytes,
                 Sources &Texts, std::array<DumpFile, NumFileRoles> &Files);

} // namespace hlobuf

#endif // HLOBUF_INPUT_PROTOINPUTS_H
