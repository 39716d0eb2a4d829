// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines as Proto/TraceText.cpp prints them: headings in the first column, and
// below each of them its rows.

#include "Dump/SectionReader.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

namespace {
struct TraceReader : SectionReader {
  using SectionReader::SectionReader;
  void read(LineCursor &In);

  void readHeading(const LineCursor &In);
  bool readRow(Scanner Row, uint32_t Offset);
  bool readEvent(Scanner Row, uint32_t Offset);
  bool readField(StringRef Row, uint32_t Offset);
  bool tag(Scanner &Row, uint32_t &Id) {
    ValueTag Tag;
    TagTexts Texts;
    bool Good = parseTag(Row, Tables, Tag, Texts);
    Id = Tag.Id;
    return Good;
  }

  /// The part that is being read.
  Section Part = Section::Traces;
};
} // namespace

void TraceReader::read(LineCursor &In) {
  In.advance(); // `HeapSimulatorTraces:`
  for (; !In.atEnd(); In.advance()) {
    StringRef Row = In.line();
    if (!Row.consume_front(" "))
      readHeading(In);
    else if (!(Part == Section::Fields ? readField(Row, In.offset())
                                       : readRow(Scanner(Row), In.offset())))
      damaged(Row, Part,
              Part == Section::Traces
                  ? "cannot parse this line as an event of the heap simulator"
              : Part == Section::Aliases ? "cannot parse this line as an alias"
              : Part == Section::Fields  ? "cannot parse this line as a field"
                                         : "cannot parse this line as a value");
  }
}

void TraceReader::readHeading(const LineCursor &In) {
  uint32_t Allocation = 0;
  auto IsOf = [&](StringRef Title) {
    Scanner Row(In.line());
    return Row.literal(Title) && Row.number(Allocation) && Row.literal(':') &&
           Row.atEnd();
  };
  auto Events = static_cast<uint32_t>(D.HeapEvents.size());
  auto Values = static_cast<uint32_t>(D.PeakValues.size());
  if (IsOf("Heap simulator trace of allocation ")) {
    Part = Section::Traces;
    D.HeapTraces.push_back({In.offset(), Allocation, {Events, Events}});
  } else if (IsOf("Values at the peak of allocation ")) {
    Part = Section::PeakValues;
    D.PeakValueLists.push_back({In.offset(), Allocation, {Values, Values}});
  } else if (In.line() == "Aliases:") {
    Part = Section::Aliases;
  } else if (In.line() == "Fields:") {
    Part = Section::Fields;
  } else {
    return damaged(In.line(), Part, "cannot parse this line as a heading");
  }
  present(Part);
}

bool TraceReader::readRow(Scanner Row, uint32_t Offset) {
  if (Part == Section::Traces)
    return readEvent(Row, Offset);
  if (Part == Section::PeakValues) {
    PeakValue V = {Offset};
    if (!tag(Row, V.Value) || !Row.atEnd() || D.PeakValueLists.empty())
      return false;
    D.PeakValues.push_back(V);
    ++D.PeakValueLists.back().Values.End;
    return true;
  }
  AliasRow Alias;
  Alias.Line = Offset;
  StringRef Name;
  if (!tag(Row, Alias.Value) || !Row.literal(": ") || !Row.name(Name) ||
      !Row.literal(' ') || !D.Indices.parse(Row, Alias.Index) || !Row.atEnd())
    return false;
  Alias.Name = D.Names.intern(Name);
  D.Aliases.push_back(Alias);
  return true;
}

bool TraceReader::readField(StringRef Row, uint32_t Offset) {
  static constexpr StringRef Kinds[] = {
      "unread in the program: ", "unread around it: ", "different: "};
  for (auto [Number, Key] : llvm::enumerate(Kinds))
    if (Row.consume_front(Key)) {
      D.Fields.push_back({Offset, FieldLine::Kind(Number), Row});
      return true;
    }
  return false;
}

bool TraceReader::readEvent(Scanner Row, uint32_t Offset) {
  HeapEvent Event;
  Event.Line = Offset;
  if (Row.literal("free "))
    Event.Action = HeapEvent::Kind::Free;
  else if (Row.literal("share "))
    Event.Action = HeapEvent::Kind::Share;
  else if (!Row.literal("alloc "))
    return false;
  bool Shares = Event.Action == HeapEvent::Kind::Share;
  if (!tag(Row, Event.Value) ||
      (Shares && (!Row.literal(" with ") || !tag(Row, Event.Source))) ||
      !Row.atEnd() || D.HeapTraces.empty())
    return false;
  D.HeapEvents.push_back(Event);
  ++D.HeapTraces.back().Events.End;
  return true;
}

void hlobuf::readTraces(Dump &D, SyntaxErrors &Syntax, LineCursor &In) {
  TraceReader(D, Syntax).read(In);
}
