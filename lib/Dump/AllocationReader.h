// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and their values.

#ifndef HLOBUF_DUMP_ALLOCATIONREADER_H
#define HLOBUF_DUMP_ALLOCATIONREADER_H

#include "Dump/SectionReader.h"

namespace hlobuf {

/// Reads allocation headers and what follows each.
class AllocationReader : public SectionReader {
public:
  using SectionReader::SectionReader;
  void readAllocations(LineCursor &In);

private:
  void readAllocationLine(LineCursor &In);
  void readValueOfAllocation(LineCursor &In);
  void readValueLine(const LineCursor &In);
  void readReuseBlock(LineCursor &In);
  /// The line of \p V is at \p Line.
  void addValue(Value V, uint32_t Line);

  /// The header of the current allocation could not be read; its values are
  /// read and forgotten.
  bool HeaderLost = false;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_ALLOCATIONREADER_H
