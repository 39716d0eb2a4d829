// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/SectionReader.h"
#include "Support/Format.h"

using namespace hlobuf;

namespace {
struct LiveReader : SectionReader {
  using SectionReader::SectionReader;
  void read(LineCursor &In);

  template <typename Row, typename NextRow>
  void readRows(LineCursor &In, Section S, std::vector<Row> &All,
                StringRef Words);
  bool accept(const LineCursor &In, SequenceRow &R) { return parse(In, R); }
  bool accept(const LineCursor &In, LiveRangeRow &R) { return parse(In, R); }
  bool accept(const LineCursor &In, PeakRow &R);
  void expectHeading(LineCursor &In, Section Before, Section S,
                     StringRef Heading, bool IsThere);
  void readPeak(LineCursor &In);
  void readStack(LineCursor &In);
  bool readStackNode(LineCursor &In);
  /// Keeps the sections after the stacks that are not taken apart.
  void readTexts(LineCursor &In);
};
} // namespace

static constexpr StringRef Unavailable =
    "HloLiveRange not available (finalized or constructed from proto)";
static constexpr StringRef UnboundedPeak =
    "  Peak memory could not be determined due to unbounded dynamic shape.";
static constexpr StringRef RangesHeading = "  BufferLiveRange:";

/// True if \p Line begins another part.
static bool beginsPart(StringRef Line) {
  return Line == RangesHeading || textSectionAt(Line) ||
         Line.starts_with("  Live ranges at ") ||
         Line.starts_with("  Peak memory ") ||
         Line.starts_with("  Stack trace breakdown");
}

void LiveReader::read(LineCursor &In) {
  D.LiveHeaderLine = In.offset();
  if (In.line() == Unavailable) {
    D.RangesUnavailable = true;
    In.advance();
    expectEnd(In, Section::Ranges);
    return;
  }
  present(Section::Sequence);
  RowTexts Texts;
  if (!parseLiveHeader(In.line(), D.MaxStep, Texts))
    damaged(In.line(), Section::Sequence,
            "expected 'HloLiveRange (max N):' here");
  if (!In.line().starts_with("  "))
    In.advance();
  if (In.line() == "  InstructionSequence:")
    In.advance();
  else
    damaged(In.line(), Section::Sequence,
            "expected '  InstructionSequence:' here");
  readRows<SequenceRow, LiveRangeRow>(In, Section::Sequence, D.Sequence,
                                      "a step of the instruction sequence");
  present(Section::Ranges);
  expectHeading(In, Section::Sequence, Section::Ranges, RangesHeading,
                In.line() == RangesHeading);
  readRows<LiveRangeRow, PeakRow>(In, Section::Ranges, D.Ranges,
                                  "a live range");
  readPeak(In);
  readTexts(In);
  expectEnd(In, D.complete(Section::Stack) ? Section::Stack : Section::Peak);
}

/// Passes the heading of \p S, if that is \p IsThere; else its rows follow
/// those of \p Before.
void LiveReader::expectHeading(LineCursor &In, Section Before, Section S,
                               StringRef Heading, bool IsThere) {
  if (IsThere)
    return In.advance();
  damaged(In.line(), Before, fmt::format("expected '{}' here", Heading));
  setState(S, SectionState::Damaged);
}

/// Reads rows of \p S up to the next part, or to what can only be one of its
/// rows: its heading was lost.
template <typename Row, typename NextRow>
void LiveReader::readRows(LineCursor &In, Section S, std::vector<Row> &All,
                          StringRef Words) {
  for (; !In.atEnd() && !beginsPart(In.line()); In.advance()) {
    Row R;
    NextRow Next;
    if (accept(In, R))
      All.push_back(R);
    else if (parse(In, Next))
      return;
    else
      damaged(In.line(), S, fmt::format("cannot parse this line as {}", Words));
  }
}

bool LiveReader::accept(const LineCursor &In, PeakRow &R) {
  if (!parse(In, R) || (!D.Peak.empty() && R.Form != D.PeakRows))
    return false;
  D.PeakRows = R.Form;
  return true;
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

void LiveReader::readPeak(LineCursor &In) {
  present(Section::Peak);
  D.PeakLine = In.offset();
  if (In.line() == UnboundedPeak) {
    D.UnboundedPeak = true;
    return In.advance();
  }
  RowTexts Texts;
  bool Rows = In.atEnd() || In.line().starts_with("    ");
  bool Misspelled = In.line().starts_with("  Live ranges at");
  expectHeading(In, Rows ? Section::Ranges : Section::Peak, Section::Peak,
                "  Live ranges at N (peak):",
                parsePeakHeader(In.line(), D.PeakStep, Texts));
  if (Misspelled && D.state(Section::Peak) == SectionState::Damaged)
    In.advance();
  readRows<PeakRow, StackNode>(In, Section::Peak, D.Peak,
                               "a row of the peak list");
  if (!In.atEnd() && !textSectionAt(In.line()))
    readStack(In);
}

void LiveReader::readStack(LineCursor &In) {
  present(Section::Stack);
  D.StackLine = In.offset();
  StringRef Line = In.line();
  bool Heading = Line.starts_with("  Stack trace breakdown");
  expectHeading(In, Section::Peak, Section::Stack,
                "  Stack trace breakdown for peak usage", Heading);
  RowTexts Texts;
  if (Heading && !parseStackHeader(Line, D.StackTotal, Texts))
    damaged(Line, Section::Stack,
            "cannot parse this line as the heading of the stack tree");
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
    StackTexts Texts;
    if (parseLine(Whole, Tables, N, Texts)) {
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

void hlobuf::readLiveRanges(Dump &D, SyntaxErrors &Syntax, LineCursor &In) {
  LiveReader(D, Syntax).read(In);
}
