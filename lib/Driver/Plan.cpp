// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Plan.h"
#include "Driver/SavedExecutables.h"
#include "Support/OrderedRun.h"
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
      P.Dumps.push_back({std::move(In), nullptr});
  for (PlannedDump &D : P.Dumps) {
    llvm::Expected<const Settings *> Applied =
        Finder.find(D.In.Frames ? D.In.Frames->Path : D.In.Path);
    if (!Applied)
      return Applied.takeError();
    D.Applied = *Applied;
  }
  runParallel(P.Dumps.size(), Options.Jobs,
              [&](size_t I) { locateFiles(P.Dumps[I].In, Options.Siblings); });
  return P;
}
