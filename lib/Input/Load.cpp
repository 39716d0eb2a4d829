//===- Input/Load.cpp -----------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/Load.h"
#include "Dump/Files.h"
#include "Dump/Reader.h"
#include "Dump/Writers.h"
#include "Facts/ReportDiff.h"
#include "Input/Protos.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;

using Files = std::array<DumpFile, NumFileRoles>;

static constexpr FileRole SiblingRoles[] = {
    FileRole::Values, FileRole::LiveRange, FileRole::Report, FileRole::Module,
    FileRole::Traces};

static DumpFile &fileOf(Files &All, FileRole Role) {
  return All[static_cast<size_t>(Role)];
}

static llvm::Error openInto(Sources &Texts, const std::string &Path,
                            DumpFile &File) {
  llvm::Expected<StringRef> Text = Texts.open(
      Path, [](StringRef Start) { return classify(Start) != TextKind::Other; });
  if (!Text)
    return llvm::createStringError(std::errc::io_error, "%s",
                                   fmt::format("cannot read '{}': {}", Path,
                                               llvm::toString(Text.takeError()))
                                       .c_str());
  File = {Path, *Text};
  return llvm::Error::success();
}

/// True if \p Text is what a file of \p Role holds.
static bool fitsRole(StringRef Text, FileRole Role) {
  TextKind Kind = classify(Text);
  switch (Role) {
  case FileRole::Assignment:
    return Kind == TextKind::Assignment;
  case FileRole::Values:
    return Kind == TextKind::Values;
  case FileRole::LiveRange:
    return Kind == TextKind::LiveRange;
  case FileRole::Report:
    return Kind == TextKind::OldReport || Kind == TextKind::NewReport;
  case FileRole::Module:
    return Kind == TextKind::Module;
  case FileRole::Traces:
    return Kind == TextKind::Traces;
  }
  return false;
}

static InputFile statFile(const std::string &Path) {
  llvm::sys::fs::file_status Status;
  if (llvm::sys::fs::status(Path, Status))
    return {};
  return {Path, Status.getSize(), Status.getUniqueID(),
          llvm::sys::fs::is_regular_file(Status)};
}

/// The first of the names that \p Role may have that exists.
static InputFile findByName(const Input &In, StringRef Stem, FileRole Role) {
  for (const std::string &Name : candidateNames(Stem, Role)) {
    if (Name == In.Path)
      continue;
    if (In.Frames) {
      if (In.Frames->Files.count(Name) != 0)
        return {Name, 0, {}, false};
    } else if (InputFile File = statFile(Name); !File.Path.empty()) {
      return File;
    }
  }
  return {};
}

void hlobuf::locateFiles(Input &In, const SiblingPaths &Siblings) {
  auto FileOf = [&](FileRole Role) -> InputFile & {
    return In.Files[static_cast<size_t>(Role)];
  };
  if (!In.Frames)
    FileOf(FileRole::Assignment) =
        statFile(In.Proto ? In.Proto->File : In.Path);
  FileOf(FileRole::Assignment).Path = In.Path;
  if (In.Proto)
    return;
  StringRef Stem = stemOf(In.Path);
  for (FileRole Role : SiblingRoles) {
    const std::string &Given = Siblings[static_cast<size_t>(Role)];
    FileOf(Role) = Given.empty() ? findByName(In, Stem, Role) : statFile(Given);
    if (!Given.empty())
      FileOf(Role).Path = Given;
  }
}

static constexpr StringRef ByteOrderMark = "\xef\xbb\xbf";

/// Says what is wrong with the sibling \p File, which has no content that could
/// be read.
static void reportUnreadable(LoadedDump &L, const DumpFile &File) {
  StringRef Name = llvm::sys::path::filename(File.Path);
  if (File.Text.empty())
    L.Unreadable.push_back(
        {File.Text,
         fmt::format("{} is empty: was writing it interrupted?", Name)});
  else
    L.Unreadable.push_back(
        {File.Text.take_front(0),
         fmt::format(
             "{} starts with a UTF-8 byte order mark, which XLA does not write",
             Name)});
}

static llvm::Error openSibling(const Input &In, FileRole Role, bool Given,
                               LoadedDump &L, DumpFile &File) {
  const std::string &Path = In.Files[static_cast<size_t>(Role)].Path;
  auto NotUsed = [&](StringRef Reason) {
    L.Unused.push_back(fmt::format(
        "{} ({})", StringRef(llvm::sys::path::filename(Path)), Reason));
  };
  if (!In.Frames && !Given && !In.Files[static_cast<size_t>(Role)].Regular) {
    NotUsed("it is not a file");
    return llvm::Error::success();
  }
  if (In.Frames && !Given)
    File = {Path, In.Frames->Files.lookup(Path)};
  else if (llvm::Error Failed = openInto(L.Texts, Path, File))
    return Failed;
  if (Given && !fitsRole(File.Text, Role))
    return llvm::createStringError(
        std::errc::invalid_argument,
        "'%s' is not the kind of file this option expects", Path.c_str());
  if (File.Text.empty() || File.Text.starts_with(ByteOrderMark)) {
    reportUnreadable(L, File);
    File = DumpFile();
    return llvm::Error::success();
  }
  // A file that has the sibling's name and no content that could be named
  // is the sibling, damaged: reading it says where.
  TextKind Kind = classify(File.Text);
  bool Damaged = Kind == TextKind::Other && Role != FileRole::Module;
  if (Damaged || fitsRole(File.Text, Role))
    return llvm::Error::success();
  NotUsed("it is a different kind of file");
  File = DumpFile();
  return llvm::Error::success();
}

static llvm::Error openSiblings(const Input &In, const SiblingPaths &Siblings,
                                LoadedDump &L, Files &All) {
  for (FileRole Role : SiblingRoles) {
    bool Given = !Siblings[static_cast<size_t>(Role)].empty();
    if (In.Files[static_cast<size_t>(Role)].Path.empty())
      continue;
    if (llvm::Error Failed = openSibling(In, Role, Given, L, fileOf(All, Role)))
      return Failed;
  }
  return llvm::Error::success();
}

/// Takes siblings away that belong to another module or run; true if a section
/// of the model came from one.
static bool dropForeign(LoadedDump &L, Files &All) {
  bool Reread = false;
  for (FileRole Role : SiblingRoles) {
    DumpFile &File = fileOf(All, Role);
    if (!File.present())
      continue;
    StringRef Name = llvm::sys::path::filename(File.Path);
    bool Fragment = Role == FileRole::Values || Role == FileRole::LiveRange;
    if (Fragment && !L.Model->Split) {
      L.Unused.push_back(
          fmt::format("{} (redundant: the assignment has this section)", Name));
      File = DumpFile();
      continue;
    }
    Belonging Verdict = belongs(*L.Model, Role);
    if (Role == FileRole::Report && !reportBelongs(*L.Model, File.Text))
      Verdict = {true, false, "its total and most of its sizes differ"};
    if (Verdict.AssignmentCut)
      L.Unreadable.push_back(
          {fileOf(All, FileRole::Assignment).Text.take_back(0),
           fmt::format("the file ends here, but {} lists values for {} more "
                       "instructions: it was cut off",
                       Name, Verdict.Lost)});
    if (!Verdict.Foreign)
      continue;
    L.Unused.push_back(fmt::format("{} (belongs to another module or run: {})",
                                   Name, Verdict.Reason));
    File = DumpFile();
    Reread = true;
  }
  return Reread;
}

/// A sibling that was given by hand and cannot be used is an error: silence
/// would be taken for a verdict with it.
static llvm::Error refuseUnusedGiven(const SiblingPaths &Siblings,
                                     const LoadedDump &L, const Files &All) {
  for (FileRole Role : SiblingRoles) {
    auto Number = static_cast<size_t>(Role);
    if (Siblings[Number].empty() || All[Number].present())
      continue;
    StringRef Reason = L.Unused.empty() ? StringRef("it is empty")
                                        : StringRef(L.Unused.back());
    return llvm::createStringError(
        std::errc::invalid_argument, "%s",
        fmt::format("cannot use '{}' with '{}': {}", Siblings[Number],
                    L.Model->file(FileRole::Assignment).Path, Reason)
            .c_str());
  }
  return llvm::Error::success();
}

/// Prints a proto into the texts of \p L.
static llvm::Error openProto(const Input &In, const SiblingPaths &Siblings,
                             LoadedDump &L, Files &All) {
  for (const std::string &Given : Siblings)
    if (!Given.empty())
      return llvm::createStringError(
          std::errc::invalid_argument,
          "cannot use '%s' with '%s': a proto has all of its parts",
          Given.c_str(), In.Path.c_str());
  std::optional<StringRef> Bytes;
  if (In.Frames)
    Bytes = In.Frames->Text;
  return printProto(*In.Proto, Bytes, L.Texts, All);
}

llvm::Expected<std::unique_ptr<LoadedDump>>
hlobuf::load(const Input &In, const SiblingPaths &Siblings, unsigned Jobs) {
  auto L = std::make_unique<LoadedDump>();
  Files All;
  DumpFile &Assignment = fileOf(All, FileRole::Assignment);
  if (In.Proto) {
    if (llvm::Error Failed = openProto(In, Siblings, *L, All))
      return Failed;
  } else if (In.Frames) {
    L->Texts.addView(In.Frames->Path, In.Frames->Text);
    Assignment = {In.Path, In.Frames->Files.lookup(In.Path)};
  } else if (llvm::Error Failed = openInto(L->Texts, In.Path, Assignment)) {
    return Failed;
  }
  if (!fitsRole(Assignment.Text, FileRole::Assignment))
    return llvm::createStringError(
        std::errc::invalid_argument, "%s",
        fmt::format("'{}' is not a buffer assignment: {}", In.Path,
                    refusal(Assignment.Text))
            .c_str());
  if (!In.Proto)
    if (llvm::Error Failed = openSiblings(In, Siblings, *L, All))
      return Failed;
  auto Release = [&] { L->Texts.releasePages(); };
  L->Model = readDump(All, L->Syntax, Release, Jobs);
  std::string Traces = tracesOfTwoWriters(*L->Model, L->Syntax.Kept);
  if (!Traces.empty())
    return llvm::createStringError(
        std::errc::invalid_argument, "%s",
        ("cannot verify this dump: " + Traces).c_str());
  bool Reread = !In.Proto && dropForeign(*L, All);
  if (llvm::Error Unused = refuseUnusedGiven(Siblings, *L, All))
    return Unused;
  if (Reread) {
    L->Syntax = SyntaxErrors();
    L->Model = readDump(All, L->Syntax, Release, Jobs);
  }
  // What an assignment without its end says about totals is known to be wrong.
  StringRef Text = L->Model->assignmentText();
  for (const Note &N : L->Unreadable)
    if (!Text.empty() && N.Where.data() == Text.end())
      L->Model->States[static_cast<size_t>(Section::Allocations)] =
          SectionState::Damaged;
  for (Note &N : L->Unreadable)
    L->Syntax.add(N.Where, std::move(N.Message), UnreadableCheck);
  Release();
  return L;
}

std::string hlobuf::malformedModule(const LoadedDump &L) {
  if (L.Model->state(Section::Module) != SectionState::Damaged)
    return "";
  StringRef Text = L.Model->file(FileRole::Module).Text;
  for (const Diagnostic &Line : L.Syntax.Kept)
    if (Line.Where.data() >= Text.begin() && Line.Where.data() <= Text.end()) {
      Place At = L.Texts.place(Line.Where);
      return fmt::format("{}:{}:{}: {}", At.File, At.Line, At.Column,
                         Line.Message);
    }
  return fmt::format("{}: the HLO module cannot be read",
                     L.Model->file(FileRole::Module).Path);
}
