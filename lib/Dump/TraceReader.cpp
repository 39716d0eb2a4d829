// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines as Proto/TraceText.cpp prints them: headings in the first column, and
// below each of them its rows.

#include "Dump/TraceReader.h"

using namespace hlobuf;
using llvm::StringRef;

void TraceReader::readTraces(LineCursor &In) {
  In.advance(); // `HeapSimulatorTraces:`
  for (; !In.atEnd(); In.advance()) {
    if (!In.line().starts_with(" ")) {
      readTraceHeading(In);
      continue;
    }
    StringRef Line = In.line().drop_front();
    if (TracePart == Section::Traces)
      readHeapEvent(Line, In.offset());
    else if (TracePart == Section::Aliases)
      readAlias(Line, In.offset());
    else {
      ValueTag Tag;
      Scanner Row(Line);
      if (parseTag(Row, Tables, Tag) && Row.atEnd() &&
          !D.PeakValueLists.empty()) {
        D.PeakValues.push_back({In.offset(), Tag.Id});
        ++D.PeakValueLists.back().Values.End;
      } else
        damaged(Line, TracePart, "cannot parse this line as a value");
    }
  }
}

void TraceReader::readTraceHeading(LineCursor &In) {
  auto AllocationOf = [&](StringRef Title) {
    Scanner Row(In.line());
    return Row.literal(Title) && Row.number(TraceAllocation) &&
           Row.literal(':') && Row.atEnd();
  };
  auto Events = static_cast<uint32_t>(D.HeapEvents.size());
  if (AllocationOf("Heap simulator trace of allocation ")) {
    TracePart = Section::Traces;
    D.HeapTraces.push_back({In.offset(), TraceAllocation, {Events, Events}});
  } else if (AllocationOf("Values at the peak of allocation ")) {
    TracePart = Section::PeakValues;
    auto Values = static_cast<uint32_t>(D.PeakValues.size());
    D.PeakValueLists.push_back(
        {In.offset(), TraceAllocation, {Values, Values}});
  } else if (In.line() == "Aliases:") {
    TracePart = Section::Aliases;
  } else {
    damaged(In.line(), TracePart, "cannot parse this line as a heading");
    return;
  }
  present(TracePart);
}

void TraceReader::readHeapEvent(StringRef Line, uint32_t Offset) {
  HeapEvent Event;
  Event.Line = Offset;
  ValueTag Tag;
  ValueTag With;
  Scanner Row(Line);
  bool Good = true;
  if (Row.literal("alloc "))
    Event.What = HeapEvent::Kind::Alloc;
  else if (Row.literal("free "))
    Event.What = HeapEvent::Kind::Free;
  else if (Row.literal("share "))
    Event.What = HeapEvent::Kind::Share;
  else
    Good = false;
  Good = Good && parseTag(Row, Tables, Tag);
  if (Good && Event.What == HeapEvent::Kind::Share)
    Good = Row.literal(" with ") && parseTag(Row, Tables, With);
  if (!Good || !Row.atEnd() || D.HeapTraces.empty()) {
    damaged(Line, Section::Traces,
            "cannot parse this line as an event of the heap simulator");
    return;
  }
  Event.Value = Tag.Id;
  Event.With = With.Id;
  D.HeapEvents.push_back(Event);
  D.HeapTraces.back().Events.End = static_cast<uint32_t>(D.HeapEvents.size());
}

void TraceReader::readAlias(StringRef Line, uint32_t Offset) {
  AliasRow Alias;
  Alias.Line = Offset;
  ValueTag Tag;
  StringRef Name;
  Scanner Row(Line);
  if (!parseTag(Row, Tables, Tag) || !Row.literal(": ") || !Row.name(Name) ||
      !Row.literal(' ') || !D.Indices.parse(Row, Alias.Index) || !Row.atEnd()) {
    damaged(Line, Section::Aliases, "cannot parse this line as an alias");
    return;
  }
  Alias.Value = Tag.Id;
  Alias.Name = D.Names.intern(Name);
  D.Aliases.push_back(Alias);
}
