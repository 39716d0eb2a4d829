// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/Load.h"
#include "Dump/CutOff.h"
#include "Dump/FileNames.h"
#include "Facts/MissingEnds.h"
#include "Facts/Report.h"
#include "Input/PastedText.h"
#include "Input/ProtoInputs.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

using Files = std::array<DumpFile, NumFileRoles>;

/// All but the assignment, which is the first one.
static constexpr auto SiblingRoles = [] {
  std::array<FileRole, NumFileRoles - 1> Roles = {};
  for (size_t Role = 1; Role != NumFileRoles; ++Role)
    Roles[Role - 1] = static_cast<FileRole>(Role);
  return Roles;
}();
static_assert(FileRole::Assignment == FileRole());

static DumpFile &fileOf(Files &All, FileRole Role) {
  return All[static_cast<size_t>(Role)];
}

static Error openInto(Sources &Texts, const std::string &Path, DumpFile &File) {
  Expected<StringRef> Text = Texts.open(
      Path, [](StringRef Start) { return classify(Start) != TextKind::Other; });
  if (!Text)
    return makeError("cannot read '{}': {}", Path,
                     llvm::toString(Text.takeError()));
  File = {Path, *Text};
  return Error::success();
}

/// The file \p Path of \p Frames.
static DumpFile openFramed(const FrameFile &Frames, const std::string &Path) {
  // A text that was read once is not a frame: it may be cut off.
  return {Path, Frames.Files.lookup(Path), false,
          /*Framed=*/Path != Frames.Path};
}

/// True if \p Text is what a file of \p Role holds.
static bool fitsRole(StringRef Text, FileRole Role) {
  return roleOf(classify(Text)) == Role;
}

static InputFile statFile(const std::string &Path) {
  llvm::sys::fs::file_status Status;
  if (llvm::sys::fs::status(Path, Status))
    return {};
  return {Path, llvm::sys::fs::is_regular_file(Status)};
}

/// The first of the names that \p Role may have that exists.
static InputFile findByName(const Input &In, StringRef Stem, FileRole Role) {
  InputFile File;
  findCandidate(Stem, Role, [&](const std::string &Name) {
    if (Name == In.Path ||
        (In.Around && !In.Around->contains(llvm::sys::path::filename(Name))))
      return false;
    if (!In.Frames)
      File = statFile(Name);
    else if (In.Frames->Files.count(Name) != 0)
      File = {Name};
    return !File.Path.empty();
  });
  return File;
}

void LoadedDump::noteCutAssignment(std::string Evidence) {
  Model->noteCut(FileRole::Assignment, Section::Allocations,
                 std::move(Evidence));
  reportCutAssignment();
}

void LoadedDump::reportCutAssignment() {
  Syntax.add(Model->assignmentText().take_back(0),
             describeCut(*Model->cut(FileRole::Assignment)), UnreadableCheck);
  dropCutSections(*Model);
}

bool LoadedDump::isWhole() const {
  return llvm::none_of(Syntax.Errors, [](const Diagnostic &D) {
    return D.Check == UnreadableCheck;
  });
}

static std::string withPlace(const Sources &Texts, const Diagnostic &D) {
  Place Loc = Texts.place(D.Where);
  return fmt::format("{}:{}:{}: {}", Loc.File, Loc.Line, Loc.Column, D.Message);
}

std::vector<std::string> LoadedDump::damage() const {
  std::vector<std::string> Lines;
  for (const Diagnostic &D : Syntax.Errors)
    Lines.push_back(withPlace(Texts, D));
  return Lines;
}

void hlobuf::locateFiles(Input &In, const SiblingPaths &Siblings) {
  auto FileOf = [&](FileRole Role) -> InputFile & {
    return In.Files[static_cast<size_t>(Role)];
  };
  if (!In.Frames)
    FileOf(FileRole::Assignment) =
        statFile(In.Proto ? In.Proto->File : In.Path);
  FileOf(FileRole::Assignment).Path = In.Path;
  StringRef Stem = stemOf(In.Path);
  for (FileRole Role : SiblingRoles) {
    const std::string &Named = Siblings[static_cast<size_t>(Role)];
    if (Named.empty() && In.Proto)
      continue;
    FileOf(Role) = Named.empty() ? findByName(In, Stem, Role) : statFile(Named);
    FileOf(Role).IsNamed = !Named.empty();
    if (!Named.empty())
      FileOf(Role).Path = Named;
  }
  if (In.Executable)
    FileOf(FileRole::Thunks) = statFile(In.Executable->File);
}

static constexpr StringRef ByteOrderMark = "\xef\xbb\xbf";

/// Why the sibling \p File of \p Role has no content that could be read; empty
/// if it may have.
static std::string whyUnreadable(const DumpFile &File, FileRole Role) {
  StringRef Name = llvm::sys::path::filename(File.Path);
  if (File.Text.empty())
    return fmt::format("{} is empty: was writing it interrupted?", Name);
  if (File.Text.starts_with(ByteOrderMark))
    return fmt::format(
        "{} starts with a UTF-8 byte order mark, which XLA does not write",
        Name);
  if (classify(File.Text) == TextKind::Other &&
      endsInFirstLine(File.Text, Role))
    return fmt::format("{} ends inside its first line: it was cut off", Name);
  return "";
}

static Error openSibling(const Input &In, FileRole Role, LoadedDump &L,
                         DumpFile &File) {
  const InputFile &Sibling = In.Files[static_cast<size_t>(Role)];
  const std::string &Path = Sibling.Path;
  auto NotUsed = [&](StringRef Reason) {
    L.Unused.push_back(fmt::format(
        "{} ({})", StringRef(llvm::sys::path::filename(Path)), Reason));
  };
  if (!In.Frames && !Sibling.IsNamed && !Sibling.Regular) {
    NotUsed("it is not a file");
    return Error::success();
  }
  if (In.Frames && !Sibling.IsNamed)
    File = openFramed(*In.Frames, Path);
  else if (Error Failed = openInto(L.Texts, Path, File))
    return Failed;
  std::string Problem = whyUnreadable(File, Role);
  if (Sibling.IsNamed && Problem.empty() && !fitsRole(File.Text, Role))
    return makeError("'{}' is not the kind of file this option expects", Path);
  if (!Problem.empty()) {
    L.Unreadable.push_back({File.Text.take_front(0), std::move(Problem)});
    File = DumpFile();
    return Error::success();
  }
  // A file that has the sibling's name and no content that could be named
  // is the sibling, damaged: reading it says where.
  TextKind Kind = classify(File.Text);
  bool Damaged = Kind == TextKind::Other && Role != FileRole::Module;
  if (Damaged || fitsRole(File.Text, Role))
    return Error::success();
  NotUsed("it is a different kind of file");
  File = DumpFile();
  return Error::success();
}

/// Adds the thunks of the executable that belongs to the text dump \p In.
static Error openThunks(const Input &In, LoadedDump &L, Files &All) {
  Sources Others;
  Files Printed;
  if (Error Failed = printProto(*In.Executable, {}, Others, Printed))
    return Failed;
  DumpFile &Thunks = fileOf(Printed, FileRole::Thunks);
  if (Thunks.present())
    Thunks.Text = L.Texts.add(Thunks.Path, Thunks.Text.str());
  fileOf(All, FileRole::Thunks) = std::move(Thunks);
  return Error::success();
}

static Error openSiblings(const Input &In, LoadedDump &L, Files &All) {
  if (In.Executable)
    if (Error Failed = openThunks(In, L, All))
      return Failed;
  for (FileRole Role : SiblingRoles) {
    if ((In.Executable && Role == FileRole::Thunks) ||
        In.Files[static_cast<size_t>(Role)].Path.empty())
      continue;
    if (Error Failed = openSibling(In, Role, L, fileOf(All, Role)))
      return Failed;
  }
  return Error::success();
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
    std::string Reason = whyForeign(*L.Model, Role);
    if (Role == FileRole::Report) {
      ReportVerdict Report = judgeReport(*L.Model, File.Text);
      if (Report.Foreign)
        Reason = "its total and most of its sizes differ";
      L.Model->ReportIsExact = Report.IsExact;
      if (Report.EndsEarly && !endsAsMeant(*L.Model))
        L.Model->noteCut(Role, Section::Report);
    }
    if (Reason.empty())
      continue;
    L.Unused.push_back(
        fmt::format("{} (belongs to another module or run: {})", Name, Reason));
    File = DumpFile();
    Reread = true;
  }
  return Reread;
}

/// A sibling that was given by hand and cannot be used is an error: silence
/// would be taken for a verdict with it.
static Error refuseUnusedGiven(const Input &In, const LoadedDump &L,
                               const Files &All) {
  for (FileRole Role : SiblingRoles) {
    auto Number = static_cast<size_t>(Role);
    // That one was cut off is a finding.
    if (!In.Files[Number].IsNamed || All[Number].present() ||
        L.Model->cut(Role))
      continue;
    StringRef Reason = L.Unused.empty() ? StringRef("it is empty")
                                        : StringRef(L.Unused.back());
    return makeError("cannot use '{}' with '{}': {}", In.Files[Number].Path,
                     L.Model->file(FileRole::Assignment).Path, Reason);
  }
  return Error::success();
}

/// Prints a proto into the texts of \p L.
static Error openProto(const Input &In, LoadedDump &L, Files &All) {
  for (const InputFile &File : In.Files)
    if (File.IsNamed)
      return makeError(
          "cannot use '{}' with '{}': a proto has all of its parts", File.Path,
          In.Path);
  std::optional<StringRef> Bytes;
  if (In.Frames)
    Bytes = In.Frames->Text;
  return printProto(*In.Proto, Bytes, L.Texts, All);
}

/// Takes siblings away that are not whole; true if there is one. What is left
/// of them reads like a fault, or like another program.
static bool dropCut(LoadedDump &L, Files &All) {
  bool Reread = false;
  for (FileRole Role : SiblingRoles) {
    std::optional<CutOff> &Cut = L.Model->Cuts[static_cast<size_t>(Role)];
    DumpFile &File = fileOf(All, Role);
    if (!Cut || !File.present())
      continue;
    L.Unreadable.push_back({File.Text.take_back(0), describeCut(*Cut)});
    File = DumpFile();
    Reread = true;
  }
  return Reread;
}

/// Takes the assignment out of the text that it was pasted into; false if it is
/// in none.
static bool takeOutOfPaste(LoadedDump &L, DumpFile &Assignment) {
  std::optional<PastedText> Undone = undoPasting(Assignment.Text);
  if (!Undone)
    return false;
  L.Pasted = true;
  Assignment.Text = L.Texts.add(Assignment.Path, std::move(Undone->Text),
                                std::move(Undone->Lines));
  if (Undone->Around != 0)
    L.Unused.push_back(
        fmt::format("{} around the dump in {}", counted(Undone->Around, "line"),
                    StringRef(llvm::sys::path::filename(Assignment.Path))));
  return true;
}

/// Of a dump that was pasted, takes the siblings away that nobody can read:
/// what is wrong in them may be the copy; true if there is one.
static bool dropDamaged(LoadedDump &L, Files &All) {
  bool Dropped = false;
  for (FileRole Role : SiblingRoles) {
    DumpFile &File = fileOf(All, Role);
    if (!L.Pasted || !File.present() || classify(File.Text) != TextKind::Other)
      continue;
    L.Unreadable.push_back({File.Text.take_front(0),
                            "its lines begin with something else than XLA's"});
    File = DumpFile();
    Dropped = true;
  }
  return Dropped;
}

static bool hasComments(StringRef Text) {
  return Text.starts_with("//") || Text.contains("\n//");
}

namespace {
/// Reads the texts of one dump, again and again without the siblings that turn
/// out to be of no use.
class TextReader {
public:
  TextReader(const Input &In, LoadedDump &L, Files &All)
      : L(L), All(All), Commented(In.Frames && hasComments(In.Frames->Text)) {
    read();
  }

  /// Reads the assignment without what pasting did to it, if lines of it could
  /// not be read; false if there is nothing to undo.
  bool undoPaste();

  /// Without siblings that are not whole, or belong to another module.
  void dropUseless();

private:
  void read();

  LoadedDump &L;
  Files &All;
  /// There are comments around the frames.
  bool Commented;
};
} // namespace

void TextReader::read() {
  std::array<std::optional<CutOff>, NumFileRoles> Cuts;
  if (L.Model)
    Cuts = std::move(L.Model->Cuts);
  L.Syntax = SyntaxErrors();
  L.Model = readDump(All, L.Syntax);
  L.Model->Commented[static_cast<size_t>(FileRole::Assignment)] |= Commented;
  for (FileRole Role : SiblingRoles)
    if (auto &Known = Cuts[static_cast<size_t>(Role)])
      L.Model->Cuts[static_cast<size_t>(Role)] = std::move(Known);
}

bool TextReader::undoPaste() {
  DumpFile &Assignment = fileOf(All, FileRole::Assignment);
  // What has comments was written by hand; what follows in a file of XLA may be
  // the end of another one.
  if (Assignment.FromProto || L.Syntax.empty() ||
      isAssignmentName(Assignment.Path) || hasComments(Assignment.Text) ||
      !takeOutOfPaste(L, Assignment))
    return false;
  read();
  return true;
}

void TextReader::dropUseless() {
  if (dropDamaged(L, All))
    read();
  auto DropCut = [this] {
    while (dropCut(L, All))
      read();
  };
  DropCut();
  // Nothing can be compared with a part of the allocations.
  auto IsAssignmentCut = [this] {
    const std::optional<CutOff> &Cut = L.Model->cut(FileRole::Assignment);
    return Cut && Cut->In == Section::Allocations;
  };
  if (IsAssignmentCut())
    return;
  findCuts(*L.Model);
  DropCut();
  if (!IsAssignmentCut() && dropForeign(L, All))
    read();
  DropCut();
}

static Expected<std::unique_ptr<LoadedDump>>
readTexts(const Input &In, std::unique_ptr<LoadedDump> L, Files &All) {
  TextReader Reader(In, *L, All);
  std::string Traces = tracesOfTwoWriters(*L->Model, L->Syntax.Errors);
  if (Traces.empty() && Reader.undoPaste())
    Traces = tracesOfTwoWriters(*L->Model, L->Syntax.Errors);
  if (!Traces.empty())
    return makeError("cannot verify this dump: {}", Traces);
  if (!In.Proto)
    Reader.dropUseless();
  if (Error Unused = refuseUnusedGiven(In, *L, All))
    return Unused;
  for (Note &N : L->Unreadable)
    L->Syntax.add(N.Where, std::move(N.Message), UnreadableCheck);
  if (L->Model->cut(FileRole::Assignment))
    L->reportCutAssignment();
  return L;
}

Expected<std::unique_ptr<LoadedDump>>
hlobuf::load(Input In, const SiblingPaths &Siblings) {
  locateFiles(In, Siblings);
  auto L = std::make_unique<LoadedDump>();
  L->Frames = In.Frames;
  Files All;
  DumpFile &Assignment = fileOf(All, FileRole::Assignment);
  if (In.Proto) {
    if (Error Failed = openProto(In, *L, All))
      return Failed;
  } else if (In.Frames) {
    L->Texts.addView(In.Frames->Path, In.Frames->Text, In.Frames->Numbers);
    Assignment = openFramed(*In.Frames, In.Path);
  } else if (Error Failed = openInto(L->Texts, In.Path, Assignment)) {
    return Failed;
  }
  if (!fitsRole(Assignment.Text, FileRole::Assignment) &&
      !(takeOutOfPaste(*L, Assignment) &&
        fitsRole(Assignment.Text, FileRole::Assignment)))
    return makeError("'{}' is not a buffer assignment: {}", In.Path,
                     refusal(Assignment.Text));
  if (hasOldValues(Assignment.Text))
    return makeError("cannot read '{}': releases before 2019-09 (TensorFlow "
                     "1.15 and older) print values in other forms",
                     In.Path);
  if (!In.Proto)
    if (Error Failed = openSiblings(In, *L, All))
      return Failed;
  return readTexts(In, std::move(L), All);
}

Expected<std::unique_ptr<LoadedDump>> hlobuf::loadWhole(const Input &In) {
  Expected<std::unique_ptr<LoadedDump>> L = load(In);
  if (L && !(*L)->Syntax.empty())
    return makeError("{}", llvm::join((*L)->damage(), "\n"));
  return L;
}

std::string hlobuf::malformedModule(const LoadedDump &L) {
  if (L.Model->state(Section::Module) != SectionState::Damaged)
    return "";
  StringRef Text = L.Model->file(FileRole::Module).Text;
  for (const Diagnostic &Line : L.Syntax.Errors)
    if (Line.Where.data() >= Text.begin() && Line.Where.data() <= Text.end())
      return withPlace(L.Texts, Line);
  return fmt::format("{}: the HLO module cannot be read",
                     L.Model->file(FileRole::Module).Path);
}
