// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/LiveReader.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef Unavailable =
    "HloLiveRange not available (finalized or constructed from proto)";
static constexpr StringRef UnboundedPeak =
    "  Peak memory could not be determined due to unbounded dynamic shape.";

void LiveReader::readLiveRanges(LineCursor &In) {
  if (In.line() == Unavailable) {
    D.RangesUnavailable = true;
    D.LiveHeaderLine = In.offset();
    In.advance();
    expectEnd(In, Section::Ranges);
    return;
  }
  D.LiveHeaderLine = In.offset();
  present(Section::Sequence);
  if (!parseLiveHeader(In.line(), D.MaxStep))
    damaged(In.line(), Section::Sequence,
            "expected 'HloLiveRange (max N):' here");
  if (!In.line().starts_with("  "))
    In.advance();
  readSequence(In);
  readRanges(In);
  readPeak(In);
  if (In.line().starts_with("  Stack trace breakdown"))
    readStack(In);
  readTexts(In);
  expectEnd(In, D.complete(Section::Stack) ? Section::Stack : Section::Peak);
}

void LiveReader::readTexts(LineCursor &In) {
  while (std::optional<Section> S = textSectionAt(In.line())) {
    const char *Begin = In.line().begin();
    do
      In.advance();
    while (!In.atEnd() && !textSectionAt(In.line()));
    keep(*S, {Begin, static_cast<size_t>(In.line().begin() - Begin)});
  }
}

void LiveReader::readSequence(LineCursor &In) {
  if (In.line() == "  InstructionSequence:") {
    In.advance();
  } else {
    damaged(In.line(), Section::Sequence,
            "expected '  InstructionSequence:' here");
  }
  while (!In.atEnd() && In.line() != "  BufferLiveRange:") {
    SequenceRow R;
    R.Line = In.offset();
    if (parseSequenceLine(In.line(), Tables, R)) {
      D.Sequence.push_back(R);
    } else {
      LiveRangeRow Range;
      bool HeadingLost = parseRangeLine(In.line(), Tables, Range) ||
                         In.line().starts_with("  Live ranges at ");
      damaged(
          In.line(), Section::Sequence,
          HeadingLost
              ? "expected '  BufferLiveRange:' here"
              : "cannot parse this line as a step of the instruction sequence");
      if (HeadingLost)
        return;
    }
    In.advance();
  }
}

void LiveReader::readRanges(LineCursor &In) {
  present(Section::Ranges);
  if (In.line() == "  BufferLiveRange:") {
    In.advance();
  } else {
    // Else it was reported where the heading was looked for.
    if (In.atEnd())
      damaged(In.line(), Section::Sequence,
              "expected '  BufferLiveRange:' here");
    D.States[static_cast<size_t>(Section::Ranges)] = SectionState::Damaged;
  }
  while (!In.atEnd() && !textSectionAt(In.line()) &&
         !In.line().starts_with("  Live ranges at ") &&
         !In.line().starts_with("  Peak memory ") &&
         !In.line().starts_with("  Stack trace ")) {
    LiveRangeRow R;
    R.Line = In.offset();
    if (parseRangeLine(In.line(), Tables, R)) {
      D.Ranges.push_back(R);
    } else {
      PeakRow Row;
      PeakForm Form;
      bool HeadingLost = parsePeakLine(In.line(), Tables, Row, Form);
      damaged(In.line(), Section::Ranges,
              HeadingLost ? "expected '  Live ranges at N (peak):' here"
                          : "cannot parse this line as a live range");
      if (HeadingLost)
        return;
    }
    In.advance();
  }
}

void LiveReader::readPeak(LineCursor &In) {
  present(Section::Peak);
  D.PeakLine = In.offset();
  if (In.line() == UnboundedPeak) {
    D.UnboundedPeak = true;
    In.advance();
    return;
  }
  if (parsePeakHeader(In.line(), D.PeakStep)) {
    In.advance();
  } else {
    bool Reported = In.line().starts_with("    ");
    if (!Reported)
      damaged(In.line(), In.atEnd() ? Section::Ranges : Section::Peak,
              "expected '  Live ranges at N (peak):' here");
    if (In.line().starts_with("  Live ranges at"))
      In.advance();
    D.States[static_cast<size_t>(Section::Peak)] = SectionState::Damaged;
  }
  bool First = true;
  while (!In.atEnd() && !textSectionAt(In.line()) &&
         !In.line().starts_with("  Stack trace breakdown")) {
    PeakRow R;
    R.Line = In.offset();
    PeakForm Form;
    if (parsePeakLine(In.line(), Tables, R, Form) &&
        (First || Form == D.PeakRows)) {
      D.PeakRows = Form;
      First = false;
      D.Peak.push_back(R);
    } else {
      StackNode N;
      bool HeadingLost = parseStackLine(In.line(), N);
      damaged(In.line(), Section::Peak,
              HeadingLost
                  ? "expected '  Stack trace breakdown for peak usage' here"
                  : "cannot parse this line as a row of the peak list");
      if (HeadingLost) {
        readStack(In);
        return;
      }
    }
    In.advance();
  }
}

void LiveReader::readStack(LineCursor &In) {
  present(Section::Stack);
  D.StackLine = In.offset();
  if (In.line().starts_with("  Stack trace breakdown")) {
    if (!parseStackHeader(In.line(), D.StackTotal))
      damaged(In.line(), Section::Stack,
              "cannot parse this line as the heading of the stack tree");
    In.advance();
  } else {
    D.States[static_cast<size_t>(Section::Stack)] = SectionState::Damaged;
  }
  while (!In.atEnd() && !textSectionAt(In.line())) {
    if (readStackNode(In))
      continue;
    // Without any ` bytes)` after it, it is the begin of a node.
    bool Begins = !In.text().drop_front(In.offset()).contains(" bytes)\n");
    damaged(Begins ? In.text().take_back(0) : In.line(), Section::Stack,
            "cannot parse this line as a node of the stack tree");
    if (Begins)
      return;
    In.advance();
  }
}

/// Reads one node; its name is raw text and may hold newlines.
bool LiveReader::readStackNode(LineCursor &In) {
  constexpr unsigned MaxLines = 64;
  StackNode N;
  N.Line = In.offset();
  LineCursor Last = In;
  for (unsigned Lines = 0; Lines != MaxLines && !Last.atEnd(); ++Lines) {
    auto Size = static_cast<size_t>(Last.line().end() - In.line().data());
    StringRef Whole(In.line().data(), Size);
    if (parseStackLine(Whole, N)) {
      N.Size = static_cast<uint32_t>(Size);
      D.Stack.push_back(N);
      In = Last;
      In.advance();
      return true;
    }
    if (Last.line().ends_with(" bytes)"))
      return false;
    Last.advanceRaw();
  }
  return false;
}
