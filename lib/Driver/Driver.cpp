// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Driver.h"
#include "Driver/Capacity.h"
#include "Driver/DumpResults.h"
#include "Driver/Emit.h"
#include "Driver/GuiltyPass.h"
#include "Driver/KnownDefects.h"
#include "Driver/LastLine.h"
#include "Driver/Plan.h"
#include "Driver/Sentences.h"
#include "Driver/UnmatchedSettings.h"
#include "Results/Baseline.h"
#include "Results/ResultPrinter.h"
#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A printer with the file that it writes to; no file is standard output.
struct Sink {
  std::unique_ptr<AtomicFile> File;
  std::unique_ptr<ResultPrinter> Printer;
};

/// Verifies the dumps of a plan on several threads, and hands the results on
/// in order.
class Driver {
public:
  Driver(const VerifyOptions &Options, Plan &P, SettingsFinder &Finder,
         llvm::raw_ostream &Out, llvm::raw_ostream &Err)
      : Options(Options), P(P), Finder(Finder), Out(Out), Err(Err),
        Unmatched(Options) {}

  /// Reads the baseline and opens the outputs, before anything is verified.
  llvm::Error prepare();
  ExitStatus run();
  /// Those of the last run that count.
  unsigned findings() const { return Sum.counts().Findings; }

private:
  llvm::Error openBaselines();
  llvm::Error openSinks();
  DumpResult verifyOne(const PlannedDump &D) const;
  void consume(DumpResult R, const Settings *Applied);
  void showProgress(size_t Done);
  void printRemarks();
  void saveBaseline(RunEnd &End);
  ExitStatus finish();

  const VerifyOptions &Options;
  Plan &P;
  SettingsFinder &Finder;
  llvm::raw_ostream &Out;
  llvm::raw_ostream &Err;
  std::vector<Sink> Sinks;
  std::optional<Baseline> Old;
  Baseline New;
  std::unique_ptr<AtomicFile> NewFile;
  LastLine Sum;
  /// Threads for one large dump: those that the number of dumps leaves.
  unsigned JobsInside = 1;
  GuiltyPasses Passes;
  UnmatchedSettings Unmatched;
};
} // namespace

static std::optional<RuleText> describeCheck(StringRef Id) {
  for (const CheckInfo &Info : allChecks())
    if (Info.Id == Id)
      return RuleText{Info.Summary, Info.page(), Info.Level};
  return std::nullopt;
}

/// Says on \p Err what \p Failed is.
static ExitStatus fail(llvm::raw_ostream &Err, llvm::Error Failed) {
  Err << "error: " << llvm::toString(std::move(Failed)) << '\n';
  return ExitUnreadable;
}

llvm::Error Driver::openSinks() {
  PrintOptions Print = Options.Print;
  Print.Describe = describeCheck;
  Sinks.push_back({nullptr, makePrinter(Options.Format, Print, Out)});
  Print.Color = false;
  Print.ReadErrors = true;
  for (const OutputFile &Output : Options.Outputs) {
    auto File = AtomicFile::create(Output.Path);
    if (!File)
      return File.takeError();
    llvm::raw_ostream &OS = (*File)->os();
    Sinks.push_back({std::move(*File), makePrinter(Output.Format, Print, OS)});
  }
  return llvm::Error::success();
}

llvm::Error Driver::openBaselines() {
  if (!Options.Baseline.empty()) {
    llvm::Expected<Baseline> Read = Baseline::read(Options.Baseline);
    if (!Read)
      return Read.takeError();
    Old = std::move(*Read);
  }
  const std::string &Written = Options.WriteBaseline;
  if (Written.empty())
    return llvm::Error::success();
  // The one that was read may be brought up to date.
  bool IsOld = llvm::sys::fs::equivalent(Written, Options.Baseline);
  if (isKept(Written) && !IsOld)
    return makeError("'{}' is an input and must not be overwritten", Written);
  // Only a baseline is replaced by a baseline; a device replaces nothing.
  if (llvm::sys::fs::is_regular_file(Written)) {
    if (llvm::Expected<Baseline> Read = Baseline::read(Written); !Read)
      return Read.takeError();
  }
  auto File = AtomicFile::create(Written, /*MayBeInput=*/true);
  if (!File)
    return File.takeError();
  NewFile = std::move(*File);
  return llvm::Error::success();
}

llvm::Error Driver::prepare() {
  if (!Options.WriteBaseline.empty() || !Options.Outputs.empty())
    P.keepFiles();
  if (llvm::Error Failed = openBaselines())
    return Failed;
  return openSinks();
}

DumpResult Driver::verifyOne(const PlannedDump &D) const {
  DumpResult R;
  R.Path = D.In.Path;
  llvm::Expected<std::unique_ptr<LoadedDump>> L = load(D.In, Options.Siblings);
  if (!L) {
    R.ReadError = llvm::toString(L.takeError());
    return R;
  }
  const CheckSelection &Selection = D.Applied->Selection;
  SummaryOptions Memory = Options.Memory;
  // A peak without times is not that of the program.
  bool Budgeted =
      (!D.Applied->Budgets.empty() || Options.MaxGrowth) && (*L)->isWhole();
  bool Wanted = Options.WantMemory || Budgeted;
  if (Options.WantMemory && !Memory.Capacity)
    findCapacity(D.In.Path, Memory);
  R = makeResult(
      D.In, **L,
      verify(**L, Selection, Wanted ? &Memory : nullptr, JobsInside));
  if (Budgeted && R.Memory)
    checkBudgets(*R.Memory, D.Applied->Budgets,
                 Options.MaxGrowth ? &*Options.MaxGrowth : nullptr, R);
  if (!Options.WantMemory)
    R.Memory.reset();
  return R;
}

void Driver::consume(DumpResult R, const Settings *Applied) {
  if (Applied) {
    SettingsFinder::suppress(R, *Applied);
    if (Old)
      Old->apply(R);
    if (!Options.WriteBaseline.empty())
      New.record(R);
    Passes.note(R);
    noteReductions(R);
  }
  if (Applied && !R.isUnreadable())
    Unmatched.note(R, *Applied);
  settleSentences(R);
  for (Sink &S : Sinks)
    S.Printer->add(R);
  if (R.isUnreadable()) {
    Out.flush();
    Err << "error: " << printable(R.ReadError) << '\n';
  }
  Sum.add(R);
  if (Applied && !Applied->SwitchedOff.empty())
    Sum.addSwitchedOff(relativePath(Applied->File->File),
                       Applied->SwitchedOff);
}

void Driver::showProgress(size_t Done) {
  size_t Total = P.Dumps.size();
  if (!Options.Progress || Total < 100 || (Done % 64 != 0 && Done != Total))
    return;
  Err << fmt::format("\r[{}/{}] dumps{}", Done, Total,
                     Done == Total ? "\r\x1b[K" : "");
  Err.flush();
}

/// What a part of the dumps alone cannot tell is not said.
void Driver::printRemarks() {
  if (Options.Shards != 1)
    return;
  for (const std::string &Line : Finder.idleSuppressions())
    Err << printableStart(Line) << '\n';
  if (Old)
    for (const std::string &Line : Old->gone(Options.hasFolder()))
      Err << printable(Line) << '\n';
}

void Driver::saveBaseline(RunEnd &End) {
  New.write(NewFile->os());
  if (llvm::Error Failed = NewFile->commit())
    End.Status = fail(Err, std::move(Failed));
  else if (!Options.Quiet)
    Err << fmt::format("note: wrote {} to '{}', for --baseline\n",
                       counted(New.size(), "finding"), Options.WriteBaseline);
}

ExitStatus Driver::finish() {
  RunEnd End;
  End.Status = Sum.counts().status();
  if (!Options.Quiet)
    End.LastLine = (Options.Verbose ? Sum.details() : "") + Sum.line();
  if (NewFile)
    saveBaseline(End);
  std::vector<UnmatchedSettings::Problem> Problems = Unmatched.find();
  for (const UnmatchedSettings::Problem &Found : Problems)
    if (Found.IsError)
      End.Status = ExitUnreadable;
  for (Sink &S : Sinks) {
    S.Printer->finish(End);
    if (!S.File)
      continue;
    if (llvm::Error Failed = S.File->commit())
      End.Status = fail(Err, std::move(Failed));
  }
  Out.flush();
  if (Options.Format != OutputFormat::Text && Options.Progress)
    Err << End.LastLine << '\n';
  for (const UnmatchedSettings::Problem &Found : Problems)
    if (Found.IsError || !Options.Quiet)
      Err << printableStart(Found.Line) << '\n';
  printRemarks();
  return End.Status;
}

/// True for one dump that is verified faster than the number of cores is found
/// out, also where it is compressed.
static bool isSmall(llvm::ArrayRef<PlannedDump> Dumps) {
  constexpr uint64_t MaxBytes = 1 << 15;
  return Dumps.size() == 1 && !Dumps[0].In.Proto &&
         llvm::all_of(Dumps[0].In.Files, [](const InputFile &File) {
           return File.Path.empty() || (File.Regular && File.Size <= MaxBytes);
         });
}

ExitStatus Driver::run() {
  for (InputError &Error : P.InputErrors) {
    DumpResult R;
    R.Path = std::move(Error.Path);
    R.ReadError = std::move(Error.Text);
    consume(std::move(R), nullptr);
  }
  Sum.addSkipped(P.Skipped);
  Sum.addSearched(P.Searched);
  unsigned Jobs = isSmall(P.Dumps) ? 1 : numJobs(Options.Jobs);
  if (!P.Dumps.empty())
    JobsInside = std::max<unsigned>(1, Jobs / P.Dumps.size());
  runInOrder(
      P.Dumps.size(), Jobs, [&](size_t I) { return verifyOne(P.Dumps[I]); },
      [&](size_t I, DumpResult &R) {
        consume(std::move(R), P.Dumps[I].Applied);
        showProgress(I + 1);
      });
  return finish();
}

ExitStatus hlobuf::runVerify(const VerifyOptions &Options,
                             llvm::raw_ostream &Out, llvm::raw_ostream &Err,
                             unsigned *Findings) {
  SettingsFinder Finder(Options);
  llvm::Expected<Plan> P = makePlan(Options, Finder);
  if (!P) {
    Err << printableLines(llvm::toString(P.takeError()));
    return ExitUnreadable;
  }
  bool Given = llvm::any_of(Options.Siblings,
                            [](const std::string &S) { return !S.empty(); });
  if (Given && P->Dumps.size() > 1) {
    Err << "error: --sibling and --module apply to one dump, but "
        << P->Dumps.size() << " were given\n";
    return ExitUnreadable;
  }
  if (Options.Emit != EmitKind::Findings)
    return emitDumps(Options, *P, Out, Err);
  Driver D(Options, *P, Finder, Out, Err);
  if (llvm::Error Failed = D.prepare())
    return fail(Err, std::move(Failed));
  ExitStatus Status = D.run();
  if (Findings)
    *Findings = D.findings();
  return Status;
}
