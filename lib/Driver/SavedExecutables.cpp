// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/SavedExecutables.h"
#include "Input/Load.h"
#include "Input/ProgramDigest.h"
#include "Support/OrderedRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// What is compared of a dump, or of an executable.
struct SavedProgram {
  /// Its module with the places of its values; nothing if they are unknown.
  std::optional<ProgramDigest> Key;
  std::string Folder;
  /// Of an executable.
  std::optional<ProtoPlace> Place;
  ProgramDigest Thunks = {};
  bool Joined = false;

  bool isFree() const { return Key && !Joined; }
};
} // namespace

static const InputFile &fileOf(const Input &In, FileRole Role) {
  return In.Files[static_cast<size_t>(Role)];
}

static SavedProgram programOfDump(Input In) {
  SavedProgram P;
  if (In.Proto || In.Frames)
    return P;
  locateFiles(In, {});
  if (fileOf(In, FileRole::Module).Path.empty())
    return P;
  Sources Texts;
  llvm::Expected<StringRef> Module =
      Texts.open(fileOf(In, FileRole::Module).Path);
  llvm::Expected<StringRef> Assignment = Texts.open(In.Path);
  if (Module && Assignment) {
    P.Folder = llvm::sys::path::parent_path(In.Path).str();
    P.Key = digestOfProgram(*Module, *Assignment, DigestDetail::Structure);
  }
  // Who verifies the dump says what is wrong.
  llvm::consumeError(Module.takeError());
  llvm::consumeError(Assignment.takeError());
  return P;
}

static SavedProgram programOfExecutable(const std::string &Path) {
  SavedProgram P;
  Sources Texts;
  llvm::Expected<StringRef> Bytes = Texts.open(Path);
  if (!Bytes) {
    llvm::consumeError(Bytes.takeError());
    return P;
  }
  ProtoFile File = findProtoPlaces(Path, *Bytes);
  // One that is not whole is found by a search at most.
  if (File.Places.size() != 1 || !File.Trouble.empty() || File.Searched)
    return P;
  std::array<DumpFile, NumFileRoles> Printed;
  if (llvm::Error Failed =
          printProto(File.Places.front(), *Bytes, Texts, Printed)) {
    llvm::consumeError(std::move(Failed));
    return P;
  }
  auto TextOf = [&](FileRole Role) {
    return Printed[static_cast<size_t>(Role)].Text;
  };
  P.Folder = llvm::sys::path::parent_path(Path).str();
  P.Key =
      digestOfProgram(TextOf(FileRole::Module), TextOf(FileRole::Assignment),
                      DigestDetail::Structure);
  llvm::TruncatedBLAKE3<16> Hash;
  Hash.update(TextOf(FileRole::Thunks));
  P.Thunks = Hash.final();
  P.Place = std::move(File.Places.front());
  return P;
}

static bool areEqual(llvm::ArrayRef<SavedProgram *> Executables) {
  return llvm::all_of(Executables, [&](const SavedProgram *P) {
    return P->Thunks == Executables.front()->Thunks;
  });
}

/// Joins free dumps and executables of one key, of one folder only unless
/// \p Everywhere is set.
static void pairUp(InputList &List, std::vector<SavedProgram> &Dumps,
                   std::vector<SavedProgram> &Executables, bool Everywhere) {
  struct Group {
    std::vector<size_t> Dumps;
    std::vector<SavedProgram *> Executables;
  };
  std::map<std::pair<std::string, ProgramDigest>, Group> Groups;
  auto GroupOf = [&](const SavedProgram &P) -> Group & {
    return Groups[{Everywhere ? "" : P.Folder, *P.Key}];
  };
  for (size_t I = 0; I != Dumps.size(); ++I)
    if (Dumps[I].isFree())
      GroupOf(Dumps[I]).Dumps.push_back(I);
  for (SavedProgram &P : Executables)
    if (P.isFree())
      GroupOf(P).Executables.push_back(&P);
  for (auto &[Key, G] : Groups) {
    // Of equal ones it does not matter which is whose.
    if (!areEqual(G.Executables))
      continue;
    for (auto [I, Executable] : llvm::zip(G.Dumps, G.Executables)) {
      List.Dumps[I].Executable = Executable->Place;
      Dumps[I].Joined = Executable->Joined = true;
    }
  }
}

void hlobuf::joinExecutables(InputList &List, llvm::ArrayRef<std::string> Files,
                             unsigned Jobs) {
  if (Files.empty())
    return;
  std::vector<SavedProgram> Dumps(List.Dumps.size());
  std::vector<SavedProgram> Executables(Files.size());
  runParallel(Dumps.size(), Jobs,
              [&](size_t I) { Dumps[I] = programOfDump(List.Dumps[I]); });
  runParallel(Executables.size(), Jobs, [&](size_t I) {
    Executables[I] = programOfExecutable(Files[I]);
  });
  pairUp(List, Dumps, Executables, /*Everywhere=*/false);
  // A forked process saves in a folder of its own what XLA dumps into its
  // parent's.
  pairUp(List, Dumps, Executables, /*Everywhere=*/true);
  std::vector<std::string> Alone;
  for (size_t I = 0; I != Files.size(); ++I)
    if (!Executables[I].Joined)
      Alone.push_back(Files[I]);
  InputList Others = findInputs(Alone);
  llvm::append_range(List.Dumps, Others.Dumps);
  llvm::append_range(List.Errors, Others.Errors);
  llvm::append_range(List.Skipped, Others.Skipped);
  llvm::append_range(List.Searched, Others.Searched);
}
