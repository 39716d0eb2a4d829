//===- Driver/Load.cpp ----------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Load.h"
#include "Analysis/Report.h"
#include "Dump/Files.h"
#include "Dump/Reader.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;

using Files = std::array<DumpFile, NumFileRoles>;

static constexpr FileRole SiblingRoles[] = {
    FileRole::Values, FileRole::LiveRange, FileRole::Report, FileRole::Module};

static DumpFile &fileOf(Files &All, FileRole Role) {
  return All[static_cast<size_t>(Role)];
}

static llvm::Error openInto(Sources &Texts, const std::string &Path,
                            DumpFile &File) {
  llvm::Expected<StringRef> Text = Texts.open(Path);
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
  }
  return false;
}

static llvm::Error findSiblings(const Input &In, const VerifyOptions &Options,
                                LoadedDump &L, Files &All) {
  StringRef Stem = stemOf(In.Path);
  for (FileRole Role : SiblingRoles) {
    DumpFile &File = fileOf(All, Role);
    const std::string &Given = Options.Siblings[static_cast<size_t>(Role)];
    if (!Given.empty()) {
      if (llvm::Error Failed = openInto(L.Texts, Given, File))
        return Failed;
      if (!fitsRole(File.Text, Role))
        return llvm::createStringError(
            std::errc::invalid_argument,
            "'%s' does not hold what the option says", Given.c_str());
      continue;
    }
    for (const std::string &Name : candidateNames(Stem, Role)) {
      if (In.Frames) {
        auto Frame = In.Frames->Files.find(Name);
        if (Frame != In.Frames->Files.end())
          File = {Name, Frame->second};
      } else if (Name != In.Path && llvm::sys::fs::exists(Name)) {
        if (llvm::Error Failed = openInto(L.Texts, Name, File))
          return Failed;
      }
      if (File.present())
        break;
    }
    // A file that has the sibling's name and no content that could be named
    // is the sibling, damaged: reading it says where.
    TextKind Kind = File.present() ? classify(File.Text) : TextKind::Other;
    bool Damaged = Kind == TextKind::Other && Role != FileRole::Module;
    if (File.present() && !Damaged && !fitsRole(File.Text, Role)) {
      L.Unused.push_back(
          fmt::format("{} (its content is something else)",
                      StringRef(llvm::sys::path::filename(File.Path))));
      File = DumpFile();
    }
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
      L.Unused.push_back(fmt::format(
          "{} (superfluous: the assignment has this section)", Name));
      File = DumpFile();
      continue;
    }
    Belonging Verdict = belongs(*L.Model, Role);
    if (Role == FileRole::Report && !reportBelongs(*L.Model, File.Text))
      Verdict = {true, "its total and most of its sizes differ"};
    if (!Verdict.Foreign)
      continue;
    L.Unused.push_back(fmt::format("{} (belongs to another module or run: {})",
                                   Name, Verdict.Reason));
    File = DumpFile();
    Reread = true;
  }
  return Reread;
}

llvm::Expected<std::unique_ptr<LoadedDump>>
hlobuf::load(const Input &In, const VerifyOptions &Options) {
  auto L = std::make_unique<LoadedDump>();
  Files All;
  DumpFile &Assignment = fileOf(All, FileRole::Assignment);
  if (In.Frames) {
    L->Texts.addView(In.Frames->Path, In.Frames->Text);
    Assignment = {In.Path, In.Frames->Files.lookup(In.Path)};
  } else if (llvm::Error Failed = openInto(L->Texts, In.Path, Assignment)) {
    return Failed;
  }
  if (!fitsRole(Assignment.Text, FileRole::Assignment))
    return llvm::createStringError(
        std::errc::invalid_argument, "%s",
        fmt::format("'{}' is no buffer assignment: {}", In.Path,
                    refusal(Assignment.Text))
            .c_str());
  if (llvm::Error Failed = findSiblings(In, Options, *L, All))
    return Failed;
  auto Relax = [&] { L->Texts.relax(); };
  L->Model = readDump(All, L->Syntax, Relax);
  if (dropForeign(*L, All)) {
    L->Syntax.clear();
    L->Model = readDump(All, L->Syntax, Relax);
  }
  Relax();
  return L;
}
