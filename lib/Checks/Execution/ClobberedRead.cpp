// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every read finds the value that was written for it. The program is followed
// step by step, on all paths through loops and conditionals (Proof/
// Interpreter.h): which value do these bytes hold now? Only the places come
// from the dump, not one live range. The order, the dataflow and the loops come
// from the module. At the end the caller reads the result, and the parameters
// that are not donated: input_output_alias alone decides that, for an
// allocation is maybe-live-out also where a parameter is returned (buffer_
// assignment.h, BufferAllocation::is_readonly, 2018). Constants must last, too.
//
// Bytes are lost where copy insertion (copy_insertion.cc, 2017) left a copy
// out. Stated live ranges do not show it, because they are cut where the next
// value of a group starts (hlo_live_range.cc, NormalizeAliasedBuffers). True
// defects that this rule found in libtpu, programs that compute wrong numbers:
// a copy of a broadcast that becomes the broadcast again (tpu-copy-normalizer,
// 0.0.11 to 0.0.51), and a private copy that is handed to other readers
// (post-fusion-tiling-assignment, 0.0.38 to 0.0.51).
//
// Without a usable module the program that the dump states is executed
// (Proof/StatedProof.h).
//
// Known sharing of bytes that does no harm:
// - a copy of a value onto itself, a ConcatBitcast over its operands, an output
//   of a fusion that is one of its operands: the bytes stay as they are (TPU);
// - tuple index tables, which nothing here reads: equal ones share a place
// (TPU);
// - an operand of a conditional in alternate memory is dead in a branch after
//   its last read there (TPU, memory space assignment);
// - contexts of async chains, which are all in one scratch place (SparseCore,
//   libtpu 0.0.51): not followed.

#include "Checks/Execution/Violations.h"
#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Facts/Occupancy.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace hlobuf;

namespace {
/// What lost its bytes.
enum class DamageKind : uint8_t {
  /// An operand that is read.
  Read,
  /// A result of the program.
  Returned,
  /// A constant, or an argument that the caller keeps.
  Input,
  /// The same, before the first step.
  AtStart,
  /// What a done waits for.
  Awaited,
  /// A result that is written together with another one.
  Result,
  /// What is written where nothing may be.
  ReadOnly,
};

/// Somebody needs bytes that were overwritten, whatever says so.
struct Damage {
  DamageKind Kind = DamageKind::Read;
  ValueId Value;
  /// Invalid, and Writer empty, if nothing was written.
  ValueId Written;
  uint32_t Operand = 0;
  Event Definition, Writer, Reader;

  /// What took the bytes is an argument like the value itself.
  bool BothGiven = false;
  /// The value never gets where it is read: nobody overwrites it.
  bool IsElsewhere = false;

  /// The writer of a loop's body ran in the iteration before the read.
  bool isRoundBefore() const {
    return Kind == DamageKind::Read && !BothGiven &&
           Writer.Step.Step >= Reader.Step.Step;
  }
  /// The value was lost before it took over its place.
  bool isCarried() const {
    return Written && Definition.Step.Step > Writer.Step.Step &&
           !isRoundBefore();
  }
};

/// Tells damages, each value once.
struct Damages {
  void collect(const ModuleAnalysis &Analysis, ArrayRef<Violation> Found);
  void collect(const proof::Proof &Stated);
  void report(bool ModuleDiffers);

  /// More readers of one damaged value are only counted.
  static constexpr size_t MaxReaders = 3;

  bool isConstant(const Damage &R) const {
    return hlobuf::isConstant(Ctx, D[R.Value].Tag.Name);
  }
  std::pair<uint64_t, uint64_t> lostBytes(const Damage &R) const;
  std::string need(const Damage &R) const;
  std::string ownerOf(const Damage &R) const;
  std::string consequence(const Damage &R) const;
  void explain(Finding &F, ArrayRef<Damage> Reads);
  void addReader(Finding &F, const Damage &R);
  void addWhy(Finding &F, const Damage &First);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D = Ctx.dump();
  llvm::MapVector<uint32_t, std::vector<Damage>> Values = {};
};
} // namespace

/// True if somebody overwrote something.
static bool isDamage(proof::Breach How) {
  return How != proof::Breach::StillWritten && How != proof::Breach::NotGiven &&
         How != proof::Breach::NotLiveOut && How != proof::Breach::OutputAside;
}

static DamageKind kindOf(const Violation &V) {
  switch (V.Owed.What) {
  case proof::Topic::Output:
    return DamageKind::Returned;
  case proof::Topic::InputKept:
    return DamageKind::Input;
  case proof::Topic::AtStart:
    return DamageKind::AtStart;
  case proof::Topic::BodyKept:
    return DamageKind::Awaited;
  case proof::Topic::Written:
    return V.How == proof::Breach::ReadOnly ? DamageKind::ReadOnly
                                            : DamageKind::Result;
  default:
    return DamageKind::Read;
  }
}

/// A ConcatBitcast takes the bytes of its operands for those of its result.
static void reportSlices(const ModuleAnalysis &Analysis, const Violation &V,
                         Reporter &Diags) {
  const Program &P = Analysis.program();
  const Dump &D = P.facts().dump();
  HloId Id = V.Owed.At;
  Finding F = Diags.report(
      P.place(Id), "{} joins slices that are not in its place in their order",
      P.spell(Id));
  auto Add = [&](HloId At, std::string Action, StepRole Role) {
    HloValueId Own = Analysis.flow().at(At, 0);
    ValueId Line = Own ? Analysis.lineOf(Own) : ValueId();
    if (!Line)
      return;
    const Value &W = D[Line];
    addStep(F, eventAt(Analysis, At), P.spell(At),
            fmt::format("{} bytes [{}, {}) of allocation {}", Action, W.Offset,
                        W.end(), D[W.Owner].Index),
            Role);
    F.about(Line);
  };
  for (size_t K = 0; K != P.operands(Id).size(); ++K)
    Add(P.operands(Id)[K], fmt::format("is operand {}, in", K),
        StepRole::Defines);
  Add(Id, "takes them for", StepRole::Reads);
  F.about(P, Id);
}

static void reportNotLiveOut(const CheckContext &Ctx, const Violation &V,
                             Reporter &Diags) {
  const Dump &D = Ctx.dump();
  const Allocation &Owner = D[D[V.Shown.Lost].Owner];
  Diags
      .report(Ctx.places().line(Owner),
              "allocation {} holds {}, an output, but is not maybe-live-out",
              Owner.Index, D.spell(D[V.Shown.Lost].Tag))
      .about(D[V.Shown.Lost].Owner)
      .about(V.Shown.Lost)
      .asConsequence();
}

void Damages::collect(const ModuleAnalysis &Analysis,
                      ArrayRef<Violation> Found) {
  const Program &P = Analysis.program();
  auto Definition = [&](ValueId V) {
    return V ? P.find(D[V].Tag.Name) : HloId();
  };
  auto Define = [&](ValueId V) {
    HloId Id = Definition(V);
    return Id ? eventAt(Analysis, Id) : Event();
  };
  auto IsGiven = [&](ValueId V) {
    HloId Id = Definition(V);
    return Id && isGiven(P[Id].Op) && !D[V].Tag.Phi;
  };
  // Places that a source of what is there does not have.
  std::set<std::pair<AllocationId, uint64_t>> Elsewhere;
  for (const auto &Row : Ctx.proof()->Book.rows(proof::Topic::SourcePlace))
    if (Row.How == proof::OutcomeKind::Violated) {
      const Value &V = D[Ctx.proof()->Book.outcome(Row).evidence().Lost];
      Elsewhere.emplace(V.Owner, V.Offset);
    }
  auto IsElsewhere = [&](ValueId V) {
    return V && Elsewhere.count({D[V].Owner, D[V].Offset}) != 0;
  };
  std::vector<Damage> All;
  for (const Violation &V : Found)
    if (V.How == proof::Breach::SlicesApart)
      reportSlices(Analysis, V, Diags);
    else if (V.How == proof::Breach::NotLiveOut)
      reportNotLiveOut(Ctx, V, Diags);
    else if (!isDamage(V.How))
      reportViolations(Analysis, &V, Diags);
    else
      All.push_back({kindOf(V), V.Shown.Lost, V.Shown.By, V.Owed.Operand,
                     Define(V.Shown.Lost), Define(V.Shown.By),
                     eventAt(Analysis, V.Owed.At),
                     IsGiven(V.Shown.Lost) && IsGiven(V.Shown.By),
                     IsElsewhere(V.Shown.Lost)});
  // Who loses the bytes says more than that they may not be written.
  DenseSet<uint32_t> Blamed;
  for (const Damage &R : All)
    if (R.Written)
      Blamed.insert(R.Written.index());
  llvm::erase_if(All, [&](const Damage &R) {
    return R.Kind == DamageKind::ReadOnly && Blamed.contains(R.Value.index());
  });
  std::ranges::stable_sort(All, {}, [](const Damage &R) {
    int Rank = R.Kind == DamageKind::AtStart ? 0
               : R.Kind == DamageKind::Read  ? 1
                                             : 2;
    return std::pair(Rank, R.Reader.Step.Step);
  });
  for (Damage &R : All)
    Values[R.Value.index()].push_back(std::move(R));
}

void Damages::collect(const proof::Proof &Stated) {
  std::vector<Damage> All;
  auto Add = [&](proof::Topic What) {
    for (const proof::Ledger::Row &Row : Stated.Book.rows(What)) {
      if (Row.How != proof::OutcomeKind::Violated)
        continue;
      proof::Evidence Shown = Stated.Book.outcome(Row).evidence();
      NameId Name = D[Shown.Lost].Tag.Name;
      Damage R;
      R.Value = Shown.Lost;
      R.Written = Shown.By;
      R.Definition = eventAt(Ctx, Name);
      R.Writer = eventAt(Ctx, D[Shown.By].Tag.Name);
      NameId Reader = Name;
      if (What == proof::Topic::StatedRead) {
        R.Operand = D.Uses[Row.Part].Operand;
        Reader = D.Uses[Row.Part].Name;
      } else if (isGiven(Ctx.opcode(Name))) {
        R.Kind = DamageKind::Input;
      } else {
        R.Kind = DamageKind::Returned;
        Reader = Ctx.entryRoot();
      }
      if (isGiven(Ctx.opcode(Name)) &&
          isGiven(Ctx.opcode(D[Shown.By].Tag.Name)))
        R.Kind = DamageKind::AtStart;
      R.Reader = eventAt(Ctx, Reader);
      All.push_back(std::move(R));
    }
  };
  Add(proof::Topic::StatedRead);
  Add(proof::Topic::StatedEnd);
  std::ranges::stable_sort(All, {}, [](const Damage &R) {
    return std::pair(R.Kind != DamageKind::Read, R.Reader.Step.Step);
  });
  for (Damage &R : All)
    Values[R.Value.index()].push_back(std::move(R));
}

/// The bytes of \p R's value that it lost, half-open.
std::pair<uint64_t, uint64_t> Damages::lostBytes(const Damage &R) const {
  const Value &V = D[R.Value];
  if (!R.Written)
    return {V.Offset, V.end()};
  const Value &W = D[R.Written];
  return {std::max(V.Offset, W.Offset), std::min(V.end(), W.end())};
}

/// Who needs the value of \p R.
std::string Damages::need(const Damage &R) const {
  std::string Value = spellName(D, R.Value);
  switch (R.Kind) {
  case DamageKind::Returned:
    return fmt::format("the program returns {}", Value);
  case DamageKind::Awaited:
    return fmt::format("{} waits for {}", R.Reader.Step.Subject, Value);
  default:
    return fmt::format("{} reads {}", R.Reader.Step.Subject, Value);
  }
}

/// What has the bytes of \p R's value from the first step on.
std::string Damages::ownerOf(const Damage &R) const {
  const Allocation &Owner = D[D[R.Value].Owner];
  return Owner.Constant ? "a constant"
                        : fmt::format("argument {}, which is not donated",
                                      Owner.ParameterNumber);
}

/// What is wrong, in one sentence.
std::string Damages::consequence(const Damage &R) const {
  std::string Value = spellName(D, R.Value);
  StringRef Writer = R.Writer.Step.Subject;
  if (R.Kind == DamageKind::AtStart)
    return fmt::format(
        "{} has the bytes of {}, and both are there before the first step",
        R.Written ? spellName(D, R.Written) : "another input", Value);
  if (R.Kind == DamageKind::ReadOnly)
    return fmt::format("{} is written to {}, where the program may not write",
                       Value, ownerOf(R));
  if (R.Kind == DamageKind::Result && R.Written)
    return fmt::format("{} writes {} and {} to the same bytes",
                       R.Reader.Step.Subject, Value, spellName(D, R.Written));
  if (R.Kind == DamageKind::Input)
    return fmt::format("{} overwrites {}, which is {}", Writer, Value,
                       isConstant(R)
                           ? "a constant: the next run finds it changed"
                           : "not donated: the caller finds it changed");
  if (!R.Written) {
    auto [Begin, End] = lostBytes(R);
    return fmt::format(
        "{}, but nothing was written to its bytes [{}, {}) of allocation {}",
        need(R), Begin, End, D[D[R.Value].Owner].Index);
  }
  if (R.BothGiven)
    return fmt::format("{}, but {} is given in the same bytes", need(R),
                       spellName(D, R.Written));
  return fmt::format("{} after {} overwrote it{}", need(R), Writer,
                     R.isRoundBefore() ? " in the iteration before" : "");
}

void Damages::addReader(Finding &F, const Damage &R) {
  std::string Value = spellName(D, R.Value);
  const Event &Reader = R.Reader;
  if (R.Kind == DamageKind::Read)
    addStep(F, Reader, Reader.Step.Subject,
            fmt::format("reads {} as operand {}", Value, R.Operand),
            StepRole::Reads);
  else if (R.Kind == DamageKind::Returned)
    addStep(F, Reader, Reader.Step.Subject,
            fmt::format("returns {} at the end of the program", Value),
            StepRole::Reads);
  else if (R.Kind == DamageKind::Awaited)
    addStep(F, Reader, Reader.Step.Subject, fmt::format("waits for {}", Value),
            StepRole::Reads);
  else if (R.Kind == DamageKind::Input && !isConstant(R))
    F.why(Reader.Where,
          "the caller keeps it: input_output_alias does not list it");
}

void Damages::addWhy(Finding &F, const Damage &First) {
  std::optional<uint32_t> Row = Ctx.rangeRow(First.Value);
  if (Row && First.Kind == DamageKind::Read && !First.isRoundBefore() &&
      D.Ranges[*Row].End < First.Reader.Step.Step)
    F.why(Ctx.places().row(D.Ranges[*Row]).Second,
          "the live range {}-{} leaves out the read at step {}",
          D.Ranges[*Row].Start, D.Ranges[*Row].End, First.Reader.Step.Step);
  if (!First.Written)
    return;
  const Value &W = D[First.Written];
  F.why(Ctx.places().value(W).Tag.Whole,
        "{} has bytes [{}, {}) of allocation {}, which {} still needs",
        spellName(D, First.Written), W.Offset, W.end(), D[W.Owner].Index,
        spellName(D, First.Value));
}

void Damages::explain(Finding &F, ArrayRef<Damage> Reads) {
  const Damage &First = Reads[0];
  auto [Begin, End] = lostBytes(First);
  if (!First.isCarried())
    addStep(F, First.Definition, spellName(D, First.Value),
            spellDefinition(D, First.Value), StepRole::Defines,
            elementBits(D, First.Value));
  if (First.Written)
    addStep(F, First.Writer, spellName(D, First.Written),
            fmt::format("OVERWRITES bytes [{}, {}){}", Begin, End,
                        First.isRoundBefore() ? ", one iteration before" : ""),
            StepRole::Overwrites);
  if (First.isCarried())
    addStep(F, First.Definition, spellName(D, First.Value),
            "takes over what is there", StepRole::Defines);
  for (const Damage &R : Reads.take_front(MaxReaders))
    addReader(F, R);
  addWhy(F, First);
  if (Reads.size() > MaxReaders)
    F.why(Ctx.places().value(D[First.Value]).Tag.Whole,
          "{} more instructions read it", Reads.size() - MaxReaders);
}

/// Reports each value with all reads that find it damaged. Where the module
/// differs, either of the two may be wrong.
void Damages::report(bool ModuleDiffers) {
  for (const auto &[V, Reads] : Values) {
    const Damage &First = Reads[0];
    Finding F = Diags.report(Ctx.places().value(D.Values[V]).Tag.Whole, "{}",
                             consequence(First));
    explain(F, Reads);
    F.about(First.Value);
    if (First.Written)
      F.about(First.Written);
    if (First.Reader.Name)
      F.about(First.Reader.Name);
    // What is read-only is so for all that is written there.
    if (First.Kind == DamageKind::ReadOnly || First.Kind == DamageKind::Input)
      F.about(D[First.Value].Owner);
    if (First.IsElsewhere)
      F.asConsequence();
    if (ModuleDiffers)
      F.about(Section::Module);
  }
}

/// Tells what was shown of the program that the dump states. True if all of it
/// was; of lines that do not fit other checks tell.
static bool tellStated(const CheckContext &Ctx, Reporter &Diags) {
  const proof::Proof *Stated = Ctx.statedProof();
  if (!Stated)
    return false;
  Damages All{Ctx, Diags};
  All.collect(*Stated);
  All.report(false);
  bool Shown = !Stated->Book.faults().any();
  reportTally(Stated->Book, proof::Kind(0), proof::Kind::Launched, Diags);
  for (const auto &[Name, Ended] : Diags.Proof.Obligations)
    Shown &= Ended[size_t(proof::OutcomeKind::Gap)] == 0 &&
             Ended[size_t(proof::OutcomeKind::Violated)] == 0;
  if (Shown) {
    Diags.Proof.Assumption = "the stated uses";
    Diags.Proof.Extent =
        counted(Stated->Book.size(proof::Topic::StatedRead), "read");
  }
  return Shown;
}

void hlobuf::checkClobberedRead(const CheckContext &Ctx, Reporter &Diags) {
  bool Usable = Ctx.moduleAnalysis() && Ctx.moduleAnalysis()->isUsable();
  bool Shown = !Usable && tellStated(Ctx, Diags);
  if (!Shown && !Ctx.dump().complete(Section::Module))
    Diags.notCheckedWithout(Ctx, Section::Module);
  tellViolations(
      Ctx, Diags,
      [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
        Damages All{Ctx, Diags};
        All.collect(Analysis, Found);
        All.report(Analysis.firstDifference().has_value());
      });
}
