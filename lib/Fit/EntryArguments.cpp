// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/EntryArguments.h"
#include <map>

using namespace hlobuf;

/// Shapes of the results, without layouts, each with its number.
static std::map<std::string, unsigned> countResults(const Dump &D) {
  std::map<std::string, unsigned> Count;
  const HloModule &M = D.Module;
  HloId Root = M.Entry ? M[M.Entry].Root : HloId();
  if (!Root)
    return Count;
  std::vector<ShapeId> Work = {M[Root].Shape};
  while (!Work.empty()) {
    ShapeId Id = Work.back();
    Work.pop_back();
    if (D.Shapes[Id].isTuple())
      llvm::append_range(Work, D.Shapes[Id].Elements);
    else
      ++Count[D.Shapes.plainText(Id)];
  }
  return Count;
}

static bool isDonated(const HloModule &M, uint32_t Number) {
  auto Names = [&](const auto &Item) { return Item.Parameter == Number; };
  return llvm::any_of(M.Aliases, Names) || llvm::any_of(M.Donors, Names);
}

std::vector<EntryArgument> hlobuf::findEntryArguments(const Facts &DumpFacts,
                                                      const ValueNames &Names) {
  const Dump &D = DumpFacts.dump();
  const HloModule &M = D.Module;
  std::vector<EntryArgument> Found;
  if (!M.Entry)
    return Found;
  for (uint32_t I = M[M.Entry].Instructions.Begin;
       I != M[M.Entry].Instructions.End; ++I) {
    const HloInstruction &P = M.Instructions[I];
    if (P.Op != Opcode::Parameter || !D.Shapes[P.Shape].isArray())
      continue;
    EntryArgument A;
    A.Parameter = HloId(I);
    A.Shape = P.Shape;
    A.Name = Names.ofInstruction(P.Name).OpName;
    A.Tree = A.Name.substr(0, A.Name.find_first_of("[."));
    A.Donated = isDonated(M, P.Number);
    A.Bytes = logicalBytes(D.Shapes, P.Shape).value_or(0);
    Found.push_back(std::move(A));
  }
  llvm::sort(Found, [&](const EntryArgument &X, const EntryArgument &Y) {
    return M[X.Parameter].Number < M[Y.Parameter].Number;
  });
  std::map<std::string, unsigned> Results = countResults(D);
  for (bool Donated : {true, false})
    for (EntryArgument &A : Found)
      if (unsigned &Left = Results[D.Shapes.plainText(A.Shape)];
          A.Donated == Donated && Left != 0) {
        --Left;
        A.Returned = true;
      }
  return Found;
}
