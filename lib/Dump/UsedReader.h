// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used values.

#ifndef HLOBUF_DUMP_USEDREADER_H
#define HLOBUF_DUMP_USEDREADER_H

#include "Dump/SectionReader.h"

namespace hlobuf {

/// Reads used values with their positions, uses and instruction texts.
class UsedReader : public SectionReader {
public:
  using SectionReader::SectionReader;
  void readTotal(LineCursor &In);
  void readUsedValues(LineCursor &In);
  void readPositionRows(LineCursor &In);
  /// False where \p In does not begin with uses.
  bool readUses(LineCursor &In, UsedValue &U);

private:
  bool readTagLine(LineCursor &In, UsedValue &U);
  void readUsedBody(LineCursor &In, UsedValue &U);
  bool readPositions(LineCursor &In, UsedValue &U);
  void readUseRows(LineCursor &In, UsedValue &U);
  bool readTextLine(LineCursor &In, UsedValue &U);
  bool continuesBehind(LineCursor &In, PendingText &SoFar) const;
  void cutGluedTag(UsedValue &U);
  void addInstruction(UsedValue &U);
  void skipToNextTag(LineCursor &In);
  bool endsUsed(const LineCursor &In) const;

  /// The first used value decides whether texts are printed.
  bool TextFormKnown = false;
  /// A tag glued to the text of the value before it, waiting to be read.
  llvm::StringRef PendingTag;
  std::vector<InstructionId> InstructionOf;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_USEDREADER_H
