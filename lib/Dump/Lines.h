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
  llvm::StringRef Whole, Id, Name, Index, Phi, Color;
};

/// Reads a tag at the front of \p In; false if there is none.
bool parseTag(Scanner &In, HloTables &T, ValueTag &Tag,
              TagTexts *Texts = nullptr);

/// The texts of an allocation header's fields; empty where absent.
struct AllocationTexts {
  llvm::StringRef Index, Size, Color, Page, Parameter, ParameterShape,
      ParameterIndex, OutputShape, Constant, ThreadLocal, MaybeLiveOut,
      PreallocatedTemp;
};

/// `allocation N: size .., ..:` (2017 on); false if \p Line is not that.
bool parseAllocationLine(llvm::StringRef Line, HloTables &T, Allocation &A,
                         AllocationTexts *Texts = nullptr);

/// The texts of a value line's fields.
struct ValueTexts {
  TagTexts Tag;
  llvm::StringRef Size, Offset, Shape;
};

/// ` value: <..> (size=..,offset=..): SHAPE` (2019-09 on).
bool parseValueLine(llvm::StringRef Line, HloTables &T, Value &V,
                    ValueTexts *Texts = nullptr);
/// `  value: <..> (color=N)` of the reuse block.
bool parseReusedLine(llvm::StringRef Line, HloTables &T, ReusedValue &R,
                     TagTexts *Texts = nullptr);

/// The texts of a row with a name: the name, its index, its numbers.
struct RowTexts {
  llvm::StringRef Name, Index, First, Second;
};

/// `Total bytes used: N (human)`: First is N, Second the human text.
bool parseTotalLine(llvm::StringRef Line, uint64_t &Total,
                    std::optional<llvm::StringRef> &Human,
                    RowTexts *Texts = nullptr);
/// `  name {index}`.
bool parsePositionLine(llvm::StringRef Line, HloTables &T, Position &P,
                       RowTexts *Texts = nullptr);
/// `  name, operand N {index}`: First is N.
bool parseUseLine(llvm::StringRef Line, HloTables &T, Use &U,
                  RowTexts *Texts = nullptr);
/// `HloLiveRange (max N):`: First is N.
bool parseLiveHeader(llvm::StringRef Line, uint32_t &Max,
                     RowTexts *Texts = nullptr);
/// `    N:name`: First is N.
bool parseSequenceLine(llvm::StringRef Line, HloTables &T, SequenceRow &R,
                       RowTexts *Texts = nullptr);
/// `    name{index}:start-end`: First and Second are the steps.
bool parseRangeLine(llvm::StringRef Line, HloTables &T, LiveRangeRow &R,
                    RowTexts *Texts = nullptr);
/// `  Live ranges at N (peak):`: First is N.
bool parsePeakHeader(llvm::StringRef Line, int32_t &Step,
                     RowTexts *Texts = nullptr);
/// A peak row of any form: First are the bytes, Second the cumulative ones.
bool parsePeakLine(llvm::StringRef Line, HloTables &T, PeakRow &R,
                   PeakForm &Form, RowTexts *Texts = nullptr);
/// `  Stack trace breakdown for peak usage: N bytes`: First is N.
bool parseStackHeader(llvm::StringRef Line, uint64_t &Total,
                      RowTexts *Texts = nullptr);

/// The texts of a stack line's fields.
struct StackTexts {
  llvm::StringRef Name, Percent, Total, Current, Remaining;
};

/// A line of the stack tree; the name is raw text, so the numbers are read
/// from the right. The depth is taken from the connector columns.
bool parseStackLine(llvm::StringRef Line, StackNode &N,
                    StackTexts *Texts = nullptr);

} // namespace hlobuf

#endif // HLOBUF_DUMP_LINES_H
