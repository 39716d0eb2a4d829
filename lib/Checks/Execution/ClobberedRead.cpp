// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every read finds the value that was written for it. The program is followed
// step by step, on all paths through loops and conditionals (Dataflow/
// Execution.h): which value do these bytes hold now? Only the places come from
// the dump, not one live range. The order, the dataflow and the loops come
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
// Without a usable module the dump says what each step reads and writes
// (Program/StatedSteps.h), and the sequence is followed straight on.
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

#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Dataflow/Execution.h"
#include "Dataflow/StatedExecution.h"
#include "Facts/Occupancy.h"
#include "llvm/ADT/MapVector.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
/// A read that finds bytes overwritten, whatever the program was built from.
struct Damage {
  ValueId Value;
  /// Invalid, and Writer empty, if nothing was written.
  ValueId Written;
  std::optional<uint32_t> Operand;
  /// As in ClobberedRead.
  bool Input = false;
  /// Value and Written both are there before the first step.
  bool AtStart = false;
  /// An opcode that is not known may have to do with it.
  bool Guess = false;
  Event Definition, Writer, Reader;
  /// In the allocation of Value.
  uint64_t Begin = 0, End = 0;

  /// The writer of a loop's body ran in the iteration before the read.
  bool isRoundBefore() const {
    return Operand && !AtStart && Writer.Step.Step >= Reader.Step.Step;
  }
};

/// Tells damages, each value once.
class Damages {
public:
  Damages(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), D(Ctx.dump()), Diags(Diags) {}

  void collect(const ModuleAnalysis &Analysis, const Execution &Run);
  void collect(const StatedExecution &Run);
  void report(bool ModuleDiffers);

private:
  /// More readers of one damaged value are only counted.
  static constexpr size_t MaxReaders = 3;

  bool isConstant(const Damage &R) const {
    return hlobuf::isConstant(Ctx, D[R.Value].Tag.Name);
  }
  std::string consequence(const Damage &R) const;
  void explain(Finding &F, ArrayRef<Damage> Reads);
  void addReader(Finding &F, const Damage &R);
  void addWhy(Finding &F, const Damage &First);

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  llvm::MapVector<uint32_t, std::vector<Damage>> Values;
};
} // namespace

void Damages::collect(const ModuleAnalysis &Analysis, const Execution &Run) {
  for (const ClobberedRead &Read : Run.clobbered()) {
    Damage R;
    R.Value = Run.valueLine(Read.Value);
    R.Operand = Read.Operand;
    R.Input = Read.Input;
    R.Guess = Analysis.isGuess(Read.Value) || Analysis.isGuess(Read.Written);
    R.Begin = Read.Damage.Begin;
    R.End = Read.Damage.End;
    R.Reader = eventAt(Analysis, Read.Reader);
    R.Definition = eventAt(Analysis, Analysis.flow()[Read.Value].Definition);
    if (Read.Written) {
      R.Written = Run.valueLine(Read.Written);
      HloId Writer = Analysis.flow()[Read.Written].Definition;
      R.Writer = eventAt(Analysis, Writer);
      const Program &P = Analysis.program();
      R.AtStart = P.isInput(Writer) &&
                  P.isInput(Analysis.flow()[Read.Value].Definition);
    }
    Values[R.Value.index()].push_back(std::move(R));
  }
}

void Damages::collect(const StatedExecution &Run) {
  for (const StatedDamage &Read : Run.damages()) {
    Damage R;
    R.Value = Read.Value;
    R.Written = Read.Written;
    R.Input = Read.Constant;
    R.AtStart = isGiven(Ctx.opcode(D[Read.Value].Tag.Name)) &&
                isGiven(Ctx.opcode(D[Read.Written].Tag.Name));
    if (Read.Use)
      R.Operand = D.Uses[*Read.Use].Operand;
    const Value &V = D[Read.Value], &W = D[Read.Written];
    R.Begin = std::max(V.Offset, W.Offset);
    R.End = std::min(V.end(), W.end());
    R.Reader = eventAt(Ctx, Read.Use        ? D.Uses[*Read.Use].Name
                            : Read.Constant ? V.Tag.Name
                                            : Ctx.entryRoot());
    R.Definition = eventAt(Ctx, V.Tag.Name);
    R.Writer = eventAt(Ctx, W.Tag.Name);
    Values[R.Value.index()].push_back(std::move(R));
  }
}

/// What is wrong, in one sentence.
std::string Damages::consequence(const Damage &R) const {
  std::string Value = spellName(D, R.Value);
  llvm::StringRef Writer = R.Writer.Step.Subject;
  if (R.AtStart)
    return fmt::format("{} has the bytes of {}, and both are there before the "
                       "first step",
                       spellName(D, R.Written), Value);
  if (R.Input)
    return fmt::format("{} overwrites {}, which is {}", Writer, Value,
                       isConstant(R)
                           ? "a constant: the next run finds it changed"
                           : "not donated: the caller finds it changed");
  std::string Text =
      R.Operand ? fmt::format("{} reads {}", R.Reader.Step.Subject, Value)
                : fmt::format("the program returns {}", Value);
  if (!R.Written)
    return fmt::format("{}, but nothing was written to its bytes [{}, {}) of "
                       "allocation {}",
                       Text, R.Begin, R.End, D[D[R.Value].Owner].Index);
  return fmt::format("{} after {} overwrote it{}", Text, Writer,
                     R.isRoundBefore() ? " in the iteration before" : "");
}

void Damages::addReader(Finding &F, const Damage &R) {
  std::string Value = spellName(D, R.Value);
  const Event &Reader = R.Reader;
  if (R.Operand)
    addStep(F, Reader, Reader.Step.Subject,
            fmt::format("reads {} as operand {}", Value, *R.Operand),
            StepRole::Reads);
  else if (!R.Input)
    addStep(F, Reader, Reader.Step.Subject,
            fmt::format("returns {} at the end of the program", Value),
            StepRole::Reads);
  else if (!isConstant(R))
    F.why(Reader.Where,
          "the caller keeps it: input_output_alias does not list it");
}

void Damages::addWhy(Finding &F, const Damage &First) {
  std::optional<uint32_t> Row = Ctx.rangeRow(First.Value);
  if (Row && First.Operand && !First.isRoundBefore() &&
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
  addStep(F, First.Definition, spellName(D, First.Value),
          spellDefinition(D, First.Value), StepRole::Defines,
          elementBits(D, First.Value));
  if (First.Written)
    addStep(F, First.Writer, spellName(D, First.Written),
            fmt::format("OVERWRITES bytes [{}, {}){}", First.Begin, First.End,
                        First.isRoundBefore() ? ", one iteration before" : ""),
            StepRole::Overwrites);
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
    bool IsGuess = llvm::all_of(Reads, [](const Damage &R) { return R.Guess; });
    Finding F = Diags.reportAs(IsGuess ? Severity::Warning : Severity::Error,
                               Ctx.places().value(D.Values[V]).Tag.Whole, "{}",
                               consequence(First));
    explain(F, Reads);
    F.about(First.Value);
    if (First.Written)
      F.about(First.Written);
    if (First.Reader.Name)
      F.about(First.Reader.Name);
    if (ModuleDiffers)
      F.about(Section::Module);
  }
}

/// Follows what the dump alone states, straight on.
static void checkStated(const CheckContext &Ctx, Reporter &Diags) {
  const Dump &D = Ctx.dump();
  if (!D.complete(Section::Used) || !D.complete(Section::Texts) ||
      !D.complete(Section::Sequence) || !Ctx.isSequenceSound())
    return;
  StatedExecution Run(Ctx);
  Damages All(Ctx, Diags);
  All.collect(Run);
  All.report(false);
  if (Run.isUncertain())
    Diags.notCheckedWithout(
        Ctx, Section::Module,
        "late reads by fusions and conditionals: needs the HLO module");
  if (Run.gaveUp())
    Diags.notChecked("too many values share bytes");
}

void hlobuf::checkClobberedRead(const CheckContext &Ctx, Reporter &Diags) {
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis) {
    if (!Ctx.dump().complete(Section::Module))
      Diags.notCheckedWithout(Ctx, Section::Module);
    return checkStated(Ctx, Diags);
  }
  Execution Run(Analysis->flow(), Analysis->aliases(), Analysis->schedule());
  for (const std::string &Reason : Run.reasons())
    Diags.notChecked(Reason);
  if (Analysis->program().anyRunsElsewhere())
    Diags.notChecked(OtherThreads);
  if (Analysis->isUncertain())
    Diags.notChecked("an opcode that this tool does not know");
  Damages All(Ctx, Diags);
  All.collect(*Analysis, Run);
  All.report(Analysis->firstDifference().has_value());
}
