// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Driver.h"
#include "Checks/Context.h"
#include "Checks/Execution/ElementOrder.h"
#include "Driver/Capacity.h"
#include "Driver/KnownDefects.h"
#include "Driver/LastLine.h"
#include "Driver/Sentences.h"
#include "Driver/UnmatchedSettings.h"
#include "Memory/StatedMemory.h"
#include "Proof/LedgerText.h"
#include "Proof/StatedProof.h"
#include "Results/Baseline.h"
#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "Support/OrderedRun.h"
#include "Support/Printable.h"
#include "Thunks/LaunchProof.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace hlobuf;

namespace {
/// A printer with the file that it writes to; no file is standard output.
struct Sink {
  std::unique_ptr<AtomicFile> File;
  std::unique_ptr<ResultPrinter> Printer;
};

/// Verifies dumps on several threads, and hands the results on in order.
class Driver {
public:
  Driver(const VerifyOptions &Options, InputList &List, SettingsFinder &Finder,
         raw_ostream &Out, raw_ostream &Err)
      : Options(Options), List(List), Finder(Finder), Out(Out), Err(Err),
        Unmatched(Options) {}

  /// Reads the baseline and opens the outputs, before anything is verified.
  Error prepare();
  /// With settings for each dump.
  ExitStatus run(ArrayRef<const Settings *> Applied);
  /// Those of the last run that count.
  unsigned findings() const { return Sum.counts().Findings; }

private:
  void keepFiles() const;
  Error openBaselines();
  Error openSinks();
  DumpResult verifyOne(const Input &In, const Settings &Applied) const;
  void consume(DumpResult R, const Settings *Applied);
  void printRemarks();
  void saveBaseline(RunEnd &End);
  ExitStatus finish();

  const VerifyOptions &Options;
  InputList &List;
  SettingsFinder &Finder;
  raw_ostream &Out;
  raw_ostream &Err;
  std::vector<Sink> Sinks;
  std::optional<Baseline> Old;
  Baseline New;
  std::unique_ptr<AtomicFile> NewFile;
  LastLine Sum;
  /// Threads for one large dump: those that the number of dumps leaves.
  unsigned JobsInside = 1;
  UnmatchedSettings Unmatched;
};
} // namespace

static std::optional<RuleText> describeCheck(StringRef Id) {
  for (const CheckInfo &Info : allChecks())
    if (Info.Id == Id)
      return RuleText{Info.Summary, Info.page(), Info.Level};
  return std::nullopt;
}

static DumpResult unreadable(std::string Path, std::string Reason) {
  DumpResult R;
  R.Path = std::move(Path);
  R.ReadError = std::move(Reason);
  return R;
}

/// What is not a dump. Where it says something of memory all the same, that is
/// what --summary shows.
static DumpResult notADump(InputError Input, const VerifyOptions &Options) {
  DumpResult R = unreadable(std::move(Input.Path), std::move(Input.Text));
  std::optional<StatedMemory> Stated;
  if (Input.Read)
    Stated = readStatedMemory(Input.Read->Text, Options.Memory);
  if (!Stated)
    return R;
  if (!Stated->Lack.empty())
    R.ReadError = fmt::format(
        "'{}' says that memory ran out, and is not a dump: {}; why is in a "
        "dump: hlobuf-verify --exec --summary -- COMMAND, or "
        "XLA_FLAGS='--xla_dump_to=FOLDER --xla_dump_hlo_as_text' COMMAND and "
        "hlobuf-verify --summary FOLDER",
        R.Path, Stated->Lack);
  if (Stated->Summary && !Options.WantMemory)
    R.ReadError += "; --summary shows what it says of bytes";
  if (Options.WantMemory)
    R.Memory = std::move(Stated->Summary);
  return R;
}

/// Says on \p Err what \p Failed is.
static ExitStatus fail(raw_ostream &Err, Error Failed) {
  Err << "error: " << llvm::toString(std::move(Failed)) << '\n';
  return ExitUnreadable;
}

Error Driver::openSinks() {
  PrintOptions Print = Options.Print;
  Print.Describe = describeCheck;
  Sinks.push_back({nullptr, makePrinter(Options.Format, Print, Out)});
  Print.Color = false;
  Print.ReadErrors = true;
  for (const OutputFile &Output : Options.Outputs) {
    auto File = AtomicFile::create(Output.Path);
    if (!File)
      return File.takeError();
    raw_ostream &OS = (*File)->os();
    Sinks.push_back({std::move(*File), makePrinter(Output.Format, Print, OS)});
  }
  return Error::success();
}

Error Driver::openBaselines() {
  if (!Options.Baseline.empty()) {
    Expected<Baseline> Read = Baseline::read(Options.Baseline);
    if (!Read)
      return Read.takeError();
    Old = std::move(*Read);
  }
  const std::string &Written = Options.WriteBaseline;
  if (Written.empty())
    return Error::success();
  // The one that was read may be brought up to date.
  bool IsOld = llvm::sys::fs::equivalent(Written, Options.Baseline);
  if (isKept(Written) && !IsOld)
    return makeError("'{}' is an input and must not be overwritten", Written);
  // Only a baseline is replaced by a baseline; a device replaces nothing.
  if (llvm::sys::fs::is_regular_file(Written)) {
    if (Expected<Baseline> Read = Baseline::read(Written); !Read)
      return Read.takeError();
  }
  auto File = AtomicFile::create(Written, /*MayBeInput=*/true);
  if (!File)
    return File.takeError();
  NewFile = std::move(*File);
  return Error::success();
}

/// Sees to it that nothing is written over a file that some dump consists of.
void Driver::keepFiles() const {
  for (Input In : List.Dumps) {
    locateFiles(In, Options.Siblings);
    keepFile(In.Path);
    for (const std::optional<ProtoPlace> &Place : {In.Proto, In.Executable})
      if (Place)
        keepFile(Place->File);
    if (In.Frames)
      keepFile(In.Frames->Path);
    for (const InputFile &File : In.Files)
      if (File.Regular)
        keepFile(File.Path);
  }
}

Error Driver::prepare() {
  if (!Options.WriteBaseline.empty() || !Options.Outputs.empty())
    keepFiles();
  if (Error Failed = openBaselines())
    return Failed;
  return openSinks();
}

DumpResult Driver::verifyOne(const Input &In, const Settings &Applied) const {
  Expected<std::unique_ptr<LoadedDump>> L = load(In, Options.Siblings);
  if (!L)
    return unreadable(In.Path, llvm::toString(L.takeError()));
  SummaryOptions Memory = Options.Memory;
  // A peak without times is not that of the program.
  bool Budgeted = !Applied.Budgets.empty() && (*L)->isWhole();
  bool NeedsMemory = Options.WantMemory || Budgeted;
  if (Options.WantMemory && !Memory.Capacity)
    findCapacity(In.Path, Memory);
  CheckContext Context(*(*L)->Model);
  DumpResult R = verify(In, **L, Context, Applied.Selection,
                        NeedsMemory ? &Memory : nullptr, JobsInside);
  if (Budgeted && R.Memory)
    checkBudgets(*R.Memory, Applied.Budgets, R);
  if (!Options.WantMemory)
    R.Memory.reset();
  return R;
}

/// A required sentence that is not shown is a check that could not run.
static void requireSentences(const GlobList &Require, DumpResult &R) {
  for (Sentence S : AllSentences)
    if (StringRef Key = sentenceKey(S); !R.isUnreadable() &&
                                        R[S].Is == Standing::NotShown &&
                                        Require.names(Key))
      R.Skipped.push_back({Key, llvm::join(R[S].Reasons, ", "),
                           SkipKind::NotChecked, std::nullopt,
                           /*Required=*/true});
}

void Driver::consume(DumpResult R, const Settings *Applied) {
  if (Applied) {
    SettingsFinder::suppress(R, *Applied);
    if (Old)
      Old->apply(R);
    if (!Options.WriteBaseline.empty())
      New.record(R);
    noteReductions(R);
    if (!R.isUnreadable())
      Unmatched.note(R, *Applied);
  }
  settleSentences(R);
  if (Applied)
    requireSentences(Applied->Selection.Require, R);
  for (Sink &S : Sinks)
    S.Printer->add(R);
  if (R.isUnreadable()) {
    Out.flush();
    Err << "error: " << printable(R.ReadError) << '\n';
  }
  Sum.add(R);
  if (Applied && !Applied->SwitchedOff.empty())
    Sum.addSwitchedOff(relativePath(Applied->File->File), Applied->SwitchedOff);
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
  if (Error Failed = NewFile->commit())
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
  for (const UnmatchedSettings::Problem &Item : Problems)
    if (Item.IsError)
      End.Status = ExitUnreadable;
  for (Sink &S : Sinks) {
    S.Printer->finish(End);
    if (!S.File)
      continue;
    if (Error Failed = S.File->commit())
      End.Status = fail(Err, std::move(Failed));
  }
  Out.flush();
  if (Options.Format != OutputFormat::Text && Options.Progress)
    Err << End.LastLine << '\n';
  for (const UnmatchedSettings::Problem &Item : Problems)
    if (Item.IsError || !Options.Quiet)
      Err << printableStart(Item.Line) << '\n';
  printRemarks();
  return End.Status;
}

ExitStatus Driver::run(ArrayRef<const Settings *> Applied) {
  for (InputError &Error : List.Errors)
    consume(notADump(std::move(Error), Options), nullptr);
  Sum.addSkipped(List.Skipped);
  Sum.addSearched(List.Searched);
  size_t Count = List.Dumps.size();
  unsigned Jobs = numJobs(Options.Jobs);
  JobsInside = std::max<size_t>(1, Jobs / std::max<size_t>(1, Count));
  runInOrder(
      Count, Jobs,
      [&](size_t I) { return verifyOne(List.Dumps[I], *Applied[I]); },
      [&](size_t I, DumpResult &R) { consume(std::move(R), Applied[I]); });
  return finish();
}

namespace {
/// A dump printed back.
struct Emitted {
  std::string Text;
  /// Why it cannot be; Text is empty then.
  std::string Problem;
  ExitStatus Status = ExitSound;
};
} // namespace

/// Prints the ledger of the proof of \p D, of its module, or else of the
/// program that it states.
static void printLedger(StringRef Path, const Dump &D,
                        proof::LedgerFormat Format, raw_ostream &OS) {
  using namespace proof;
  CheckContext Ctx(D);
  if (const Program *P = Ctx.program()) {
    auto Spell = [&](const Obligation &O) { return spellObligation(*P, O); };
    printProof(Path, proveWithElements(*P, ProvedRows::Kept), Spell, Format,
               OS);
    const ThunkGraph *G =
        D.complete(Section::Thunks) ? Ctx.thunkGraph() : nullptr;
    if (G)
      printProof("", LaunchProof(*G, ProvedRows::Kept).proof(), Spell, Format,
                 OS);
    return;
  }
  if (statesProgram(Ctx))
    return printProof(
        Path, proveStated(Ctx, ProvedRows::Kept),
        [&](const Obligation &O) { return spellStated(Ctx, O); }, Format, OS);
  Proof None;
  None.Obstacle = "neither a module nor instruction texts and live ranges";
  printProof(Path, None, [](const Obligation &) { return ""; }, Format, OS);
}

/// Prints what \p Options ask for of \p D, the dump \p Path; one without it
/// prints nothing.
static void printText(StringRef Path, const Dump &D,
                      const VerifyOptions &Options, raw_ostream &OS) {
  EmitKind Kind = Options.Emit;
  if (Kind == EmitKind::Dump) {
    for (FileRole Role :
         {FileRole::Assignment, FileRole::Values, FileRole::LiveRange})
      OS << D.file(Role).Text;
    return;
  }
  if (Kind == EmitKind::Proof)
    return printLedger(Path, D,
                       Options.Format == OutputFormat::Json
                           ? proof::LedgerFormat::Json
                           : proof::LedgerFormat::Text,
                       OS);
  FileRole Role = Kind == EmitKind::Module   ? FileRole::Module
                  : Kind == EmitKind::Traces ? FileRole::Traces
                                             : FileRole::Thunks;
  OS << D.file(Role).Text;
}

static Emitted emitOne(const Input &In, const VerifyOptions &Options) {
  Emitted E;
  Expected<std::unique_ptr<LoadedDump>> L = load(In, Options.Siblings);
  if (!L) {
    E.Problem = "error: " + printable(llvm::toString(L.takeError())) + "\n";
    E.Status = ExitUnreadable;
    return E;
  }
  llvm::raw_string_ostream Text(E.Text), Problem(E.Problem);
  DumpResult Damage;
  if ((*L)->Syntax.empty())
    printText(In.Path, *(*L)->Model, Options, Text);
  else
    E.Status = ExitUnreadable;
  for (Diagnostic &F : (*L)->Syntax.Errors)
    Damage.Findings.push_back(resolveFinding((*L)->Texts, F));
  PrintOptions Print;
  Print.ErrorLimit = 0;
  makePrinter(OutputFormat::Text, Print, Problem)->add(Damage);
  return E;
}

/// Prints the texts that the options ask for; what cannot be read goes to
/// \p Err.
static ExitStatus emitDumps(const VerifyOptions &Options, const InputList &List,
                            raw_ostream &Out, raw_ostream &Err) {
  ExitStatus Status = List.Errors.empty() ? ExitSound : ExitUnreadable;
  for (const InputError &Error : List.Errors)
    Err << "error: " << printable(Error.Text) << '\n';
  runInOrder(
      List.Dumps.size(), Options.Jobs,
      [&](size_t I) { return emitOne(List.Dumps[I], Options); },
      [&](size_t, Emitted &E) {
        Out << E.Text;
        if (!E.Problem.empty()) {
          Out.flush();
          Err << E.Problem;
        }
        Status = std::max(Status, E.Status);
      });
  Out.flush();
  return Status;
}

/// The dumps of the inputs that belong to the shard.
static InputList findDumps(const VerifyOptions &Options) {
  InputList List = findInputs(Options.Inputs);
  auto IsElsewhere = [&](StringRef Name) {
    return llvm::xxHash64(Name) % Options.Shards != Options.Shard;
  };
  llvm::erase_if(List.Dumps,
                 [&](const Input &In) { return IsElsewhere(In.Relative); });
  llvm::erase_if(List.Errors, [&](const InputError &Error) {
    return IsElsewhere(Error.Path);
  });
  return List;
}

ExitStatus hlobuf::runVerify(const VerifyOptions &Options, raw_ostream &Out,
                             raw_ostream &Err, unsigned *Findings) {
  InputList List = findDumps(Options);
  SettingsFinder Finder(Options);
  std::vector<const Settings *> Applied;
  for (const Input &In : List.Dumps) {
    Expected<const Settings *> Known =
        Finder.find(In.Frames ? In.Frames->Path : In.Path);
    if (!Known) {
      Err << printableLines(llvm::toString(Known.takeError()));
      return ExitUnreadable;
    }
    Applied.push_back(*Known);
  }
  bool HasSiblings = llvm::any_of(
      Options.Siblings, [](const std::string &Path) { return !Path.empty(); });
  if (HasSiblings && List.Dumps.size() > 1)
    return fail(
        Err,
        makeError("--sibling and --module apply to one dump, but {} were given",
                  List.Dumps.size()));
  if (Options.Emit != EmitKind::Findings)
    return emitDumps(Options, List, Out, Err);
  Driver D(Options, List, Finder, Out, Err);
  if (Error Failed = D.prepare())
    return fail(Err, std::move(Failed));
  ExitStatus Status = D.run(Applied);
  if (Findings)
    *Findings = D.findings();
  return Status;
}
