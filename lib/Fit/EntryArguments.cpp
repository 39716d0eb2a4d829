// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/BatchDimension.h"
#include <map>
#include <set>

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

std::vector<EntryArgument> hlobuf::findEntryArguments(const Facts &DumpFacts,
                                                      const ValueNames &Names) {
  const Dump &D = DumpFacts.dump();
  const HloModule &M = D.Module;
  std::vector<EntryArgument> Arguments;
  if (!M.Entry)
    return Arguments;
  std::set<uint32_t> DonatedNumbers;
  for (const HloAlias &Item : M.Aliases)
    DonatedNumbers.insert(Item.Parameter);
  for (const HloDonor &Item : M.Donors)
    DonatedNumbers.insert(Item.Parameter);
  for (uint32_t I = M[M.Entry].Instructions.Begin;
       I != M[M.Entry].Instructions.End; ++I) {
    const HloInstruction &P = M.Instructions[I];
    if (P.Op != Opcode::Parameter || !D.Shapes[P.Shape].isArray())
      continue;
    EntryArgument A;
    A.Parameter = HloId(I);
    A.Shape = P.Shape;
    std::string Name = Names.ofInstruction(P.Name).OpName;
    A.Tree = Name.substr(0, Name.find_first_of("[."));
    A.Donated = DonatedNumbers.count(P.number()) != 0;
    Arguments.push_back(std::move(A));
  }
  llvm::sort(Arguments, [&](const EntryArgument &X, const EntryArgument &Y) {
    return M[X.Parameter].number() < M[Y.Parameter].number();
  });
  std::map<std::string, unsigned> Results = countResults(D);
  for (bool Donated : {true, false})
    for (EntryArgument &A : Arguments)
      if (unsigned &Left = Results[D.Shapes.plainText(A.Shape)];
          A.Donated == Donated && Left != 0) {
        --Left;
        A.Returned = true;
      }
  return Arguments;
}
