// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One input that is several files.
//
// A dump is an assignment with its siblings and its module. One input holds
// them all, as the framed text of --xla_dump_to=-. Bytes that change anywhere
// mostly break a frame, and all after it is lost; these functions change what
// is inside.

#ifndef HLOBUF_FUZZ_FRAMES_H
#define HLOBUF_FUZZ_FRAMES_H

#include "llvm/ADT/StringRef.h"
#include <random>
#include <string>
#include <vector>

namespace hlobuf {

/// A file of a framed text.
struct Frame {
  std::string Name;
  std::string Content;
};

/// The frames of \p Text; none if it has no whole frame.
std::vector<Frame> takeFrames(llvm::StringRef Text);

/// The text that takeFrames() takes apart.
std::string joinFrames(const std::vector<Frame> &Frames);

/// Changes lines of \p Text: drops, repeats, exchanges or cuts them, takes one
/// from \p Other, replaces a name or number by another one of the text.
std::string changeLines(llvm::StringRef Text, llvm::StringRef Other,
                        std::minstd_rand &Random);

} // namespace hlobuf

#endif // HLOBUF_FUZZ_FRAMES_H
