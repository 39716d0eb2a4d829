// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What readers of sections share.

#ifndef HLOBUF_DUMP_SECTIONREADER_H
#define HLOBUF_DUMP_SECTIONREADER_H

#include "Dump/Lines.h"
#include "Dump/SyntaxErrors.h"
#include "HLO/PendingText.h"
#include "Support/LineCursor.h"

namespace hlobuf {

/// Fills a part of one Dump, and says which sections are there or damaged.
class SectionReader {
public:
  SectionReader(Dump &D, SyntaxErrors &Syntax)
      : D(D), Syntax(Syntax), Tables{D.Names, D.Shapes, D.Indices} {}

protected:
  /// Reads the line at \p In into \p R; false if it is not that of one.
  template <typename Record> bool parse(const LineCursor &In, Record &R) {
    R.Line = In.offset();
    return parseBy<Record>(In.line(), R, parseLine);
  }
  /// Reports that \p Where cannot be read and marks \p S as damaged. Where the
  /// file ends too early there, that is noted instead.
  void damaged(StringRef Where, Section S, std::string Message);
  void present(Section S) {
    SectionState &State = D.States[static_cast<size_t>(S)];
    if (State == SectionState::Absent)
      State = SectionState::Complete;
  }
  void setState(Section S, SectionState State) {
    D.States[static_cast<size_t>(S)] = State;
  }
  /// Keeps \p Text as the text of \p S.
  void keep(Section S, StringRef Text) {
    present(S);
    D.SectionTexts[static_cast<size_t>(S)] = Text;
  }
  bool isAtCut(StringRef Where, Section S);
  void expectEnd(LineCursor &In, Section S);
  /// Consumes \p Count empty lines and says so if there are fewer or more.
  void expectEmptyLines(LineCursor &In, unsigned Count, Section S);

  Dump &D;
  SyntaxErrors &Syntax;
  HloTables Tables;

private:
  template <typename Record, typename Texts>
  bool parseBy(StringRef Line, Record &R,
               bool (*Parse)(StringRef, HloTables &, Record &, Texts &)) {
    Texts Fields;
    return Parse(Line, Tables, R, Fields);
  }

  /// After the last line of the assignment that is not empty; null if it was
  /// not asked for yet.
  const char *LastLine = nullptr;
};

// Each reads its sections of \p D where \p In is, and as long as they go on.

/// Allocation headers and what follows each.
void readAllocations(Dump &D, SyntaxErrors &Syntax, LineCursor &In);
/// Used values with their positions, uses and instruction texts, after their
/// total if \p HasTotal.
void readUsedValues(Dump &D, SyntaxErrors &Syntax, LineCursor &In,
                    bool HasTotal);
/// The instruction sequence, live ranges, the peak list and its stacks.
void readLiveRanges(Dump &D, SyntaxErrors &Syntax, LineCursor &In);
/// Heap simulator traces, values at peaks and aliases.
void readTraces(Dump &D, SyntaxErrors &Syntax, LineCursor &In);
/// The program that runs.
void readThunks(Dump &D, SyntaxErrors &Syntax, LineCursor &In);

} // namespace hlobuf

#endif // HLOBUF_DUMP_SECTIONREADER_H
