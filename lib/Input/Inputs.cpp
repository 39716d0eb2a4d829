// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/Inputs.h"
#include "Dump/CutOff.h"
#include "Dump/FileNames.h"
#include "Dump/Reader.h"
#include "Input/PastedText.h"
#include "Proto/Container.h"
#include "Support/Decompress.h"
#include "Support/Format.h"
#include "Support/LineCursor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
namespace fs = llvm::sys::fs;

static constexpr StringRef NamesOfDumps =
    "files named *-buffer-assignment.txt, *.hlo.pb, *.pjrt, *-cache or "
    "*.xplane.pb";

namespace {
/// Collects dumps argument by argument.
struct InputFinder {
  void addArgument(const std::string &Path);

  void addFolder(const std::string &Path);
  bool collectFiles(const std::string &Top, std::vector<std::string> &Files);
  void considerEntry(const std::string &Path, fs::file_type Type,
                     std::vector<std::string> &Folders,
                     std::vector<std::string> &Files);
  bool holdsAssignment(const std::string &Path);
  void addFile(const std::string &Path);
  void addProtoFile(const std::string &Path);
  bool addProtos(const std::string &Path, ProtoFile File,
                 const std::shared_ptr<FrameFile> &Owner = {});
  bool addDump(std::string Path, std::shared_ptr<const FrameFile> Frames = {});
  void noteUnread(const std::string &Path);
  void addFragment(const std::string &Path, StringRef Kind);
  void addFrames(const std::shared_ptr<FrameFile> &Frames);
  void addError(const std::string &Path, std::string Text) {
    List.Errors.push_back({Path, std::move(Text), Read});
  }

  InputList &List;
  llvm::StringSet<> KnownDumps = {};
  std::shared_ptr<ProtoCache> Cache = std::make_shared<ProtoCache>();
  /// The folder that is searched, empty for a file.
  StringRef Folder = {};
  /// The text that was named.
  std::shared_ptr<const FrameFile> Read = {};
  /// The names of files in the folders that were searched.
  StringMap<std::shared_ptr<llvm::StringSet<>>> Listings = {};
};
} // namespace

/// False if the dump is known.
bool InputFinder::addDump(std::string Path,
                          std::shared_ptr<const FrameFile> Frames) {
  // Frames of two files may have the same names.
  std::string Key = Frames ? Frames->Path + '\n' + Path : Path;
  if (!KnownDumps.insert(Key).second)
    return false;
  StringRef Relative = Path;
  if (!Relative.consume_front(Folder) || Folder.empty())
    Relative = llvm::sys::path::filename(Path);
  Input &In = List.Dumps.emplace_back();
  In.Relative = Relative.ltrim('/').str();
  In.Path = std::move(Path);
  In.Frames = std::move(Frames);
  // Names in logs may look like paths.
  if (!In.Frames)
    In.Around = Listings.lookup(llvm::sys::path::parent_path(In.Path));
  return true;
}

InputList hlobuf::findInputs(ArrayRef<std::string> Arguments) {
  InputList List;
  InputFinder Finder{List};
  for (const std::string &Argument : Arguments)
    Finder.addArgument(Argument);
  return List;
}

void InputFinder::addArgument(const std::string &Path) {
  bool IsFolder = Path != "-" && fs::is_directory(Path);
  Read = nullptr;
  Folder = IsFolder ? StringRef(Path) : StringRef();
  if (IsFolder)
    addFolder(Path);
  else
    addFile(Path);
}

/// True if a text that begins like \p Start can be of use.
static bool isKnownText(StringRef Start) {
  return classify(Start) != TextKind::Other || mayHoldProto(Start);
}

/// True if \p Start may be that of a log, colors and all.
static bool isLogText(StringRef Start) {
  std::string Text = Start.take_front(ProbeBytes).str();
  std::erase(Text, '\x1b');
  return !isBinary(Text);
}

/// False for the names of other texts, objects and code in a dump folder, of
/// which there are many.
static bool mayHoldMore(StringRef Path) {
  return llvm::none_of(
      ArrayRef<StringRef>{".txt", ".ll", ".o", ".ptx", ".pbtxt"},
      [&](StringRef Tail) { return Path.ends_with(Tail); });
}

/// True if the file \p Path is an archive by its name or by its first bytes
/// \p Start.
static bool isArchive(StringRef Path, StringRef Start = {}) {
  static constexpr StringRef Tails[] = {
      ".tar.gz", ".tar.zst", ".tar.xz", ".tar.bz2", ".tgz", ".tar", ".zip"};
  return llvm::any_of(Tails,
                      [&](StringRef Tail) { return Path.ends_with(Tail); }) ||
         Start.starts_with("PK\x03\x04") || Start.starts_with("PK\x05\x06") ||
         Start.substr(257).starts_with("ustar");
}

/// Names \p Path, a file of a folder, if it could be verified all the same: an
/// archive, or a file of any name that holds a program.
void InputFinder::noteUnread(const std::string &Path) {
  if (isArchive(Path)) {
    List.Skipped.push_back(Path + " (an archive: unpack it first)");
    return;
  }
  // Only a file that holds a program counts as read.
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!File || !mayHoldProto((*File)->getBuffer().take_front(ProbeBytes)))
    return;
  Sources Owner;
  Expected<StringRef> Bytes = Owner.open(Path, mayHoldProto);
  bool Binary = Bytes && mayHoldProto(Bytes->take_front(ProbeBytes));
  if (Binary && !findProtoPlaces(Path, *Bytes).Places.empty())
    List.Skipped.push_back(Path +
                           " (it holds a program: name it to verify it)");
  llvm::consumeError(Bytes.takeError());
}

bool InputFinder::holdsAssignment(const std::string &Path) {
  if (isAssignmentName(Path) || isProtoName(Path))
    return true;
  if (!isFreeName(Path)) {
    noteUnread(Path);
    return false;
  }
  Sources Owner;
  Expected<StringRef> Text = Owner.open(Path, isKnownText);
  if (Text)
    return classify(*Text) == TextKind::Assignment ||
           endsInFirstLine(*Text, FileRole::Assignment);
  List.Skipped.push_back(
      fmt::format("{} ({})", Path, llvm::toString(Text.takeError())));
  return false;
}

/// Sorts an entry of a folder; \p Type is a link's own.
void InputFinder::considerEntry(const std::string &Path, fs::file_type Type,
                                std::vector<std::string> &Folders,
                                std::vector<std::string> &Files) {
  if (Type == fs::file_type::directory_file) {
    Folders.push_back(Path);
    return;
  }
  bool IsLink = Type == fs::file_type::symlink_file;
  bool Candidate =
      isAssignmentName(Path) || isFreeName(Path) || isProtoName(Path);
  if (Type == fs::file_type::regular_file) {
    if (Candidate || mayHoldMore(Path))
      Files.push_back(Path);
    return;
  }
  fs::file_status Status;
  bool Reached = !fs::status(Path, Status);
  // Links into the tree above would make the walk endless.
  if (Reached && fs::is_directory(Status)) {
    if (IsLink)
      List.Skipped.push_back(Path + " (a link to a folder)");
    else
      Folders.push_back(Path);
    return;
  }
  if (!Candidate)
    return;
  // Where nothing is reached, reading says why.
  if (!Reached || fs::is_regular_file(Status))
    Files.push_back(Path);
  else if (isAssignmentName(Path))
    addError(
        Path,
        fmt::format("'{}' is a pipe or a device: name it explicitly to read it",
                    Path));
  else
    List.Skipped.push_back(Path + " (a pipe or a device)");
}

/// Finds the files below \p Top that may be dumps. False if \p Top itself
/// cannot be read.
bool InputFinder::collectFiles(const std::string &Top,
                               std::vector<std::string> &Files) {
  std::vector<std::string> Folders = {Top};
  for (size_t I = 0; I != Folders.size(); ++I) {
    std::string Path = Folders[I];
    std::error_code Error;
    std::shared_ptr<llvm::StringSet<>> Listing;
    for (fs::directory_iterator Entry(Path, Error, false), End;
         Entry != End && !Error; Entry.increment(Error)) {
      if (!Listing)
        Listing = Listings[llvm::sys::path::parent_path(Entry->path())] =
            std::make_shared<llvm::StringSet<>>();
      Listing->insert(llvm::sys::path::filename(Entry->path()));
      considerEntry(Entry->path(), Entry->type(), Folders, Files);
    }
    if (!Error)
      continue;
    addError(Path,
             fmt::format("cannot read folder '{}': {}", Path, Error.message()));
    if (I == 0)
      return false;
  }
  return true;
}

void InputFinder::addFolder(const std::string &Path) {
  std::vector<std::string> Files;
  if (!collectFiles(Path, Files))
    return;
  llvm::sort(Files);
  llvm::erase_if(
      Files, [&](const std::string &File) { return !holdsAssignment(File); });
  std::stable_partition(Files.begin(), Files.end(), [](StringRef File) {
    return !isExecutableName(File); // their dumps are first
  });
  bool Any = false;
  for (std::string &File : Files) {
    size_t Before = List.Dumps.size() + List.Errors.size();
    bool Proto = isProtoName(File);
    if (Proto)
      addProtoFile(File);
    else
      addDump(std::move(File));
    Any |= !Proto || List.Dumps.size() + List.Errors.size() != Before;
  }
  if (!Any)
    addError(Path,
             fmt::format("no buffer assignment in folder '{}': it needs {}",
                         Path, NamesOfDumps));
}

void InputFinder::addFrames(const std::shared_ptr<FrameFile> &Frames) {
  std::vector<std::string> Damage = Frames->readFrames();
  if (!Damage.empty())
    addError(Frames->Path,
             fmt::format("cannot read all of '{}': {}{}", Frames->Path,
                         Damage.front(),
                         Damage.size() == 1 ? ""
                                            : fmt::format(" (and {} more)",
                                                          Damage.size() - 1)));
  size_t Before = List.Dumps.size();
  for (auto [Name, Text] : Frames->Files)
    if (classify(Text) == TextKind::Assignment)
      addDump(Name.str(), Frames);
  if (List.Dumps.size() == Before)
    addError(
        Frames->Path,
        fmt::format(
            "'{}' has no buffer assignment between its '*** Begin ***' lines",
            Frames->Path));
}

/// Adds the protos of \p File, that at \p Path; false if there are none.
/// \p Owner keeps bytes that can be read only once.
bool InputFinder::addProtos(const std::string &Path, ProtoFile File,
                            const std::shared_ptr<FrameFile> &Owner) {
  if (File.Places.empty()) {
    addError(Path, whyNoProto(Path, File));
    return false;
  }
  if (!File.Trouble.empty())
    addError(Path,
             fmt::format("cannot read all of '{}': {}", Path, File.Trouble));
  if (File.Searched)
    List.Searched.push_back(Path);
  if (File.ScheduledModules != 0)
    List.Skipped.push_back(
        fmt::format("{} ({} without a buffer assignment)", Path,
                    counted(File.ScheduledModules, "scheduled module")));
  bool Alone = File.Places.size() == 1;
  for (ProtoPlace &Place : File.Places) {
    if (!addDump(Alone ? Path : Path + "!" + Place.Stem, Owner))
      continue;
    if (!Alone)
      Place.Cache = Cache;
    List.Dumps.back().Proto = std::move(Place);
  }
  return true;
}

/// What \p Assignment says of places, without pages, shapes and what follows
/// the allocations, and in one order.
static std::vector<StringRef> placesIn(StringRef Assignment) {
  std::vector<StringRef> Lines;
  for (LineCursor In(Assignment); !In.atEnd(); In.advanceRaw())
    if (StringRef Line = In.line(); Line.starts_with("allocation "))
      Lines.push_back(Line.split(',').first);
    else if (Line.starts_with(" value: "))
      Lines.push_back(Line.split("): ").first);
  llvm::sort(Lines);
  return Lines;
}

/// The program in \p Bytes, the file \p Path, if it is the only one there, and
/// has the allocations and the values of the text dump \p Assignment in the
/// same places. Nothing if it has not, or if one of the files is damaged. An
/// executable without a dump of its name may have one of the module's number,
/// and \p Assignment becomes that.
static std::optional<ProtoPlace>
placeOfSame(const std::string &Path, StringRef Bytes, std::string &Assignment) {
  ProtoFile File = findProtoPlaces(Path, Bytes);
  // One that is not whole is found by a search at most.
  if (File.Places.size() != 1 || !File.Trouble.empty() || File.Searched)
    return std::nullopt;
  if (Assignment.empty())
    Assignment = fmt::format("{}/{}-buffer-assignment.txt",
                             llvm::sys::path::parent_path(Path).str(),
                             File.Places.front().DumpStem);
  Sources Texts;
  std::array<DumpFile, NumFileRoles> Printed;
  Expected<StringRef> Text = Texts.open(Assignment);
  Error Failed = Text ? printProto(File.Places.front(), Bytes, Texts, Printed)
                      : Text.takeError();
  // Who verifies them says what is wrong.
  if (llvm::errorToBool(std::move(Failed)) ||
      placesIn(*Text) != placesIn(Printed[size_t(FileRole::Assignment)].Text))
    return std::nullopt;
  return std::move(File.Places.front());
}

/// Adds a file that is named like one with protos, which a folder holds. Dumps
/// of other stages are not what is looked for, what a text of the same name has
/// in the same places need not be verified twice, and a dump gets the thunks of
/// its executable.
void InputFinder::addProtoFile(const std::string &Path) {
  Sources Owner;
  Expected<StringRef> Bytes = Owner.open(Path, isKnownText);
  if (!Bytes)
    return addError(Path, fmt::format("cannot read '{}': {}", Path,
                                      llvm::toString(Bytes.takeError())));
  std::string Text = textBeside(Path);
  std::optional<ProtoPlace> Same;
  if (!Text.empty() || isExecutableName(Path))
    Same = placeOfSame(Path, *Bytes, Text);
  if (Same && !isExecutableName(Path)) {
    List.Skipped.push_back(Path + " (its text has the same places)");
    return;
  }
  for (Input &In : List.Dumps)
    if (Same && In.Path == Text && !In.Frames && !In.Executable) {
      In.Executable = std::move(Same);
      return;
    }
  ProtoFile File = findProtoPlaces(Path, *Bytes);
  // Others are from before there are buffers, or from after code generation
  // (cpu_compiler.cc and gpu_compiler.cc since 2019, libtpu).
  bool WithAssignment = StringRef(Path).contains("after_optimizations.hlo.pb");
  bool NamesStage = StringRef(Path).contains(".hlo.pb");
  bool CutOff = File.OnlyModules ? WithAssignment && File.ScheduledModules != 0
                                 : NamesStage;
  if (!File.Places.empty() || !File.Trouble.empty() || isExecutableName(Path))
    addProtos(Path, std::move(File));
  else if (CutOff)
    addError(Path, whyNoProto(Path, File));
  else if (!File.OnlyModules)
    List.Skipped.push_back(Path + " (it holds no HloProto)");
  else if (WithAssignment || !NamesStage)
    List.Skipped.push_back(
        Path + " (it holds an HLO module without a buffer assignment)");
}

void InputFinder::addFragment(const std::string &Path, StringRef Kind) {
  std::string Assignment = assignmentOf(
      Path, [](const std::string &Name) { return fs::exists(Name); });
  if (!Assignment.empty())
    addDump(std::move(Assignment));
  else
    addError(Path, fmt::format("'{}' is {}, which cannot be verified without "
                               "its buffer assignment: run the program with "
                               "XLA_FLAGS='--xla_dump_to=FOLDER "
                               "--xla_dump_hlo_as_text', and verify the folder",
                               Path, Kind));
}

void InputFinder::addFile(const std::string &Path) {
  auto Frames = std::make_shared<FrameFile>();
  Frames->Path = Path == "-" ? "<stdin>" : Path;
  Expected<StringRef> Text = Frames->Owner.open(Path, [](StringRef Start) {
    return isKnownText(Start) || isLogText(Start);
  });
  if (!Text)
    return addError(Path, fmt::format("cannot read '{}': {}", Path,
                                      llvm::toString(Text.takeError())));
  if (isArchive(Path, *Text))
    return addError(
        Path, fmt::format("'{}' is an archive: unpack it first", Frames->Path));
  Frames->Text = *Text;
  Read = Frames;
  TextKind Kind = classify(*Text);
  std::optional<PastedText> Pasted;
  if (Kind == TextKind::Other && isLogText(*Text))
    Pasted = undoPasting(*Text);
  if (Pasted)
    Kind = classify(Pasted->Text);
  std::optional<FileRole> Role = roleOf(Kind);
  if (Role && isOnlyInProtos(*Role))
    return addError(
        Path, fmt::format("'{}' was printed from a proto: verify that", Path));
  switch (Kind) {
  case TextKind::Assignment:
    // Standard input and pipes can be read only once: keep what was read.
    if (Path == "-" || !fs::is_regular_file(Path)) {
      Frames->Files.insert({Frames->Path, *Text});
      addDump(Frames->Path, Frames);
    } else {
      addDump(Path);
    }
    return;
  case TextKind::Frames:
    if (Pasted) {
      Frames->Text = Frames->Owner.add(Path, std::move(Pasted->Text));
      Frames->Numbers = std::move(Pasted->Lines);
    }
    return addFrames(Frames);
  case TextKind::Values:
    return addFragment(Path, "a values file");
  case TextKind::LiveRange:
    return addFragment(Path, "a live range file");
  case TextKind::Report:
  case TextKind::NewReport:
    return addFragment(Path, "a memory usage report");
  case TextKind::Module:
    return addFragment(Path, "an HLO module");
  default:
    break;
  }
  constexpr size_t Enough = 48; // what is shorter may be binary all the same
  if (!isLogText(*Text) ||
      (Text->size() < Enough && !llvm::json::isUTF8(*Text))) {
    bool Once = Path == "-" || !fs::is_regular_file(Path);
    std::string Name = Once ? Frames->Path : Path;
    addProtos(Name, findProtoPlaces(Name, *Text), Once ? Frames : nullptr);
    return;
  }
  addError(Path, fmt::format("'{}' is not a buffer assignment: {}", Path,
                             refusal(*Text)));
}
