// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare/LargeValues.h"
#include "Memory/Instructions.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

LargeValues::LargeValues(const MemoryUse &Memory, const ValueNames &Names,
                         int32_t Color, uint64_t Least,
                         llvm::ArrayRef<ValueId> Others)
    : Memory(Memory), Names(Names), DumpFacts(Memory.facts()),
      D(DumpFacts.dump()) {
  llvm::StringMap<size_t> Known;
  llvm::DenseSet<uint32_t> Extra;
  for (ValueId V : Others)
    Extra.insert(V.index());
  for (uint32_t I = 0; I != D.Values.size(); ++I) {
    ValueId V(I);
    if (D[D[V].Owner].color() != Color ||
        Memory.kind(V) == MemoryKind::ThreadLocal ||
        (D[V].Size < Least && !Extra.contains(I)))
      continue;
    ValueName Called = Names[V];
    std::string Key = fmt::format("{}|{}|{}|{}", D[V].Owner.index(),
                                  D[V].Offset, D[V].Size, Called.text());
    // All states of a loop's array are one value; others are by themselves.
    if (Called.Role != ValueRole::Collected)
      Key += fmt::format("|{}", I);
    auto [Entry, IsNew] = Known.try_emplace(Key, Ids.size());
    if (IsNew) {
      Ids.push_back(V);
      Described.push_back(describe(V, Called));
      Ranges.push_back(Memory.range(V));
    }
    Numbers[I] = Entry->second;
    std::optional<StepRange> &Whole = Ranges[Entry->second];
    if (std::optional<StepRange> Range = Memory.range(V); Range && Whole)
      Whole = StepRange{std::min(Whole->Start, Range->Start),
                        std::max(Whole->End, Range->End)};
  }
}

ComparedValue LargeValues::describe(ValueId V, const ValueName &Called) const {
  ComparedValue C;
  C.Shape = D[V].Shape ? D.Shapes.text(D[V].Shape).str() : "";
  C.PlainShape = D[V].Shape ? D.Shapes.plainText(D[V].Shape) : "";
  C.Opcode = opcodeText(findOpcode(DumpFacts, D[V].Tag.Name)).str();
  C.Called = Called;
  // A copy is not what it copies; it may be inside of a fusion or not.
  if (Called.Copied)
    C.Called.OpName += "/copy";
  else if (Called.Inherited && Called.ComputedBy)
    C.Called.OpName += ("/" + opcodeText(*Called.ComputedBy)).str();
  C.Bytes = C.Unpadded = D[V].Size;
  C.Step = Memory.stepOf(D[V].Tag.Name);
  return C;
}

std::optional<size_t> LargeValues::numberOf(ValueId V) const {
  auto Entry = Numbers.find(V.index());
  return Entry == Numbers.end() ? std::nullopt : std::optional(Entry->second);
}

std::optional<StepRange> LargeValues::range(ValueId V) const {
  return Ranges[*numberOf(V)];
}

bool LargeValues::isHeldAtPeak(ValueId V) const {
  if (Memory.kind(V) != MemoryKind::Temp)
    return true;
  const SpaceUse *Space = Memory.space(D[D[V].Owner].color());
  std::optional<StepRange> Range = range(V);
  return Space && Range && Range->contains(Space->PeakStep);
}

ValueId LargeValues::inTheWay(ValueId V, ValueId Place) const {
  ValueId Largest;
  std::optional<StepRange> Range = range(V);
  for (ValueId Other : Ids) {
    std::optional<StepRange> LiveRange = range(Other);
    if (Other == V || Other == Place || !Range || !LiveRange ||
        !D[Other].sharesBytes(D[Place]) || !LiveRange->meets(*Range))
      continue;
    if (!Largest || D[Other].Size > D[Largest].Size)
      Largest = Other;
  }
  return Largest;
}

std::string LargeValues::lastReader(ValueId V) const {
  std::optional<StepRange> Range = range(V);
  if (Memory.kind(V) == MemoryKind::Parameter)
    return "it is an argument that is not donated";
  if (Range && Range->End == Memory.steps())
    return "it is a result, or in the memory of one";
  NameId Last = Memory.lastReader(V);
  if (!Last)
    return "";
  if (Range && Memory.stepOf(Last) < Range->End)
    return fmt::format("{} reads it at step {}, and the loop or branch that "
                       "has it ends at step {}",
                       Names.spellInstruction(Last), Memory.stepOf(Last),
                       Range->End);
  return fmt::format("{} reads it at step {}", Names.spellInstruction(Last),
                     Memory.stepOf(Last));
}

ValueId LargeValues::largestOperand(ValueId V) const {
  ValueId Largest;
  NameId Name = D[V].Tag.Name;
  NameId Source;
  for (uint32_t I = 0; (Source = findOperand(DumpFacts, Name, I)); ++I) {
    ValueId Operand = findValue(DumpFacts, Source);
    if (Operand && (!Largest || D[Operand].Size > D[Largest].Size))
      Largest = Operand;
  }
  return Largest;
}
