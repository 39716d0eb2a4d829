// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Verify.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Driver/KnownDefects.h"
#include "Dump/CutOff.h"
#include "Dump/Reader.h"
#include "Facts/ReleaseWindow.h"
#include "Support/Format.h"
#include "Support/OrderedRun.h"
#include "Support/Scanner.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace hlobuf;

/// Fewer lines of one kind may be damage.
static constexpr size_t LeastLines = 3;

/// What a line begins with: its indentation and the word after it. Empty where
/// it does not begin with a word.
static StringRef headOf(StringRef Line) {
  StringRef Word =
      Line.ltrim(' ').take_while([](char C) { return isNameByte(C); });
  if (Word.empty() || !llvm::isAlpha(Word.front()))
    return "";
  return Line.take_front(static_cast<size_t>(Word.end() - Line.begin()));
}

/// True for a word that known lines begin with, and for a misspelled one.
static bool isKnownWord(StringRef Word) {
  static constexpr StringRef Known =
      "allocation value Total Used positions uses from HloModule Live Peak "
      "Stack ENTRY ROOT reused FileNames FunctionNames FileLocations "
      "StackFrames HloLiveRange BufferAssignment InstructionSequence "
      "BufferLiveRange";
  return llvm::any_of(llvm::split(Known, ' '), [&](StringRef K) {
    constexpr unsigned Typos = 2;
    return Word.edit_distance(K, /*AllowReplacements=*/true, Typos) <= Typos;
  });
}

/// Replaces the syntax errors about lines of a kind that no release known to
/// this tool prints by one warning for each kind. That takes a dump of the
/// newest era, \p E, and a kind that is not damage: several lines begin with
/// the same word, which is neither a known one, nor almost one, nor a name of
/// the dump. True if no error is left, so that what is damaged is only not
/// understood.
static bool excuseUnknownLines(const Sources &Texts, const Dump &D,
                               const ReleaseWindow &E, SyntaxErrors &Errors) {
  std::vector<Diagnostic> &Syntax = Errors.Errors;
  if (Syntax.empty() || !E.isNewest())
    return false;
  llvm::MapVector<StringRef, std::vector<size_t>> Kinds;
  for (size_t I = 0; I != Syntax.size(); ++I)
    if (StringRef Head = headOf(Texts.place(Syntax[I].Where).LineText);
        !Head.empty())
      Kinds[Head].push_back(I);
  std::vector<bool> Excused(Syntax.size());
  std::vector<Diagnostic> Warnings;
  for (const auto &[Head, Numbers] : Kinds) {
    StringRef Word = Head.ltrim(' ');
    if (Numbers.size() < LeastLines || isKnownWord(Word) || D.Names.find(Word))
      continue;
    for (size_t I : Numbers)
      Excused[I] = true;
    Diagnostic &W = Warnings.emplace_back(Syntax[Numbers.front()]);
    W.Level = Severity::Warning;
    W.Check = SyntaxCheck;
    W.Where = Texts.place(W.Where).LineText.ltrim(' ');
    W.Message = fmt::format("{}{} lines starting with '{}' are not recognized: "
                            "this XLA may be newer than the tool",
                            Errors.Uncounted == 0 ? "" : "at least ",
                            Numbers.size(), Word);
  }
  if (Warnings.empty())
    return false;
  size_t I = 0;
  llvm::erase_if(Syntax, [&](const Diagnostic &) { return Excused[I++]; });
  bool NothingElse = Syntax.empty();
  // Those beyond what is kept are more of the same then.
  if (NothingElse)
    Errors.Uncounted = 0;
  Syntax.insert(Syntax.end(), Warnings.begin(), Warnings.end());
  return NothingElse;
}

/// Why \p Info cannot run on \p A's dump; nothing if it can. A section that the
/// release does not print comes first: then no file would help.
static std::optional<SkipReason>
missingNeed(const Facts &A, const CheckInfo &Info, bool OnlyUnknown) {
  std::optional<SkipReason> First;
  for (Section S : Info.Needs) {
    if (A.dump().complete(S))
      continue;
    SkipReason G = explainGap(A, S, OnlyUnknown);
    if (!First || (First->Kind == SkipKind::NotChecked &&
                   G.Kind == SkipKind::NotApplicable))
      First = std::move(G);
  }
  return First;
}

/// What shows that the assignment of \p A's dump was cut off after a line;
/// empty if nothing. Used values tell which values it has to have
/// (Facts/MissingEnds.h); without them the module does, if all that is there
/// agrees with it.
static std::string lostByModule(const CheckContext &A) {
  const Dump &D = A.dump();
  bool Listed = D.complete(Section::Used);
  if (endsAsMeant(D) || Listed || !D.complete(Section::Allocations) ||
      !D.complete(Section::Module))
    return "";
  const ModuleAnalysis *Module = A.moduleAnalysis();
  if (!Module || !Module->obstacle().empty())
    return "";
  bool Lacks = false;
  std::string First;
  compare(Module->derived(), DerivedPart::Values, [&](const Difference &Diff) {
    Lacks = Diff.Kind == DifferenceKind::Missing;
    if (Lacks && First.empty())
      First = Module->flow().spell(Diff.Value);
    return Lacks;
  });
  return Lacks ? fmt::format("without value {}, which the module has and XLA "
                             "may have left out",
                             First)
               : "";
}

namespace {

/// What one check says.
struct CheckRun {
  /// Without an id where it did not run.
  ResultCheck Ended;
  std::vector<Diagnostic> Findings;
  SmallVector<SkippedCheck, 1> Skipped;
  std::vector<ResultExempt> Exempted;
};

/// Runs the checks of one dump and gathers what they say.
class Run {
public:
  Run(const Input &In, LoadedDump &L, const CheckContext &Context,
      const CheckSelection &Selection)
      : In(In), L(L), D(*L.Model), Selection(Selection), Context(Context) {
    if (std::string Evidence = lostByModule(Context); !Evidence.empty())
      L.noteCutAssignment(std::move(Evidence));
    OnlyUnknown = excuseUnknownLines(L.Texts, D, Context.release(), L.Syntax);
    All = L.Syntax.Errors;
    if (L.Syntax.Uncounted != 0) {
      Diagnostic &Rest = All.emplace_back();
      Rest.Check = SyntaxCheck;
      Rest.Uncounted = L.Syntax.Uncounted;
    }
  }

  DumpResult finish(const SummaryOptions *WantMemory, unsigned Jobs);

private:
  std::vector<uint32_t> order(bool WithSummary, unsigned Jobs) const;
  CheckRun runCheck(uint32_t Number) const;
  CheckOutcome outcome(const Reporter &R, const CheckRun &Check) const;
  void gather(CheckRun &Check);
  void settleSeverities();
  void noteGravest();
  void sortByPlace();
  void describe();

  const Input &In;
  const LoadedDump &L;
  const Dump &D;
  const CheckSelection &Selection;
  const CheckContext &Context;
  std::vector<Diagnostic> All;
  /// Lines that could not be read are those of a newer release.
  bool OnlyUnknown = false;
  DumpResult Result;
};
} // namespace

/// Names what \p F is about: its subjects, and the values whose tags,
/// `<12 add.2{1} @0>`, its message spells.
static void nameSubjects(const Dump &D, Diagnostic &F) {
  // A finding may be about every value of the dump.
  llvm::StringSet<> Known;
  auto AddName = [&](StringRef Name) {
    if (!Name.empty() && Known.insert(Name).second)
      F.Names.push_back(Name.str());
  };
  for (auto [Kind, Number] : F.Subjects) {
    switch (static_cast<SubjectKind>(Kind)) {
    case SubjectKind::Value:
      AddName(D.Names[D.Values[Number].Tag.Name].str());
      break;
    case SubjectKind::Name:
      AddName(D.Names[NameId(Number)].str());
      break;
    case SubjectKind::Instruction:
      AddName(D.Module.name(D.Module[HloId(Number)]));
      break;
    case SubjectKind::Computation:
      AddName(D.Module.name(D.Module[ComputationId(Number)]));
      break;
    case SubjectKind::Allocation:
      // That of many values is about none of them.
      if (IndexRange Lines = D.Allocations[Number].Values; Lines.size() == 1)
        AddName(D.Names[D.Values[Lines.Begin].Tag.Name].str());
      break;
    case SubjectKind::Section:
      break;
    }
  }
  for (StringRef Rest = F.Message; !Rest.empty();) {
    Rest = Rest.substr(Rest.find('<')).substr(1);
    Scanner Tag(Rest);
    uint64_t Id = 0;
    StringRef Name;
    if (Tag.number(Id) && Tag.literal(' ') && Tag.name(Name))
      AddName(Name);
  }
}

static CheckOutcome outcomeOf(SkipKind Kind) {
  return Kind == SkipKind::NotApplicable ? CheckOutcome::NotApplicable
                                         : CheckOutcome::NotChecked;
}

/// How \p Check ended. Lints that nobody asked for are dropped later.
CheckOutcome Run::outcome(const Reporter &R, const CheckRun &Check) const {
  for (const Diagnostic &F : Check.Findings)
    if (F.Level != Severity::Lint || Selection.showsLint(F.Check))
      return CheckOutcome::Found;
  CheckOutcome Worst = CheckOutcome::Passed;
  for (const SkipReason &G : R.skipReasons())
    Worst = std::max(Worst, outcomeOf(G.Kind));
  return Worst;
}

/// Stands for the summary among numbers of checks.
static constexpr uint32_t SummaryNumber = ~0U;

/// The enabled checks, as numbers in allChecks(), and the summary if it is
/// \p WithSummary. What the module implies, or without one the texts, is
/// computed for the first check that asks, while others wait: on several
/// threads the longest one goes first, and those that wait for it last. Only
/// the speed depends on this.
std::vector<uint32_t> Run::order(bool WithSummary, unsigned Jobs) const {
  bool HasModule = D.complete(Section::Module);
  enum Turn { First, Middle, Last };
  auto TurnOf = [&](uint32_t Number) {
    const CheckInfo &Info = allChecks()[Number];
    // What the proof needs for a while is gone before others fill the memory.
    if (Info.Id == "execution-proof")
      return First;
    // Without a module it is small, and what it is made from is kept.
    if (Jobs <= 1)
      return !HasModule && Info.Id == "clobbered-read" ? Last : Middle;
    // What needs the module alone looks at its instructions.
    if (llvm::is_contained(Info.Needs, Section::Module))
      return Info.Needs.size() > 1 ? Last : Middle;
    // Checks of overlap and execution ask for it where there is one.
    bool Waits = Info.Proof.Role != ClaimRole::None &&
                 (Info.Proof.Subject == Sentence::Agreement ||
                  (HasModule && Info.Proof.Subject != Sentence::Consistency));
    return Waits ? Last : Middle;
  };
  std::vector<uint32_t> Enabled;
  for (const auto &[Number, Info] : llvm::enumerate(allChecks()))
    if (Selection.enabled(Info))
      Enabled.push_back(static_cast<uint32_t>(Number));
  std::ranges::stable_sort(Enabled, {}, TurnOf);
  // The summary takes longer than any check, and waits for a module.
  if (WithSummary)
    Enabled.insert(HasModule || Jobs <= 1 ? Enabled.end() : Enabled.begin(),
                   SummaryNumber);
  return Enabled;
}

CheckRun Run::runCheck(uint32_t Number) const {
  const CheckInfo &Info = allChecks()[Number];
  CheckRun Check;
  auto Skip = [&](SkipReason Reason) {
    Check.Skipped.push_back({Info.Id, std::move(Reason.Reason), Reason.Kind,
                             Reason.Missing,
                             Selection.Require.contains(Info.Id)});
  };
  if (std::optional<SkipReason> Missing =
          missingNeed(Context, Info, OnlyUnknown)) {
    Check.Ended = {Info.Id, outcomeOf(Missing->Kind)};
    Skip(std::move(*Missing));
    return Check;
  }
  Reporter R(Info, Number + 1, Check.Findings); // 0 is the reader's
  Info.Run(Context, R);
  for (Diagnostic &F : Check.Findings)
    nameSubjects(D, F);
  Check.Ended = {Info.Id, outcome(R, Check), Severity::Lint,
                 std::move(R.Proof)};
  for (const SkipReason &Reason : R.skipReasons())
    Skip(Reason);
  for (auto [Gate, Count] : R.exempted())
    Check.Exempted.push_back({Info.Id, Gate.str(), Count});
  return Check;
}

void Run::gather(CheckRun &Check) {
  if (Check.Ended.Id.empty())
    return;
  auto Move = [](auto &From, auto &To) {
    std::move(From.begin(), From.end(), std::back_inserter(To));
  };
  Move(Check.Findings, All);
  Result.Verified += Check.Skipped.empty();
  Result.Checks.push_back(std::move(Check.Ended));
  Move(Check.Skipped, Result.Skipped);
  Move(Check.Exempted, Result.Exempted);
}

/// Drops lints that nobody asked for and promotes warnings. In a text with
/// lines that XLA does not write, the person who copied it may be wrong, not
/// XLA: nothing is an error there but those.
void Run::settleSeverities() {
  llvm::erase_if(All, [&](const Diagnostic &F) {
    return F.Level == Severity::Lint && !Selection.showsLint(F.Check);
  });
  for (Diagnostic &F : All)
    if (F.Level != Severity::Error &&
        Selection.WarningsAsErrors.contains(F.Check))
      F.Level = Severity::Error;
  bool Foreign = llvm::any_of(All, [](const Diagnostic &F) {
    return F.Check == SyntaxCheck && F.Level == Severity::Error;
  });
  for (Diagnostic &F : All)
    if (Foreign && F.Check != SyntaxCheck && F.Check != UnreadableCheck)
      F.Level = std::min(F.Level, Severity::Warning);
}

/// Keeps of each check how grave its findings are, while they have its name.
void Run::noteGravest() {
  std::map<StringRef, Severity> Gravest;
  for (const Diagnostic &F : All)
    Gravest[F.Check] = std::max(Gravest[F.Check], F.Level);
  for (ResultCheck &C : Result.Checks)
    if (auto Known = Gravest.find(C.Id); Known != Gravest.end())
      C.Gravest = Known->second;
}

void Run::sortByPlace() {
  // Places of different files compare by the file's role, not by addresses.
  auto Key = [&](const Diagnostic &F) {
    for (size_t Role = 0; Role != NumFileRoles; ++Role) {
      StringRef Text = D.Files[Role].Text;
      if (Text.data() && F.Where.data() >= Text.begin() &&
          F.Where.data() <= Text.end())
        return std::tuple(Role, F.Where.data() - Text.data(), F.Rank);
    }
    return std::tuple(NumFileRoles, ptrdiff_t(0), F.Rank);
  };
  std::ranges::stable_sort(All, {}, Key);
}

/// Of the program that runs, which only executables hold. What is shown of it
/// is settled with the other sentences.
static SentenceResult aboutProgram(const Input &In, const Dump &D) {
  SentenceResult Program;
  if (D.file(FileRole::Thunks).present())
    return Program;
  Program.Hidden = true;
  if (!In.Proto)
    Program.Reasons = {"a text dump does not hold it"};
  else if (StringRef File = In.Proto->File;
           File.contains(".hlo.pb") || File.contains(".xplane.pb"))
    Program.Reasons = {"this proto does not hold it"};
  else
    Program.Hidden = false,
    Program.Reasons = {"this executable holds no thunks"};
  return Program;
}

/// Fills what does not come from checks, and resolves the places of findings.
void Run::describe() {
  Result.Path = In.Path;
  for (size_t Role = 0; Role != NumFileRoles; ++Role)
    Result.Files[Role] = D.Files[Role].Path;
  Result.Module = moduleNameOf(D, In.Path);
  for (Diagnostic &F : All)
    Result.Findings.push_back(resolveFinding(L.Texts, F));
  Result[Sentence::Program] = aboutProgram(In, D);
  Result.UnusedFiles = L.Unused;
  setFingerprints(Result);
}

DumpResult Run::finish(const SummaryOptions *WantMemory, unsigned Jobs) {
  // The bytes of a part of the allocations are not those of the program.
  bool WithSummary = WantMemory && !D.cut(FileRole::Assignment);
  std::vector<uint32_t> Order = order(WithSummary, Jobs);
  std::vector<CheckRun> Runs(allChecks().size());
  runInOrder(
      Order.size(), Jobs,
      [&](size_t I) {
        if (Order[I] != SummaryNumber)
          return runCheck(Order[I]);
        Result.Memory = summarizeMemory(Context.memory(), Context.names(),
                                        Context.moduleAnalysis(),
                                        Context.answers(), *WantMemory);
        return CheckRun();
      },
      [&](size_t I, CheckRun &Check) {
        if (Order[I] != SummaryNumber)
          Runs[Order[I]] = std::move(Check);
      });
  for (CheckRun &Check : Runs)
    gather(Check);
  settleSeverities();
  noteGravest();
  sortByPlace();
  foldRelated(All);
  sortByPlace();
  noteKnownDefects(D, Context.backend(), All);
  describe();
  return std::move(Result);
}

DumpResult hlobuf::verify(const Input &In, LoadedDump &L,
                          const CheckContext &Context,
                          const CheckSelection &Selection,
                          const SummaryOptions *WantMemory, unsigned Jobs) {
  if (L.Texts.bytes() < LargeText)
    Jobs = 1;
  return Run(In, L, Context, Selection).finish(WantMemory, std::max(1u, Jobs));
}

bool hlobuf::ran(const GlobList &Checks, const DumpResult &R,
                 const CheckSelection &Selection) {
  return llvm::any_of(allChecks(), [&](const CheckInfo &Info) {
    return Checks.contains(Info.Id) && Selection.enabled(Info) &&
           llvm::none_of(R.Skipped, [&](const SkippedCheck &Skipped) {
             return Skipped.Check == Info.Id;
           });
  });
}
