// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Waste.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/WasteContext.h"

using namespace hlobuf;

llvm::StringRef hlobuf::checkOf(WasteKind Kind) {
  static constexpr llvm::StringRef Checks[] = {
#define HLOBUF_WASTE(Kind, Id, When, Needs, Summary) Id,
#include "Memory/Waste.def"
  };
  return Checks[static_cast<size_t>(Kind)];
}

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
