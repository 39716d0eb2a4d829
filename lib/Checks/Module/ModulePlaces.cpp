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

static std::string spellBytes(const Dump &D, ValueId Line) {
  const Value &V = D[Line];
  return fmt::format("bytes [{}, {}) of allocation {}", V.Offset, V.end(),
                     D[V.Owner].Index);
}

/// Says \p Message and shows two value lines.
static Finding showPair(const ModuleAnswer &M, StringRef Where, ValueId V,
                        ValueId Other, std::string Message) {
  Finding F = M.report(Where, "{}", Message);
  F.note(M.LinePlaces.value(M.D[Other]).Tag.Whole, "{} is placed here",
         M.D.spell(M.D[Other].Tag));
  for (ValueId Member : {V, Other})
    if (HloId Id = M.P.find(M.D[Member].Tag.Name))
      F.note(M.P.place(Id), "{} is here", M.P.spell(Id));
  return F.about(V);
}

/// Says \p Claim of two value lines, and shows both.
static Finding reportPair(const ModuleAnswer &M, StringRef Where, ValueId V,
                          ValueId Other, StringRef Claim) {
  auto Spell = [&](ValueId Line) {
    return fmt::format("{} in {}", M.D.spell(M.D[Line].Tag),
                       spellBytes(M.D, Line));
  };
  return showPair(M, Where, V, Other,
                  fmt::format("{} and {} {}", Spell(V), Spell(Other), Claim));
}

static Finding describePlace(const ModuleAnswer &M, const Difference &Diff) {
  const Dump &D = M.D;
  return showPair(
      M, M.LinePlaces.value(D[Diff.Line]).Tag.Whole, Diff.Line, Diff.Other,
      fmt::format("{} must share the place of {}, {}, but is in {}",
                  D.spell(D[Diff.Line].Tag), D.spell(D[Diff.Other].Tag),
                  spellBytes(D, Diff.Other), spellBytes(D, Diff.Line)));
}

/// One wrong flag makes many errors: the first is told.
static void checkThreadLocal(const ModuleAnswer &M, const Allocation &Alloc) {
  ValueId First;
  HloValueId Known;
  std::vector<ValueId> Apart;
  for (uint32_t I = Alloc.Values.Begin; I != Alloc.Values.End; ++I) {
    const ValueTag &Tag = M.D.Values[I].Tag;
    HloValueId V = M.Analysis.find(Tag.Name, Tag.Index);
    if (!V)
      continue; // module-values says so
    if (!Known) {
      First = ValueId(I);
      Known = V;
    }
    if (!M.Analysis.aliases().same(V, Known))
      Apart.emplace_back(I);
  }
  if (Apart.empty())
    return;
  std::string More =
      Apart.size() == 1
          ? ""
          : fmt::format("; the same holds for {} more", Apart.size() - 1);
  const Value &V = M.D[Apart.front()];
  showPair(M, M.LinePlaces.value(V).Tag.Whole, Apart.front(), First,
           fmt::format("{} shares thread-local allocation {} with {}, but they "
                       "are not aliases in the module, and thread-local "
                       "allocations are never reused{}",
                       M.D.spell(V.Tag), Alloc.Index, M.D.spell(M.D[First].Tag),
                       More))
      .about(M.D[First].Owner);
}

namespace {
/// Compares the rows with places and with the module.
struct AliasRows {
  void run();

  using Pair = std::pair<ValueId, ValueId>;

  void compare(size_t I);
  bool has(ValueId From, ValueId To) const {
    auto Entry = llvm::lower_bound(
        Rows, Pair(From, To),
        [](const auto &Row, const Pair &Key) { return Row.first < Key; });
    return Entry != Rows.end() && Entry->first == Pair(From, To);
  }
  ValueId other(const AliasRow &Row) const;
  HloValueId valueOf(ValueId V) const {
    return M.Analysis.find(D[V].Tag.Name, D[V].Tag.Index);
  }

  const ModuleAnswer &M;
  const Dump &D = M.D;
  /// Sorted, with the line of each.
  std::vector<std::pair<Pair, uint32_t>> Rows = {};
  /// Some row is there in both directions.
  bool BothWays = false;
};
} // namespace

/// The value at the place of \p Row; invalid if there is none.
ValueId AliasRows::other(const AliasRow &Row) const {
  ValueId Other = M.DumpFacts.findValue(Row.Name, Row.Index);
  // Of an instruction without a tuple, XLA's value tags have no index.
  return Other || Row.Index != ShapeIndex::root()
             ? Other
             : M.DumpFacts.findValue(Row.Name, ShapeIndex());
}

/// Each row is there once. On GPU, and where some row is there in both
/// directions, all are: compilers inside libtpu write one of the two, for TPU
/// and for its host.
void AliasRows::compare(size_t I) {
  auto [From, To] = Rows[I].first;
  bool Twice = I != 0 && Rows[I - 1].first == Rows[I].first;
  bool Mutual = has(To, From);
  auto Report = [&](const char *Claim) {
    reportPair(M, M.LinePlaces.traceLine(Rows[I].second), From, To, Claim);
  };
  if (Twice)
    return Report("are listed twice as aliases");
  if (!Mutual && (BothWays || M.DumpFacts.backend() == Backend::GPU))
    Report("are aliases, but not vice versa");
  if (Mutual && To < From)
    return;
  if (D[From].Owner != D[To].Owner || D[From].Offset != D[To].Offset)
    Report("are aliases, and must have one place");
  HloValueId Own = valueOf(From);
  HloValueId Alias = valueOf(To);
  if (Own && Alias && !M.Analysis.aliases().same(Own, Alias) &&
      !M.Analysis.isGuess(Own) && !M.Analysis.isGuess(Alias))
    Report("are aliases, but not in the module");
}

void AliasRows::run() {
  DenseMap<uint32_t, ValueId> ById;
  for (size_t I = 0; I != D.Values.size(); ++I)
    ById.try_emplace(D.Values[I].Tag.Id, ValueId(I));
  for (const AliasRow &Row : D.Aliases) {
    ValueId From = ById.lookup(Row.Value);
    ValueId To = other(Row);
    if (From && To && From != To) {
      Rows.push_back({{From, To}, Row.Line});
      continue;
    }
    M.report({M.LinePlaces.traceLine(Row.Line), From},
             "value {} has an alias {}{}, but {}", Row.Value, D.Names[Row.Name],
             D.Indices.text(Row.Index),
             !From ? "has no place"
             : !To ? "no value is placed there"
                   : "that is itself");
  }
  llvm::sort(Rows);
  BothWays = llvm::any_of(Rows, [&](const auto &Row) {
    return has(Row.first.second, Row.first.first);
  });
  for (size_t I = 0; I != Rows.size(); ++I)
    compare(I);
}

void hlobuf::checkModulePlaces(const CheckContext &Ctx, Reporter &Diags) {
  reportDifferences(Ctx, Diags, DerivedPart::Places, describePlace);
  const ModuleAnalysis *Analysis = usableModule(Ctx, Diags);
  if (!Analysis)
    return;
  ModuleAnswer M{*Analysis, Diags, Severity::Error};
  for (const Allocation &Alloc : Ctx.dump().Allocations)
    if (Alloc.ThreadLocal && Alloc.Values.size() > 1)
      checkThreadLocal(M, Alloc);
  // Text dumps state no aliases.
  if (Ctx.dump().complete(Section::Aliases))
    AliasRows{M}.run();
  else if (Ctx.dump().state(Section::Aliases) != SectionState::Absent)
    Diags.notCheckedWithout(Ctx, Section::Aliases);
}
