// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks/Context.h"
#include "Checks/Execution/ElementOrder.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Memory/WasteContext.h"
#include "Proof/StatedProof.h"
#include "Support/Lazy.h"
#include "Thunks/LaunchProof.h"

using namespace hlobuf;

struct CheckContext::Cache {
  Lazy<std::unique_ptr<Program>> OfModule;
  Lazy<std::unique_ptr<ModuleAnalysis>> Module;
  Lazy<std::unique_ptr<ModuleAnalysis>> Texts;
  Lazy<std::unique_ptr<proof::Proof>> Proved;
  Lazy<std::unique_ptr<proof::Proof>> Stated;
  Lazy<std::unique_ptr<MemoryUse>> Memory;
  Lazy<std::unique_ptr<ValueNames>> Names;
  Lazy<MemoryAnswers> Answers;
  Lazy<std::unique_ptr<ThunkGraph>> Thunks;
  Lazy<std::unique_ptr<LaunchProof>> Launched;
};

CheckContext::CheckContext(const Dump &D)
    : Facts(D), Memo(std::make_unique<Cache>()) {}
CheckContext::~CheckContext() = default;

/// What \p Create makes when \p Kept is first asked for; it may be null.
template <typename T, typename CreateFn>
static const T *once(Lazy<std::unique_ptr<T>> &Kept, CreateFn Create) {
  return Kept.get([&]() -> std::unique_ptr<T> { return Create(); }).get();
}

const Program *CheckContext::program() const {
  bool Has =
      dump().complete(Section::Module) && dump().complete(Section::Allocations);
  return once(Memo->OfModule,
              [&] { return Has ? std::make_unique<Program>(*this) : nullptr; });
}

const ModuleAnalysis *CheckContext::moduleAnalysis() const {
  return once(Memo->Module, [&] {
    const Program *P = program();
    return P ? std::make_unique<ModuleAnalysis>(*P) : nullptr;
  });
}

bool CheckContext::runsElsewhere(NameId Name) const {
  const Program *P = program();
  HloId Id = P && P->obstacle().empty() ? P->find(Name) : HloId();
  return Id && P->runsElsewhere((*P)[Id].Parent);
}

const ModuleAnalysis *CheckContext::textAnalysis() const {
  return once(Memo->Texts, [&] {
    auto Created =
        std::make_unique<ModuleAnalysis>(*this, ProgramSource::Texts);
    return Created->firstDifference() ? std::move(Created) : nullptr;
  });
}

const proof::Proof *CheckContext::proof() const {
  return once(Memo->Proved, [&] {
    const Program *P = program();
    return P ? std::make_unique<proof::Proof>(
                   proveWithElements(*P, proof::ProvedRows::Forgotten))
             : nullptr;
  });
}

const proof::Proof *CheckContext::statedProof() const {
  return once(Memo->Stated, [&] {
    return proof::statesProgram(*this)
               ? std::make_unique<proof::Proof>(
                     proof::proveStated(*this, proof::ProvedRows::Forgotten))
               : nullptr;
  });
}

const ThunkGraph *CheckContext::thunkGraph() const {
  return once(Memo->Thunks, [&] {
    const ModuleAnalysis *M = moduleAnalysis();
    return M && M->obstacle().empty() ? std::make_unique<ThunkGraph>(*M)
                                      : nullptr;
  });
}

const LaunchProof &CheckContext::launchProof() const {
  return *once(Memo->Launched, [&] {
    return std::make_unique<LaunchProof>(*thunkGraph(),
                                         proof::ProvedRows::Forgotten);
  });
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

const MemoryAnswers &CheckContext::answers() const {
  return Memo->Answers.get(
      [&] { return findAnswers(memory(), names(), moduleAnalysis()); });
}
