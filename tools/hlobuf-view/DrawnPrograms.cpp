// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DrawnPrograms.h"
#include "Compare/Matching.h"
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

/// \p Text, and \p Lines that may be meant.
static llvm::Error ambiguous(std::string Text,
                             llvm::ArrayRef<std::string> Lines) {
  for (const std::string &Line : Lines.take_front(MaxListed))
    Text += "\n  " + Line;
  return makeError("{}{}", Text, Lines.size() > MaxListed ? "\n  ..." : "");
}

static llvm::Expected<std::vector<Input>> findAll(const std::string &Path) {
  InputList List = findInputs({Path});
  if (!List.Errors.empty())
    return makeError("{}", List.Errors.front().Text);
  if (List.Dumps.empty())
    return makeError("no dump in '{}'", Path);
  return std::move(List.Dumps);
}

static bool isPicked(const Input &In, const DrawRequest &Request) {
  return StringRef(In.Path).contains(Request.Pick);
}

/// The one of \p Dumps that is picked.
static llvm::Expected<Input> findOne(std::vector<Input> Dumps,
                                     const std::string &Path,
                                     const DrawRequest &Request) {
  llvm::erase_if(Dumps,
                 [&](const Input &In) { return !isPicked(In, Request); });
  if (Dumps.empty())
    return makeError("no dump in '{}' has such a path", Path);
  if (Dumps.size() == 1)
    return std::move(Dumps.front());
  std::vector<std::string> Names;
  for (const Input &In : Dumps)
    Names.push_back(In.Path);
  return ambiguous(fmt::format("'{}' has {} dumps: name one, or a part of its "
                               "path with --pick:",
                               Path, Dumps.size()),
                   Names);
}

/// What hlobuf-diff knows of each of \p Dumps; of one that cannot be read
/// nothing.
static std::vector<ProgramMemory> describeAll(llvm::ArrayRef<Input> Dumps) {
  std::vector<ProgramMemory> All;
  for (const Input &In : Dumps) {
    llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In);
    if (!L) {
      llvm::consumeError(L.takeError());
      All.emplace_back();
      continue;
    }
    CheckContext Context(*(*L)->Model);
    All.push_back(
        describeProgram(Context.memory(), Context.names(),
                        printable(moduleNameOf(*(*L)->Model, In.Path))));
  }
  return All;
}

/// The picked pair of \p Old and \p New.
static llvm::Expected<std::vector<Input>> findPair(std::vector<Input> Old,
                                                   std::vector<Input> New,
                                                   const DrawRequest &Request) {
  std::vector<std::string> Names;
  std::vector<Input> Inputs;
  std::vector<ProgramMemory> Before = describeAll(Old);
  std::vector<ProgramMemory> After = describeAll(New);
  for (ProgramPair Pair : pairPrograms(Before, After)) {
    if (!Pair.Old || !Pair.New ||
        !(isPicked(Old[*Pair.Old], Request) ||
          isPicked(New[*Pair.New], Request)))
      continue;
    Names.push_back(Old[*Pair.Old].Path + "  " + New[*Pair.New].Path);
    Inputs = {Old[*Pair.Old], New[*Pair.New]};
  }
  if (Names.size() == 1)
    return std::move(Inputs);
  if (Names.empty())
    return makeError("no module is in both{}",
                     Request.Pick.empty() ? "" : " and has such a path");
  return ambiguous(fmt::format("{} modules are in both: name two files, or a "
                               "part of a path with --pick:",
                               Names.size()),
                   Names);
}

llvm::Expected<std::vector<Input>>
hlobuf::findPrograms(llvm::ArrayRef<std::string> Paths,
                     const DrawRequest &Request) {
  std::vector<std::vector<Input>> Sides;
  for (const std::string &Path : Paths) {
    llvm::Expected<std::vector<Input>> Dumps = findAll(Path);
    if (!Dumps)
      return Dumps.takeError();
    Sides.push_back(std::move(*Dumps));
  }
  if (Sides.size() == 2 && (Sides[0].size() > 1 || Sides[1].size() > 1))
    return findPair(std::move(Sides[0]), std::move(Sides[1]), Request);
  std::vector<Input> Inputs;
  for (size_t I = 0; I != Sides.size(); ++I) {
    llvm::Expected<Input> In = findOne(std::move(Sides[I]), Paths[I], Request);
    if (!In)
      return In.takeError();
    Inputs.push_back(std::move(*In));
  }
  return std::move(Inputs);
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
hlobuf::openProgram(const Input &In, const DrawRequest &Request,
                    const CheckSelection &Selection) {
  unsigned Jobs = numJobs(Request.Jobs);
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In, Request.Siblings);
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
