//===- HLO/StackFrames.h - Python lines of a module -------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_HLO_STACKFRAMES_H
#define HLOBUF_HLO_STACKFRAMES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hlobuf {

/// The stack tables between a module's header and its first computation
/// (xla, 2025-12-02): file names, locations, frames.
class StackFrames {
public:
  /// Reads the tables of \p Module; none are found in a text without them.
  explicit StackFrames(llvm::StringRef Module);

  /// `file.py:12` of the innermost frame \p FrameId; empty if unknown.
  std::string sourceLine(uint32_t FrameId) const;

private:
  struct Location {
    uint32_t File = 0;
    uint32_t Line = 0;
  };
  void readLine(llvm::StringRef Table, llvm::StringRef Line);

  llvm::DenseMap<uint32_t, std::string> Files;
  llvm::DenseMap<uint32_t, Location> Locations;
  /// Frame id to location id.
  llvm::DenseMap<uint32_t, uint32_t> Frames;
};

} // namespace hlobuf

#endif // HLOBUF_HLO_STACKFRAMES_H
