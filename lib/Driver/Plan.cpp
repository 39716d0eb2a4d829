// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Plan.h"
#include "Driver/SavedExecutables.h"
#include "Support/FileGuard.h"
#include "Support/OrderedRun.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

using namespace hlobuf;
using llvm::StringRef;

void Plan::keepFiles() const {
  for (const PlannedDump &P : Dumps) {
    keepFile(P.In.Path);
    for (const std::optional<ProtoPlace> &Place : {P.In.Proto, P.In.Executable})
      if (Place)
        keepFile(Place->File);
    if (P.In.Frames)
      keepFile(P.In.Frames->Path);
    for (const InputFile &File : P.In.Files)
      if (File.Regular)
        keepFile(File.Path);
  }
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
