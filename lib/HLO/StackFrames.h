// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python lines of a module.

#ifndef HLOBUF_HLO_STACKFRAMES_H
#define HLOBUF_HLO_STACKFRAMES_H

#include "Support/LLVM.h"
#include <map>
#include <string>
#include <vector>

namespace hlobuf {

/// Who wrote a file, as far as its path shows.
enum class FileOwner : uint8_t {
  User,
  /// An installed package, as a library of layers.
  Package,
  /// What dispatches every operation, and says nothing of the program.
  Framework,
};

/// Judges \p File by its path. \p OpName is the op_name next to it: TensorFlow
/// states its own files without their folders, as somebody else's may be
/// called.
FileOwner ownerOf(StringRef File, StringRef OpName);

/// A call on the way to an operation.
struct SourceFrame {
  std::string File;
  /// From 1; 0 if unknown.
  uint32_t Line = 0;
  /// From 0.
  uint32_t Column = 0;
  /// `block`, `step.<locals>.loss`; empty if the module does not name it.
  std::string Function;
  FileOwner Owner = FileOwner::User;

  bool operator==(const SourceFrame &) const = default;
};

/// The stack tables between a module's header and its first computation
/// (xla, 2025-12-02): file names, locations, frames.
class StackFrames {
public:
  /// Reads the tables of \p Module; none are found in a text without them.
  explicit StackFrames(StringRef Module);

  /// `file.py:12` of the innermost frame from \p FrameId on that is not in an
  /// installed package; if all are, of the innermost one that is not in a
  /// framework; else empty.
  std::string sourceLine(uint32_t FrameId) const;

  /// The calls from \p FrameId on, the innermost first; empty if unknown.
  std::vector<SourceFrame> calls(uint32_t FrameId) const;

private:
  struct Location {
    uint32_t File = 0;
    uint32_t Function = 0;
    uint32_t Line = 0;
    uint32_t Column = 0;
  };
  struct Frame {
    uint32_t Location = 0;
    /// As printed.
    uint32_t Parent = 0;
  };
  void readLine(StringRef Table, StringRef Line);
  /// Null if the frame is unknown, as 0 is, or its file is.
  const Location *locationOf(uint32_t FrameId) const;
  /// The frame that called known frame \p FrameId; 0 if none did.
  uint32_t callerOf(uint32_t FrameId) const;
  /// Empty if unknown.
  std::string spell(uint32_t FrameId) const;

  std::map<uint32_t, std::string> Files;
  std::map<uint32_t, std::string> Functions;
  std::map<uint32_t, Location> Locations;
  std::map<uint32_t, Frame> Frames;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_STACKFRAMES_H
