// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of single lines.
//
// One function per line kind. Each is strict: what it accepts prints back byte
// for byte. The readers use the numbers, Places.cpp the texts of the fields.

#ifndef HLOBUF_DUMP_LINES_H
#define HLOBUF_DUMP_LINES_H

#include "Dump/Model.h"
#include "Support/Scanner.h"
#include <optional>

namespace hlobuf {

/// The texts of a `<id name{index} (phi) @color>`.
struct TagTexts {
  StringRef Whole, Id, Name, Index, Phi, Color;
};

/// Reads a tag at the front of \p In; false if there is none.
bool parseTag(Scanner &In, HloTables &T, ValueTag &Tag, TagTexts &Texts);

/// The texts of an allocation header's fields; empty where absent.
struct AllocationTexts {
  StringRef Index, Pointer, Size, Color, Page, Parameter, ParameterShape,
      ParameterIndex, OutputShape, Constant, ThreadLocal, MaybeLiveOut,
      PreallocatedTemp, Unknown;
};

/// The texts of a value line's fields.
struct ValueTexts {
  TagTexts Tag;
  StringRef Size, Offset, Shape;
};

/// The texts of a row with a name: the name, its index, its numbers.
struct RowTexts {
  StringRef Name, Index, First, Second;
};

/// The texts of a stack line's fields.
struct StackTexts {
  StringRef Name, Percent, Total, Current, Remaining;
};

// The line of one record; false if \p Line is not that.

/// `allocation N: size .., ..:` (2017 on).
bool parseLine(StringRef Line, HloTables &T, Allocation &A,
               AllocationTexts &Texts);
/// ` value: <..> (size=..,offset=..): SHAPE` (2019-09 on).
bool parseLine(StringRef Line, HloTables &T, Value &V, ValueTexts &Texts);
/// `  value: <..> (color=N)` of the reuse block.
bool parseLine(StringRef Line, HloTables &T, ReusedValue &R, TagTexts &Texts);
/// The tag of a used value.
bool parseLine(StringRef Line, HloTables &T, UsedValue &U, TagTexts &Texts);
/// `  name {index}`.
bool parseLine(StringRef Line, HloTables &T, Position &P, RowTexts &Texts);
/// `  name, operand N {index}`: First is N.
bool parseLine(StringRef Line, HloTables &T, Use &U, RowTexts &Texts);
/// `    N:name`: First is N.
bool parseLine(StringRef Line, HloTables &T, SequenceRow &R, RowTexts &Texts);
/// `    name{index}:start-end`: First and Second are the steps.
bool parseLine(StringRef Line, HloTables &T, LiveRangeRow &R, RowTexts &Texts);
/// A peak row of any form: First are the bytes, Second the cumulative ones.
bool parseLine(StringRef Line, HloTables &T, PeakRow &R, RowTexts &Texts);
/// A line of the stack tree; the name is raw text, so the numbers are read
/// from the right. The depth is taken from the connector columns.
bool parseLine(StringRef Line, HloTables &T, StackNode &N, StackTexts &Texts);

// Headings.

/// `Total bytes used: N (human)`: First is N, Second the human text, null if
/// there is none.
bool parseTotalLine(StringRef Line, uint64_t &Total, RowTexts &Texts);
/// `HloLiveRange (max N):`: First is N.
bool parseLiveHeader(StringRef Line, uint32_t &Max, RowTexts &Texts);
/// `  Live ranges at N (peak):`: First is N.
bool parsePeakHeader(StringRef Line, int32_t &Step, RowTexts &Texts);
/// `  Stack trace breakdown for peak usage: N bytes`: First is N.
bool parseStackHeader(StringRef Line, uint64_t &Total, RowTexts &Texts);

} // namespace hlobuf

#endif // HLOBUF_DUMP_LINES_H
