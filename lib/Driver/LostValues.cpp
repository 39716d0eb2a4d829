// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/LostValues.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Dump/CutOff.h"
#include "Support/Format.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

std::string hlobuf::lostByModule(const CheckContext &A) {
  const Dump &D = A.dump();
  bool Listed = D.Values2019 == ValueForm::Tagged && D.complete(Section::Used);
  if (endsAsMeant(D) || Listed || !D.complete(Section::Allocations) ||
      !D.complete(Section::Module))
    return "";
  const ModuleAnalysis *Module = A.moduleAnalysis();
  if (!Module || !Module->obstacle().empty())
    return "";
  size_t Lost = 0;
  bool Agrees = true;
  compare(Module->derived(), DerivedPart::Values, [&](const Difference &Found) {
    Agrees = Found.Kind == DifferenceKind::Missing;
    ++Lost;
    return Agrees;
  });
  if (!Agrees || Lost == 0)
    return "";
  return fmt::format(
      "{} has {} more value{}",
      llvm::sys::path::filename(D.file(FileRole::Module).Path).str(), Lost,
      Lost == 1 ? "" : "s");
}
