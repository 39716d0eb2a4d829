// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Context.h"
#include "Checks/Execution/ElementOrder.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/WasteContext.h"
#include "Proof/StatedProof.h"
#include "Support/Lazy.h"
#include "Thunks/SliceComparison.h"
#include "Thunks/ThunkCoverage.h"

using namespace hlobuf;

struct CheckContext::Cache {
  Lazy<std::unique_ptr<Program>> OfModule;
  Lazy<std::unique_ptr<ModuleAnalysis>> Module;
  Lazy<std::unique_ptr<ModuleAnalysis>> Texts;
  Lazy<std::unique_ptr<proof::Proof>> Proved;
  Lazy<std::unique_ptr<proof::Proof>> Stated;
  Lazy<std::unique_ptr<MemoryUse>> Memory;
  Lazy<std::unique_ptr<ValueNames>> Names;
  Lazy<std::vector<Waste>> Wasted;
  Lazy<std::unique_ptr<ThunkGraph>> Thunks;
  Lazy<SliceComparison> Slices;
  Lazy<ThunkCoverage> Coverage;
};

CheckContext::CheckContext(const Dump &D)
    : Facts(D), Memo(std::make_unique<Cache>()) {}
CheckContext::~CheckContext() = default;

const Program *CheckContext::program() const {
  return Memo->OfModule
      .get([&]() -> std::unique_ptr<Program> {
        if (!dump().complete(Section::Module) ||
            !dump().complete(Section::Allocations))
          return nullptr;
        return std::make_unique<Program>(*this);
      })
      .get();
}

const ModuleAnalysis *CheckContext::moduleAnalysis() const {
  return Memo->Module
      .get([&]() -> std::unique_ptr<ModuleAnalysis> {
        const Program *P = program();
        return P ? std::make_unique<ModuleAnalysis>(*P) : nullptr;
      })
      .get();
}

bool CheckContext::runsElsewhere(NameId Name) const {
  const Program *P = program();
  HloId Id = P && P->obstacle().empty() ? P->find(Name) : HloId();
  return Id && P->runsElsewhere((*P)[Id].Parent);
}

const ModuleAnalysis *CheckContext::textAnalysis() const {
  return Memo->Texts
      .get([&]() -> std::unique_ptr<ModuleAnalysis> {
        auto Created =
            std::make_unique<ModuleAnalysis>(*this, ProgramSource::Texts);
        return Created->firstDifference() ? std::move(Created) : nullptr;
      })
      .get();
}

const proof::Proof *CheckContext::proof() const {
  return Memo->Proved
      .get([&]() -> std::unique_ptr<proof::Proof> {
        const Program *P = program();
        if (!P)
          return nullptr;
        return std::make_unique<proof::Proof>(
            proveWithElements(*P, proof::ProvedRows::Forgotten));
      })
      .get();
}

const proof::Proof *CheckContext::statedProof() const {
  return Memo->Stated
      .get([&]() -> std::unique_ptr<proof::Proof> {
        if (!proof::statesProgram(*this))
          return nullptr;
        return std::make_unique<proof::Proof>(
            proof::proveStated(*this, proof::ProvedRows::Forgotten));
      })
      .get();
}

const ThunkGraph *CheckContext::thunkGraph() const {
  return Memo->Thunks
      .get([&]() -> std::unique_ptr<ThunkGraph> {
        const ModuleAnalysis *M = moduleAnalysis();
        return M && M->obstacle().empty() ? std::make_unique<ThunkGraph>(*M)
                                          : nullptr;
      })
      .get();
}

const SliceComparison &CheckContext::sliceComparison() const {
  return Memo->Slices.get([&] { return SliceComparison(*thunkGraph()); });
}

const ThunkCoverage &CheckContext::thunkCoverage() const {
  return Memo->Coverage.get([&] { return ThunkCoverage(*thunkGraph()); });
}

const MemoryUse &CheckContext::memory() const {
  return *Memo->Memory.get([&] {
    return std::make_unique<MemoryUse>(*this, [&] { return moduleAnalysis(); });
  });
}

const ValueNames &CheckContext::names() const {
  return *Memo->Names.get(
      [&] { return std::make_unique<ValueNames>(*this, moduleAnalysis()); });
}

ArrayRef<Waste> CheckContext::waste() const {
  return Memo->Wasted.get(
      [&] { return findWaste(memory(), names(), moduleAnalysis()); });
}
