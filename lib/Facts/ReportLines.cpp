// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/ReportLines.h"
#include "Support/LineCursor.h"

using namespace hlobuf;
using llvm::StringRef;

std::vector<StringRef> hlobuf::reportLines(StringRef Text) {
  std::vector<StringRef> Lines;
  for (LineCursor In(Text); !In.atEnd(); In.advance())
    Lines.push_back(In.line());
  return Lines;
}

bool hlobuf::parseReportRow(StringRef Line, ReportRow &Row) {
  auto Next = [&Line](StringRef Separator, StringRef &Field) {
    size_t Size = Line.find(Separator);
    if (Size == StringRef::npos)
      return false;
    Field = Line.take_front(Size).trim(" \t");
    Line = Line.drop_front(Size + Separator.size());
    return true;
  };
  if (!Next("(", Row.Cumulative) || !Next("%); ", Row.Percent) ||
      !Next("; ", Row.Size) || !Next("; ", Row.At) || !Next("; ", Row.Count))
    return false;
  Row.Shapes = Line;
  return !Row.At.getAsInteger(10, Row.Offset);
}

std::optional<uint32_t> hlobuf::parseAllocationHeading(StringRef Text) {
  uint32_t Index;
  if (!Text.consume_front("allocation ") || Text.consumeInteger(10, Index) ||
      !Text.starts_with(": "))
    return std::nullopt;
  return Index;
}

StringRef hlobuf::headerInRow(StringRef Line) {
  size_t At = Line.find("; allocation ");
  return At == StringRef::npos ? StringRef() : Line.drop_front(At + 2);
}
