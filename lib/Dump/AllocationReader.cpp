// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/SectionReader.h"

using namespace hlobuf;

namespace {
struct AllocationReader : SectionReader {
  using SectionReader::SectionReader;
  void read(LineCursor &In);

  void readHeader(const LineCursor &In);
  void readValue(const LineCursor &In);
  void readReuseBlock(LineCursor &In);

  /// The header of the current allocation could not be read; its values are
  /// read and forgotten.
  bool HeaderLost = false;
};
} // namespace

static constexpr StringRef ReuseHeading =
    " reused by buffers of a different color:";

static bool endsAllocations(StringRef Line) {
  return Line.starts_with("Total bytes used") || Line == "Used values:" ||
         Line.starts_with("HloLiveRange");
}

void AllocationReader::read(LineCursor &In) {
  if (In.atEnd())
    damaged(In.line(), Section::Allocations, "expected an allocation here");
  while (!In.atEnd()) {
    StringRef Line = In.line();
    if (endsAllocations(Line) || (Line.empty() && endsAllocations(In.peek())))
      return;
    if (Line.empty())
      damaged(Line, Section::Allocations, "unexpected empty line");
    else if (Line.starts_with("allocation "))
      readHeader(In);
    else if (D.Allocations.empty() && !HeaderLost)
      damaged(Line, Section::Allocations, "expected an allocation header");
    else if (Line == ReuseHeading) {
      readReuseBlock(In);
      continue;
    } else if (Line.starts_with(" value:"))
      readValue(In);
    else
      damaged(
          Line, Section::Allocations,
          "expected a value of the allocation or the next allocation header");
    In.advance();
  }
}

void AllocationReader::readHeader(const LineCursor &In) {
  Allocation A;
  A.Values.Begin = A.Values.End = static_cast<uint32_t>(D.Values.size());
  HeaderLost = !parse(In, A);
  if (!HeaderLost)
    D.Allocations.push_back(A);
  else
    damaged(In.line(), Section::Allocations,
            "cannot parse this line as an allocation header");
}

void AllocationReader::readValue(const LineCursor &In) {
  Value V;
  if (!parse(In, V))
    return damaged(In.line(), Section::Allocations,
                   "cannot parse this line as a value of the allocation");
  if (HeaderLost)
    return;
  V.Owner = AllocationId(D.Allocations.size() - 1);
  D.Values.push_back(V);
  D.Allocations.back().Values.End = static_cast<uint32_t>(D.Values.size());
}

void AllocationReader::readReuseBlock(LineCursor &In) {
  Allocation Unread;
  Allocation &A = HeaderLost ? Unread : D.Allocations.back();
  if (A.HasReuseBlock)
    damaged(In.line(), Section::Allocations,
            "a second block of reused buffers in one allocation");
  A.HasReuseBlock = true;
  if (A.Reused.empty())
    A.Reused.Begin = static_cast<uint32_t>(D.Reused.size());
  In.advance();
  while (!In.atEnd() && In.line().starts_with("  ")) {
    ReusedValue R;
    if (parse(In, R))
      D.Reused.push_back(R);
    else
      damaged(In.line(), Section::Allocations,
              "cannot parse this line as a reused buffer");
    In.advance();
  }
  A.Reused.End = static_cast<uint32_t>(D.Reused.size());
  if (A.Reused.empty() && In.atEnd())
    damaged(In.line(), Section::Allocations, "expected a reused buffer here");
}

void hlobuf::readAllocations(Dump &D, SyntaxErrors &Syntax, LineCursor &In) {
  AllocationReader(D, Syntax).read(In);
}
