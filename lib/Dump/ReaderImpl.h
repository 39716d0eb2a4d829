//===- Dump/ReaderImpl.h - The reader's state -------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DUMP_READERIMPL_H
#define HLOBUF_DUMP_READERIMPL_H

#include "Dump/Lines.h"
#include "Dump/SyntaxErrors.h"
#include "HLO/PendingText.h"
#include "Support/LineCursor.h"
#include <algorithm>

namespace hlobuf {

/// Fills one Dump. One object reads one module.
class DumpReader {
public:
  DumpReader(Dump &D, SyntaxErrors &Syntax,
             llvm::function_ref<void()> PassedText)
      : D(D), Syntax(Syntax), PassedText(PassedText),
        Tables{D.Names, D.Shapes, D.Indices} {}

  /// Reads all but the module; \p ValuesBeside on two threads.
  void read(bool ValuesBeside);
  void readModuleText();
  /// Reads what only protos hold.
  void readTraceText();
  /// The same as read() and readModuleText(), side by side.
  void readBoth(bool ValuesBeside);

private:
  // Reader.cpp
  void readAssignmentFile();
  void readAssignment(LineCursor &In);
  void readValuesFile();
  void readLiveFile();
  /// Takes over what was read of the values file with tables of its own, as if
  /// it had been read here.
  void adoptValues(Dump &Part, SyntaxErrors &Errors);
  /// Notes whether the file of \p Role, which \p In has read, has comments.
  void noteComments(const LineCursor &In, FileRole Role);
  /// Gives back what growing arrays took too much.
  void shrinkUsed();
  void expectEnd(LineCursor &In, Section S);
  /// Consumes \p Count empty lines and says so if there are fewer or more.
  void expectEmptyLines(LineCursor &In, unsigned Count, Section S);

  // ReaderAllocations.cpp
  void readAllocations(LineCursor &In);
  void readAllocationLine(LineCursor &In);
  void readValueOfAllocation(LineCursor &In);
  void readTaggedValue(llvm::StringRef Line, uint32_t Offset);
  void readOneLineValue(llvm::StringRef Line, uint32_t Offset);
  void readMultiLineValue(LineCursor &In);
  void readReuseBlock(LineCursor &In);
  void addValue(Value V);

  // ReaderUsed.cpp
  void readTotal(LineCursor &In);
  void readUsedValues(LineCursor &In);
  bool readTagLine(LineCursor &In, UsedValue &U);
  void readUsedBody(LineCursor &In, UsedValue &U);
  bool readPositions(LineCursor &In, UsedValue &U);
  bool readUses(LineCursor &In, UsedValue &U);
  void readPositionRows(LineCursor &In);
  void readUseRows(LineCursor &In, UsedValue &U);
  bool readTextLine(LineCursor &In, UsedValue &U);
  bool continuesBehind(LineCursor &In, PendingText &SoFar) const;
  void cutGluedTag(UsedValue &U);
  void addInstruction(UsedValue &U);
  void skipToNextTag(LineCursor &In);
  bool endsUsed(const LineCursor &In) const;

  // ReaderTraces.cpp
  void readTraceHeading(LineCursor &In);
  void readHeapEvent(llvm::StringRef Line, uint32_t Offset);
  void readAlias(llvm::StringRef Line, uint32_t Offset);

  // ReaderLive.cpp
  void readLiveRanges(LineCursor &In);
  void readSequence(LineCursor &In);
  void readRanges(LineCursor &In);
  void readPeak(LineCursor &In);
  void readStack(LineCursor &In);
  bool readStackNode(LineCursor &In);

  /// Appends, and grows by what the rest of \p Text will need if it goes on
  /// like the part before \p Offset: doubling would cost up to twice the
  /// memory.
  template <typename T>
  static void append(std::vector<T> &To, const T &Record, llvm::StringRef Text,
                     size_t Offset) {
    if (To.size() == To.capacity()) {
      size_t Size = To.size();
      size_t Needed = static_cast<size_t>(double(Size) * double(Text.size()) /
                                          double(Offset + 1) * 1.02);
      To.reserve(16 + std::clamp(Needed, Size + Size / 5, Size * 2));
    }
    To.push_back(Record);
  }

  /// Reports that \p Where cannot be read and marks \p S as damaged. Where the
  /// file ends too early there, that is noted instead.
  void damaged(llvm::StringRef Where, Section S, std::string Message);
  void present(Section S) {
    SectionState &State = D.States[static_cast<size_t>(S)];
    if (State == SectionState::Absent)
      State = SectionState::Complete;
  }
  bool isAtCut(llvm::StringRef Where, Section S);
  /// Notes that the file of \p Role was cut off if its last line, which is not
  /// read then, has no newline.
  void noteUnterminated(FileRole Role);

  Dump &D;
  SyntaxErrors &Syntax;
  llvm::function_ref<void()> PassedText;
  HloTables Tables;
  bool AnyValue = false;
  /// After the last line of the assignment that is not empty; null if it was
  /// not asked for yet.
  const char *LastLine = nullptr;
  /// The header of the current allocation could not be read; its values are
  /// read and forgotten.
  bool HeaderLost = false;
  /// The first used value decides whether texts are printed.
  bool TextFormKnown = false;
  /// A tag glued to the text of the value before it, waiting to be read.
  llvm::StringRef PendingTag;
  /// The part of the traces that is being read, and its allocation.
  Section TracePart = Section::Traces;
  uint32_t TraceAllocation = 0;
  std::vector<InstructionId> InstructionOf;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_READERIMPL_H
