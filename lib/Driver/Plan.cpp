// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Plan.h"
#include "Driver/SavedExecutables.h"
#include "Facts/ReleaseWindow.h"
#include "Support/OrderedRun.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

using namespace hlobuf;
using llvm::StringRef;

bool Plan::reads(StringRef Path) const {
  llvm::sys::fs::UniqueID Id;
  if (llvm::sys::fs::getUniqueID(Path, Id))
    return false;
  return llvm::any_of(Dumps, [&](const PlannedDump &P) {
    return llvm::any_of(P.In.Files, [&](const InputFile &File) {
      return File.Regular && File.Id == Id;
    });
  });
}

static bool isInShard(StringRef Name, const VerifyOptions &Options) {
  return llvm::xxHash64(Name) % Options.Shards == Options.Shard;
}

using Digest = llvm::BLAKE3Result<16>;
using TwinKey =
    std::tuple<const Settings *, Backend, std::array<uint64_t, NumFileRoles>>;

/// What a verdict depends on in addition to the contents, and what shows
/// without reading that contents differ; sizes count from 1.
static TwinKey keyOf(const PlannedDump &P) {
  std::array<uint64_t, NumFileRoles> Sizes = {};
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    if (!P.In.Files[Role].Path.empty())
      Sizes[Role] = P.In.Files[Role].Size + 1;
  return {P.Applied, backendOfName(P.In.Path), Sizes};
}

static bool canBeCompared(const Input &In) {
  // A file with protos may hold several dumps.
  return !In.Proto && llvm::all_of(In.Files, [](const InputFile &File) {
    return File.Path.empty() || File.Regular;
  });
}

/// The contents of all files; nothing if one cannot be read. Their sizes are
/// known to be equal.
static std::optional<Digest> digestOf(const Input &In) {
  llvm::TruncatedBLAKE3<16> Hash;
  for (const InputFile &File : In.Files) {
    if (File.Path.empty())
      continue;
    auto Buffer = llvm::MemoryBuffer::getFile(File.Path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!Buffer)
      return std::nullopt;
    Hash.update((*Buffer)->getBuffer());
  }
  return Hash.final();
}

/// Finds dumps with the same contents. Only those with the same keys are
/// read.
static void findTwins(std::vector<PlannedDump> &Dumps, unsigned Jobs) {
  std::map<TwinKey, std::vector<size_t>> ByKey;
  for (size_t I = 0; I != Dumps.size(); ++I)
    if (canBeCompared(Dumps[I].In))
      ByKey[keyOf(Dumps[I])].push_back(I);
  std::vector<size_t> Candidates;
  for (const auto &[Key, Members] : ByKey)
    if (Members.size() > 1)
      llvm::append_range(Candidates, Members);
  std::vector<std::optional<Digest>> Digests(Candidates.size());
  runParallel(Candidates.size(), Jobs, [&](size_t I) {
    Digests[I] = digestOf(Dumps[Candidates[I]].In);
  });
  // Members of one key follow each other in ascending order.
  std::map<std::pair<TwinKey, Digest>, size_t> First;
  for (size_t I = 0; I != Candidates.size(); ++I) {
    if (!Digests[I])
      continue;
    PlannedDump &P = Dumps[Candidates[I]];
    P.Original =
        First.try_emplace({keyOf(P), *Digests[I]}, Candidates[I]).first->second;
  }
}

llvm::Expected<Plan> hlobuf::makePlan(const VerifyOptions &Options,
                                      SettingsFinder &Finder) {
  InputList List = findInputs(Options.Inputs);
  joinExecutables(List, Options.Executables, Options.Jobs);
  Plan P;
  P.Skipped = std::move(List.Skipped);
  P.Searched = std::move(List.Searched);
  for (InputError &Error : List.Errors)
    if (isInShard(Error.Path, Options))
      P.InputErrors.push_back(std::move(Error));
  for (Input &In : List.Dumps)
    if (isInShard(In.Relative, Options))
      P.Dumps.push_back({std::move(In), nullptr, P.Dumps.size()});
  for (PlannedDump &D : P.Dumps) {
    llvm::Expected<const Settings *> Applied =
        Finder.find(D.In.Frames ? D.In.Frames->Path : D.In.Path);
    if (!Applied)
      return Applied.takeError();
    D.Applied = *Applied;
  }
  runParallel(P.Dumps.size(), Options.Jobs,
              [&](size_t I) { locateFiles(P.Dumps[I].In, Options.Siblings); });
  // A store knows equal dumps, too.
  if (Options.Store.empty() && P.Dumps.size() > 1)
    findTwins(P.Dumps, Options.Jobs);
  return P;
}
