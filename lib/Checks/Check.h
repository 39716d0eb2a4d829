// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a check is.

#ifndef HLOBUF_CHECKS_CHECK_H
#define HLOBUF_CHECKS_CHECK_H

#include "Checks/Context.h"
#include "Dump/Reader.h"
#include "Support/Diagnostic.h"
#include "Support/Format.h"
#include "Support/Sentence.h"

namespace hlobuf {

class Reporter;

/// What belongs to such a computation has other places when it runs.
inline constexpr const char *OtherThreads =
    "computations of other execution threads";

/// Why a check, or a part of it, did not run.
struct SkipReason {
  SkipKind Kind = SkipKind::NotChecked;
  /// The file that would have made it run, where one is missing.
  std::optional<FileRole> Missing;
  std::string Reason;
};

/// Why \p DumpFacts's dump lacks the section \p S: its release prints none, a
/// file is missing, or neither explains it. \p S must be absent.
SkipReason explainAbsence(const Facts &DumpFacts, Section S);

/// The same for a section that is absent or damaged; \p OnlyUnknown: by lines
/// that a newer release may print.
SkipReason explainGap(const Facts &DumpFacts, Section S,
                      bool OnlyUnknown = false);

/// The sections that a check needs, four at most.
class NeedList {
public:
  constexpr NeedList(std::initializer_list<Section> Needs) {
    for (Section S : Needs)
      All[Count++] = S;
  }
  constexpr const Section *begin() const { return All; }
  constexpr const Section *end() const { return All + Count; }
  constexpr size_t size() const { return Count; }

private:
  Section All[4] = {};
  unsigned Count = 0;
};

/// One line of Checks.def.
struct CheckInfo {
  StringRef Id;
  /// Severity of the check's findings unless it says otherwise.
  Severity Level;
  /// Sections that must be complete for the check to run.
  NeedList Needs;
  /// What it does for the proof of a sentence of the verdict.
  Claim Proof;
  /// Numbers of the catalogue of rules, separated by spaces.
  StringRef Rules;
  /// One sentence: the rule, as it is in a sound dump.
  StringRef Summary;
  void (*Run)(const CheckContext &, Reporter &);

  /// The page docs/checks/<id>.md; empty if there is none.
  StringRef page() const;
};

/// All checks in the order of Checks.def: causes before consequences.
ArrayRef<CheckInfo> allChecks();

/// The kinds of Subject.
enum class SubjectKind : uint8_t {
  Allocation,
  Value,
  Name,
  /// One of the module that has no NameId, by HloId.
  Instruction,
  Computation,
  Section
};

/// What a finding may be about; findings about the same thing are folded into
/// one. Nothing if it is made of an invalid id: elements that the text leaves
/// out have no name.
struct Subject {
  Subject(SubjectKind Kind, uint32_t Number) : Kind(Kind), Number(Number) {}
  Subject(AllocationId Id) : Subject(SubjectKind::Allocation, Id.index()) {}
  Subject(ValueId Id) : Subject(SubjectKind::Value, Id.index()) {}
  Subject(NameId Id) : Subject(SubjectKind::Name, Id.index()) {}
  Subject(ComputationId Id) : Subject(SubjectKind::Computation, Id.index()) {}
  Subject(Section S) : Subject(SubjectKind::Section, uint32_t(S)) {}
  /// Instruction \p Id of \p M.
  Subject(const HloModule &M, HloId Id)
      : Subject(SubjectKind::Instruction, Id.index()) {
    if (M[Id].Name)
      *this = M[Id].Name;
  }
  /// Instruction \p Id of \p P; nothing where that has no name.
  Subject(const Program &P, HloId Id);

  SubjectKind Kind;
  uint32_t Number;
};

/// Where a finding is: the narrowest wrong span, and what it is about.
struct Spot {
  template <typename... Ts>
  Spot(StringRef Where, const Ts &...About)
      : Where(Where), About{Subject(About)...} {}
  /// Instruction \p Id of \p P.
  Spot(const Program &P, HloId Id);

  StringRef Where;
  SmallVector<Subject, 2> About;
};

/// Adds notes and subjects to a finding that was just reported.
class Finding {
public:
  explicit Finding(Diagnostic *D) : D(D) {}

  template <typename... Ts>
  Finding &note(StringRef Where, fmt::format_string<Ts...> Format,
                Ts &&...Args) {
    return add(NoteKind::Plain, Where,
               fmt::format(Format, std::forward<Ts>(Args)...));
  }
  /// What in the dump, or in the program, is wrong.
  template <typename... Ts>
  Finding &why(StringRef Where, fmt::format_string<Ts...> Format,
               Ts &&...Args) {
    return add(NoteKind::Why, Where,
               fmt::format(Format, std::forward<Ts>(Args)...));
  }
  /// Adds a line of the timeline, at the line of the dump that says so.
  Finding &step(StringRef Where, TimelineStep Event) {
    std::string Message = Event.Subject + ' ' + Event.Action;
    if (Event.Step >= 0)
      Message = fmt::format("step {}: {}", Event.Step, Message);
    if (!Event.Source.empty())
      Message += fmt::format(" ({})", Event.Source);
    return add(NoteKind::Step, Where, std::move(Message), std::move(Event));
  }
  /// The cause is how the file was written, not what the compiler said.
  Finding &asUnreadable() {
    if (D)
      D->Check = UnreadableCheck;
    return *this;
  }
  /// A consequence: all else about the same leads.
  Finding &asConsequence() {
    if (D)
      D->Rank = ~0u;
    return *this;
  }
  template <typename... Ts> Finding &about(const Ts &...Of) {
    Subject S(Of...);
    if (D && S.Number != ~0u)
      D->Subjects.push_back({static_cast<uint32_t>(S.Kind), S.Number});
    return *this;
  }

private:
  Finding &add(NoteKind Kind, StringRef Where, std::string Message,
               TimelineStep Event = {}) {
    if (D)
      D->Notes.push_back({Where, std::move(Message), Kind, std::move(Event)});
    return *this;
  }

  /// Null where the finding is only counted.
  Diagnostic *D;
};

/// Takes the findings of one check.
class Reporter {
public:
  /// More findings of one check than anybody reads are only counted, by one
  /// more.
  static constexpr unsigned MaxKept = 1000;

  Reporter(const CheckInfo &Info, unsigned Rank, std::vector<Diagnostic> &Out)
      : Info(Info), Rank(Rank), Out(Out) {}

  StringRef check() const { return Info.Id; }

  /// Reports with the check's own severity. The finding must be completed
  /// before the next report.
  template <typename... Ts>
  Finding report(const Spot &At, fmt::format_string<Ts...> Format,
                 Ts &&...Args) {
    return add(Info.Level, At,
               [&] { return fmt::format(Format, std::forward<Ts>(Args)...); });
  }
  /// Reports with the severity \p Level.
  template <typename... Ts>
  Finding reportAs(Severity Level, const Spot &At,
                   fmt::format_string<Ts...> Format, Ts &&...Args) {
    return add(Level, At,
               [&] { return fmt::format(Format, std::forward<Ts>(Args)...); });
  }

  /// Says that a part of the check, or all of it, could not run, and why. The
  /// same reason is kept once.
  void notChecked(std::string Reason) {
    addSkipReason({SkipKind::NotChecked, std::nullopt, std::move(Reason)});
  }
  /// Says that the dump has nothing that the rule could be about.
  void notApplicable(std::string Reason) {
    addSkipReason({SkipKind::NotApplicable, std::nullopt, std::move(Reason)});
  }
  /// Says that a part of the check needs the section \p S of \p DumpFacts's
  /// dump, which is absent or damaged; \p Reason, if not empty, says what for.
  void notCheckedWithout(const Facts &DumpFacts, Section S,
                         std::string Reason = "") {
    SkipReason Gap = explainGap(DumpFacts, S);
    if (!Reason.empty())
      Gap.Reason = std::move(Reason);
    addSkipReason(std::move(Gap));
  }

  /// Counts \p Count values, rows or instructions that a rule leaves out for
  /// the reason \p Gate, which docs/evidence/gates.md explains.
  void exempt(StringLiteral Gate, uint64_t Count = 1) {
    if (Count == 0)
      return;
    auto *Known = llvm::find_if(
        Exempted, [&](const auto &Entry) { return Entry.first == Gate; });
    if (Known != Exempted.end())
      Known->second += Count;
    else
      Exempted.emplace_back(Gate, Count);
  }
  /// By gate, in the order of their first use.
  ArrayRef<std::pair<StringRef, uint64_t>> exempted() const { return Exempted; }

  /// For the verdict.
  CheckProof Proof;

  ArrayRef<SkipReason> skipReasons() const { return SkipReasons; }
  /// Findings that are kept.
  size_t count() const { return Out.size(); }

private:
  void addSkipReason(SkipReason Reason) {
    if (llvm::none_of(SkipReasons, [&](const SkipReason &Old) {
          return Old.Reason == Reason.Reason;
        }))
      SkipReasons.push_back(std::move(Reason));
  }
  Finding add(Severity Level, const Spot &At,
              function_ref<std::string()> Message) {
    if (Out.size() <= MaxKept)
      Out.emplace_back();
    Diagnostic &D = Out.back();
    D.Check = Info.Id;
    D.Rank = Rank;
    if (Out.size() > MaxKept) {
      D.Level = D.Uncounted++ == 0 ? Level : std::max(D.Level, Level);
      return Finding(nullptr);
    }
    D.Level = Level;
    D.Where = At.Where;
    D.Message = Message();
    Finding F(&D);
    for (Subject S : At.About)
      F.about(S);
    return F;
  }

  const CheckInfo &Info;
  unsigned Rank;
  std::vector<Diagnostic> &Out;
  SmallVector<SkipReason, 1> SkipReasons;
  SmallVector<std::pair<StringRef, uint64_t>, 2> Exempted;
};

// The function of each row.
#define HLOBUF_CHECK(Function, Id, Level, Needs, For, Rules, Summary)          \
  void check##Function(const CheckContext &Ctx, Reporter &Diags);
#include "Checks/Checks.def"

} // namespace hlobuf

#endif // HLOBUF_CHECKS_CHECK_H
