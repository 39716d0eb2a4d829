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

private:
  bool readTagLine(LineCursor &In, UsedValue &U);
  void readUsedBody(LineCursor &In, UsedValue &U);
  bool readPositions(LineCursor &In, UsedValue &U);
  /// The positions of \p U, as long as there are any.
  void readPositionRows(LineCursor &In, UsedValue &U);
  /// Forgets positions and uses from these numbers on.
  void dropRows(size_t NumPositions, size_t NumUses);
  /// False where \p In does not begin with uses.
  bool readUses(LineCursor &In, UsedValue &U);
  void readUseRows(LineCursor &In, UsedValue &U);
  bool readTextLine(LineCursor &In, UsedValue &U);
  bool continuesBehind(LineCursor &In, PendingText &SoFar) const;
  void cutGluedTag(llvm::StringRef &Text);
  void noteText(UsedValue &U, llvm::StringRef Text);
  bool addInstruction(UsedValue &U, llvm::StringRef Text);
  bool readOperands(const InstructionText &Parts, Instruction &I);
  void skipToNextTag(LineCursor &In);
  bool endsUsed(const LineCursor &In) const;

  /// The first used value decides whether texts are printed.
  bool TextFormKnown = false;
  /// A tag glued to the text of the value before it, waiting to be read.
  llvm::StringRef PendingTag;
  /// By name: there is an instruction.
  std::vector<bool> Known;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_USEDREADER_H
