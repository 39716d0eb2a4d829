//===- Checks/Execution/ClobberedRead.cpp ---------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every read finds the value that was written for it. The program is followed
// step by step, on all paths through loops and conditionals (Analysis/
// Shadow.h): which value do these bytes hold now? Only the places come from
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
// - tuple tables, which nothing here reads: equal ones share a place (TPU);
// - an operand of a conditional in alternate memory is dead in a branch after
//   its last read there (TPU, memory space assignment);
// - private stacks of async bodies, which all begin at offset 0 (TPU): each is
//   followed as a memory of its own;
// - contexts of async chains, which all lie in one scratch place (SparseCore,
//   libtpu 0.0.51): not followed.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/Shadow.h"
#include "llvm/ADT/MapVector.h"

using namespace hlobuf;
using llvm::ArrayRef;

namespace {
class ClobberedReads {
public:
  ClobberedReads(const ModuleAnalysis &W, Reporter &R)
      : W(W), P(W.program()), A(W.facts()), D(A.dump()), R(R),
        Run(W.flow(), W.aliases(), W.schedule()) {}
  void run();

private:
  /// More readers of one damaged value are only counted.
  static constexpr size_t MaxReaders = 3;

  std::string spell(HloValueId V) const { return D.spell(line(V).Tag); }
  const Value &line(HloValueId V) const { return D[Run.valueLine(V)]; }
  std::string atStep(HloId Id) const;
  bool isConstant(const ClobberedRead &Read) const {
    return P[W.flow()[Read.Value].Definition].Op == Opcode::Constant;
  }
  std::string cause(const ClobberedRead &Read) const;
  std::string want(const ClobberedRead &Read) const;
  void report(ArrayRef<const ClobberedRead *> Reads);
  void explain(Finding &F, ArrayRef<const ClobberedRead *> Reads);
  void noteReader(Finding &F, const ClobberedRead &Read);
  void noteSource(Finding &F, HloId Id);

  const ModuleAnalysis &W;
  const Program &P;
  const Facts &A;
  const Dump &D;
  Reporter &R;
  Shadow Run;
};
} // namespace

/// ` at step 5`.
std::string ClobberedReads::atStep(HloId Id) const {
  int32_t Step = W.schedule().time(Id);
  return Step < 0 ? "" : fmt::format(" at step {}", Step);
}

/// What is wrong with the bytes.
std::string ClobberedReads::cause(const ClobberedRead &Read) const {
  std::string Bytes =
      fmt::format("bytes [{}, {}) of allocation {}", Read.Damage.Begin,
                  Read.Damage.End, D[Read.Damage.Where].Index);
  if (!Read.Written)
    return fmt::format("nothing was written to its {}", Bytes);
  HloId Writer = W.flow()[Read.Written].Definition;
  bool Before = Read.Operand &&
                W.schedule().time(Writer) >= W.schedule().time(Read.Reader);
  return fmt::format("{} overwrote its {}{}{}: {} sees {}'s result instead",
                     P.spell(Writer), Bytes, atStep(Writer),
                     Before ? ", one round of the loop before" : "",
                     Read.Operand       ? "the reader"
                     : isConstant(Read) ? "the next run"
                                        : "the caller",
                     P.spell(Writer));
}

/// What \p Read wants, up to the comma of the message.
std::string ClobberedReads::want(const ClobberedRead &Read) const {
  if (Read.Operand)
    return fmt::format("{} reads {}{}", P.spell(Read.Reader), spell(Read.Value),
                       atStep(Read.Reader));
  if (!Read.Input)
    return fmt::format("the program returns {}", spell(Read.Value));
  return fmt::format("{} is {}", spell(Read.Value),
                     isConstant(Read) ? "a constant" : "not donated");
}

void ClobberedReads::noteReader(Finding &F, const ClobberedRead &Read) {
  if (Read.Operand)
    F.note(P.place(Read.Reader), "{} reads it{} as operand {}",
           P.spell(Read.Reader), atStep(Read.Reader), *Read.Operand);
  else if (!Read.Input)
    F.note(P.place(Read.Reader), "{} returns it at the end of the program",
           P.spell(Read.Reader));
  else if (!isConstant(Read))
    F.note(P.place(Read.Reader),
           "the caller keeps it: input_output_alias does not list it");
}

void ClobberedReads::noteSource(Finding &F, HloId Id) {
  if (P.isHidden(Id))
    return;
  std::string Line = A.sourceLine(P.module().attributes(P.module()[Id]));
  if (!Line.empty())
    F.note(P.place(Id), "{} comes from {}", P.spell(Id), Line);
}

/// The story in the order of its steps, then the lines of the program.
void ClobberedReads::explain(Finding &F,
                             ArrayRef<const ClobberedRead *> Reads) {
  const ClobberedRead &First = *Reads[0];
  HloId Definition = W.flow()[First.Value].Definition;
  F.note(P.place(Definition), "{} is defined here{}", spell(First.Value),
         atStep(Definition));
  HloId Writer;
  if (First.Written) {
    Writer = W.flow()[First.Written].Definition;
    F.note(P.place(Writer), "{} is written to the same bytes{}",
           spell(First.Written), atStep(Writer));
    const Value &V = line(First.Written);
    F.note(A.places().value(V).Tag.Whole, "{} is placed at bytes [{}, {}) here",
           D.spell(V.Tag), V.Offset, V.end());
  }
  for (const ClobberedRead *Read : Reads.take_front(MaxReaders))
    noteReader(F, *Read);
  if (Reads.size() > MaxReaders)
    F.note(A.places().value(line(First.Value)).Tag.Whole,
           "{} more instructions read it", Reads.size() - MaxReaders);
  if (!First.Input)
    noteSource(F, First.Reader);
  if (Writer && Writer != First.Reader)
    noteSource(F, Writer);
}

/// Reports one value with all reads that find it damaged.
void ClobberedReads::report(ArrayRef<const ClobberedRead *> Reads) {
  const ClobberedRead &First = *Reads[0];
  Finding F = R.reportAs(W.isUncertain() ? Severity::Warning : Severity::Error,
                         A.places().value(line(First.Value)).Tag.Whole,
                         "{}, but {}", want(First), cause(First));
  explain(F, Reads);
  F.about(Run.valueLine(First.Value));
  if (First.Written)
    F.about(Run.valueLine(First.Written));
  if (P[First.Reader].Name)
    F.about(P[First.Reader].Name);
  // Then either of the two may be wrong.
  if (W.firstDifference())
    F.about(Section::Module);
}

void ClobberedReads::run() {
  for (const std::string &Reason : Run.reasons())
    R.notChecked(Reason);
  llvm::MapVector<uint32_t, llvm::SmallVector<const ClobberedRead *, 2>> Values;
  for (const ClobberedRead &Read : Run.clobbered())
    Values[Read.Value.index()].push_back(&Read);
  for (const auto &[Value, Reads] : Values)
    report(Reads);
}

namespace hlobuf {
void checkClobberedRead(const CheckContext &A, Reporter &R) {
  if (const ModuleAnalysis *W = usableModule(A, R))
    ClobberedReads(*W, R).run();
}
} // namespace hlobuf
