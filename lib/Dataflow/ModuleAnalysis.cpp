// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/ModuleAnalysis.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

ModuleAnalysis::ModuleAnalysis(const Program &P) : DumpFacts(P.facts()), P(P) {
  derive();
}

ModuleAnalysis::ModuleAnalysis(const Facts &DumpFacts, ProgramSource Source)
    : DumpFacts(DumpFacts), Own(std::make_unique<Program>(DumpFacts, Source)),
      P(*Own) {
  derive();
}

void ModuleAnalysis::derive() {
  if (P.isFromTexts()) {
    Flow.emplace(P, DumpFacts.release());
    Best = std::make_unique<Derivation>(*Flow, ReleaseRules());
    Differing = findDiffering(*Best);
    findUnknownOpcodes();
    return;
  }
  Obstacle = P.obstacle();
  if (Obstacle.empty() && !sharedCallees(P).empty())
    Obstacle = "a computation is called from several places";
  if (!Obstacle.empty())
    return;
  findBest();
  countStrangers();
  findUnknownOpcodes();
  findNewRule();
}

ArrayRef<Section> hlobuf::sectionsInTexts(DerivedPart Part) {
  using enum Section;
  static constexpr Section Scheduled[] = {Allocations, Used, Sequence, Ranges};
  static constexpr Section Defined[] = {Allocations, Used, Texts};
  static constexpr Section Listed[] = {Used};
  switch (Part) {
  case DerivedPart::Sequence:
  case DerivedPart::Ranges:
    return Scheduled;
  case DerivedPart::Values:
  case DerivedPart::Positions:
  case DerivedPart::Flags:
    return Defined;
  case DerivedPart::Uses:
    return Listed;
  case DerivedPart::Places:
  case DerivedPart::Sizes:
    break;
  }
  return {};
}

bool ModuleAnalysis::states(DerivedPart Part) const {
  const Dump &D = DumpFacts.dump();
  if (P.isFromTexts()) {
    ArrayRef<Section> Needed = sectionsInTexts(Part);
    return !Needed.empty() &&
           llvm::all_of(Needed, [&](Section S) { return D.complete(S); }) &&
           (Part != DerivedPart::Ranges || DumpFacts.isSequenceSound());
  }
  bool Named = D.complete(Section::Used) || !P.leavesElementsOut();
  bool Ordered = P.module().Scheduled || P.adoptedOrder();
  bool Timed = Ordered && D.complete(Section::Sequence) &&
               !D.Sequence.empty() && DumpFacts.isSequenceSound() && Named;
  switch (Part) {
  case DerivedPart::Sequence:
    return Timed;
  case DerivedPart::Values:
  case DerivedPart::Places:
  case DerivedPart::Flags:
    return D.complete(Section::Allocations);
  case DerivedPart::Sizes:
    return D.complete(Section::Allocations) && !DumpFacts.isTPU();
  case DerivedPart::Positions:
  case DerivedPart::Uses:
    return D.complete(Section::Used);
  case DerivedPart::Ranges:
    return Timed && D.complete(Section::Ranges);
  }
  return false;
}

std::optional<DerivedPart> ModuleAnalysis::firstDifference() const {
  for (unsigned I = 0; I != NumDerivedParts; ++I)
    if (differs(static_cast<DerivedPart>(I)))
      return static_cast<DerivedPart>(I);
  return std::nullopt;
}

/// Rules that differ for this module, newest first.
std::vector<ReleaseRules> ModuleAnalysis::distinctRules() const {
  constexpr bool All = true;
  bool Async = false;
  bool Fusions = false;
  bool Calls = false;
  bool StartsReduce = false;
  bool Permutes = false;
  bool Ragged = false;
  for (const HloInstruction &I : P.module().Instructions) {
    Async |= isAsync(I.Op);
    Permutes |= isPermute(I.Op);
    Ragged |= I.Op == Opcode::RaggedAllToAll;
    Fusions |= I.Op == Opcode::Fusion;
    Calls |= I.Op == Opcode::Call;
    StartsReduce |= I.Op == Opcode::AllReduceStart;
  }
  std::vector<ReleaseRules> Distinct;
  ReleaseRules Default;
  for (ReleaseRules Rules :
       possibleRules(DumpFacts.release(), DumpFacts.backend())) {
    Rules.From = 0;
#define HLOBUF_FLOW_RULE(Name, Date, Direction, Programs, What)                \
  if (!Programs)                                                               \
    Rules.Name = Default.Name;
#include "Dump/Releases.def"
    Rules.ReshapeIsNoOp &= Fusions;
    Rules.NvshmemCopies &= StartsReduce;
    if (!llvm::is_contained(Distinct, Rules))
      Distinct.push_back(Rules);
  }
  return Distinct;
}

unsigned ModuleAnalysis::findDiffering(const Derivation &Candidate) const {
  unsigned Bits = 0;
  for (unsigned I = 0; I != NumDerivedParts; ++I) {
    auto Part = static_cast<DerivedPart>(I);
    if (states(Part))
      compare(Candidate, Part, [&](const Difference &) {
        Bits |= 1u << I;
        return false;
      });
  }
  return Bits;
}

void ModuleAnalysis::findBest() {
  Flow.emplace(P, DumpFacts.release());
  for (const ReleaseRules &Rules : distinctRules()) {
    auto Next = std::make_unique<Derivation>(*Flow, Rules);
    unsigned Bits = findDiffering(*Next);
    if (Best && llvm::popcount(Differing) <= llvm::popcount(Bits))
      continue;
    Best = std::move(Next);
    Differing = Bits;
    if (Differing == 0)
      return;
  }
}

/// Names that only one of the two has tell a dump from before a late pass.
void ModuleAnalysis::countStrangers() {
  if (!differs(DerivedPart::Sequence) && !differs(DerivedPart::Values))
    return;
  const Dump &D = DumpFacts.dump();
  bool ByStep = states(DerivedPart::Sequence);
  auto Part = ByStep ? DerivedPart::Sequence : DerivedPart::Values;
  size_t Strange = 0;
  size_t All = ByStep ? D.Sequence.size() : D.Values.size();
  if (states(Part))
    compare(*Best, Part, [&](const Difference &Diff) {
      Strange += Diff.Kind != DifferenceKind::Unequal;
      return true;
    });
  AnotherTime = Strange >= 6 && Strange * 20 > All;
}

/// What an opcode newer than this tool defines and forwards is a guess; so is
/// what an unknown opcode that is printed as foo-start wraps, and what a fusion
/// computes with one. The guess reaches as far as the alias sets of what the
/// instruction defines and reads.
void ModuleAnalysis::findUnknownOpcodes() {
  auto Mark = [&](HloId Id) {
    if (!flow().hasLocations(Id))
      return;
    for (uint32_t K = 0; K != P.trees().parts(P[Id].Shape); ++K)
      if (HloValueId V = flow().at(Id, K))
        Guessed[aliases().group(V).index()] = true;
  };
  SmallVector<HloId, 8> Todo;
  for (HloId Id : ids<HloId>(P.size()))
    if (const HloNode &N = P[Id]; N.Op == Opcode::Unknown && !N.Opaque)
      Todo.push_back(Id);
  DenseSet<uint32_t> Entered;
  while (!Todo.empty()) {
    HloId Id = Todo.pop_back_val();
    if (!P.hasBuffers(Id)) {
      if (Entered.insert(P[Id].Parent.index()).second)
        llvm::append_range(Todo, P.callers(P[Id].Parent));
      continue;
    }
    Guessed.resize(flow().values().size());
    Mark(Id);
    llvm::for_each(P.operands(Id), Mark);
  }
}

/// True if \p V is in an async body or at an async instruction.
bool ModuleAnalysis::touchesAsync(HloValueId V) const {
  return llvm::any_of(flow().positions(V), [&](const Part &Pos) {
    return isAsync(P[Pos.Id].Op) || schedule().asyncBody(P[Pos.Id].Parent);
  });
}

bool ModuleAnalysis::mayBeNewRule(DerivedPart Part) {
  return Part == DerivedPart::Values || Part == DerivedPart::Positions ||
         Part == DerivedPart::Uses || Part == DerivedPart::Ranges;
}

/// True if \p Diff is a value that the dump has nothing for: under another
/// rule its place would hold a value that is forwarded.
bool ModuleAnalysis::isLost(DerivedPart Part, const Difference &Diff) const {
  if (Part != DerivedPart::Values || Diff.Kind != DifferenceKind::Missing)
    return false;
  const HloValue &Value = flow()[Diff.Value];
  const HloNode &N = P[Value.Definition];
  return !N.Name ||
         DumpFacts.positionsAt(N.Name, P.trees().index(N.Shape, Value.Ordinal))
             .empty();
}

/// The values that differ in \p Part, each once; empty if something differs
/// that is not a value of the module.
std::vector<HloValueId>
ModuleAnalysis::differingValues(DerivedPart Part) const {
  std::vector<HloValueId> Values;
  std::vector<bool> Seen(flow().values().size());
  bool Strange = false;
  compare(*Best, Part, [&](const Difference &Diff) {
    HloValueId V = valueOf(Diff);
    Strange |= !V || isLost(Part, Diff);
    if (V && !Seen[V.index()])
      Values.push_back(V);
    if (V)
      Seen[V.index()] = true;
    return !Strange;
  });
  if (Strange)
    Values.clear();
  return Values;
}

/// One edit changes a value or two. A rule of XLA that this tool does not know
/// changes all values of one kind.
void ModuleAnalysis::findNewRule() {
  constexpr size_t Least = 3;
  std::optional<DerivedPart> Part = firstDifference();
  if (!Part || !DumpFacts.release().isNewest() || !mayBeNewRule(*Part))
    return;
  std::vector<HloValueId> Values = differingValues(*Part);
  if (Values.size() < Least)
    return;
  auto KindOf = [&](HloValueId V) {
    return static_cast<unsigned>(P[flow()[V].Definition].Op);
  };
  if (llvm::all_of(Values, [&](HloValueId V) { return touchesAsync(V); })) {
    NewRuleFor = "values of async computations";
  } else {
    DenseMap<unsigned, size_t> Differing, All;
    for (HloValueId V : Values)
      ++Differing[KindOf(V)];
    for (HloValueId V : ids<HloValueId>(flow().values().size()))
      if (P.hasBuffers(flow()[V].Definition))
        ++All[KindOf(V)];
    for (auto [Kind, Number] : Differing)
      if (Number < Least || Number != All.lookup(Kind))
        return;
    NewRuleFor = opcodeText(static_cast<Opcode>(KindOf(Values.front())));
  }
  NumExcused = Values.size();
  Excused.resize(flow().values().size());
  for (HloValueId V : Values)
    Excused[aliases().group(V).index()] = true;
}

HloValueId ModuleAnalysis::valueOf(const Difference &Diff) const {
  if (Diff.Value || !Diff.Line)
    return Diff.Value;
  const ValueTag &Tag = DumpFacts.dump()[Diff.Line].Tag;
  return find(Tag.Name, Tag.Index);
}

/// True if \p Diff is about a value of one of \p Groups, or about nothing
/// that a single value decides.
bool ModuleAnalysis::concerns(const std::vector<bool> &Groups, DerivedPart Part,
                              const Difference &Diff) const {
  if (Groups.empty())
    return false;
  auto InGroups = [&](HloValueId V) {
    return !V || Groups[aliases().group(V).index()];
  };
  if (Part != DerivedPart::Flags)
    return InGroups(valueOf(Diff));
  const Dump &D = DumpFacts.dump();
  return llvm::any_of(D.values(D.Allocations[Diff.Row]), [&](const Value &V) {
    return InGroups(find(V.Tag.Name, V.Tag.Index));
  });
}

bool ModuleAnalysis::isExcused(HloId Id, uint32_t Ordinal) const {
  if (Excused.empty() || !Id || !flow().hasLocations(Id))
    return false;
  HloValueId V = flow().at(Id, Ordinal);
  return V && Excused[aliases().group(V).index()];
}

bool ModuleAnalysis::mayFollowFromExcuse(DerivedPart Part,
                                         const Difference &Diff) const {
  return concerns(Excused, Part, Diff);
}

bool ModuleAnalysis::isGuess(ValueId Line) const {
  const ValueTag &Tag = DumpFacts.dump()[Line].Tag;
  return isGuess(find(Tag.Name, Tag.Index));
}

bool ModuleAnalysis::isGuess(DerivedPart Part, const Difference &Diff) const {
  return concerns(Guessed, Part, Diff);
}
