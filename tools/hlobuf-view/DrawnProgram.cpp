// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DrawnProgram.h"
#include "Driver/Capacity.h"
#include "Driver/KnownDefects.h"
#include "Driver/Sentences.h"
#include "Driver/Verify.h"
#include "Support/Format.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;
using llvm::StringRef;

/// Candidates that are listed, at most.
static constexpr size_t MaxListed = 10;

/// The one dump of \p Path that is picked.
static llvm::Expected<Input> findOne(const std::string &Path,
                                     const DrawRequest &Request) {
  InputList List = findInputs({Path});
  if (!List.Errors.empty())
    return makeError("{}", List.Errors.front().Text);
  std::vector<Input> &Dumps = List.Dumps;
  if (Dumps.empty())
    return makeError("no dump in '{}'", Path);
  llvm::erase_if(Dumps, [&](const Input &In) {
    return !StringRef(In.Path).contains(Request.Pick);
  });
  if (Dumps.empty())
    return makeError("no dump in '{}' has such a path", Path);
  if (Dumps.size() == 1)
    return std::move(Dumps.front());
  std::string Names;
  for (const Input &In : llvm::ArrayRef(Dumps).take_front(MaxListed))
    Names += "\n  " + In.Path;
  return makeError("'{}' has {} dumps: name one, or a part of its path with "
                   "--pick:{}{}",
                   Path, Dumps.size(), Names,
                   Dumps.size() > MaxListed ? "\n  ..." : "");
}

static void setCapacity(const Input &In, const DrawRequest &Request,
                        Picture &P) {
  SummaryOptions Chip;
  Chip.Capacity = Request.Capacity;
  if (!Chip.Capacity)
    findCapacity(In.Path, Chip);
  P.Capacity = Chip.Capacity;
  P.Chip = Chip.Chip;
}

llvm::Expected<DrawnProgram>
hlobuf::openProgram(const std::string &Path, const DrawRequest &Request,
                    const CheckSelection &Selection) {
  llvm::Expected<Input> Found = findOne(Path, Request);
  if (!Found)
    return Found.takeError();
  const Input &In = *Found;
  unsigned Jobs = numJobs(Request.Jobs);
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In);
  if (!L)
    return L.takeError();
  DrawnProgram Program;
  Program.Malformed = malformedModule(**L);
  Program.Loaded = std::move(*L);
  LoadedDump &Dump = *Program.Loaded;
  if (Dump.Model->cut(FileRole::Assignment))
    return makeError("{}", Dump.damage().back());
  Program.Context = std::make_unique<CheckContext>(*Dump.Model);
  DumpResult R = verify(In, Dump, *Program.Context, Selection, nullptr, Jobs);
  noteReductions(R);
  // What was computed before the model was known to be cut counts on all of it.
  if (Dump.Model->cut(FileRole::Assignment))
    Program.Context = std::make_unique<CheckContext>(*Dump.Model);
  CheckContext &Context = *Program.Context;
  Program.P = makePicture(Context.memory(), Context.names(),
                          Context.moduleAnalysis(), R);
  setCapacity(In, Request, Program.P);
  settleSentences(R);
  if (!R.ProvesNothing) {
    SentenceTally Proved;
    Proved.add(R);
    Program.P.Verdict = Proved.line(R.hasErrors());
  }
  return std::move(Program);
}
