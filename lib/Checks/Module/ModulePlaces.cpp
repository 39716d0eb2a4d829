//===- Checks/Module/ModulePlaces.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that must alias share one place: loop state, branch results, operands
// that are written in place, donated parameters (hlo_alias_analysis.cc,
// alias_info.cc, 2019-2026).
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"

using namespace hlobuf;

static std::string spellPlace(const Dump &D, const Value &V) {
  return fmt::format("bytes [{}, {}) of allocation {}", V.Offset, V.end(),
                     D[V.Owner].Index);
}

static Finding describePlace(const ModuleAnalysis &W, Reporter &R,
                             Severity Level, const Difference &Found) {
  const Dump &D = W.facts().dump();
  const Value &V = D[Found.Line];
  const Value &Other = D[Found.Other];
  const Places &At = W.facts().places();
  Finding F =
      R.reportAs(Level, At.value(V).Tag.Whole,
                 "{} must share the place of {}, but is in {} instead of {}",
                 D.spell(V.Tag), D.spell(Other.Tag), spellPlace(D, V),
                 spellPlace(D, Other));
  F.note(At.value(Other).Tag.Whole, "{} is placed here", D.spell(Other.Tag));
  for (const Value *Member : {&V, &Other})
    if (HloId Id = W.program().find(Member->Tag.Name))
      F.note(W.program().place(Id), "{} is here", D.Names[Member->Tag.Name]);
  return F.about(Found.Line);
}

namespace hlobuf {
void checkModulePlaces(const CheckContext &A, Reporter &R) {
  reportDifferences(A, R, DerivedPart::Places, describePlace);
}
} // namespace hlobuf
