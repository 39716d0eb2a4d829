// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/EditModule.h"
#include "Reduce/ShapeStrings.h"
#include "Support/Format.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace hlobuf;

const EditAttribute *EditInstruction::attribute(StringRef Key) const {
  for (const EditAttribute &A : Attributes)
    if (A.Key == Key)
      return &A;
  return nullptr;
}

std::vector<std::string> EditAttribute::items() const {
  StringRef Text = Value;
  if (!Text.consume_front("{") || !Text.consume_back("}"))
    return {};
  return listItems(Text);
}

void EditAttribute::setItems(ArrayRef<std::string> Items) {
  Value = "{" + llvm::join(Items, ", ") + "}";
}

void EditInstruction::dropSharding(size_t Index, size_t Count) {
  for (EditAttribute &A : Attributes) {
    if (A.Key != "sharding" || !StringRef(A.Value).starts_with("{{"))
      continue;
    std::vector<std::string> Items = A.items();
    if (Items.size() != Count || Index >= Count)
      continue;
    Items.erase(Items.begin() + static_cast<ptrdiff_t>(Index));
    A.setItems(Items);
  }
}

void EditInstruction::become(Opcode NewOp, ArrayRef<uint32_t> NewOperands) {
  Op = NewOp;
  OpcodeText = opcodeText(NewOp).str();
  SmallVector<uint32_t, 4> Copy(NewOperands.begin(), NewOperands.end());
  Operands = std::move(Copy);
  Calls.clear();
  Attributes.clear();
  Literal.clear();
}

unsigned EditModule::size() const {
  return static_cast<unsigned>(sumOf(Computations, [](const auto &C) {
    return C.Removed ? 0 : C.Order.size();
  }));
}

void EditModule::cleanUp() {
  forwardElements();
  removeDead();
  numberParameters();
}

void EditModule::forwardElements() {
  // What takes the place of an instruction; operands are settled before users.
  std::vector<uint32_t> Instead(Instructions.size());
  std::iota(Instead.begin(), Instead.end(), 0);
  for (EditComputation &C : Computations) {
    if (C.Removed)
      continue;
    for (uint32_t I : C.Order) {
      EditInstruction &Inst = Instructions[I];
      for (uint32_t &Operand : Inst.Operands)
        Operand = Instead[Operand];
      if (!Inst.is(Opcode::GetTupleElement))
        continue;
      const EditInstruction &Tuple = Instructions[Inst.Operands.front()];
      if (Tuple.is(Opcode::Tuple) && Inst.Number < Tuple.Operands.size())
        Instead[I] = Tuple.Operands[Inst.Number];
    }
    C.Root = Instead[C.Root];
  }
}

void EditModule::removeDead() {
  BitVector Live(static_cast<unsigned>(Instructions.size()));
  BitVector Reached(static_cast<unsigned>(Computations.size()));
  SmallVector<uint32_t, 16> Todo = {Entry};
  Reached.set(Entry);
  while (!Todo.empty()) {
    EditComputation &C = Computations[Todo.pop_back_val()];
    Live.set(C.Root);
    for (uint32_t I : llvm::reverse(C.Order)) {
      EditInstruction &Inst = Instructions[I];
      if (Inst.is(Opcode::Parameter) && Inst.Parent != Entry)
        Live.set(I);
      if (!Live.test(I))
        continue;
      for (uint32_t Operand : Inst.Operands)
        Live.set(Operand);
      for (const EditCall &Call : Inst.Calls)
        if (!Reached.test(Call.Callee)) {
          Reached.set(Call.Callee);
          Todo.push_back(Call.Callee);
        }
    }
    llvm::erase_if(C.Order, [&](uint32_t I) {
      Instructions[I].Removed |= !Live.test(I);
      return Instructions[I].Removed;
    });
  }
  for (auto [Number, C] : llvm::enumerate(Computations))
    C.Removed = !Reached.test(static_cast<unsigned>(Number));
  llvm::erase_if(Aliases,
                 [&](const EditAlias &A) { return !isLive(A.Parameter); });
}

void EditModule::numberParameters() {
  std::vector<uint32_t> Parameters;
  for (uint32_t I : Computations[Entry].Order)
    if (Instructions[I].is(Opcode::Parameter))
      Parameters.push_back(I);
  std::ranges::stable_sort(Parameters, {},
                           [&](uint32_t A) { return Instructions[A].Number; });
  if (EditAttribute *List = headerList(PropagationToParameters)) {
    std::vector<std::string> Old = List->items();
    std::vector<std::string> New;
    for (uint32_t I : Parameters) {
      uint32_t Number = Instructions[I].Number;
      New.push_back(Number < Old.size() ? Old[Number] : "false");
    }
    List->setItems(New);
  }
  for (auto [Number, I] : llvm::enumerate(Parameters))
    Instructions[I].Number = static_cast<uint32_t>(Number);
}

EditAttribute *EditModule::headerList(StringRef Key) {
  for (EditAttribute &A : Header)
    if (A.Key == Key && A.items().size() > 1)
      return &A;
  return nullptr;
}

std::vector<uint32_t> EditModule::users(uint32_t Number) const {
  std::vector<uint32_t> Users;
  for (uint32_t I : Computations[Instructions[Number].Parent].Order)
    if (llvm::is_contained(Instructions[I].Operands, Number))
      Users.push_back(I);
  return Users;
}

std::vector<uint32_t> EditModule::callers(uint32_t Computation) const {
  std::vector<uint32_t> Callers;
  for (const EditComputation &C : Computations) {
    if (C.Removed)
      continue;
    for (uint32_t I : C.Order)
      if (llvm::any_of(Instructions[I].Calls, [&](const EditCall &Call) {
            return Call.Callee == Computation;
          }))
        Callers.push_back(I);
  }
  return Callers;
}

uint32_t EditModule::parameter(uint32_t Computation, uint32_t Index) const {
  for (uint32_t I : Computations[Computation].Order)
    if (Instructions[I].is(Opcode::Parameter) &&
        Instructions[I].Number == Index)
      return I;
  return NoNumber;
}

uint32_t EditModule::callee(uint32_t Number, CallRole Role) const {
  for (const EditCall &Call : Instructions[Number].Calls)
    if (Call.Role == Role)
      return Call.Callee;
  return NoNumber;
}

void EditModule::replaceUses(uint32_t Number, uint32_t Replacement) {
  EditComputation &C = parentOf(Number);
  for (uint32_t I : C.Order)
    if (I != Replacement)
      std::replace(Instructions[I].Operands.begin(),
                   Instructions[I].Operands.end(), Number, Replacement);
  if (C.Root == Number)
    C.Root = Replacement;
}

void EditModule::remove(uint32_t Number) {
  Instructions[Number].Removed = true;
  llvm::erase_if(parentOf(Number).Order,
                 [&](uint32_t I) { return I == Number; });
}

std::string EditModule::freshName(StringRef Base) {
  Base = Base.take_until([](char C) { return C == '.'; });
  unsigned &N = LastNumbers[Base];
  while (true) {
    std::string Name = fmt::format("{}.{}", Base, ++N);
    if (Names.insert(Name).second)
      return Name;
  }
}

uint32_t EditModule::insert(uint32_t Computation, uint32_t Before,
                            StringRef Name, Opcode Op, StringRef Shape,
                            ArrayRef<uint32_t> Operands) {
  EditInstruction I;
  I.Name = freshName(Name);
  I.Shape = Shape.str();
  I.Parent = Computation;
  I.become(Op, Operands);
  auto New = static_cast<uint32_t>(Instructions.size());
  Instructions.push_back(std::move(I));
  std::vector<uint32_t> &Order = Computations[Computation].Order;
  Order.insert(Before == NoNumber ? Order.end() : llvm::find(Order, Before),
               New);
  return New;
}

std::string EditModule::textWithoutNames() const {
  EditModule Numbered = *this;
  unsigned Next = 0;
  for (const EditComputation &C : Computations)
    if (!C.Removed)
      for (uint32_t I : C.Order)
        Numbered[I].Name = std::to_string(Next++);
  return editModuleText(Numbered);
}
