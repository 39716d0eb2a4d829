//===- Driver/Driver.cpp --------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/Inputs.h"
#include "Driver/Load.h"
#include "Driver/Summary.h"
#include "Driver/Verify.h"
#include "Dump/Printer.h"
#include "Dump/Reader.h"
#include "Support/TextPrinter.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// What one dump gives to print and to add up.
struct Outcome {
  std::string Out;
  std::string Trouble;
  Verdict V;
  std::vector<std::string> Unused;
  unsigned MissedRequirements = 0;
  bool Done = false;
};

/// Works through the inputs, on several threads, and hands the outcomes on in
/// order.
class Driver {
public:
  Driver(const VerifyOptions &Options, const CheckSelection &Selection,
         llvm::raw_ostream &Out, llvm::raw_ostream &Err)
      : Options(Options), Selection(Selection), Out(Out), Err(Err) {}

  ExitStatus run(llvm::ArrayRef<Input> Dumps);

private:
  Outcome process(const Input &In) const;
  void emit(const LoadedDump &L, Outcome &Result) const;
  void render(const Input &In, const LoadedDump &L, Outcome &Result) const;
  void consume(Outcome &Result);
  void runThreads(llvm::ArrayRef<Input> Dumps, unsigned Jobs);
  void showProgress(size_t Done, size_t Total);

  const VerifyOptions &Options;
  const CheckSelection &Selection;
  llvm::raw_ostream &Out;
  llvm::raw_ostream &Err;
  Summary Sum;
  unsigned MissedRequirements = 0;
};
} // namespace

void Driver::render(const Input &In, const LoadedDump &L,
                    Outcome &Result) const {
  llvm::raw_string_ostream OS(Result.Out);
  OS.enable_colors(Options.Color);
  llvm::StringMap<unsigned> Printed;
  for (const Diagnostic &F : Result.V.Findings)
    if (++Printed[F.Check] <= Options.ErrorLimit || Options.ErrorLimit == 0)
      printDiagnostic(F, L.Texts, OS, Options.Color);
  for (const auto &[Check, Count] : Result.V.Uncounted)
    Printed[Check] += Count;
  auto NoteHidden = [&](StringRef Check) {
    unsigned Count = Printed.lookup(Check);
    if (Options.ErrorLimit != 0 && Count > Options.ErrorLimit)
      OS << fmt::format("{}: note: {} more findings of this check are not "
                        "shown (see --error-limit) [{}]\n",
                        In.Path, Count - Options.ErrorLimit, Check);
  };
  NoteHidden(SyntaxCheck);
  for (const CheckInfo &Info : allChecks())
    NoteHidden(Info.Id);
  for (const NotChecked &Gap : Result.V.Gaps) {
    if (!Selection.Require.contains(Gap.Check))
      continue;
    OS << fmt::format("{}: error: required check could not run: {} [{}]\n",
                      In.Path, Gap.Reason, Gap.Check);
    ++Result.MissedRequirements;
  }
  OS.flush();
}

void Driver::emit(const LoadedDump &L, Outcome &Result) const {
  llvm::raw_string_ostream OS(Result.Out);
  if (L.Syntax.empty()) {
    printDump(*L.Model, OS);
    OS.flush();
    return;
  }
  for (const Diagnostic &F : L.Syntax)
    printDiagnostic(F, L.Texts, OS, Options.Color);
  OS.flush();
  // Nothing half-read goes where the dump is expected.
  Result.Trouble = std::move(Result.Out);
  Result.Out.clear();
  Result.V.Errors = static_cast<unsigned>(L.Syntax.size());
}

Outcome Driver::process(const Input &In) const {
  Outcome Result;
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(In, Options);
  if (!L) {
    Result.Trouble = "error: " + llvm::toString(L.takeError()) + "\n";
    return Result;
  }
  Result.Done = true;
  Result.Unused = (*L)->Unused;
  if (Options.EmitDump) {
    emit(**L, Result);
    return Result;
  }
  Result.V = verify(**L, Selection);
  render(In, **L, Result);
  Result.V.Findings.clear();
  return Result;
}

void Driver::consume(Outcome &Result) {
  Out << Result.Out;
  if (!Result.Trouble.empty()) {
    Out.flush();
    Err << Result.Trouble;
  }
  MissedRequirements += Result.MissedRequirements;
  if (Result.Done)
    Sum.add(Result.V, Result.Unused);
  else
    Sum.addUnreadable();
}

void Driver::showProgress(size_t Done, size_t Total) {
  if (!Options.Progress || Total < 100 || (Done % 64 != 0 && Done != Total))
    return;
  Err << fmt::format("\r[{}/{}] dumps{}", Done, Total,
                     Done == Total ? "\r\x1b[K" : "");
  Err.flush();
}

void Driver::runThreads(llvm::ArrayRef<Input> Dumps, unsigned Jobs) {
  std::vector<std::unique_ptr<Outcome>> Outcomes(Dumps.size());
  std::atomic<size_t> Next = 0;
  std::mutex Lock;
  std::condition_variable Ready;
  auto Work = [&] {
    for (size_t I = Next++; I < Dumps.size(); I = Next++) {
      auto Result = std::make_unique<Outcome>(process(Dumps[I]));
      std::lock_guard<std::mutex> Guard(Lock);
      Outcomes[I] = std::move(Result);
      Ready.notify_one();
    }
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I != Jobs; ++I)
    Threads.emplace_back(Work);
  for (size_t I = 0; I != Dumps.size(); ++I) {
    std::unique_ptr<Outcome> Result;
    {
      std::unique_lock<std::mutex> Guard(Lock);
      Ready.wait(Guard, [&] { return Outcomes[I] != nullptr; });
      Result = std::move(Outcomes[I]);
    }
    consume(*Result);
    showProgress(I + 1, Dumps.size());
  }
  for (std::thread &T : Threads)
    T.join();
}

ExitStatus Driver::run(llvm::ArrayRef<Input> Dumps) {
  unsigned Jobs =
      Options.Jobs ? Options.Jobs : std::thread::hardware_concurrency();
  Jobs = static_cast<unsigned>(std::min<size_t>(Jobs, Dumps.size()));
  if (Jobs > 1) {
    runThreads(Dumps, Jobs);
  } else {
    for (size_t I = 0; I != Dumps.size(); ++I) {
      Outcome Result = process(Dumps[I]);
      consume(Result);
      showProgress(I + 1, Dumps.size());
    }
  }
  if (!Options.Quiet && !Options.EmitDump && !Dumps.empty())
    Out << Sum.line() << '\n';
  Out.flush();
  if (Sum.unreadable() != 0)
    return ExitTrouble;
  return Sum.errors() + MissedRequirements != 0 ? ExitErrors : ExitSound;
}

ExitStatus hlobuf::runVerify(const VerifyOptions &Options,
                             llvm::raw_ostream &Out, llvm::raw_ostream &Err) {
  llvm::Expected<CheckSelection> Selection = CheckSelection::create(Options);
  if (!Selection) {
    Err << "error: " << llvm::toString(Selection.takeError()) << '\n';
    return ExitTrouble;
  }
  InputList Inputs = findInputs(Options.Inputs);
  for (const std::string &Trouble : Inputs.Troubles)
    Err << "error: " << Trouble << '\n';
  bool Given = llvm::any_of(Options.Siblings,
                            [](const std::string &S) { return !S.empty(); });
  if (Given && Inputs.Dumps.size() > 1) {
    Err << "error: --values, --live-range, --report and --module belong to one "
           "dump, but "
        << Inputs.Dumps.size() << " are given\n";
    return ExitTrouble;
  }
  ExitStatus Status = Driver(Options, *Selection, Out, Err).run(Inputs.Dumps);
  return Inputs.Troubles.empty() ? Status : ExitTrouble;
}
