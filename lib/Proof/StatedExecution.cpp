// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/StatedExecution.h"
#include "Facts/Occupancy.h"
#include "Program/StatedSteps.h"
#include "Proof/ByteMemory.h"

using namespace hlobuf;
using namespace hlobuf::proof;

using ReportFn = llvm::function_ref<void(const StatedDamage &)>;

namespace {
/// One walk. A value is numbered like its line.
class StatedWalk {
public:
  StatedWalk(const Facts &DumpFacts, StatedExecution &Out);

  /// Calls \p Report for the first use of each damaged value.
  void run(ReportFn Report);

private:
  std::optional<BytePlace> place(ValueId V) const;
  void fill();
  void write(ValueId V);
  void read(ValueId V, std::optional<uint32_t> Use, NameId Reader,
            ReportFn Report);

  const Facts &DumpFacts;
  const Dump &D;
  StatedSteps Steps;
  StatedExecution &Out;
  NumberSets Sets;
  ByteMemory Memory;
  /// By value line: its definition has run, and it was not reported.
  std::vector<bool> Live;
  /// By value line: a fusion may have changed it in place.
  std::vector<bool> Doubtful;
};
} // namespace

StatedWalk::StatedWalk(const Facts &DumpFacts, StatedExecution &Out)
    : DumpFacts(DumpFacts), D(DumpFacts.dump()), Steps(DumpFacts), Out(Out),
      Memory(D.Allocations.size()), Live(D.Values.size()),
      Doubtful(D.Values.size()) {}

/// Contexts of async chains share one place (SparseCore, libtpu 0.0.51).
std::optional<BytePlace> StatedWalk::place(ValueId V) const {
  const Value &Val = D[V];
  if (Val.end() <= Val.Offset || isSharedContext(DumpFacts, Val) ||
      mayBeSharedContext(DumpFacts, Val))
    return std::nullopt;
  return BytePlace{Val.Owner, Val.Offset, Val.end()};
}

void StatedWalk::write(ValueId V) {
  std::optional<BytePlace> Place = place(V);
  if (!Place)
    return;
  Live[V.index()] = true;
  StatedEffect Effect = Steps.effect(V);
  if (Effect == StatedEffect::Writes)
    return Memory.write(*Place, V.index(), Sets);
  Memory.change(*Place, [&](uint32_t Set) {
    if (Effect == StatedEffect::Unknown)
      for (uint32_t Old : Sets.members(Set))
        Doubtful[Old] = true;
    return Sets.with(Set, V.index());
  });
}

/// \p Reader reads \p V, as use number \p Use or at the end of the program.
void StatedWalk::read(ValueId V, std::optional<uint32_t> Use, NameId Reader,
                      ReportFn Report) {
  if (!V || !Live[V.index()])
    return;
  uint32_t Writer = Memory.writerOver(*place(V), V.index(), Sets);
  if (Writer == ByteMemory::NoWriter) {
    Out.Uncertain |= Doubtful[V.index()];
    return;
  }
  ValueId Written(Writer);
  if (Steps.wroteItself(Reader, Written))
    return;
  if (Steps.mayRunInstead(D[Written].Tag.Name, V, Reader)) {
    Out.Uncertain = true;
    return;
  }
  Live[V.index()] = false;
  Report({V, Written, Use, !Use && isConstant(DumpFacts, D[V].Tag.Name)});
}

/// Constants and the parameters of the program are there before the first step.
/// Constants without a step may be those of another execution thread.
void StatedWalk::fill() {
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    const Allocation &Alloc = D[D.Values[I].Owner];
    NameId Name = D.Values[I].Tag.Name;
    std::optional<BytePlace> Place = place(ValueId(I));
    if (!(Alloc.Constant || Alloc.isParameter()) || !Place ||
        D.Values[I].Tag.Phi || DumpFacts.time(Name) < 0 ||
        DumpFacts.opcode(Name) !=
            (Alloc.Constant ? Opcode::Constant : Opcode::Parameter))
      continue;
    Live[I] = true;
    auto IsSame = [&](uint32_t Old) {
      return place(ValueId(Old)) == Place &&
             haveSameLiteral(DumpFacts, Name, D.Values[Old].Tag.Name);
    };
    if (Memory.all(*Place, [&](uint32_t Set) {
          return llvm::any_of(Sets.members(Set), IsSame);
        }))
      Memory.change(*Place, [&](uint32_t Set) { return Sets.with(Set, I); });
    else
      Memory.write(*Place, I, Sets);
  }
}

/// All reads of a step come before its writes. After the last one the results
/// are still there, and so are the constants.
void StatedWalk::run(ReportFn Report) {
  fill();
  for (const SequenceRow &Row : D.Sequence) {
    for (uint32_t Use : DumpFacts.usesBy(Row.Name))
      if (Steps.reads(Use))
        read(DumpFacts.valueOf(DumpFacts.ownerOfUse(Use)), Use, Row.Name,
             Report);
    for (uint32_t V : DumpFacts.valuesOfInstruction(Row.Name))
      if (!Live[V])
        write(ValueId(V));
  }
  for (uint32_t U = 0; U != D.Used.size(); ++U)
    if (DumpFacts.isLiveOut(UsedId(U)))
      read(DumpFacts.valueOf(UsedId(U)), std::nullopt, DumpFacts.entryRoot(),
           Report);
  for (size_t V = 0; V != Live.size(); ++V)
    if (Live[V] && isConstant(DumpFacts, D.Values[V].Tag.Name))
      read(ValueId(V), std::nullopt, D.Values[V].Tag.Name, Report);
}

StatedExecution proof::executeStated(const Facts &DumpFacts) {
  StatedExecution Out;
  StatedWalk(DumpFacts, Out).run([&](const StatedDamage &Damage) {
    Out.Damages.push_back(Damage);
  });
  return Out;
}
