// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each output of the program has a buffer of its own, which holds neither a
// constant nor a parameter that is not donated: the caller owns what it gets,
// and may free it or write to it. Copy insertion copies whatever is at the
// ENTRY root twice or is read-only (AddSpecialCaseCopies in
// xla/service/copy_insertion.cc, 2017). Tuple tables are not outputs, but
// stay until the end; what has no bytes is not told apart.
//
// Each item `{output}: (parameter, {index})` of input_output_alias promises
// the caller that the output is written over that parameter. Both then are in
// one allocation, which is a parameter's and maybe-live-out
// (buffer_assignment.cc, 2019-2026). If they do not, the runtime returns bytes
// that nobody wrote.

#include "Checks/Execution/Violations.h"
#include "Checks/Sharing/Sharing.h"
#include "Dataflow/ModuleAnalysis.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;
using proof::Breach;

namespace {
struct EntryOutputs {
  void report(const Violation &V);

  void reportShared(const Violation &V);
  void reportReadOnly(const Violation &V);
  void reportDonated(const Violation &V);
  void complete(Finding F, ValueId Line) const;
  std::string index(uint32_t Ordinal) const {
    return D.Indices.text(P.trees().index(P[Root].Shape, Ordinal));
  }

  const Program &P;
  Reporter &Diags;
  const Dump &D = P.facts().dump();
  const Places &Lines = P.facts().places();
  HloId Root = P.root(P.module().Entry);
  /// By line: the first output that it is.
  DenseMap<uint32_t, uint32_t> Seen{};
};
} // namespace

void EntryOutputs::complete(Finding F, ValueId Line) const {
  F.note(Lines.value(D[Line]).Tag.Whole, "{} is placed here",
         D.spell(D[Line].Tag));
  if (HloId Id = P.find(D[Line].Tag.Name))
    F.note(P.place(Id), "{} is defined here", spellName(D, Line));
  F.about(Line);
}

/// The ledger has both outputs; the second one is told.
void EntryOutputs::reportShared(const Violation &V) {
  const Value &Other = D[V.Shown.By];
  if (Other.Shape && D.Shapes[Other.Shape].isTuple())
    return complete(
        Diags.report(P.place(Root),
                     "output {} of {} shares bytes with the index table {}",
                     index(V.Owed.Part), P.spell(Root), D.spell(Other.Tag)),
        V.Shown.Lost);
  Seen.try_emplace(V.Shown.Lost.index(), V.Owed.Part);
  auto First = Seen.find(V.Shown.By.index());
  if (First == Seen.end() || First->second == V.Owed.Part)
    return;
  complete(Diags.report(P.place(Root),
                        "outputs {} and {} of {} share the buffer of {}: one "
                        "of them needs a copy",
                        index(First->second), index(V.Owed.Part), P.spell(Root),
                        spellName(D, V.Shown.Lost)),
           V.Shown.Lost);
}

void EntryOutputs::reportReadOnly(const Violation &V) {
  const Allocation &Alloc = D[D[V.Shown.Lost].Owner];
  std::string Name = spellName(D, V.Shown.Lost);
  // The module may have fewer parameters than the dump says.
  HloId Argument = P.parameter(P.module().Entry, Alloc.ParameterNumber);
  if (!Alloc.Constant && Argument)
    Name = P.spell(Argument);
  if (!Alloc.Constant && Alloc.ParameterIndex.canonical() != ShapeIndex::root())
    Name += D.Indices.text(Alloc.ParameterIndex);
  complete(Diags.report(P.place(Root),
                        "output {} of {} is {} {} itself, {}: it needs a copy",
                        index(V.Owed.Part), P.spell(Root),
                        Alloc.Constant ? "constant" : "parameter", Name,
                        Alloc.Constant ? "which the caller cannot own"
                                       : "which is not donated"),
           V.Shown.Lost);
}

void EntryOutputs::reportDonated(const Violation &V) {
  const HloAlias &Item = P.module().Aliases[V.Owed.Part];
  const Value &To = D[V.Shown.Lost];
  const Value &From = D[V.Shown.By];
  std::string Input = fmt::format("parameter {} {}", Item.Parameter,
                                  D.Indices.text(Item.Index));
  Diags
      .report({Lines.value(To).Tag.Whole, V.Shown.Lost},
              "output {} is {} in bytes [{}, {}) of allocation {}, but the "
              "module donates {} to it, which is in bytes [{}, {}) of {}",
              D.Indices.text(Item.Output), D.spell(To.Tag), To.Offset, To.end(),
              D[To.Owner].Index, Input, From.Offset, From.end(),
              D[From.Owner].Index)
      .note(Item.Text, "it is donated here")
      .note(Lines.value(From).Tag.Whole, "the parameter is placed here");
}

void EntryOutputs::report(const Violation &V) {
  if (V.How == Breach::OutputsOverlap)
    reportShared(V);
  else if (V.How == Breach::ReadOnlyOutput)
    reportReadOnly(V);
  else
    reportDonated(V);
}

void hlobuf::checkEntryOutputs(const CheckContext &Ctx, Reporter &Diags) {
  tellViolations(
      Ctx, Diags,
      [&](const ModuleAnalysis &Analysis, ArrayRef<Violation> Found) {
        EntryOutputs All{Analysis.program(), Diags};
        for (const Violation &V : Found)
          All.report(V);
      });
}
