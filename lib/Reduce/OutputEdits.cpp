// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program returns.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

/// Takes element \p Index out of the tuple that the program returns.
static bool dropOutput(EditModule &M, uint32_t Index) {
  uint32_t Root = M.Computations[M.Entry].Root;
  EditInstruction &Tuple = M[Root];
  if (!Tuple.is(Opcode::Tuple) || Tuple.Operands.size() < 2 ||
      Index >= Tuple.Operands.size() || !M.users(Root).empty())
    return false;
  std::vector<std::string> Shapes = tupleElements(Tuple.Shape);
  if (Index >= Shapes.size())
    return false;
  Tuple.dropSharding(Index, Shapes.size());
  if (EditAttribute *List = M.headerList(PropagationToOutput)) {
    std::vector<std::string> Items = List->items();
    if (Items.size() == Shapes.size()) {
      Items.erase(Items.begin() + Index);
      List->setItems(Items);
    }
  }
  Tuple.Operands.erase(Tuple.Operands.begin() + Index);
  Shapes.erase(Shapes.begin() + Index);
  Tuple.Shape = tupleOf(Shapes);
  llvm::erase_if(M.Aliases, [&](const EditAlias &A) {
    return A.Output.empty() || A.Output.front() == Index;
  });
  for (EditAlias &A : M.Aliases)
    A.Output.front() -= A.Output.front() > Index;
  return true;
}

std::vector<Edit> hlobuf::dropOutputs(const EditModule &M) {
  std::vector<Edit> Edits;
  const EditInstruction &Root = M[M.Computations[M.Entry].Root];
  if (!Root.is(Opcode::Tuple))
    return Edits;
  // The last one first: others keep their numbers then.
  for (auto Index = static_cast<uint32_t>(Root.Operands.size()); Index-- != 0;)
    Edits.push_back([Index](EditModule &E) { return dropOutput(E, Index); });
  return Edits;
}

/// The program returns what operand \p Index of its root is.
static bool moveRootTo(EditModule &M, uint32_t Index) {
  EditComputation &Entry = M.Computations[M.Entry];
  uint32_t Root = Entry.Root;
  if (Index >= M[Root].Operands.size())
    return false;
  bool Tuple = M[Root].is(Opcode::Tuple);
  llvm::erase_if(M.Aliases, [&](const EditAlias &A) {
    return !Tuple || A.Output.empty() || A.Output.front() != Index;
  });
  for (EditAlias &A : M.Aliases)
    A.Output.erase(A.Output.begin());
  Entry.Root = M[Root].Operands[Index];
  return true;
}

std::vector<Edit> hlobuf::moveRoot(const EditModule &M) {
  std::vector<Edit> Edits;
  const EditInstruction &Root = M[M.Computations[M.Entry].Root];
  if (Root.is(Opcode::Tuple) && Root.Operands.size() > 1)
    return Edits;
  for (uint32_t Index = 0; Index != Root.Operands.size(); ++Index)
    Edits.push_back([Index](EditModule &E) { return moveRootTo(E, Index); });
  return Edits;
}

/// What \p Number is given becomes parameters, but for constants and what keeps
/// loops finite.
static void cutOff(EditModule &M, uint32_t Number, const BitVector &Control) {
  SmallVector<uint32_t, 16> Todo(M[Number].Operands.begin(),
                                 M[Number].Operands.end());
  BitVector Seen(static_cast<unsigned>(M.Instructions.size()));
  while (!Todo.empty()) {
    uint32_t I = Todo.pop_back_val();
    if (Seen.test(I))
      continue;
    Seen.set(I);
    bool IsTuple = M[I].is(Opcode::Tuple);
    if (!IsTuple &&
        (isGiven(M[I].Op) || (I < Control.size() && Control.test(I))))
      continue;
    if (IsTuple || !makeParameter(M, I))
      Todo.append(M[I].Operands.begin(), M[I].Operands.end());
  }
}

/// The only user of \p Number; \p Number itself if it has none, or several.
static uint32_t onlyUser(const EditModule &M, uint32_t Number) {
  std::vector<uint32_t> Users = M.users(Number);
  return Users.size() == 1 && !M[Users.front()].is(Opcode::Tuple)
             ? Users.front()
             : Number;
}

std::vector<Edit> hlobuf::isolate(const EditModule &M) {
  constexpr size_t MostEdits = 32;
  BitVector Control = loopControl(M);
  std::vector<Edit> Edits;
  for (uint32_t I : llvm::reverse(M.Computations[M.Entry].Order)) {
    // What is compiled in place, and calls.
    bool Calls = isSynchronousCall(M[I].Op);
    if ((!Calls && !isUpdate(M[I].Op) && !M[I].is(Opcode::Sort)) || M.isRoot(I))
      continue;
    uint32_t Root = Calls ? I : onlyUser(M, I);
    Edits.push_back([I, Root, Control](EditModule &E) {
      E.Aliases.clear();
      E.Computations[E.Entry].Root = Root;
      cutOff(E, I, Control);
      return true;
    });
  }
  Edits.resize(std::min(Edits.size(), MostEdits));
  return Edits;
}
