// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/FindWaste.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/WasteContext.h"

using namespace hlobuf;

std::vector<Waste> hlobuf::findWaste(const MemoryUse &Memory,
                                     const ValueNames &Names,
                                     const ModuleAnalysis *Module) {
  const SpaceUse *Main = Memory.space(0);
  if (!Main)
    return {};
  if (Module && !Module->obstacle().empty())
    Module = nullptr;
  WasteContext Ctx(Memory, Names, *Main, Module);
  findCopies(Ctx);
  findDonations(Ctx);
  findHeld(Ctx);
  findPadding(Ctx);
  llvm::stable_sort(Ctx.Found, [](const Waste &X, const Waste &Y) {
    return std::pair(X.Kind, Y.Saved) < std::pair(Y.Kind, X.Saved);
  });
  return std::move(Ctx.Found);
}
