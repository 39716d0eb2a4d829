// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that must alias share one place: loop state, branch results, operands
// that are written in place, donated parameters (hlo_alias_analysis.cc,
// alias_info.cc, 2019-2026).
//
// A thread-local allocation is never reused: it holds the values of one
// HloBuffer, which must alias (AssignSpecialHloBuffer in
// xla/service/buffer_assignment.cc, 2017: each gets an allocation of its own).
// The module shows which must alias.
//
// For each value with an allocation BufferAssignment::ToProto
// (xla/service/buffer_assignment.cc, 2017) lists the other values of its
// buffer, which the alias analysis found before anything was placed. Values of
// one buffer have one place, and are in one alias set of the module. No row is
// there twice, and each is there in both directions; TPU lists some rows in one
// direction alone (libtpu 0.0.52), so that a missing row proves nothing there.

#include "Checks/Module/ModuleDifference.h"
#include "Dataflow/ModuleAnalysis.h"
#include "llvm/ADT/DenseMap.h"

using namespace hlobuf;

static std::string spellPlace(const Dump &D, const Value &V) {
  return fmt::format("bytes [{}, {}) of allocation {}", V.Offset, V.end(),
                     D[V.Owner].Index);
}

static Finding describePlace(const ModuleAnswer &M, const Difference &Diff) {
  const Value &V = M.D[Diff.Line];
  const Value &Other = M.D[Diff.Other];
  Finding F =
      M.report(M.LinePlaces.value(V).Tag.Whole,
               "{} must share the place of {}, but is in {} instead of {}",
               M.D.spell(V.Tag), M.D.spell(Other.Tag), spellPlace(M.D, V),
               spellPlace(M.D, Other));
  F.note(M.LinePlaces.value(Other).Tag.Whole, "{} is placed here",
         M.D.spell(Other.Tag));
  for (const Value *Member : {&V, &Other})
    if (HloId Id = M.P.find(Member->Tag.Name))
      F.note(M.P.place(Id), "{} is here", M.D.Names[Member->Tag.Name]);
  return F.about(Diff.Line);
}

static void checkThreadLocal(const ModuleAnalysis &Analysis,
                             const Allocation &Alloc, Reporter &Diags) {
  const Facts &DumpFacts = Analysis.facts();
  const Dump &D = DumpFacts.dump();
  ValueId First;
  HloValueId Known;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    HloValueId V = Analysis.find(D.Values[I].Tag.Name, D.Values[I].Tag.Index);
    if (!V)
      continue; // module-values says so
    if (!Known) {
      First = ValueId(I);
      Known = V;
    }
    if (Analysis.aliases().same(V, Known))
      continue;
    const Value &Line = D.Values[I];
    Finding F = Diags.report(
        DumpFacts.places().value(Line).Tag.Whole,
        "{} shares thread-local allocation {} with {}, but the module does not "
        "make them alias, and thread-local allocations are never reused",
        D.spell(Line.Tag), Alloc.Index, D.spell(D[First].Tag));
    F.note(DumpFacts.places().value(D[First]).Tag.Whole, "{} is placed here",
           D.spell(D[First].Tag));
    for (HloValueId Member : {Known, V})
      F.note(Analysis.program().place(Analysis.flow()[Member].Definition),
             "{} is defined here", Analysis.flow().spell(Member));
    F.about(ValueId(I));
  }
}

namespace {
/// Compares the rows with places and with the module.
class AliasRows {
public:
  AliasRows(const CheckContext &Ctx, const ModuleAnalysis &Analysis,
            Reporter &Diags)
      : Ctx(Ctx), Analysis(Analysis), D(Ctx.dump()), Diags(Diags) {}

  void run();

private:
  using Pair = std::pair<ValueId, ValueId>;

  void compare(const AliasRow &Row);
  void checkRow(size_t I);
  bool has(ValueId From, ValueId To) const {
    auto Entry = llvm::lower_bound(
        Rows, Pair(From, To),
        [](const auto &Row, const Pair &Key) { return Row.first < Key; });
    return Entry != Rows.end() && Entry->first == Pair(From, To);
  }
  ValueId other(const AliasRow &Row) const;
  HloValueId valueOf(ValueId V) const {
    return Analysis.find(D[V].Tag.Name, D[V].Tag.Index);
  }

  const CheckContext &Ctx;
  const ModuleAnalysis &Analysis;
  const Dump &D;
  Reporter &Diags;
  llvm::DenseMap<uint32_t, ValueId> ById;
  /// Sorted, with the line of each.
  std::vector<std::pair<Pair, uint32_t>> Rows;
};
} // namespace

/// The value at the place of \p Row; invalid if there is none.
ValueId AliasRows::other(const AliasRow &Row) const {
  ValueId Other = Ctx.findValue(Row.Name, Row.Index);
  // Of an instruction without a tuple, XLA's value tags have no index.
  if (!Other && Row.Index == ShapeIndex::root())
    Other = Ctx.findValue(Row.Name, ShapeIndex());
  return Other;
}

void AliasRows::compare(const AliasRow &Row) {
  llvm::StringRef Where = Ctx.places().traceLine(Row.Line);
  auto Entry = ById.find(Row.Value);
  if (Entry == ById.end()) {
    Diags.report(Where, "value {} has an alias, but no place", Row.Value);
    return;
  }
  ValueId V = Entry->second;
  ValueId Other = other(Row);
  if (!Other) {
    Diags
        .report(Where, "{} has an alias {}{}, where no value is placed",
                D.spell(D[V].Tag), D.Names[Row.Name], D.Indices.text(Row.Index))
        .about(V);
    return;
  }
  if (Other == V) {
    Diags.report(Where, "{} is an alias of itself", D.spell(D[V].Tag)).about(V);
    return;
  }
  if (Other < V && has(Other, V))
    return; // as vice versa
  Finding F(nullptr);
  if (D[V].Owner != D[Other].Owner || D[V].Offset != D[Other].Offset)
    F = Diags.report(Where,
                     "{} and {} are aliases, but the first is at offset {} of "
                     "allocation {}, the second at offset {} of {}",
                     D.spell(D[V].Tag), D.spell(D[Other].Tag), D[V].Offset,
                     D[D[V].Owner].Index, D[Other].Offset,
                     D[D[Other].Owner].Index);
  HloValueId Own = valueOf(V);
  HloValueId Alias = valueOf(Other);
  bool Together =
      !Own || !Alias ||
      Analysis.aliases().group(Own) == Analysis.aliases().group(Alias);
  if (!Together && !Analysis.isGuess(Own) && !Analysis.isGuess(Alias))
    F = Diags.report(Where, "{} and {} are aliases, but not in the module",
                     D.spell(D[V].Tag), D.spell(D[Other].Tag));
  F.about(V).about(Other);
}

/// Whether each row is there once, and in both directions, which those of TPU
/// need not be. A program of empty arrays alone does not show that it is one of
/// TPU.
void AliasRows::checkRow(size_t I) {
  auto [From, To] = Rows[I].first;
  Finding F(nullptr);
  llvm::StringRef Where = Ctx.places().traceLine(Rows[I].second);
  if (I != 0 && Rows[I - 1].first == Rows[I].first)
    F = Diags.report(Where, "{} is listed twice as an alias of {}",
                     D.spell(D[To].Tag), D.spell(D[From].Tag));
  else if (!has(To, From) && !Ctx.isTPU() &&
           (Ctx.backend() != Backend::Untiled || D[From].Size != 0))
    F = Diags.report(Where, "{} is an alias of {}, but not vice versa",
                     D.spell(D[To].Tag), D.spell(D[From].Tag));
  F.about(From).about(To);
}

void AliasRows::run() {
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  for (const AliasRow &Row : D.Aliases) {
    ValueId From = ById.lookup(Row.Value);
    if (ValueId To = other(Row); From && To)
      Rows.push_back({{From, To}, Row.Line});
  }
  llvm::sort(Rows);
  for (const AliasRow &Row : D.Aliases)
    compare(Row);
  for (size_t I = 0; I != Rows.size(); ++I)
    checkRow(I);
}

void hlobuf::checkModulePlaces(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Places, describePlace);
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  for (const Allocation &Alloc : Ctx.dump().Allocations)
    if (Alloc.ThreadLocal && Alloc.Values.size() > 1)
      checkThreadLocal(*Analysis, Alloc, Diags);
  // Text dumps state no aliases.
  if (Ctx.dump().complete(Section::Aliases))
    AliasRows(Ctx, *Analysis, Diags).run();
  else if (Ctx.dump().state(Section::Aliases) != SectionState::Absent)
    Diags.notCheckedWithout(Ctx, Section::Aliases);
}
