// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/Reducer.h"
#include "Support/Format.h"
#include "Support/OrderedRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <atomic>

using namespace hlobuf;

/// Results that are kept for verifyAfresh(), in addition to the input.
static constexpr size_t MostEarlier = 50;

/// Modules of up to so many instructions are reduced one edit at a time.
static constexpr unsigned SmallModule = 128;

double Reducer::seconds() const {
  return std::chrono::duration<double>(ChildProcess::Clock::now() - Started)
      .count();
}

bool Reducer::isOver() const {
  return wasInterrupted() ||
         (Options.MaxSeconds != 0 && seconds() > Options.MaxSeconds);
}

TestOutcome Reducer::testText(unsigned Slot, StringRef Text) {
  std::string Folder = fmt::format("{}/{}", Options.WorkFolder, Slot);
  std::string Dumps = Folder + "/dumps";
  if (llvm::sys::fs::remove_directories(Folder) ||
      llvm::sys::fs::create_directories(Dumps))
    return {};
  std::string File = Folder + "/candidate.txt";
  {
    std::error_code Error;
    llvm::raw_fd_ostream OS(File, Error);
    OS << Text;
    OS.close();
    if (Error || OS.has_error()) {
      OS.clear_error();
      return {};
    }
  }
  return Test.test(Slot, File, Dumps);
}

void Reducer::testAll(std::vector<Candidate> &Candidates) {
  std::atomic<size_t> Next = 0;
  std::atomic<unsigned> NextSlot = 0;
  auto Loop = [&] {
    unsigned Slot = NextSlot++;
    for (size_t I = Next++; I < Candidates.size(); I = Next++) {
      if (wasInterrupted())
        continue;
      Candidates[I].Outcome = testText(Slot, Candidates[I].Text);
      Candidates[I].Tested = true;
    }
  };
  if (Candidates.size() == 1) {
    Loop();
  } else {
    Workers Threads(static_cast<unsigned>(Candidates.size()), Loop);
    if (Threads.empty())
      Loop();
  }
  for (const Candidate &C : Candidates) {
    Counts.Tests += C.Tested;
    if (C.Tested && !wasInterrupted())
      Known.insert(C.Key);
  }
}

std::optional<Reducer::Candidate>
Reducer::nextCandidate(const EditPass &Pass, const std::vector<Edit> &Edits,
                       size_t &Next, size_t Size) {
  while (Next < Edits.size()) {
    Candidate C;
    C.Begin = Next;
    C.End = Next = std::min(Edits.size(), Next + Size);
    C.Module = best();
    bool Applied = false;
    for (size_t I = C.Begin; I != C.End; ++I)
      Applied |= Edits[I](C.Module);
    if (!Applied)
      continue;
    C.Module.cleanUp();
    if (!Pass.MayGrow && C.Module.size() > best().size())
      continue;
    C.Key = llvm::xxHash64(C.Module.textWithoutNames());
    // What was interesting is an earlier result, and no step forward.
    if (Known.contains(C.Key))
      continue;
    C.Text = editModuleText(C.Module);
    return C;
  }
  return std::nullopt;
}

void Reducer::accept(EditModule Module, StringRef Pass) {
  unsigned Old = best().size();
  if (Earlier.size() > MostEarlier)
    Earlier.erase(Earlier.begin() + 1);
  Earlier.push_back(editModuleText(Best));
  Best = std::move(Module);
  Options.Keep(best());
  Options.Progress(
      fmt::format("{:7.1f} s  {:5} -> {:5} instructions  {} ({} tests)",
                  seconds(), Old, best().size(), Pass, Counts.Tests));
}

bool Reducer::runChunks(const EditPass &Pass, std::vector<Edit> &Edits,
                        size_t Size) {
  bool Changed = false;
  size_t Next = 0;
  while (Next < Edits.size() && !isOver()) {
    std::vector<Candidate> Candidates;
    while (Candidates.size() < Options.Jobs) {
      std::optional<Candidate> C = nextCandidate(Pass, Edits, Next, Size);
      if (!C)
        break;
      Candidates.push_back(std::move(*C));
    }
    testAll(Candidates);
    auto Good = llvm::find_if(
        Candidates, [](const Candidate &C) { return C.Outcome.Good; });
    if (Good == Candidates.end())
      continue;
    // What comes after it is tried again, on top of it.
    Next = Good->Begin;
    Edits.erase(Edits.begin() + static_cast<ptrdiff_t>(Good->Begin),
                Edits.begin() + static_cast<ptrdiff_t>(Good->End));
    accept(std::move(Good->Module), Pass.Name);
    Changed = true;
    if (Pass.Alternatives)
      return true;
  }
  return Changed;
}

bool Reducer::runPass(const EditPass &Pass, unsigned Round) {
  bool Changed = false;
  std::vector<Edit> Edits = Pass.List(best());
  while (Pass.Alternatives && !Edits.empty() && !isOver()) {
    if (!runChunks(Pass, Edits, 1))
      return Changed;
    Changed = true;
    if (Pass.Once)
      return true;
    Edits = Pass.List(best());
  }
  // Large modules take long to test: coarse steps first.
  size_t Smallest =
      best().size() > SmallModule ? Edits.size() >> (3 + 2 * Round) : 1;
  Smallest = std::max<size_t>(1, Smallest);
  // Once a module is small, what is left is tried together once.
  bool IsRepeated = Smallest == 1 && !Visited.insert(Pass.Name).second;
  size_t Size = IsRepeated ? 1 : Edits.size();
  while (!Edits.empty() && !isOver()) {
    bool Helped = runChunks(Pass, Edits, Size);
    Changed |= Helped;
    if (Size == 1 || (!Helped && Size / 2 < Smallest))
      break;
    // Those that are left may count elements that have moved.
    if (Helped)
      Edits = Pass.List(best());
    Size = std::max<size_t>(1, std::min(Size, Edits.size()) / 2);
  }
  return Changed;
}

bool Reducer::run(EditModule Start) {
  std::vector<Candidate> First(1);
  First[0].Text = editModuleText(Start);
  First[0].Key = llvm::xxHash64(Start.textWithoutNames());
  Best = std::move(Start);
  testAll(First);
  Counts.FirstSeconds = seconds();
  Last = First[0].Outcome;
  if (!Last.Good)
    return false;
  Options.Progress(
      fmt::format("{:7.1f} s  {:5} instructions, which are interesting",
                  seconds(), best().size()));
  Started = ChildProcess::Clock::now();
  Options.Keep(best());
  for (unsigned Round = 0; !isOver(); ++Round) {
    bool Changed = false;
    bool Coarse = best().size() > SmallModule;
    for (const EditPass &Pass : allPasses()) {
      if (!isOver() && (!Pass.Once || Round == 0) &&
          (!Pass.Last || !Coarse || Round > 2))
        Changed |= runPass(Pass, Round);
      // Single edits of earlier passes take out more than those of later ones.
      if (Coarse && best().size() <= SmallModule)
        break;
    }
    if (!Changed && (!Coarse || Round > 4))
      break;
  }
  Counts.Seconds = seconds();
  return true;
}

bool Reducer::verifyAfresh() {
  while (true) {
    Test.startAfresh();
    Last = testText(0, editModuleText(best()));
    if (Last.Good)
      return true;
    if (Earlier.empty() || wasInterrupted())
      return false;
    // A command may have accepted a malformed module.
    Expected<EditModule> Before = readEditModule(Earlier.back());
    Earlier.pop_back();
    if (Before)
      Best = std::move(*Before);
    else
      llvm::consumeError(Before.takeError());
  }
}
