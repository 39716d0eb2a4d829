// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one set of tables to another.

#include "HLO/Module.h"

using namespace hlobuf;

void hlobuf::renumber(HloModule &M, HloTables From, HloTables To) {
  HloRenumbering Moved(From, To);
  for (HloComputation &C : M.Computations)
    Moved.move(C.Name);
  for (HloInstruction &I : M.Instructions) {
    Moved.move(I.Name);
    Moved.move(I.Shape);
  }
  for (HloAlias &Alias : M.Aliases) {
    Moved.move(Alias.Output);
    Moved.move(Alias.Index);
  }
  for (HloDonor &Donor : M.Donors)
    Moved.move(Donor.Index);
  for (ShapeIndex &Path : M.Paths)
    Moved.move(Path);
  for (ShapeId &Shape : M.EntryParameters)
    Moved.move(Shape);
  Moved.move(M.EntryResult);
  std::vector<HloId> ByName(To.Names.size());
  for (size_t I = 0; I != M.ByName.size(); ++I) {
    NameId Name(I);
    Moved.move(Name);
    ByName[Name.index()] = M.ByName[I];
  }
  M.ByName = std::move(ByName);
}
