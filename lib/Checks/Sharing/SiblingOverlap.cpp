// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that one instruction defines use disjoint bytes: all of them are
// written at the same step (buffer_assignment.cc and heap_simulator.cc, 2017).
// No live range is needed, and every color is checked. Exceptions:
// - two outputs declared to alias one operand have that operand's place
//   (async collective fusions on TPU);
// - phis have one place where one value goes into both: a tuple holds it at
//   both indices (a conditional of libtpu 0.0.11; a loop of 0.0.17 and 0.0.42
//   whose body ends in tuple(.., %x, %x, %x)). Without such a value at their
//   place they are a warning; without used values that is not checked;
// - computations of other execution threads (host, SparseCore) run from other
//   places, and no copies are inserted for them: a loop that carries one value
//   twice has one place for both. Without the module, any two values in one
//   thread-local or constant place may be such (libtpu 0.0.52, v6e).

#include "Checks/Sharing/Sharing.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

namespace {
struct SiblingCheck {
  void run();

  void checkSiblings(llvm::MutableArrayRef<uint32_t> Siblings);
  std::optional<SmallVector<DeclaredAlias, 2>> aliases(NameId Name) const;
  bool mayAliasOneOperand(const Value &V, const Value &W) const;
  bool mayRunElsewhere(const Value &V) const;
  bool holdsDoubledValue(const Value &V);
  void findDoubled();
  void report(ValueId Lower, ValueId Upper);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D = Ctx.dump();
  /// Allocation and offset of each value that some tuple holds twice.
  std::optional<DenseSet<std::pair<uint32_t, uint64_t>>> Doubled = {};
};
} // namespace

/// What the instruction \p Name declares to alias, in its text or in the
/// module; nothing if there is neither.
std::optional<SmallVector<DeclaredAlias, 2>>
SiblingCheck::aliases(NameId Name) const {
  if (const Instruction *I = Ctx.instruction(Name))
    return Ctx.aliases(*I);
  if (HloId Id = D.Module.find(Name))
    return declaredAliases(D.Module.attributes(D.Module[Id]), D.Indices);
  return std::nullopt;
}

static constexpr const char *SameUnknown =
    "two values of one instruction at one place: only texts and used values "
    "show whether they are the same";

/// Says so if it cannot be determined.
bool SiblingCheck::mayAliasOneOperand(const Value &V, const Value &W) const {
  if (!V.samePlace(W))
    return false;
  auto Items = aliases(V.Tag.Name);
  if (!Items) {
    if (!V.Tag.Phi)
      Diags.notChecked(SameUnknown);
    return !V.Tag.Phi;
  }
  for (const DeclaredAlias &P : *Items)
    for (const DeclaredAlias &Q : *Items)
      if (P.Output.canonical() == V.Tag.Index.canonical() &&
          Q.Output.canonical() == W.Tag.Index.canonical() &&
          P.Operand == Q.Operand && P.Index.canonical() == Q.Index.canonical())
        return true;
  return false;
}

bool SiblingCheck::mayRunElsewhere(const Value &V) const {
  const Allocation &Alloc = D[V.Owner];
  return Ctx.program() ? Ctx.runsElsewhere(V.Tag.Name)
                       : Alloc.ThreadLocal || Alloc.Constant;
}

void SiblingCheck::findDoubled() {
  Doubled.emplace();
  SmallVector<NameId, 16> Names;
  for (uint32_t U = 0; U != D.Used.size(); ++U) {
    ValueId V = Ctx.valueOf(UsedId(U));
    if (!V || D.positionRows(D.Used[U]).size() < 2)
      continue;
    Names.clear();
    for (const Position &P : D.positions(D.Used[U]))
      Names.push_back(P.Name);
    llvm::sort(Names);
    if (std::adjacent_find(Names.begin(), Names.end()) != Names.end())
      Doubled->insert({D[V].Owner.index(), D[V].Offset});
  }
}

/// True if a value at the place of \p V is twice in one tuple.
bool SiblingCheck::holdsDoubledValue(const Value &V) {
  if (!Doubled)
    findDoubled();
  return Doubled->contains({V.Owner.index(), V.Offset});
}

void SiblingCheck::report(ValueId Lower, ValueId Upper) {
  const Value &V = D[Lower], &W = D[Upper];
  bool MayBePhis = V.Tag.Phi && W.Tag.Phi;
  bool PhisAtOnePlace = MayBePhis && V.samePlace(W);
  if (PhisAtOnePlace && !D.complete(Section::Used))
    return Diags.notChecked(SameUnknown);
  if (PhisAtOnePlace && holdsDoubledValue(V))
    return Diags.exempt("same-value");
  if (!MayBePhis && mayAliasOneOperand(V, W))
    return Diags.exempt("same-value");
  if (V.samePlace(W) && mayRunElsewhere(V))
    return Diags.notChecked(OtherThreads);
  Finding F = Diags.reportAs(
      PhisAtOnePlace ? Severity::Warning : Severity::Error,
      {Ctx.places().value(W).Offset, Upper, Lower},
      "{} shares {} with {}, another value of the same instruction",
      D.spell(W.Tag), sharedBytes(D, V, W), D.spell(V.Tag));
  addDefinition(F, Ctx, Lower);
  addStep(F, Ctx, firstStep(Ctx, Upper), Upper,
          PhisAtOnePlace ? "has the same bytes" : spellOverwrite(W, V));
  F.why(Ctx.places().value(V).Offset, "{}",
        PhisAtOnePlace
            ? "no value goes into both, so that they may differ"
            : "an instruction writes all of its results in one step, so that "
              "each needs bytes of its own");
  notePlace(F, Ctx, Lower);
}

void SiblingCheck::checkSiblings(llvm::MutableArrayRef<uint32_t> Siblings) {
  std::ranges::sort(Siblings, {}, [&](uint32_t V) {
    return std::tuple(D.Values[V].Owner, D.Values[V].Offset, V);
  });
  // The sibling that reaches furthest so far.
  uint32_t Furthest = Siblings.front();
  for (uint32_t V : Siblings.drop_front()) {
    const Value &Last = D.Values[Furthest], &Current = D.Values[V];
    if (Last.Owner == Current.Owner && Current.Offset < Last.end())
      report(ValueId(Furthest), ValueId(V));
    if (Last.Owner != Current.Owner || Last.end() < Current.end())
      Furthest = V;
  }
}

void SiblingCheck::run() {
  SmallVector<uint32_t, 32> Siblings;
  for (NameId Name : ids<NameId>(D.Names.size())) {
    ArrayRef<uint32_t> All = Ctx.valuesOfInstruction(Name);
    if (All.size() < 2)
      continue;
    Siblings.clear();
    llvm::copy_if(All, std::back_inserter(Siblings),
                  [&](uint32_t V) { return D.Values[V].Size != 0; });
    if (Siblings.size() > 1)
      checkSiblings(Siblings);
  }
}

void hlobuf::checkSiblingOverlap(const CheckContext &Ctx, Reporter &Diags) {
  SiblingCheck{Ctx, Diags}.run();
}
