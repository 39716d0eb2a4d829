//===- Checks/Execution/ClobberedRead.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every read finds the value that was written for it. The program is followed
// step by step, on all paths through loops and conditionals (Analysis/
// Execution.h): which value do these bytes hold now? Only the places come from
// the dump, not one live range. The order, the dataflow and the loops come
// from the module. At the end the caller reads the result, and the parameters
// that are not donated: input_output_alias alone decides that, for an
// allocation is maybe-live-out also where a parameter is returned (buffer_
// assignment.h, BufferAllocation::is_readonly, 2018). Constants must last, too.
//
// It sees what read-after-overwrite sees (copy_insertion.cc, 2017), and what
// that rule cannot decide or see: reads of branches, damage that one round of
// a loop leaves for the next one, live ranges that are wrong themselves, the
// alternate memory of TPU, whose placement does not follow the live ranges.
//
// Known sharing of bytes that does no harm:
// - a copy of a value onto itself, a ConcatBitcast over its operands, an output
//   of a fusion that is one of its operands: the bytes stay as they are (TPU);
// - tuple index tables, which nothing here reads: equal ones share a place
// (TPU);
// - an operand of a conditional in alternate memory is dead in a branch after
//   its last read there (TPU, memory space assignment);
// - private stacks of async bodies, which all begin at offset 0 (TPU): each is
//   followed as a memory of its own;
// - contexts of async chains, which are all in one scratch place (SparseCore,
//   libtpu 0.0.51): not followed.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Checks/Sharing/Sharing.h"
#include "Dataflow/Execution.h"
#include "llvm/ADT/MapVector.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
class ClobberedReads {
public:
  ClobberedReads(const ModuleAnalysis &Analysis, Reporter &Diags)
      : Analysis(Analysis), P(Analysis.program()), DumpFacts(Analysis.facts()),
        D(DumpFacts.dump()), Diags(Diags),
        Run(Analysis.flow(), Analysis.aliases(), Analysis.schedule()) {}
  void run();

private:
  /// More readers of one damaged value are only counted.
  static constexpr size_t MaxReaders = 3;

  const Value &line(HloValueId V) const { return D[Run.valueLine(V)]; }
  bool isConstant(const ClobberedRead &Read) const {
    return P[Analysis.flow()[Read.Value].Definition].Op == Opcode::Constant;
  }
  /// The writer of a loop's body ran in the iteration before the read.
  bool isRoundBefore(const ClobberedRead &Read) const;
  std::string spellDamage(const ClobberedRead &Read) const;
  std::string consequence(const ClobberedRead &Read) const;
  void report(ArrayRef<const ClobberedRead *> Reads);
  void explain(Finding &F, ArrayRef<const ClobberedRead *> Reads);
  void addStep(Finding &F, HloId Id, TimelineStep Event);
  void addReader(Finding &F, const ClobberedRead &Read);

  const ModuleAnalysis &Analysis;
  const Program &P;
  const Facts &DumpFacts;
  const Dump &D;
  Reporter &Diags;
  Execution Run;
};
} // namespace

bool ClobberedReads::isRoundBefore(const ClobberedRead &Read) const {
  HloId Writer = Analysis.flow()[Read.Written].Definition;
  return Read.Operand && Analysis.schedule().time(Writer) >=
                             Analysis.schedule().time(Read.Reader);
}

std::string ClobberedReads::spellDamage(const ClobberedRead &Read) const {
  return fmt::format("bytes [{}, {}) of allocation {}", Read.Damage.Begin,
                     Read.Damage.End, D[Read.Damage.Where].Index);
}

/// What is wrong, in one sentence.
std::string ClobberedReads::consequence(const ClobberedRead &Read) const {
  std::string Value = spellName(D, Run.valueLine(Read.Value));
  std::string Writer =
      Read.Written ? P.spell(Analysis.flow()[Read.Written].Definition) : "";
  if (Read.Input)
    return fmt::format("{} overwrites {}, which is {}", Writer, Value,
                       isConstant(Read) ? "a constant: the next run finds it "
                                          "changed"
                                        : "not donated: the caller finds it "
                                          "changed");
  std::string Text =
      Read.Operand ? fmt::format("{} reads {}", P.spell(Read.Reader), Value)
                   : fmt::format("the program returns {}", Value);
  if (!Read.Written)
    return fmt::format("{}, but nothing was written to its {}", Text,
                       spellDamage(Read));
  return fmt::format("{} after {} overwrote it{}", Text, Writer,
                     isRoundBefore(Read) ? " in the iteration before" : "");
}

void ClobberedReads::addStep(Finding &F, HloId Id, TimelineStep Event) {
  Event.Step = Analysis.schedule().time(Id);
  Event.Opcode = P[Id].Op == Opcode::Unknown ? "" : opcodeText(P[Id].Op);
  if (!P.isHidden(Id))
    Event.Source = DumpFacts.sourceLine(P.module().attributes(P.module()[Id]));
  F.step(P.place(Id), std::move(Event));
}

void ClobberedReads::addReader(Finding &F, const ClobberedRead &Read) {
  std::string Value = spellName(D, Run.valueLine(Read.Value));
  if (Read.Operand)
    addStep(F, Read.Reader,
            {-1, P.spell(Read.Reader),
             fmt::format("reads {} as operand {}", Value, *Read.Operand), "",
             StepRole::Reads});
  else if (!Read.Input)
    addStep(F, Read.Reader,
            {-1, P.spell(Read.Reader),
             fmt::format("returns {} at the end of the program", Value), "",
             StepRole::Reads});
  else if (!isConstant(Read))
    F.why(P.place(Read.Reader),
          "the caller keeps it: input_output_alias does not list it");
}

void ClobberedReads::explain(Finding &F,
                             ArrayRef<const ClobberedRead *> Reads) {
  const ClobberedRead &First = *Reads[0];
  ValueId Line = Run.valueLine(First.Value);
  addStep(F, Analysis.flow()[First.Value].Definition,
          {-1, spellName(D, Line), spellDefinition(D, Line), "",
           StepRole::Defines, "", elementBits(D, Line)});
  if (First.Written)
    addStep(F, Analysis.flow()[First.Written].Definition,
            {-1, spellName(D, Run.valueLine(First.Written)),
             fmt::format("OVERWRITES bytes [{}, {}){}", First.Damage.Begin,
                         First.Damage.End,
                         isRoundBefore(First) ? ", one iteration before" : ""),
             "", StepRole::Overwrites});
  for (const ClobberedRead *Read : Reads.take_front(MaxReaders))
    addReader(F, *Read);
  if (First.Written) {
    const Value &V = line(First.Written);
    F.why(DumpFacts.places().value(V).Tag.Whole,
          "{} has bytes [{}, {}) of allocation {}, which {} still needs",
          spellName(D, Run.valueLine(First.Written)), V.Offset, V.end(),
          D[V.Owner].Index, spellName(D, Line));
  }
  if (Reads.size() > MaxReaders)
    F.why(DumpFacts.places().value(line(First.Value)).Tag.Whole,
          "{} more instructions read it", Reads.size() - MaxReaders);
}

/// Reports one value with all reads that find it damaged.
void ClobberedReads::report(ArrayRef<const ClobberedRead *> Reads) {
  const ClobberedRead &First = *Reads[0];
  Finding F = Diags.reportAs(
      Analysis.isUncertain() ? Severity::Warning : Severity::Error,
      DumpFacts.places().value(line(First.Value)).Tag.Whole, "{}",
      consequence(First));
  explain(F, Reads);
  F.about(Run.valueLine(First.Value));
  if (First.Written)
    F.about(Run.valueLine(First.Written));
  if (P[First.Reader].Name)
    F.about(P[First.Reader].Name);
  // Then either of the two may be wrong.
  if (Analysis.firstDifference())
    F.about(Section::Module);
}

void ClobberedReads::run() {
  for (const std::string &Reason : Run.reasons())
    Diags.notChecked(Reason);
  if (Analysis.isUncertain())
    Diags.notChecked("an opcode that this tool does not know");
  llvm::MapVector<uint32_t, llvm::SmallVector<const ClobberedRead *, 2>> Values;
  for (const ClobberedRead &Read : Run.clobbered())
    Values[Read.Value.index()].push_back(&Read);
  for (const auto &[Value, Reads] : Values)
    report(Reads);
}

void hlobuf::checkClobberedRead(const CheckContext &Ctx, Reporter &Diags) {
  if (const ModuleAnalysis *Analysis = usableModule(Ctx, Diags))
    ClobberedReads(*Analysis, Diags).run();
}
