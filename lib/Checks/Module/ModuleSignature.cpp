//===- Checks/Module/ModuleSignature.cpp ----------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters and the root of the ENTRY computation have the shapes that
// entry_computation_layout promises the caller (xla/hlo/ir/hlo_module.cc,
// 2022-05-23 on): the runtime passes and takes buffers by it. Layouts count
// too. A computation that was extracted into a module of its own keeps the
// header of the module it comes from (SparseCore, libtpu 0.0.51).
//
//===----------------------------------------------------------------------===//

#include "Checks/LayoutFit.h"
#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ModuleAnalysis.h"

using namespace hlobuf;

namespace {
class Signature {
public:
  Signature(const ModuleAnalysis &W, Reporter &R)
      : D(W.facts().dump()), P(W.program()), R(R) {}

  void run();

private:
  bool fits(HloId Id, ShapeId Promised) const;
  void compare(HloId Id, ShapeId Promised, llvm::StringRef What);

  const Dump &D;
  const Program &P;
  Reporter &R;
};
} // namespace

/// Layouts count, index comments do not. Layout assignment on TPU may leave
/// tiles out of the promise (ShapeVerifier::VerifyEntryComputationLayout in
/// hlo_verifier.cc, 2021).
bool Signature::fits(HloId Id, ShapeId Promised) const {
  if (P[Id].Shape == Promised)
    return true;
  if (!D.Shapes.equalIgnoringLayout(P[Id].Shape, Promised))
    return false;
  for (uint32_t I = 0; I != P.trees().parts(Promised); ++I) {
    const Shape &Own = D.Shapes[P.trees().part(P[Id].Shape, I)];
    const Shape &Other = D.Shapes[P.trees().part(Promised, I)];
    LayoutTolerance T;
    T.Tiles = !Own.isTiled() || !Other.isTiled();
    T.Splits = T.TailPadding = true;
    if (!layoutDifference(Own, Other, T, P.facts().backend()).empty())
      return false;
  }
  return true;
}

void Signature::compare(HloId Id, ShapeId Promised, llvm::StringRef What) {
  if (fits(Id, Promised))
    return;
  R.report(P.place(Id),
           "{} {} has shape {}, but entry_computation_layout declares {}", What,
           P.spell(Id), D.Shapes.text(P[Id].Shape), D.Shapes.text(Promised))
      .note(D.Shapes.text(Promised), "it is declared here")
      .about(P[Id].Name);
}

void Signature::run() {
  const HloModule &M = P.module();
  if (!M.EntryResult)
    return R.notApplicable("the module has no entry_computation_layout");
  size_t Count = M.EntryParameters.size();
  // Layouts do not tell that the header is another module's.
  auto IsSimilar = [&](HloId Id, ShapeId Promised) {
    return Id && D.Shapes.equalIgnoringLayout(P[Id].Shape, Promised);
  };
  size_t Fitting = IsSimilar(P.root(M.Entry), M.EntryResult);
  for (uint32_t N = 0; N != Count; ++N)
    Fitting += IsSimilar(P.parameter(M.Entry, N), M.EntryParameters[N]);
  if (P.numParameters(M.Entry) != Count ||
      (Count != 0 && Fitting * 2 < Count + 1))
    return R.notChecked("entry_computation_layout belongs to another module");
  compare(P.root(M.Entry), M.EntryResult, "result");
  for (uint32_t N = 0; N != Count; ++N)
    if (HloId Id = P.parameter(M.Entry, N))
      compare(Id, M.EntryParameters[N], "parameter");
}

namespace hlobuf {
void checkModuleSignature(const CheckContext &A, Reporter &R) {
  // A module from another compilation stage must match its signature too.
  const ModuleAnalysis *W = A.moduleAnalysis();
  if (!W)
    return;
  if (!W->obstacle().empty())
    return reportObstacle(*W, R);
  Signature(*W, R).run();
}
} // namespace hlobuf
