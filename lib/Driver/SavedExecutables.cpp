// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/SavedExecutables.h"
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

static SavedProgram programOfDump(const Input &In) {
  SavedProgram P;
  if (In.Proto || In.Frames)
    return P;
  P.Folder = llvm::sys::path::parent_path(In.Path).str();
  P.Key = digestOfDump(In.Path, DigestDetail::Structure);
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
  std::optional<ProtoProgram> Program =
      programOfProto(Path, *Bytes, DigestDetail::Structure);
  // One that is not whole is found by a search at most.
  if (!Program || Program->Searched)
    return P;
  return {Program->Digest, llvm::sys::path::parent_path(Path).str(),
          std::move(Program->Place), Program->Thunks};
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
  // The search of the folder does not know that these are read.
  for (StringRef Path : Files)
    llvm::erase_if(List.Skipped, [&](StringRef Skipped) {
      return Skipped.consume_front(Path) && Skipped.starts_with(" (");
    });
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
