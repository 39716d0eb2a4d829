// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dones of starts, and places of outputs.

#include "Proof/Deciders.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using namespace hlobuf::proof;

namespace {
/// Follows the result of a start to its done.
class DoneSearch {
public:
  explicit DoneSearch(const ProofModel &X) : X(X) {}
  Outcome find(HloId Start);

private:
  void add(HloId Id) {
    if (Id && Seen.insert(Id.index()).second)
      Work.push_back(Id);
  }
  void addParameters(HloId Caller) {
    for (const HloCall &Call : X.P.calls(Caller))
      for (uint32_t N = 0; N != X.P.numParameters(Call.Callee); ++N)
        add(X.P.parameter(Call.Callee, N));
  }
  void addUser(HloId User);

  const ProofModel &X;
  DenseSet<uint32_t> Seen;
  std::vector<HloId> Work;
};
} // namespace

static bool isDoneOf(Opcode Start, Opcode Op) {
  if (Start == Opcode::Send)
    return Op == Opcode::SendDone;
  const AsyncOpcodes *Pair = startedBy(Start);
  return Pair && Pair->Done == Op;
}

/// What takes part of a chain's state on, unread.
void DoneSearch::addUser(HloId User) {
  Opcode Op = X.op(User);
  bool Calls = isSynchronousCall(Op);
  if (!Calls && !accessesNoMemory(Op) && Op != Opcode::Copy &&
      Op != Opcode::AsyncUpdate)
    return;
  add(User);
  if (Calls)
    addParameters(User);
}

Outcome DoneSearch::find(HloId Start) {
  add(Start);
  while (!Work.empty()) {
    HloId Id = Work.back();
    Work.pop_back();
    for (const ProgramUse &Use : X.P.users(Id)) {
      if (isDoneOf(X.op(Start), X.op(Use.User)))
        return X.P[Use.User].Parent == X.P[Start].Parent
                   ? Rule::DoneSameComputation
                   : Rule::DoneOtherComputation;
      addUser(Use.User);
    }
    ComputationId Parent = X.P[Id].Parent;
    if (X.P.root(Parent) == Id)
      for (HloId Caller : X.P.callers(Parent)) {
        add(Caller);
        if (X.op(Caller) == Opcode::While)
          addParameters(Caller);
      }
  }
  return {Breach::NoDone, X.P.spell(Start)};
}

/// The lines of tuples in the result, by memory: their index tables.
static DenseMap<uint32_t, SmallVector<ValueId, 1>>
resultTables(const ProofModel &X) {
  DenseMap<uint32_t, SmallVector<ValueId, 1>> Tables;
  const Dump &D = X.Lines.dump();
  for (ValueId Line : ids<ValueId>(D.Values.size()))
    if (D[Line].Tag.Name == X.P[X.entryRoot()].Name && D[Line].Shape &&
        D.Shapes[D[Line].Shape].isTuple())
      Tables[X.place(Line).Memory.index()].push_back(Line);
  return Tables;
}

/// Lines of outputs that share a byte with another output's, by line. What does
/// not begin its allocation is not where an output may be.
static DenseMap<uint32_t, ValueId> findOverlaps(const ProofModel &X) {
  DenseMap<uint32_t, std::pair<uint32_t, ValueId>> Firsts;
  DenseMap<uint32_t, ValueId> Overlaps;
  auto Tables = resultTables(X);
  for (uint32_t Leaf : X.Lines.leaves(X.entryRoot())) {
    ValueId Line = X.Home.of({X.entryRoot(), Leaf});
    if (!Line || X.place(Line).empty())
      continue;
    uint32_t Memory = X.place(Line).Memory.index();
    for (ValueId Table : Tables.lookup(Memory))
      if (X.place(Line).meets(X.place(Table)))
        Overlaps[Leaf] = Table;
    auto [First, New] = Firsts.try_emplace(Memory, Leaf, Line);
    if (New || !X.place(Line).meets(X.place(First->second.second)))
      continue;
    Overlaps[Leaf] = First->second.second;
    Overlaps[First->second.first] = Line;
  }
  return Overlaps;
}

void proof::decideEnds(const ProofModel &X, Ledger &L) {
  L.decide(Topic::HasDone, [&](const Obligation &O) {
    Outcome Found = DoneSearch(X).find(O.At);
    bool Assumed = Found.kind() == OutcomeKind::Proved &&
                   X.Lines.isCarried(X.P[O.At].Parent);
    return Assumed ? Outcome(Gate::CompiledElsewhere) : Found;
  });
  DenseMap<uint32_t, ValueId> Overlaps = findOverlaps(X);
  L.decide(Topic::OwnPlace, [&](const Obligation &O) -> Outcome {
    ValueId Line = X.Home.of({O.At, O.Part});
    if (logicalBytes(X.Lines.dump().Shapes, X.Lines.shapeId({O.At, O.Part})) ==
        0)
      return Rule::NoData;
    if (!Line)
      return Reason::OutputWithoutLine;
    if (X.op(X.Lines.part(Line).Id) == Opcode::Unknown)
      return {Reason::UnknownOpcode, X.Lines.spell(Line)};
    if (!X.place(Line).empty() && X.Lines.isReadOnly(Line))
      return {Breach::ReadOnlyOutput, Evidence{X.Lines.spell(Line), Line, {}}};
    if (ValueId Other = Overlaps.lookup(O.Part))
      return {Breach::OutputsOverlap,
              Evidence{X.Lines.spell(Line) + " and " + X.Lines.spell(Other),
                       Line, Other}};
    return Rule::PlaceOfItsOwn;
  });
}
