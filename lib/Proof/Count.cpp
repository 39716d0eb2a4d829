// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Obligations are counted again here. Those that depend on the text alone are
// counted by rules that are written once more: what the tables of ProofModel
// forget is missed. Of the others it is missed if nobody enumerates them.

#include "Proof/Enumerate.h"
#include "llvm/ADT/EnumeratedArray.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// Numbers of obligations, by topic.
using TopicCounts = llvm::EnumeratedArray<size_t, Topic, Topic(NumTopics - 1)>;

/// The arrays in a shape.
static size_t countArrays(const ShapeTable &Shapes, ShapeId Id) {
  if (!Id)
    return 0;
  const Shape &S = Shapes[Id];
  size_t Count = S.Kind == ShapeKind::Array || S.Kind == ShapeKind::Buffer;
  if (S.isTuple())
    for (ShapeId Element : S.Elements)
      Count += countArrays(Shapes, Element);
  return Count;
}

static size_t countPredecessors(const Program &P, HloId Id) {
  if (!P[Id].HasPredecessors)
    return 0;
  StringRef Text = P.module().attributes(P.module()[Id]);
  StringRef Names = Text.split("control-predecessors={").second;
  Names = Names.substr(0, Names.find('}'));
  return Names.empty() ? 0 : Names.count(',') + 1;
}

/// How many of its operands, the first ones, \p Id reads itself.
static size_t operandsRead(const Program &P, HloId Id) {
  const HloNode &N = P[Id];
  switch (N.Op) {
  case Opcode::AddDependency:
  case Opcode::AfterAll:
  case Opcode::AsyncUpdate:
  case Opcode::Bitcast:
  case Opcode::Call:
  case Opcode::Domain:
  case Opcode::GetTupleElement:
  case Opcode::OptBarrier:
  case Opcode::Tuple:
  case Opcode::While:
    return 0;
  case Opcode::AsyncStart:
    return P.calls(Id).empty() ? P.operands(Id).size() : 0;
  case Opcode::Copy:
    return P.trees().shape(N.Shape).isTuple() ? 0 : 1;
  case Opcode::Conditional:
    return 1;
  default:
    return P.operands(Id).size();
  }
}

/// Parts of \p Id have lines because it writes them, or joins values: it is
/// neither there before, nor forwarded by a chain.
static bool makesValues(const Program &P, HloId Id) {
  return !isGiven(P[Id].Op) && !hasAsyncState(P[Id].Op);
}

/// Arrays with a line in the dump that some instruction makes. Counts what is
/// shown of each line.
static size_t countLines(const ProofModel &X, TopicCounts &Counts) {
  const Program &P = X.P;
  const Dump &D = P.facts().dump();
  std::vector<std::pair<IdPair, ValueId>> Parts;
  for (size_t I = 0; I != D.Values.size(); ++I) {
    const ValueTag &Tag = D.Values[I].Tag;
    HloId Id = P.find(Tag.Name);
    if (!Id || !P.hasBuffers(Id))
      continue;
    auto Ordinal = P.trees().ordinal(P[Id].Shape, Tag.Index);
    if (Ordinal && !P.trees().isTuple(P[Id].Shape, *Ordinal) &&
        countArrays(D.Shapes, P.trees().part(P[Id].Shape, *Ordinal)) == 1)
      Parts.push_back({{Id.index(), *Ordinal}, ValueId(I)});
  }
  llvm::sort(Parts);
  // Of several lines of one part the first one counts.
  auto IsSame = [](const auto &A, const auto &B) { return A.first == B.first; };
  Parts.erase(std::unique(Parts.begin(), Parts.end(), IsSame), Parts.end());
  size_t NumMade = 0;
  for (auto [At, Line] : Parts) {
    HloId Id(At.first);
    const ValueTag &Tag = D[Line].Tag;
    bool IsDonated = P[Id].Op == Opcode::Parameter &&
                     X.Lines.isDonated(P[Id].number(), Tag.Index);
    NumMade += makesValues(P, Id);
    Counts[Topic::Space] += Tag.HasColor;
    Counts[Topic::AtStart] += P.isInput(Id);
    Counts[Topic::InputKept] += P.isInput(Id) && !IsDonated;
  }
  Counts[Topic::Known] = Counts[Topic::Fits] = D.Values.size();
  return NumMade;
}

/// The same by the ledger: what is written, or has the place of its sources, of
/// which the first one counts.
static size_t countMade(const Program &P, const Ledger &L) {
  size_t Count = 0;
  for (Topic What : {Topic::Written, Topic::SourcePlace})
    for (const Ledger::Row &R : L.rows(What))
      Count += R.Operand == 0 && makesValues(P, R.At);
  return Count;
}

static void countInstruction(const Program &P, HloId Id, TopicCounts &Counts) {
  const ShapeTable &Shapes = P.facts().dump().Shapes;
  Opcode Op = P[Id].Op;
  auto Operands = P.operands(Id);
  auto Arrays = [&](size_t Count) {
    size_t Sum = 0;
    for (HloId Operand : Operands.take_front(Count))
      Sum += countArrays(Shapes, P[Operand].Shape);
    return Sum;
  };
  Counts[Topic::Placed] += countArrays(Shapes, P[Id].Shape);
  Counts[Topic::OperandBefore] += Operands.size();
  Counts[Topic::PredecessorBefore] += countPredecessors(P, Id);
  Counts[isDone(Op) ? Topic::Awaited : Topic::Read] +=
      Arrays(operandsRead(P, Id));
  Counts[Topic::HasDone] += isStart(Op);
  Counts[Topic::NotReadBefore] += isStart(Op);
  bool IsResult = P.root(P[Id].Parent) == Id;
  if (IsResult && Id != P.root(P.module().Entry))
    Counts[Topic::Returned] += countArrays(Shapes, P[Id].Shape);
  if (Op == Opcode::Fusion)
    Counts[Topic::OperandType] += Arrays(Operands.size());
}

static void countBorders(const Program &P, TopicCounts &Counts) {
  const HloModule &M = P.module();
  const Dump &D = P.facts().dump();
  size_t Results = countArrays(D.Shapes, P[P.root(M.Entry)].Shape);
  Counts[Topic::Output] = Counts[Topic::OwnPlace] = Results;
  Counts[Topic::DonatedPlace] = M.Aliases.size();
  Counts[Topic::StatedStep] = M.Scheduled ? D.Sequence.size() : 0;
  if (!M.EntryResult)
    return;
  Counts[Topic::ResultType] = Results;
  for (uint32_t N = 0; N != P.numParameters(M.Entry); ++N)
    if (HloId Id = P.parameter(M.Entry, N))
      Counts[Topic::ArgumentType] += countArrays(D.Shapes, P[Id].Shape);
}

/// What follows from the tables.
static void countSources(const ProofModel &X, HloId Id, TopicCounts &Counts) {
  Counts[Topic::PairPlace] += X.Does.requiredPairs(Id).size();
  for (uint32_t Leaf : X.Lines.leaves(Id)) {
    size_t Sources = X.From.of({Id, Leaf}).size();
    Counts[Topic::SourceType] += mayRetype(X.P, {Id, Leaf}) ? 0 : Sources;
    Counts[Topic::SourcePlace] += X.Lines.line({Id, Leaf}) ? Sources : 0;
  }
}

/// Parts that are read where the same instruction writes: of all reads those
/// that neither end before a write nor begin after it.
static size_t countOverlaps(const ProofModel &X, const Ledger &L) {
  using Border = std::pair<AllocationId, uint64_t>;
  size_t Count = 0;
  ArrayRef<Ledger::Row> Reads = L.rows(Topic::Read);
  std::vector<Border> Begins, Ends;
  auto CountIn = [](ArrayRef<Border> All, AllocationId In, uint64_t Limit) {
    return llvm::lower_bound(All, Border(In, Limit)) -
           llvm::lower_bound(All, Border(In, 0));
  };
  HloId At;
  for (const Ledger::Row &W : L.rows(Topic::Written)) {
    if (W.At != At) {
      At = W.At;
      Begins.clear();
      Ends.clear();
      Reads = Reads.drop_while([&](const Ledger::Row &R) { return R.At < At; });
      for (const Ledger::Row &R : Reads.take_while(
               [&](const Ledger::Row &Each) { return Each.At == At; })) {
        ValueId Home = X.operandHome(At, R.Operand, R.OperandPart);
        if (!Home || X.place(Home).empty())
          continue;
        Begins.emplace_back(X.place(Home).Memory, X.place(Home).Begin);
        Ends.emplace_back(X.place(Home).Memory, X.place(Home).End);
      }
      llvm::sort(Begins);
      llvm::sort(Ends);
    }
    BytePlace Place = X.place(X.Lines.line({At, W.Part}));
    if (!Place.empty())
      Count += CountIn(Begins, Place.Memory, Place.End) -
               CountIn(Ends, Place.Memory, Place.Begin + 1);
  }
  return Count;
}

void proof::countAgain(const ProofModel &X, Ledger &L) {
  const Program &P = X.P;
  TopicCounts Counts(0);
  for (size_t C = 0; C != P.module().Computations.size(); ++C)
    if (P.classOf(ComputationId(C)) != ComputationClass::None)
      for (HloId Id : P.order(ComputationId(C))) {
        countInstruction(P, Id, Counts);
        countSources(X, Id, Counts);
      }
  countBorders(P, Counts);
  L.compareCount(Topic::Written, countMade(P, L), countLines(X, Counts));
  Counts[Topic::InPlace] = countOverlaps(X, L);
  // Which of the two it is needs the tables.
  L.compareCount(Topic::Forwarded,
                 L.size(Topic::Placed) + L.size(Topic::Forwarded),
                 std::exchange(Counts[Topic::Placed], L.size(Topic::Placed)));
  // Execution enumerates these again.
  Counts[Topic::BodyKept] = L.size(Topic::BodyKept);
  for (Topic What : allTopics())
    if (What != Topic::Forwarded && What != Topic::Written)
      L.compareCount(What, Counts[What]);
}
