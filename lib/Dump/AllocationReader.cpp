// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/AllocationReader.h"

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef ReuseHeading =
    " reused by buffers of a different color:";

static bool endsAllocations(StringRef Line) {
  return Line.starts_with("Total bytes used") || Line == "Used values:" ||
         Line.starts_with("HloLiveRange");
}

void AllocationReader::readAllocations(LineCursor &In) {
  if (In.atEnd())
    damaged(In.line(), Section::Allocations, "expected an allocation here");
  while (!In.atEnd()) {
    StringRef Line = In.line();
    if (endsAllocations(Line))
      return;
    if (Line.empty()) {
      if (endsAllocations(In.peek()))
        return;
      damaged(Line, Section::Allocations, "unexpected empty line");
      In.advance();
      continue;
    }
    if (Line.starts_with("allocation "))
      readAllocationLine(In);
    else
      readValueOfAllocation(In);
  }
}

void AllocationReader::readAllocationLine(LineCursor &In) {
  Allocation A;
  A.Line = In.offset();
  A.Values.Begin = A.Values.End = static_cast<uint32_t>(D.Values.size());
  HeaderLost = !parseAllocationLine(In.line(), Tables, A);
  if (!HeaderLost)
    D.Allocations.push_back(A);
  else
    damaged(In.line(), Section::Allocations,
            "cannot parse this line as an allocation header");
  In.advance();
}

void AllocationReader::readValueOfAllocation(LineCursor &In) {
  StringRef Line = In.line();
  if (D.Allocations.empty() && !HeaderLost) {
    damaged(Line, Section::Allocations, "expected an allocation header");
    In.advance();
    return;
  }
  if (Line == ReuseHeading) {
    readReuseBlock(In);
    return;
  }
  if (Line.starts_with(" value:")) {
    readValueLine(In);
    In.advance();
    return;
  }
  damaged(Line, Section::Allocations,
          "expected a value of the allocation or the next allocation header");
  In.advance();
}

void AllocationReader::addValue(Value V, uint32_t Line) {
  if (HeaderLost)
    return;
  V.Owner = AllocationId(D.Allocations.size() - 1);
  V.Line = Line;
  D.Values.push_back(V);
  D.Allocations.back().Values.End = static_cast<uint32_t>(D.Values.size());
}

void AllocationReader::readValueLine(const LineCursor &In) {
  Value V;
  if (parseValueLine(In.line(), Tables, V)) {
    addValue(V, In.offset());
    return;
  }
  damaged(In.line(), Section::Allocations,
          "cannot parse this line as a value of the allocation");
}

void AllocationReader::readReuseBlock(LineCursor &In) {
  Allocation Lost;
  Allocation &A = HeaderLost ? Lost : D.Allocations.back();
  if (A.HasReuseBlock)
    damaged(In.line(), Section::Allocations,
            "a second block of reused buffers in one allocation");
  A.HasReuseBlock = true;
  if (A.Reused.empty())
    A.Reused.Begin = static_cast<uint32_t>(D.Reused.size());
  In.advance();
  while (!In.atEnd() && In.line().starts_with("  ")) {
    ReusedValue R;
    R.Line = In.offset();
    if (parseReusedLine(In.line(), Tables, R))
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
