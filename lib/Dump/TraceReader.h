// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only protos hold.

#ifndef HLOBUF_DUMP_TRACEREADER_H
#define HLOBUF_DUMP_TRACEREADER_H

#include "Dump/SectionReader.h"

namespace hlobuf {

/// Reads heap simulator traces, values at peaks and aliases.
class TraceReader : public SectionReader {
public:
  using SectionReader::SectionReader;
  void readTraces(LineCursor &In);

private:
  void readTraceHeading(LineCursor &In);
  void readHeapEvent(llvm::StringRef Line, uint32_t Offset);
  void readAlias(llvm::StringRef Line, uint32_t Offset);

  /// The part that is being read, and its allocation.
  Section TracePart = Section::Traces;
  uint32_t TraceAllocation = 0;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_TRACEREADER_H
