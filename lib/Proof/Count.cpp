// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Obligations that depend on the text alone are counted again here, by rules
// that are written once more: what the tables of ProofModel forget is missed.

#include "Proof/Enumerate.h"

using namespace hlobuf;
using namespace hlobuf::proof;
using llvm::StringRef;

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
  if (P.isHidden(Id) || !P[Id].HasPredecessors)
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
    return endedBy(N.Op) || N.Op == Opcode::SendDone ? 1
                                                     : P.operands(Id).size();
  }
}

static size_t size(const Ledger &L, Topic A, Topic B) {
  return L.size(A) + L.size(B);
}

/// Parts of \p Id have lines because it writes them, or joins values: it is
/// neither there before, nor forwarded by a chain.
static bool makesValues(const Program &P, HloId Id) {
  return !isGiven(P[Id].Op) && !hasAsyncState(P[Id].Op);
}

static size_t countDistinct(std::vector<IdPair> All) {
  llvm::sort(All);
  return static_cast<size_t>(std::unique(All.begin(), All.end()) - All.begin());
}

/// Arrays with a line in the dump that some instruction makes.
static size_t countMade(const Program &P) {
  const Dump &D = P.facts().dump();
  std::vector<IdPair> Made;
  for (const Value &V : D.Values) {
    HloId Id = P.find(V.Tag.Name);
    if (!Id || !P.hasBuffers(Id) || P.isFusionBody(P[Id].Parent) ||
        !makesValues(P, Id))
      continue;
    auto Ordinal = P.trees().ordinal(P[Id].Shape, V.Tag.Index);
    if (Ordinal && !P.trees().isTuple(P[Id].Shape, *Ordinal) &&
        countArrays(D.Shapes, P.trees().part(P[Id].Shape, *Ordinal)) == 1)
      Made.push_back({Id.index(), *Ordinal});
  }
  return countDistinct(std::move(Made));
}

/// The same by the ledger: what is written, or has the place of its sources.
static size_t countMade(const Program &P, const Ledger &L) {
  std::vector<IdPair> Made;
  for (Topic What : {Topic::Written, Topic::SourcePlace})
    for (const Ledger::Row &R : L.rows(What))
      if (makesValues(P, R.At))
        Made.push_back({R.At.index(), R.Part});
  return countDistinct(std::move(Made));
}

void proof::countAgain(const Program &P, Ledger &L) {
  const Dump &D = P.facts().dump();
  size_t Parts = 0, Reads = 0, Orders = 0;
  auto AddInstruction = [&](HloId Id) {
    Parts += countArrays(D.Shapes, P[Id].Shape);
    Orders += P.operands(Id).size() + countPredecessors(P, Id);
    for (HloId Operand : P.operands(Id).take_front(operandsRead(P, Id)))
      Reads += countArrays(D.Shapes, P[Operand].Shape);
  };
  for (size_t C = 0; C != P.module().Computations.size(); ++C)
    if (P.classOf(ComputationId(C)) != ComputationClass::None &&
        !P.isFusionBody(ComputationId(C)))
      llvm::for_each(P.order(ComputationId(C)), AddInstruction);
  HloId Root = P.root(P.module().Entry);
  L.compareCount(size(L, Topic::Placed, Topic::Forwarded), Parts);
  L.compareCount(size(L, Topic::Read, Topic::Awaited), Reads);
  L.compareCount(size(L, Topic::OperandBefore, Topic::PredecessorBefore),
                 Orders);
  L.compareCount(size(L, Topic::Known, Topic::Fits), 2 * D.Values.size());
  L.compareCount(countMade(P, L), countMade(P));
  L.compareCount(size(L, Topic::Output, Topic::OwnPlace),
                 2 * countArrays(D.Shapes, P[Root].Shape));
}
