//===- Checks/Module/Donation.cpp -----------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each item `{output}: (parameter, {index})` of input_output_alias promises
// the caller that the output is written over that parameter. Both then are in
// one allocation, which is a parameter's and maybe-live-out
// (buffer_assignment.cc, 2019-2026). If they do not, the runtime returns bytes
// that nobody wrote.
//
//===----------------------------------------------------------------------===//

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ModuleAnalysis.h"

using namespace hlobuf;

static void checkItem(const ModuleAnalysis &W, const HloAlias &Item,
                      Reporter &R) {
  const Dump &D = W.facts().dump();
  const Places &At = W.facts().places();
  const Program &P = W.program();
  HloId Root = P.root(P.module().Entry);
  HloId Parameter = P.parameter(P.module().Entry, Item.Parameter);
  HloValueId Output = W.flow().at(Root, Item.Output);
  HloValueId Input =
      Parameter ? W.flow().at(Parameter, Item.Index) : HloValueId();
  // Only where the header is not that of this module is there no such part.
  if (!Output || !Input)
    return R.notChecked("input_output_alias belongs to another module");
  ValueId To = W.lineOf(Output);
  ValueId From = W.lineOf(Input);
  if (!To || !From)
    return; // module-values says so
  const Allocation &Alloc = D[D[From].Owner];
  if (D[To].Owner != D[From].Owner) {
    R.report(At.value(D[To]).Tag.Whole,
             "output {} is {} in allocation {}, but the module donates "
             "parameter {} {} to it, which is in allocation {}",
             D.Indices.text(Item.Output), D.spell(D[To].Tag),
             D[D[To].Owner].Index, Item.Parameter, D.Indices.text(Item.Index),
             Alloc.Index)
        .note(Item.Text, "it is donated here")
        .note(At.value(D[From]).Tag.Whole, "the parameter is placed here")
        .about(To);
    return;
  }
  if (!Alloc.MaybeLiveOut)
    R.report(At.line(Alloc),
             "allocation {} is not maybe-live-out, but holds output {} in "
             "place of donated parameter {} {}",
             Alloc.Index, D.Indices.text(Item.Output), Item.Parameter,
             D.Indices.text(Item.Index))
        .note(Item.Text, "it is donated here")
        .about(D[From].Owner);
}

namespace hlobuf {
void checkDonation(const CheckContext &A, Reporter &R) {
  const ModuleAnalysis *W = usableModule(A, R);
  if (!W)
    return;
  for (const HloAlias &Item : W->program().module().Aliases)
    checkItem(*W, Item, R);
}
} // namespace hlobuf
