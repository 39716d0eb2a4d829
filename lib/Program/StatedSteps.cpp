// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/StatedSteps.h"
#include "Facts/Occupancy.h"
#include "HLO/ArrayOrder.h"
#include "Support/UnionFind.h"

using namespace hlobuf;

bool StatedSteps::reads(uint32_t Number) const {
  const Dump &D = DumpFacts.dump();
  NameId Reader = D.Uses[Number].Name;
  const Instruction *I = DumpFacts.instruction(Reader);
  if (!I || I->Op.Sugar)
    return false;
  Opcode Op = I->Op.Op;
  if (Op == Opcode::While)
    return llvm::any_of(D.positions(D[DumpFacts.ownerOfUse(Number)]),
                        [&](const Position &P) { return P.Name == Reader; });
  return Op != Opcode::Unknown && !isControlFlow(Op) && !accessesNoMemory(Op);
}

/// The value that \p Reader reads at \p Index of its operand; invalid if the
/// dump does not tell.
ValueId StatedSteps::operandValue(NameId Reader, uint32_t Operand,
                                  ShapeIndex Index) {
  const Dump &D = DumpFacts.dump();
  if (OperandReader != Reader) {
    OperandReader = Reader;
    OperandValues.clear();
    for (uint32_t Number : DumpFacts.usesBy(Reader)) {
      const Use &U = D.Uses[Number];
      OperandValues[{U.Operand, U.Index.canonical().bits()}] =
          DumpFacts.valueOf(DumpFacts.ownerOfUse(Number));
    }
  }
  return OperandValues.lookup({Operand, Index.canonical().bits()});
}

bool StatedSteps::isOnOperand(ValueId V, uint32_t Operand, ShapeIndex Index) {
  const Dump &D = DumpFacts.dump();
  ValueId From = operandValue(D[V].Tag.Name, Operand, Index);
  return From && D[From].Owner == D[V].Owner && D[From].samePlace(D[V]);
}

bool StatedSteps::isOnSomeOperand(ValueId V) const {
  const Dump &D = DumpFacts.dump();
  return llvm::any_of(DumpFacts.usesBy(D[V].Tag.Name), [&](uint32_t Number) {
    ValueId From = DumpFacts.valueOf(DumpFacts.ownerOfUse(Number));
    return From && D[From].Owner == D[V].Owner && D[From].samePlace(D[V]);
  });
}

bool StatedSteps::isTyped(NameId Reader, uint32_t Operand, ValueId V) const {
  const Dump &D = DumpFacts.dump();
  const Instruction *I = DumpFacts.instruction(Reader);
  ArrayRef<NameId> Operands = I ? D.operands(*I) : ArrayRef<NameId>();
  return Operand < Operands.size() && Operands[Operand] == D[V].Tag.Name;
}

bool StatedSteps::isJoined(ValueId V) const {
  const Dump &D = DumpFacts.dump();
  return llvm::all_of(DumpFacts.usesBy(D[V].Tag.Name), [&](uint32_t Number) {
    ValueId From = DumpFacts.valueOf(DumpFacts.ownerOfUse(Number));
    return From && D[From].Owner == D[V].Owner &&
           D[V].Offset <= D[From].Offset && D[From].end() <= D[V].end();
  });
}

StatedEffect StatedSteps::effect(ValueId V) {
  const Dump &D = DumpFacts.dump();
  const ValueTag &Tag = D[V].Tag;
  const Instruction *I = DumpFacts.instruction(Tag.Name);
  if (Tag.Phi || isConcatBitcast(DumpFacts, Tag.Name))
    return StatedEffect::Keeps;
  if (!I)
    return StatedEffect::Writes;
  if (I->Op.Op == Opcode::Parameter)
    return StatedEffect::Keeps;
  if (I->Op.Op == Opcode::Copy) {
    ValueId From = operandValue(Tag.Name, 0, ShapeIndex::root());
    if (From && D[From].Shape && D[V].Shape &&
        sameBytes(D.Shapes[D[From].Shape], D.Shapes[D[V].Shape]) &&
        isOnOperand(V, 0, ShapeIndex::root()))
      return isTyped(Tag.Name, 0, From) ? StatedEffect::Keeps
                                        : StatedEffect::Unknown;
  }
  // Few are, and others need not have their texts read.
  if (I->Op.Op == Opcode::Fusion && isOnSomeOperand(V))
    for (const DeclaredAlias &Item : DumpFacts.aliases(*I))
      if (Item.Output.canonical() == Tag.Index.canonical() &&
          isOnOperand(V, Item.Operand, Item.Index))
        return StatedEffect::Unknown;
  return StatedEffect::Writes;
}

bool StatedSteps::wroteItself(NameId Reader, ValueId Written) const {
  const Dump &D = DumpFacts.dump();
  UsedId U = DumpFacts.usedOf(Written);
  auto IsReader = [&](const auto &Row) { return Row.Name == Reader; };
  return U && mayBeSugar(DumpFacts.opcode(Reader)) &&
         llvm::any_of(D.positions(D[U]), IsReader) &&
         llvm::none_of(D.uses(D[U]), IsReader);
}

static std::vector<uint32_t> computations(const Dump &D) {
  UnionFind Sets(D.Names.size());
  auto Unite = [&](NameId A, NameId B) { Sets.join(A.index(), B.index()); };
  for (const Instruction &I : D.Instructions)
    for (NameId Operand : D.operands(I))
      Unite(Operand, I.Name);
  // Instructions that define nothing have no text, but what they read does.
  for (const UsedValue &U : D.Used)
    if (D.positions(U).size() == 1)
      for (const Use &Reader : D.uses(U))
        Unite(D.positions(U).front().Name, Reader.Name);
  return Sets.take();
}

bool StatedSteps::mayRunInstead(NameId Writer, ValueId V, NameId Reader) {
  const Dump &D = DumpFacts.dump();
  bool Passed =
      llvm::any_of(D.uses(D[DumpFacts.usedOf(V)]), [&](const Use &User) {
        return User.Operand > 0 &&
               (DumpFacts.opcode(User.Name) == Opcode::Conditional ||
                !DumpFacts.hasText(User.Name));
      });
  if (!Passed)
    return false;
  if (Together.empty())
    Together = computations(D);
  return !Writer || !Reader ||
         Together[Writer.index()] != Together[Reader.index()];
}
