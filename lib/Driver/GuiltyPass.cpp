// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/GuiltyPass.h"
#include "Support/Format.h"
#include "Support/RegularFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;
using llvm::StringRef;

/// Findings of one dump whose instructions are looked for.
static constexpr size_t MaxFindings = 20;

namespace {
/// Where an instruction is defined for the first time.
struct FirstSeen {
  /// In the order of the passes; none if nowhere.
  std::optional<size_t> File;
  uint32_t Line = 0;
};
} // namespace

/// Reads `MODULE.0053.PIPELINE.after_PASS[.before_PASS].txt` (xla/service/
/// dump.cc, 2020 on). The module; empty if it is not such a name.
static StringRef parseName(StringRef Path, PassDump &P) {
  StringRef Name = llvm::sys::path::filename(Path);
  size_t Marker = Name.find(".after_");
  if (!Name.consume_back(".txt") || Marker == StringRef::npos ||
      Marker > Name.size())
    return "";
  StringRef Pass = Name.substr(Marker + StringRef(".after_").size());
  auto [Head, Pipeline] = Name.take_front(Marker).rsplit('.');
  auto [Module, Digits] = Head.rsplit('.');
  if (Digits.size() < 4 || Digits.getAsInteger(10, P.Number))
    return "";
  P.Path = Path.str();
  P.Pipeline = Pipeline.str();
  P.Pass = Pass.split(".before_").first.str();
  return Module;
}

const GuiltyPasses::Folder &GuiltyPasses::list(StringRef Path) {
  auto [Known, New] = Folders.try_emplace(Path);
  Folder &All = Known->second;
  if (!New)
    return All;
  for (const std::string &Name : pathsIn(Path.empty() ? "." : Path)) {
    PassDump P;
    if (StringRef Module = parseName(Name, P); !Module.empty())
      All[Module].push_back(std::move(P));
  }
  for (auto &Module : All)
    llvm::sort(Module.second, [](const PassDump &P, const PassDump &Q) {
      return std::tie(P.Number, P.Path) < std::tie(Q.Number, Q.Path);
    });
  return All;
}

/// The instruction that \p Line of a module defines; empty if it does not.
static StringRef definedName(StringRef Line) {
  Line = Line.ltrim(' ');
  Line.consume_front("ROOT ");
  auto [Name, Rest] = Line.split(' ');
  if (!Rest.starts_with("= "))
    return "";
  Name.consume_front("%");
  return Name;
}

/// Marks the names that \p File, number \p Number, is the first to define.
static void scan(const PassDump &File, size_t Number,
                 llvm::StringMap<FirstSeen> &Names) {
  std::unique_ptr<llvm::MemoryBuffer> Buffer = openRegularFile(File.Path);
  if (!Buffer)
    return; // it went away: nothing is known of it
  uint32_t LineNumber = 0;
  for (StringRef Line : llvm::split(Buffer->getBuffer(), '\n')) {
    ++LineNumber;
    auto Known = Names.find(definedName(Line));
    if (Known != Names.end() && !Known->second.File)
      Known->second = {Number, LineNumber};
  }
}

/// What \p Step is about: the name of an instruction.
static StringRef subjectOf(const ResultNote &Step) {
  return StringRef(Step.Event.Subject).split('{').first;
}

/// True if all that \p F says of \p Name is that its value was overwritten.
static bool isVictim(const ResultFinding &F, StringRef Name) {
  bool Defined = false;
  for (const ResultNote &N : F.Notes) {
    if (N.Kind != NoteKind::Step || subjectOf(N) != Name)
      continue;
    if (N.Event.Role != StepRole::Defines)
      return false;
    Defined = true;
  }
  return Defined;
}

/// XLA's GPU pass that only gives fusions new names (2024 on).
static constexpr StringRef RenamingPass = "rename_fusions";

static void addNote(ResultFinding &F, const std::vector<PassDump> &Passes,
                    const llvm::StringMap<FirstSeen> &Names) {
  StringRef Youngest;
  FirstSeen Last;
  auto Consider = [&](StringRef Name) {
    FirstSeen Place = Names.lookup(Name);
    if (!Place.File || (Last.File && *Place.File <= *Last.File) ||
        Passes[*Place.File].Pass == RenamingPass || isVictim(F, Name))
      return;
    Last = Place;
    Youngest = Name;
  };
  llvm::for_each(F.Names, Consider);
  // A fusion with a new name is known by what is in it.
  bool Renamed = llvm::any_of(F.Names, [&](const std::string &Name) {
    FirstSeen Place = Names.lookup(Name);
    return Place.File && Passes[*Place.File].Pass == RenamingPass;
  });
  for (const ResultNote &N : F.Notes)
    if (Renamed && N.Kind == NoteKind::Step)
      Consider(subjectOf(N));
  // What is there from the beginning is not a pass's doing.
  if (!Last.File || *Last.File == 0)
    return;
  const PassDump &File = Passes[*Last.File];
  ResultNote N;
  N.Kind = NoteKind::Pass;
  N.Message = File.Pass == "pipeline-start"
                  ? fmt::format("{} is first there when {} starts", Youngest,
                                File.Pipeline)
                  : fmt::format("{} is first there after {} of {}", Youngest,
                                File.Pass, File.Pipeline);
  N.Where = {File.Path, Last.Line, 1, 1, 1, 1};
  F.Notes.push_back(std::move(N));
}

/// The passes of the module that the dump \p Name is of: one of the beginnings
/// of its name, up to a dot.
static const std::vector<PassDump> *
passesOf(const llvm::StringMap<std::vector<PassDump>> &All, StringRef Name) {
  for (StringRef Begin = Name; !Begin.empty();
       Begin = Begin.rsplit('.').first) {
    if (auto Known = All.find(Begin); Known != All.end())
      return &Known->second;
    if (!Begin.contains('.'))
      break;
  }
  return nullptr;
}

void GuiltyPasses::note(DumpResult &R) {
  std::vector<ResultFinding *> Loud;
  for (ResultFinding &F : R.Findings)
    if (F.isLoud() && Loud.size() != MaxFindings)
      Loud.push_back(&F);
  if (Loud.empty())
    return;
  const std::vector<PassDump> *Passes =
      passesOf(list(llvm::sys::path::parent_path(R.Path)),
               llvm::sys::path::filename(R.Path));
  if (!Passes)
    return;
  llvm::StringMap<FirstSeen> Names;
  for (const ResultFinding *F : Loud) {
    for (const std::string &Name : F->Names)
      Names.try_emplace(Name);
    for (const ResultNote &N : F->Notes)
      if (N.Kind == NoteKind::Step)
        Names.try_emplace(subjectOf(N));
  }
  for (size_t I = 0; I != Passes->size(); ++I)
    scan((*Passes)[I], I, Names);
  for (ResultFinding *F : Loud)
    addNote(*F, *Passes, Names);
}
