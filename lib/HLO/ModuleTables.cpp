// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one set of tables to another.

#include "HLO/ModuleNames.h"

using namespace hlobuf;

void hlobuf::renumber(HloModule &M, HloTables From, HloTables To,
                      llvm::function_ref<void()> PassedText) {
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
  TextWalk Walk(PassedText);
  for (HloInstruction &I : M.Instructions)
    if (!I.Name)
      I.Name = To.Names.find(M.name(I));
  indexNames(M, To.Names.size(), [](llvm::StringRef, const std::string &) {});
}
