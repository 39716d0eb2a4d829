// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedule, live ranges and peak.

#ifndef HLOBUF_DUMP_LIVEREADER_H
#define HLOBUF_DUMP_LIVEREADER_H

#include "Dump/SectionReader.h"

namespace hlobuf {

/// Reads the instruction sequence, live ranges, the peak list and its stacks.
class LiveReader : public SectionReader {
public:
  using SectionReader::SectionReader;
  void readLiveRanges(LineCursor &In);

private:
  void readSequence(LineCursor &In);
  void readRanges(LineCursor &In);
  void readPeak(LineCursor &In);
  void readStack(LineCursor &In);
  bool readStackNode(LineCursor &In);
  /// Keeps the sections after the stacks that are not taken apart.
  void readTexts(LineCursor &In);
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_LIVEREADER_H
