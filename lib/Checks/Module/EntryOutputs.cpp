// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each output of the program has a buffer of its own, which holds neither a
// constant nor a parameter that is not donated: the caller owns what it gets,
// and may free it or write to it. Copy insertion copies whatever is at the
// ENTRY root twice or is read-only (AddSpecialCaseCopies in
// xla/service/copy_insertion.cc, 2017). Tuple tables are not outputs, and what
// has no bytes is not told apart.
//
// Each item `{output}: (parameter, {index})` of input_output_alias promises
// the caller that the output is written over that parameter. Both then are in
// one allocation, which is a parameter's and maybe-live-out
// (buffer_assignment.cc, 2019-2026). If they do not, the runtime returns bytes
// that nobody wrote.

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ModuleAnalysis.h"
#include "Facts/Sizes.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;

namespace {
class EntryOutputs {
public:
  EntryOutputs(const ModuleAnalysis &Analysis, Reporter &Diags)
      : Analysis(Analysis), P(Analysis.program()), Flow(Analysis.flow()),
        D(Analysis.facts().dump()), Diags(Diags) {}

  void run();

private:
  void findReadOnly();
  bool isOutput(uint32_t Ordinal) const;
  void reportTwice(uint32_t First, uint32_t Second, HloValueId V);
  void reportReadOnly(uint32_t Ordinal, HloValueId V, HloValueId ReadOnly);
  Finding complete(Finding F, HloValueId V) const;
  std::string index(uint32_t Ordinal) const {
    return D.Indices.text(P.trees().index(P[Root].Shape, Ordinal));
  }

  const ModuleAnalysis &Analysis;
  const Program &P;
  const DataflowAnalysis &Flow;
  const Dump &D;
  Reporter &Diags;
  HloId Root;
  Severity Level = Severity::Error;
  /// By alias set: a constant, or a parameter that is not donated.
  llvm::DenseMap<uint32_t, HloValueId> ReadOnly;
};
} // namespace

void EntryOutputs::findReadOnly() {
  std::vector<bool> Donated = donatedValues(Flow);
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    const HloValue &V = Flow[HloValueId(I)];
    const HloNode &N = P[V.Definition];
    bool IsReadOnly = N.Op == Opcode::Parameter &&
                      N.Parent == P.module().Entry && !Donated[I];
    if (N.Op == Opcode::Constant || IsReadOnly)
      ReadOnly.try_emplace(Analysis.aliases().group(HloValueId(I)).index(),
                           HloValueId(I));
  }
}

/// True if there are bytes to hand over.
bool EntryOutputs::isOutput(uint32_t Ordinal) const {
  ShapeId Part = P.trees().part(P[Root].Shape, Ordinal);
  return D.Shapes[Part].isArray() && logicalBytes(D.Shapes, Part) != 0;
}

Finding EntryOutputs::complete(Finding F, HloValueId V) const {
  if (ValueId Line = Analysis.lineOf(V))
    F.note(Analysis.facts().places().value(D[Line]).Tag.Whole,
           "{} is placed here", D.spell(D[Line].Tag))
        .about(Line);
  F.note(P.place(Flow[V].Definition), "{} is defined here", Flow.spell(V));
  return F;
}

void EntryOutputs::reportTwice(uint32_t First, uint32_t Second, HloValueId V) {
  complete(
      Diags.reportAs(Level, P.place(Root),
                     "outputs {} and {} of {} share the buffer of {}: one of "
                     "them needs a copy",
                     index(First), index(Second), P.spell(Root), Flow.spell(V)),
      V);
}

void EntryOutputs::reportReadOnly(uint32_t Ordinal, HloValueId V,
                                  HloValueId ReadOnly) {
  bool Constant = P[Flow[ReadOnly].Definition].Op == Opcode::Constant;
  complete(
      Diags.reportAs(Level, P.place(Root),
                     "output {} of {} is {} {} itself, {}: it needs a copy",
                     index(Ordinal), P.spell(Root),
                     Constant ? "constant" : "parameter", Flow.spell(ReadOnly),
                     Constant ? "which the caller cannot own"
                              : "which is not donated"),
      V);
}

void EntryOutputs::run() {
  Root = P.root(P.module().Entry);
  findReadOnly();
  /// By alias set: the output that it is.
  llvm::DenseMap<uint32_t, uint32_t> Seen;
  for (uint32_t I = 0; I != P.trees().parts(P[Root].Shape); ++I) {
    HloValueId V = Flow.at(Root, I);
    if (!V || !isOutput(I))
      continue;
    Level = Analysis.isGuess(V) ? Severity::Warning : Severity::Error;
    uint32_t Group = Analysis.aliases().group(V).index();
    if (auto Entry = ReadOnly.find(Group); Entry != ReadOnly.end())
      reportReadOnly(I, V, Entry->second);
    auto [Known, New] = Seen.try_emplace(Group, I);
    if (!New)
      reportTwice(Known->second, I, V);
  }
}

/// False if \p Item is not about this module.
static bool checkDonation(const ModuleAnalysis &Analysis, const HloAlias &Item,
                          Reporter &Diags) {
  const Dump &D = Analysis.facts().dump();
  const Places &Lines = Analysis.facts().places();
  const Program &P = Analysis.program();
  HloId Root = P.root(P.module().Entry);
  HloId Parameter = P.parameter(P.module().Entry, Item.Parameter);
  HloValueId Output = Analysis.flow().at(Root, Item.Output);
  HloValueId Input =
      Parameter ? Analysis.flow().at(Parameter, Item.Index) : HloValueId();
  // Only where the header is not that of this module is there no such part.
  if (!Output || !Input) {
    Diags.notChecked("the module's header belongs to another module");
    return false;
  }
  ValueId To = Analysis.lineOf(Output);
  ValueId From = Analysis.lineOf(Input);
  if (!To || !From)
    return true; // module-values says so
  const Allocation &Alloc = D[D[From].Owner];
  if (D[To].Owner != D[From].Owner) {
    Diags
        .report(Lines.value(D[To]).Tag.Whole,
                "output {} is {} in allocation {}, but the module donates "
                "parameter {} {} to it, which is in allocation {}",
                D.Indices.text(Item.Output), D.spell(D[To].Tag),
                D[D[To].Owner].Index, Item.Parameter,
                D.Indices.text(Item.Index), Alloc.Index)
        .note(Item.Text, "it is donated here")
        .note(Lines.value(D[From]).Tag.Whole, "the parameter is placed here")
        .about(To);
    return true;
  }
  if (!Alloc.MaybeLiveOut)
    Diags
        .report(Lines.line(Alloc),
                "allocation {} is not maybe-live-out, but holds output {} in "
                "place of donated parameter {} {}",
                Alloc.Index, D.Indices.text(Item.Output), Item.Parameter,
                D.Indices.text(Item.Index))
        .note(Item.Text, "it is donated here")
        .about(D[From].Owner);
  return true;
}

void hlobuf::checkEntryOutputs(const CheckContext &Ctx, Reporter &Diags) {
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  for (const HloAlias &Item : Analysis->program().module().Aliases)
    if (!checkDonation(*Analysis, Item, Diags))
      return;
  EntryOutputs(*Analysis, Diags).run();
}
