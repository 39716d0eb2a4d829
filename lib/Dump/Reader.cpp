//===- Dump/Reader.cpp - Files, sections, their order ---------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dump/Reader.h"
#include "Dump/ReaderImpl.h"
#include "Support/Format.h"

using namespace hlobuf;
using llvm::StringRef;

std::string Dump::spell(NameId Name, ShapeIndex Index) const {
  std::string Text = Names[Name].str();
  if (Index.printed())
    Text += Indices.text(Index);
  return Text;
}

std::string Dump::spell(const ValueTag &Tag) const {
  return fmt::format("<{} {}{}{}>", Tag.Id, spell(Tag.Name, Tag.Index),
                     Tag.Phi ? " (phi)" : "",
                     Tag.HasColor ? fmt::format(" @{}", Tag.Color) : "");
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
    return TextKind::OldReport;
  return In.line() == "Used values:" ? TextKind::Values : TextKind::Other;
}

StringRef hlobuf::refusal(StringRef Text) {
  LineCursor In(Text);
  while (!In.atEnd() && In.line().empty())
    In.advance();
  if (In.atEnd())
    return "it is empty";
  if (In.line().starts_with("\xef\xbb\xbf"))
    return "it starts with a UTF-8 byte order mark, which XLA does not write";
  return "its first line is not 'BufferAssignment:'";
}

std::unique_ptr<Dump>
hlobuf::readDump(const std::array<DumpFile, NumFileRoles> &Files,
                 SyntaxErrors &Syntax, llvm::function_ref<void()> SectionRead) {
  auto D = std::make_unique<Dump>();
  D->Files = Files;
  DumpReader Reader(*D, Syntax, SectionRead);
  Reader.read();
  Reader.readModuleText();
  SectionRead();
  return D;
}

void SyntaxErrors::add(StringRef Where, std::string Message, StringRef Rule) {
  if (Kept.size() == MaxKept) {
    ++Uncounted;
    return;
  }
  Diagnostic Error;
  Error.Check = Rule;
  Error.Where = Where;
  Error.Message = std::move(Message);
  Kept.push_back(std::move(Error));
}

void DumpReader::damaged(StringRef Where, Section S, std::string Message) {
  D.States[static_cast<size_t>(S)] = SectionState::Damaged;
  Syntax.add(Where, std::move(Message));
}

void DumpReader::expectTerminated(const LineCursor &In, Section S) {
  if (In.unterminated())
    damaged(In.line().take_back(0), S,
            "the file ends in the middle of a line: it was cut off");
}

void DumpReader::expectEmptyLines(LineCursor &In, unsigned Count, Section S) {
  for (unsigned I = 0; I != Count; ++I) {
    if (!In.line().empty() || In.atEnd()) {
      damaged(In.line(), S, "expected an empty line");
      return;
    }
    In.advance();
  }
  while (!In.atEnd() && In.line().empty()) {
    damaged(In.line(), S, "unexpected empty line");
    In.advance();
  }
}

void DumpReader::expectEnd(LineCursor &In, Section S) {
  if (In.atEnd())
    return;
  damaged(In.line(), S, "unexpected text after the end of the section");
}

void DumpReader::read() {
  if (D.file(FileRole::Report).present())
    present(Section::Report);
  LineCursor In(D.assignmentText());
  while (!In.atEnd() && In.line().empty()) {
    damaged(In.line(), Section::Allocations, "unexpected empty line");
    In.advance();
  }
  In.advance(); // `BufferAssignment:`, classify() saw it
  present(Section::Allocations);
  readAllocations(In);
  D.Allocations.shrink_to_fit();
  D.Values.shrink_to_fit();
  SectionRead();

  bool InFile = !In.atEnd();
  D.Split = !InFile && (D.file(FileRole::Values).present() ||
                        D.file(FileRole::LiveRange).present());
  if (D.Split) {
    readSplit();
  } else if (InFile) {
    expectEmptyLines(In, 1, Section::Total);
    if (In.line() != "Used values:") // 2019-09 and 2019-10 print no total
      readTotal(In);
    readUsedValues(In);
    shrinkUsed();
    LineCursor Ahead = In;
    while (!Ahead.atEnd() && Ahead.line().empty())
      Ahead.advance();
    if (Ahead.atEnd()) {
      // Releases that print instruction texts or a human total append the
      // live ranges too.
      if (D.Texts != TextForm::None || D.TotalHuman)
        damaged(In.line(), Section::Ranges,
                "the file ends without HloLiveRange, which every release with "
                "this form prints: it was cut off");
      else if (!In.atEnd())
        damaged(In.line(), Section::Used, "unexpected empty line");
      return;
    }
    // One value has no tag behind it to be glued to: the empty lines tell.
    if (D.Used.size() <= 1 && D.Texts == TextForm::Lines && !In.peek().empty())
      D.Texts = TextForm::Glued;
    expectEmptyLines(In, D.Texts == TextForm::Glued ? 1 : 2, Section::Used);
    readLiveRanges(In);
  }
}

void DumpReader::readModuleText() {
  if (!D.file(FileRole::Module).present())
    return;
  present(Section::Module);
  D.Module =
      readModule(D.file(FileRole::Module).Text, {D.Names, D.Shapes, D.Indices},
                 [&](StringRef Where, std::string Reason) {
                   damaged(Where, Section::Module, std::move(Reason));
                 });
}

void DumpReader::shrinkUsed() {
  D.Used.shrink_to_fit();
  D.Positions.shrink_to_fit();
  D.Uses.shrink_to_fit();
  D.Instructions.shrink_to_fit();
  D.OperandNames.shrink_to_fit();
  InstructionOf = {};
  SectionRead();
}

void DumpReader::readSplit() {
  if (D.file(FileRole::Values).present()) {
    LineCursor In(D.usedText());
    expectEmptyLines(In, 1, Section::Total);
    readTotal(In);
    readUsedValues(In);
    shrinkUsed();
    expectEnd(In, Section::Used);
  }
  if (D.file(FileRole::LiveRange).present()) {
    LineCursor In(D.liveText());
    readLiveRanges(In);
  }
}
