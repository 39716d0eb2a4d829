// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proof/StatedProof.h"
#include "Facts/Occupancy.h"
#include "Program/StatedSteps.h"
#include "Proof/ByteMemory.h"
#include "Proof/PartSources.h"
#include "Proof/TypeRules.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

namespace {
/// One stated program. A value is numbered like its line.
class StatedProgram {
public:
  StatedProgram(const Facts &DumpFacts, Ledger &L);

  void enumerate();
  /// The same by instruction instead of by value.
  void countAgain();
  void decideStatic();
  void execute();

private:
  BytePlace place(ValueId V) const {
    return {D[V].Owner, D[V].Offset, D[V].end()};
  }
  bool isInput(ValueId V) const;
  bool isKeptArgument(ValueId V) const;
  bool lastsToTheEnd(ValueId V) const;
  void forEachOverlap(uint32_t Use,
                      function_ref<void(uint32_t Line)> Visit) const;
  Outcome fits(ValueId V) const;
  Outcome inPlace(uint32_t Use, ValueId Result) const;

  void fill();
  void write(ValueId V);
  Outcome find(ValueId V, NameId Reader);
  std::optional<Outcome> openReader(uint32_t Use) const;
  Outcome read(uint32_t Use);
  Outcome readWithoutStep(uint32_t Use) const;

  const Facts &DumpFacts;
  const Dump &D;
  Ledger &L;
  StatedSteps Steps;
  /// By number of Dump::Uses: it is one of bytes, and of which value.
  std::vector<bool> Reads;
  std::vector<ValueId> ReadValues;
  NumberSets Sets;
  ByteMemory Memory;
  /// Loops and conditionals: steps do not run one after the other.
  bool HasPaths = false;
  /// Computations run in addition to the steps.
  bool HasFlight = false;
  /// By value line: its definition has run.
  std::vector<bool> Live;
  /// By value line: a fusion may have changed it in place.
  std::vector<bool> Doubtful;
};
} // namespace

static bool isFlying(Opcode Op) { return isStart(Op) || isDone(Op); }

static Outcome onlyInModule(StringRef What) {
  return {Reason::OnlyInModule, What.str()};
}

StatedProgram::StatedProgram(const Facts &DumpFacts, Ledger &L)
    : DumpFacts(DumpFacts), D(DumpFacts.dump()), L(L), Steps(DumpFacts),
      Reads(D.Uses.size()), ReadValues(D.Uses.size()),
      Memory(D.Allocations.size()), Live(D.Values.size()),
      Doubtful(D.Values.size()) {
  for (size_t U = 0; U != D.Used.size(); ++U) {
    IndexRange Rows = D.useRows(D.Used[U]);
    for (uint32_t Use = Rows.Begin; Use != Rows.End; ++Use) {
      Reads[Use] = Steps.reads(Use) || openReader(Use);
      ReadValues[Use] = DumpFacts.valueOf(UsedId(U));
    }
  }
  for (const Instruction &I : D.Instructions) {
    HasPaths |= I.Op.Op == Opcode::While || I.Op.Op == Opcode::Conditional;
    HasFlight |= hasAsyncState(I.Op.Op);
  }
}

/// True for constants and the parameters of the program, which are there before
/// the first step. Constants without a step may be those of another execution
/// thread.
bool StatedProgram::isInput(ValueId V) const {
  const Allocation &Alloc = D[D[V].Owner];
  NameId Name = D[V].Tag.Name;
  return (Alloc.Constant || Alloc.isParameter()) && !D[V].Tag.Phi &&
         DumpFacts.time(Name) >= 0 &&
         DumpFacts.opcode(Name) ==
             (Alloc.Constant ? Opcode::Constant : Opcode::Parameter);
}

/// An argument whose memory no result has. Whether it may be overwritten, only
/// the module says: it may be a donor that nothing took.
bool StatedProgram::isKeptArgument(ValueId V) const {
  const Allocation &Owner = D[D[V].Owner];
  return Owner.isParameter() && !Owner.MaybeLiveOut && !D[V].Tag.Phi &&
         DumpFacts.opcode(D[V].Tag.Name) == Opcode::Parameter;
}

/// True for results, constants and such arguments.
bool StatedProgram::lastsToTheEnd(ValueId V) const {
  UsedId U = DumpFacts.usedOf(V);
  return isConstant(DumpFacts, D[V].Tag.Name) || isKeptArgument(V) ||
         (U && DumpFacts.isLiveOut(U));
}

/// Lines that the instruction of \p Use writes where it reads.
void StatedProgram::forEachOverlap(
    uint32_t Use, function_ref<void(uint32_t Line)> Visit) const {
  ValueId Read = ReadValues[Use];
  if (!Read)
    return;
  for (uint32_t Line : DumpFacts.valuesOfInstruction(D.Uses[Use].Name))
    if (!D.Values[Line].Tag.Phi && place(ValueId(Line)).meets(place(Read)))
      Visit(Line);
}

void StatedProgram::enumerate() {
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    L.open({Topic::Known, HloId(), I});
    L.open({Topic::Fits, HloId(), I});
    if (lastsToTheEnd(ValueId(I)))
      L.open({Topic::StatedEnd, HloId(), I});
  }
  for (uint32_t Use = 0; Use != D.Uses.size(); ++Use) {
    if (!Reads[Use])
      continue;
    L.open({Topic::StatedRead, HloId(), Use});
    forEachOverlap(Use, [&](uint32_t Line) {
      L.open({Topic::StatedInPlace, HloId(), Use, Line});
    });
  }
  L.seal();
}

void StatedProgram::countAgain() {
  size_t Count = 0, Overlaps = 0, Ends = 0;
  for (size_t N = 0; N != D.Names.size(); ++N) {
    for (uint32_t Use : DumpFacts.usesBy(NameId(N)))
      if (Reads[Use]) {
        ++Count;
        forEachOverlap(Use, [&](uint32_t) { ++Overlaps; });
      }
    for (uint32_t Line : DumpFacts.valuesOfInstruction(NameId(N)))
      Ends += lastsToTheEnd(ValueId(Line));
  }
  L.compareCount(Topic::StatedRead, Count);
  L.compareCount(Topic::StatedInPlace, Overlaps);
  L.compareCount(Topic::StatedEnd, Ends);
  L.compareCount(Topic::Known, D.Values.size());
  L.compareCount(Topic::Fits, D.Values.size());
}

Outcome StatedProgram::fits(ValueId V) const {
  const Allocation &Owner = D[D[V].Owner];
  bool HasStep = DumpFacts.time(D[V].Tag.Name) >= 0;
  // Computations that TPU embeds may have temps.
  bool Elsewhere =
      HasStep ? Owner.ThreadLocal : !Owner.ThreadLocal && !DumpFacts.isTPU();
  if (!Owner.Constant && Elsewhere)
    return {Breach::OtherMemory, D.spell(D[V].Tag)};
  return fitsLine(DumpFacts, V, D[V].Shape, DumpFacts.opcode(D[V].Tag.Name));
}

/// The instruction of \p Use writes \p Result where it reads.
Outcome StatedProgram::inPlace(uint32_t Use, ValueId Result) const {
  ValueId Read = ReadValues[Use];
  NameId Name = D.Uses[Use].Name;
  std::string Where = D.Names[Name].str();
  Opcode Op = DumpFacts.opcode(Name);
  if (!place(Result).beginsLike(place(Read)))
    return onlyInModule(Where);
  if (!Steps.isTyped(Name, D.Uses[Use].Operand, Read))
    return Reason::OtherView;
  const Shape &Written = D.Shapes[D[Result].Shape];
  const Shape &Source = D.Shapes[D[Read].Shape];
  auto Own = D.Indices.steps(D[Result].Tag.Index);
  if (isUpdate(Op) && isSameType(Written, Source) &&
      D.Uses[Use].Operand == (Own.empty() ? 0 : Own[0]))
    return Rule::DefinedInPlace;
  if (Op == Opcode::Fusion)
    return {Reason::FusionWithoutBody, Where};
  return inPlaceByOpcode(Op, Written, Source);
}

void StatedProgram::decideStatic() {
  L.decide(Topic::Known, [&](const Obligation &O) -> Outcome {
    if (DumpFacts.usedOf(ValueId(O.Part)))
      return Rule::NamesPart;
    return {Reason::PartUnknown, D.spell(D.Values[O.Part].Tag)};
  });
  L.decide(Topic::Fits,
           [&](const Obligation &O) { return fits(ValueId(O.Part)); });
  L.decide(Topic::StatedInPlace, [&](const Obligation &O) {
    return inPlace(O.Part, ValueId(O.Operand));
  });
}

void StatedProgram::write(ValueId V) {
  BytePlace Place = place(V);
  Live[V.index()] = true;
  // Contexts of async chains share one place (SparseCore, libtpu 0.0.51).
  if (isSharedContext(DumpFacts, D[V]))
    return;
  StatedEffect Effect = Steps.effect(V);
  if (Effect == StatedEffect::Writes)
    return Memory.write(Place, V.index(), Sets);
  Memory.change(Place, [&](uint32_t Set) {
    if (Effect == StatedEffect::Unknown)
      for (uint32_t Old : Sets.members(Set))
        Doubtful[Old] = true;
    return Sets.with(Set, V.index());
  });
}

/// \p Reader needs the bytes of \p V.
Outcome StatedProgram::find(ValueId V, NameId Reader) {
  if (isSharedContext(DumpFacts, D[V]))
    return Gate::SparseCoreContext;
  BytePlace Place = place(V);
  if (Place.empty())
    return Rule::NoData;
  if (!Live[V.index()])
    return onlyInModule("values before their steps");
  uint32_t Writer = Memory.writerOver(Place, V.index(), Sets);
  if (Writer != ByteMemory::NoWriter) {
    ValueId Written(Writer);
    if (Steps.wroteItself(Reader, Written) ||
        Steps.mayRunInstead(D[Written].Tag.Name, V, Reader))
      return Reason::StatedPaths;
    return {Breach::Overwritten, Evidence{D.spell(D[V].Tag), V, Written}};
  }
  // Nobody writes an input that is elsewhere than it is given.
  bool Given = isGiven(DumpFacts.opcode(D[V].Tag.Name)) && !D[V].Tag.Phi;
  if (Given ? !isInput(V) : D[D[V].Owner].Constant)
    return onlyInModule("inputs outside of their allocations");
  if (Doubtful[V.index()])
    return Reason::FusionWithoutBody;
  if (isConcatBitcast(DumpFacts, D[V].Tag.Name) && !Steps.isJoined(V))
    return onlyInModule("slices that are not next to each other");
  if (HasPaths)
    return Reason::StatedPaths;
  if (HasFlight || isFlying(DumpFacts.opcode(Reader)) ||
      isFlying(DumpFacts.opcode(D[V].Tag.Name)))
    return Reason::StatedFlight;
  return Rule::BytesHoldIt;
}

/// Why nobody knows what the instruction of \p Use reads; nothing if it is
/// known.
std::optional<Outcome> StatedProgram::openReader(uint32_t Use) const {
  const Instruction *I = DumpFacts.instruction(D.Uses[Use].Name);
  if (!I)
    return std::nullopt;
  if (I->Op.Sugar)
    return Reason::StatedFlight;
  if (isControlFlow(I->Op.Op))
    return Reason::StatedPaths;
  if (I->Op.Op == Opcode::Unknown)
    return Outcome(Reason::UnknownOpcode, D.Names[I->Name].str());
  return std::nullopt;
}

Outcome StatedProgram::read(uint32_t Use) {
  if (std::optional<Outcome> Open = openReader(Use))
    return *Open;
  ValueId V = ReadValues[Use];
  if (!V)
    return Reason::OperandWithoutLine;
  return find(V, D.Uses[Use].Name);
}

/// Computations that another instruction embeds, reducers for example, have no
/// steps. Their values are in thread-local allocations, which nothing reuses.
Outcome StatedProgram::readWithoutStep(uint32_t Use) const {
  ValueId V = ReadValues[Use];
  if (!V)
    return Reason::OperandWithoutLine;
  const Allocation &Owner = D[D[V].Owner];
  if (Owner.ThreadLocal && Owner.Values.size() == 1)
    return Rule::PlaceOfItsOwn;
  return onlyInModule(D.Names[D.Uses[Use].Name]);
}

void StatedProgram::fill() {
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    if (!isInput(ValueId(I)))
      continue;
    NameId Name = D.Values[I].Tag.Name;
    BytePlace Place = place(ValueId(I));
    Live[I] = true;
    auto IsSame = [&](uint32_t Old) {
      return place(ValueId(Old)) == Place &&
             haveSameLiteral(DumpFacts, Name, D.Values[Old].Tag.Name);
    };
    if (Memory.all(Place, [&](uint32_t Set) {
          return llvm::any_of(Sets.members(Set), IsSame);
        }))
      Memory.change(Place, [&](uint32_t Set) { return Sets.with(Set, I); });
    else
      Memory.write(Place, I, Sets);
  }
}

/// All reads of a step come before its writes. After the last one the results
/// are still there, and so are the constants.
void StatedProgram::execute() {
  fill();
  for (const SequenceRow &Row : D.Sequence) {
    for (uint32_t Use : DumpFacts.usesBy(Row.Name))
      if (Reads[Use])
        L.visit({Topic::StatedRead, HloId(), Use}, read(Use));
    for (uint32_t V : DumpFacts.valuesOfInstruction(Row.Name))
      if (!Live[V])
        write(ValueId(V));
  }
  for (uint32_t Use = 0; Use != D.Uses.size(); ++Use)
    if (DumpFacts.time(D.Uses[Use].Name) < 0 && Reads[Use])
      L.visit({Topic::StatedRead, HloId(), Use}, readWithoutStep(Use));
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    ValueId V(I);
    if (!lastsToTheEnd(V))
      continue;
    NameId Name = D[V].Tag.Name;
    Outcome Found =
        find(V, isGiven(DumpFacts.opcode(Name)) ? Name : DumpFacts.entryRoot());
    UsedId U = DumpFacts.usedOf(V);
    bool Open = Found.kind() == OutcomeKind::Violated && isKeptArgument(V) &&
                !(U && DumpFacts.isLiveOut(U));
    L.visit({Topic::StatedEnd, HloId(), I},
            Open ? onlyInModule("donors among arguments") : Found);
  }
}

bool proof::statesProgram(const Facts &DumpFacts) {
  const Dump &D = DumpFacts.dump();
  return D.complete(Section::Used) && D.complete(Section::Texts) &&
         D.complete(Section::Sequence) && DumpFacts.isSequenceSound();
}

Proof proof::proveStated(const Facts &DumpFacts, ProvedRows Proved) {
  Proof Result{Ledger(Proved == ProvedRows::Kept, DumpFacts.dump().Uses.size()),
               ""};
  StatedProgram Program(DumpFacts, Result.Book);
  Program.enumerate();
  Program.countAgain();
  Program.decideStatic();
  Program.execute();
  Result.Book.finish();
  return Result;
}

std::string proof::spellStated(const Facts &DumpFacts, const Obligation &O) {
  const Dump &D = DumpFacts.dump();
  if (subjectOf(O.What) == TopicSubject::Line)
    return fmt::format("value {}", D.Values[O.Part].Tag.Id);
  const Use &Read = D.Uses[O.Part];
  std::string Text = fmt::format("{} operand {}{}", D.Names[Read.Name],
                                 Read.Operand, D.Indices.text(Read.Index));
  if (O.What == Topic::StatedInPlace)
    Text += fmt::format(" value {}", D.Values[O.Operand].Tag.Id);
  return Text;
}
