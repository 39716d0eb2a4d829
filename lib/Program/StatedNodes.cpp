// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/StatedNodes.h"

using namespace hlobuf;

namespace {
struct NodeBuilder {
  StatedNodes run();

  void add(NameId Name);
  void findRoot(HloNode &N, const Instruction &I) const;
  bool isMarker(const Instruction &I) const;
  ShapeId shapeOf(NameId Name) const;
  void linkUses(HloNode &N);
  bool areDisputed(ArrayRef<uint32_t> Rows) const;
  unsigned votes(NameId Operand, ArrayRef<uint32_t> Rows) const;
  HloId operandOf(NameId User, ArrayRef<uint32_t> Rows) const;
  bool readsParts(NameId User, HloId Operand, ArrayRef<uint32_t> Rows) const;

  const Facts &DumpFacts;
  const Dump &D = DumpFacts.dump();
  StatedNodes Built = {};
};
} // namespace

/// Whether tuple \p N is a root: only a root uses what it holds, and nothing
/// reads all of it. One row may be wrong.
void NodeBuilder::findRoot(HloNode &N, const Instruction &I) const {
  size_t Count = DumpFacts.usesBy(I.Name).size();
  UsedId Own = DumpFacts.findUsed(I.Name, ShapeIndex::root());
  // A call may return it, and elements are then taken from that.
  bool IsReturned = Own && D.positions(D[Own]).size() > 1;
  size_t Readers = 0;
  for (const Use &Row : Own ? D.uses(D[Own]) : ArrayRef<Use>())
    Readers += !IsReturned ||
               llvm::any_of(DumpFacts.usesBy(Row.Name), [&](uint32_t Number) {
                 const Use &Other = D.Uses[Number];
                 return Other.Operand == Row.Operand && !Other.Index.isRoot();
               });
  N.Inner = Own && Readers >= Count + IsReturned;
  N.Root = Count > Readers && 2 * Count >= D.operands(I).size();
}

/// True for markers of calls (xla/service/call_marker.h, 2025): custom
/// calls that forward, so that what they define has no row.
bool NodeBuilder::isMarker(const Instruction &I) const {
  return I.Op.Op == Opcode::CustomCall &&
         customCallTarget(D.attributes(I))
             .starts_with("__xla_internal_call_marker_");
}

void NodeBuilder::add(NameId Name) {
  if (Name && Built.ByName[Name.index()])
    return;
  HloNode N;
  N.Name = Name;
  N.Parent = ComputationId(0);
  const Instruction *I = Name ? DumpFacts.instruction(Name) : nullptr;
  if (I && !isMarker(*I)) {
    N.Shape = I->Result;
    N.Op = I->Op.Op;
    N.Sugar = I->Op.Sugar;
    N.NumberOrCall = D.parameterNumber(*I);
    if (N.Op == Opcode::Tuple)
      findRoot(N, *I);
  } else {
    N.Opaque = true;
    N.Shape = Name ? shapeOf(Name) : ShapeId();
  }
  if (Name)
    Built.ByName[Name.index()] = HloId(Built.Nodes.size());
  Built.Nodes.push_back(N);
}

/// The shape of the value at \p Name; invalid if there is not just one.
ShapeId NodeBuilder::shapeOf(NameId Name) const {
  UsedId U = DumpFacts.valueAt(Name, ShapeIndex::root());
  ValueId V = U ? DumpFacts.valueOf(U) : ValueId();
  return V ? D[V].Shape : ShapeId();
}

/// How many of the uses \p Rows name a value that is at \p Operand.
unsigned NodeBuilder::votes(NameId Operand, ArrayRef<uint32_t> Rows) const {
  return static_cast<unsigned>(llvm::count_if(Rows, [&](uint32_t Row) {
    return DumpFacts.isAt(DumpFacts.ownerOfUse(Row), Operand,
                          D.Uses[Row].Index);
  }));
}

/// The only instruction that most of the uses \p Rows of one operand fit;
/// unknown if there is none.
HloId NodeBuilder::operandOf(NameId User, ArrayRef<uint32_t> Rows) const {
  // One row may be wrong; values with many positions tell nothing.
  constexpr size_t MostRows = 3;
  constexpr size_t MostPositions = 64;
  for (uint32_t Row : Rows.take_front(MostRows)) {
    ArrayRef<Position> All = D.positions(D[DumpFacts.ownerOfUse(Row)]);
    if (All.size() > MostPositions)
      continue;
    NameId Best;
    unsigned Most = 0;
    bool Alone = false;
    for (const Position &Pos : All) {
      if (Pos.Index != D.Uses[Row].Index || Pos.Name == User)
        continue;
      unsigned Votes = votes(Pos.Name, Rows);
      Alone = Votes != Most ? Votes > Most || Alone : false;
      if (Votes > Most)
        Best = Pos.Name;
      Most = std::max(Most, Votes);
    }
    if (Alone && 2 * Most > Rows.size())
      return Built.ByName[Best.index()];
  }
  return StatedNodes::unknown();
}

/// True if \p User reads an inner part of a tuple that it does not forward, or
/// is the done of a collective: it reads all parts of its operands.
bool NodeBuilder::readsParts(NameId User, HloId Operand,
                             ArrayRef<uint32_t> Rows) const {
  if (!Built.Nodes[Operand.index()].Name ||
      !D.Uses[Rows.front()].Index.printed())
    return false;
  Opcode Op = Built.Nodes[Operand.index()].Op;
  if (startedBy(Op) && !isAsync(Op) && !isTransfer(Op))
    return true;
  return llvm::any_of(Rows, [&](uint32_t Row) {
    UsedId U = DumpFacts.ownerOfUse(Row);
    return !D.Uses[Row].Index.isRoot() &&
           llvm::none_of(DumpFacts.positionsAt(User), [&](uint32_t Index) {
             return DumpFacts.ownerOfPosition(Index) == U;
           });
  });
}

/// True if two of the uses \p Rows of one operand, sorted by index, cannot both
/// be right: at one index there is one value, and either all or no indices are
/// printed.
bool NodeBuilder::areDisputed(ArrayRef<uint32_t> Rows) const {
  for (size_t I = 1; I != Rows.size(); ++I) {
    const Use &X = D.Uses[Rows[I - 1]];
    const Use &Y = D.Uses[Rows[I]];
    if (X.Index.printed() != Y.Index.printed() ||
        (X.Index == Y.Index && DumpFacts.isSSA() &&
         DumpFacts.ownerOfUse(Rows[I - 1]) != DumpFacts.ownerOfUse(Rows[I])))
      return true;
  }
  return false;
}

void NodeBuilder::linkUses(HloNode &N) {
  SmallVector<uint32_t, 8> Rows(DumpFacts.usesBy(N.Name));
  auto OperandOf = [&](uint32_t X) { return D.Uses[X].Operand; };
  std::ranges::stable_sort(Rows, {}, OperandOf);
  uint32_t Count = 0;
  for (ArrayRef<uint32_t> Rest = Rows; !Rest.empty();) {
    ArrayRef<uint32_t> Same = takeRun(Rest, OperandOf);
    uint32_t Operand = OperandOf(Same.front());
    // Each operand holds some value. Not all of them may be listed.
    if (Operand != Count && DumpFacts.isFull())
      break;
    constexpr uint32_t MostMissing = 64;
    if (Operand > Count + MostMissing)
      break;
    for (; Count != Operand; ++Count)
      Built.Operands.push_back(StatedNodes::unknown());
    HloId Producer = operandOf(N.Name, Same);
    if (Producer == StatedNodes::unknown() && areDisputed(Same))
      Producer = StatedNodes::disputed();
    Built.Operands.push_back(Producer);
    N.ReadsParts |= DumpFacts.isSSA() && readsParts(N.Name, Producer, Same);
    ++Count;
  }
}

StatedNodes NodeBuilder::run() {
  Built.ByName.resize(D.Names.size());
  // At most: what is never written takes no memory.
  Built.Nodes.reserve(D.Names.size() + 2);
  Built.Operands.reserve(D.OperandNames.size() + D.Uses.size());
  add(NameId()); // unknown()
  add(NameId()); // disputed()
  for (const Instruction &I : D.Instructions)
    add(I.Name);
  llvm::for_each(D.OperandNames, [&](NameId Name) { add(Name); });
  for (const Position &Pos : D.Positions)
    add(Pos.Name);
  for (const Use &Row : D.Uses)
    add(Row.Name);
  for (HloNode &N : Built.Nodes) {
    N.FirstOperand = static_cast<uint32_t>(Built.Operands.size());
    if (const Instruction *I =
            N.Opaque ? nullptr : DumpFacts.instruction(N.Name)) {
      for (NameId Operand : D.operands(*I))
        Built.Operands.push_back(Built.ByName[Operand.index()]);
    } else if (N.Name) {
      linkUses(N);
    }
  }
  return std::move(Built);
}

StatedNodes hlobuf::findStatedNodes(const Facts &DumpFacts) {
  return NodeBuilder{DumpFacts}.run();
}
