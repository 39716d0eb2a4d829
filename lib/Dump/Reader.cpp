// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files, sections, their order.

#include "Dump/Reader.h"
#include "Dump/CutOff.h"
#include "Dump/SectionReader.h"
#include "HLO/ModuleReader.h"
#include "Support/Format.h"

using namespace hlobuf;

namespace {
/// Fills one Dump. One object reads one module.
struct DumpReader : SectionReader {
  using SectionReader::SectionReader;

  void read();

  void readModuleText();
  void readAssignment(LineCursor &In);
  void readValues(LineCursor &In);
  /// Reads the file of \p Role with \p Read.
  void readFile(FileRole Role, function_ref<void(LineCursor &)> Read);
  /// Notes that the file of \p Role was cut off if its last line, which is not
  /// read then, has no newline.
  void noteUnterminated(FileRole Role);
};
} // namespace

std::optional<FileRole> hlobuf::roleOf(TextKind Kind) {
  if (Kind == TextKind::NewReport)
    return FileRole::Report;
  auto Row = static_cast<size_t>(Kind);
  if (Row >= NumFileRoles)
    return std::nullopt;
  return static_cast<FileRole>(Row);
}

TextKind hlobuf::classify(StringRef Text) {
  LineCursor In(Text);
  while (!In.atEnd() && In.line().empty())
    In.advance();
  StringRef Line = In.line();
  if (Line == "BufferAssignment:")
    return TextKind::Assignment;
  if (Line.starts_with("HloLiveRange (max") ||
      Line.starts_with("HloLiveRange not available"))
    return TextKind::LiveRange;
  if (Line.starts_with("Memory Space:"))
    return TextKind::NewReport;
  if (Line.starts_with("HloModule "))
    return TextKind::Module;
  if (Line == "HeapSimulatorTraces:")
    return TextKind::Traces;
  if (Line.starts_with("Thunks: "))
    return TextKind::Thunks;
  if (Line.starts_with("*** Begin "))
    return TextKind::Frames;
  if (Line == "Used values:") // the total was lost
    return TextKind::Values;
  if (!Line.starts_with("Total bytes used:"))
    return TextKind::Other;
  do
    In.advance();
  while (!In.atEnd() && In.line().empty());
  if (In.line() == "Allocations sorted by size:")
    return TextKind::Report;
  return In.line() == "Used values:" ? TextKind::Values : TextKind::Other;
}

StringRef hlobuf::refusal(StringRef Text) {
  LineCursor In(Text);
  while (!In.atEnd() && In.line().empty())
    In.advance();
  if (In.atEnd())
    return "it is empty";
  StringRef FirstLine = infoOf(FileRole::Assignment).FirstLines;
  bool Shorter = Text.size() < FirstLine.size() && !Text.contains('\n');
  if (Shorter || endsInFirstLine(Text, FileRole::Assignment))
    return "it ends inside its first line: it was cut off";
  if (In.line().starts_with("\xef\xbb\xbf"))
    return "it starts with a UTF-8 byte order mark, which XLA does not write";
  return "its first line is not 'BufferAssignment:'";
}

bool hlobuf::hasOldValues(StringRef Assignment) {
  LineCursor In(Assignment);
  while (!In.atEnd() && !In.line().starts_with(" "))
    In.advance();
  StringRef Line = In.line();
  return Line.starts_with("  ") &&
         (Line.contains("](#") || Line.ends_with(", positions:"));
}

std::unique_ptr<Dump>
hlobuf::readDump(const std::array<DumpFile, NumFileRoles> &Files,
                 SyntaxErrors &Syntax) {
  auto D = std::make_unique<Dump>();
  D->Files = Files;
  DumpReader(*D, Syntax).read();
  D->Names.finish();
  return D;
}

void DumpReader::noteUnterminated(FileRole Role) {
  StringRef Text = D.file(Role).Text;
  if (wholeLines(Text).size() == Text.size())
    return;
  // The last section that begins before the cut.
  Section Last = sectionsOf(D, Role).front();
  for (Section S : sectionsOf(D, Role))
    if (D.state(S) != SectionState::Absent)
      Last = S;
  if (Role == FileRole::Assignment && D.Values.empty())
    Last = Section::Allocations;
  D.noteCut(Role, Last);
}

void DumpReader::read() {
  if (D.file(FileRole::Report).present()) {
    keep(Section::Report, D.file(FileRole::Report).Text);
    noteUnterminated(FileRole::Report);
  }
  readFile(FileRole::Assignment, [&](LineCursor &In) { readAssignment(In); });
  if (D.Split) {
    readFile(FileRole::LiveRange,
             [&](LineCursor &In) { readLiveRanges(D, Syntax, In); });
    readFile(FileRole::Values, [&](LineCursor &In) { readValues(In); });
  }
  readModuleText();
  readFile(FileRole::Traces,
           [&](LineCursor &In) { readTraces(D, Syntax, In); });
  readFile(FileRole::Thunks,
           [&](LineCursor &In) { readThunks(D, Syntax, In); });
}

void DumpReader::readFile(FileRole Role,
                          function_ref<void(LineCursor &)> Read) {
  if (!D.file(Role).present())
    return;
  // No compiler writes those, and none can be killed before their end.
  bool Whole = isOnlyInProtos(Role);
  StringRef Text = D.file(Role).Text;
  LineCursor In(Whole ? Text : wholeLines(Text));
  Read(In);
  D.Commented[static_cast<size_t>(Role)] = !In.atEnd() || In.passedComment();
  if (!Whole)
    noteUnterminated(Role);
}

void DumpReader::readValues(LineCursor &In) {
  expectEmptyLines(In, 1, Section::Total);
  readUsedValues(D, Syntax, In, /*HasTotal=*/true);
  expectEnd(In, Section::Used);
}

void DumpReader::readAssignment(LineCursor &In) {
  while (!In.atEnd() && In.line().empty()) {
    damaged(In.line(), Section::Allocations, "unexpected empty line");
    In.advance();
  }
  In.advance(); // `BufferAssignment:`, classify() saw it
  present(Section::Allocations);
  if (!D.fromProto())
    present(Section::Restated);
  readAllocations(D, Syntax, In);

  bool InFile = !In.atEnd();
  D.Split = !InFile && (D.file(FileRole::Values).present() ||
                        D.file(FileRole::LiveRange).present());
  if (InFile) {
    expectEmptyLines(In, 1, Section::Total);
    // 2019-09 and 2019-10 print no total.
    readUsedValues(D, Syntax, In, In.line() != "Used values:");
    LineCursor Ahead = In;
    while (!Ahead.atEnd() && Ahead.line().empty())
      Ahead.advance();
    if (Ahead.atEnd()) {
      // Releases that print instruction texts or a human total append the
      // live ranges too.
      if (D.Texts != TextForm::None || D.TotalHuman)
        damaged(In.line(), Section::Used, "expected HloLiveRange here");
      else if (!In.atEnd())
        damaged(In.line(), Section::Used, "unexpected empty line");
      return;
    }
    // One value has no tag after it to be glued to: the empty lines show it.
    if (D.Used.size() <= 1 && D.Texts == TextForm::Lines && !In.peek().empty())
      D.Texts = TextForm::Glued;
    expectEmptyLines(In, D.Texts == TextForm::Glued ? 1 : 2, Section::Used);
    readLiveRanges(D, Syntax, In);
  }
}

void DumpReader::readModuleText() {
  if (!D.file(FileRole::Module).present())
    return;
  present(Section::Module);
  D.Module = readModule(wholeLines(D.file(FileRole::Module).Text),
                        {D.Names, D.Shapes, D.Indices},
                        [&](StringRef Where, std::string Reason) {
                          damaged(Where, Section::Module, std::move(Reason));
                        });
  D.Commented[static_cast<size_t>(FileRole::Module)] = D.Module.Commented;
  noteUnterminated(FileRole::Module);
}
