// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InstructionSequence holds every instruction of the computations that are
// flattened into one order (HloLiveRange::FlattenSchedule, hlo_live_range.cc,
// 2021-06 on). Values with a live range live in those computations, and so do
// the instructions at their positions and uses; and every instruction of the
// sequence is where some value is. Values of thread-local computations have no
// live range and are left out. The second half needs live ranges that prove
// that every value is listed. No exception is known.
//
// A value has a row of BufferLiveRange if and only if its instruction is a step
// (hlo_live_range.cc walks the flattened schedule, since 2021-04-07). Values
// that are not belong to computations that are called from inside one
// instruction: those are thread-local, or constants of a comparator or
// reducer, which keep their constant allocation (CPU dumps of 2023 on).
// A module that is not fully scheduled has neither steps nor ranges.

#include "Checks/Check.h"
#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// A name that values mention but that is not in the sequence.
struct Absent {
  NameId Name;
  UsedId Owner;
  StringRef Where;
};

class Membership {
public:
  Membership(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), D(Ctx.dump()), Diags(Diags),
        InSequence(D.Names.size(), false), Mentioned(D.Names.size(), false) {}

  void check() {
    for (const SequenceRow &Row : D.Sequence) {
      if (InSequence[Row.Name.index()])
        Repeated = &Row;
      InSequence[Row.Name.index()] = true;
    }
    for (uint32_t U = 0; U != D.Used.size(); ++U)
      collect(UsedId(U));
    collectUnknown();
    pair();
    for (const Absent &X : Missing)
      reportMissing(X);
    for (const SequenceRow *Row : Unknown)
      reportUnknown(*Row);
  }

private:
  void collect(UsedId U) {
    for (const Position &P : D.positions(D[U]))
      Mentioned[P.Name.index()] = true;
    if (!Ctx.range(D[U].Tag.Name, D[U].Tag.Index))
      return;
    for (const Position &P : D.positions(D[U]))
      if (isNew(P.Name))
        Missing.push_back({P.Name, U, Ctx.places().row(P).Name});
    for (const Use &Row : D.uses(D[U]))
      if (isNew(Row.Name))
        Missing.push_back({Row.Name, U, Ctx.places().row(Row).Name});
  }

  /// True for the first mention of a name that is not in the sequence.
  bool isNew(NameId Name) {
    if (InSequence[Name.index()])
      return false;
    InSequence[Name.index()] = true;
    return true;
  }

  void collectUnknown() {
    if (!Ctx.isFull()) {
      Diags.notCheckedWithout(Ctx, Section::Ranges, SomeUnlisted);
      return;
    }
    for (const SequenceRow &Row : D.Sequence)
      if (!Mentioned[Row.Name.index()])
        Unknown.push_back(&Row);
  }

  /// One name too few and one too many are one mistake: of the places that
  /// name the absent instruction and the one in the sequence, the rarer is
  /// wrong.
  void pair() {
    if (Missing.size() != 1 || Unknown.size() != 1)
      return;
    const Absent &X = Missing.front();
    const SequenceRow &Row = *Unknown.front();
    size_t Mentions =
        Ctx.positionsAt(X.Name).size() + Ctx.usesBy(X.Name).size();
    StringRef InRow = Ctx.places().row(Row).Name;
    bool RowIsWrong = Mentions > 1 || (Ctx.usesBy(Row.Name).empty() &&
                                       Ctx.usedOfInstruction(Row.Name).empty());
    Finding F = RowIsWrong
                    ? Diags.report(InRow,
                                   "no value has a position at {}, and {} "
                                   "is missing from the sequence",
                                   InRow, D.Names[X.Name])
                    : Diags.report(X.Where,
                                   "{} is missing from the sequence, and no "
                                   "value has a position at {}",
                                   D.Names[X.Name], InRow);
    F.note(RowIsWrong ? X.Where : InRow, "the other name")
        .about(X.Name)
        .about(Row.Name);
    aboutUsed(Ctx, F, X.Owner);
    Missing.clear();
    Unknown.clear();
  }

  void reportMissing(const Absent &X) {
    Finding F = Diags.report(
        X.Where,
        "{} is missing from the sequence, but {} has a use or position there",
        D.Names[X.Name], Ctx.places().tag(D[X.Owner]).Whole);
    F.about(X.Name);
    if (Repeated && Missing.size() == 1)
      F.note(Ctx.places().row(*Repeated).Name, "in the sequence twice")
          .about(Repeated->Name);
    // A line that was lost also breaks the numbering.
    if (!Ctx.isSequenceSound())
      F.about(Section::Sequence);
    aboutUsed(Ctx, F, X.Owner);
  }

  void reportUnknown(const SequenceRow &Row) {
    Diags
        .report(Ctx.places().row(Row).Name,
                "no value has a position at {}, step {} of the sequence",
                D.Names[Row.Name], Row.Ordinal)
        .about(Row.Name);
  }

  const CheckContext &Ctx;
  const Dump &D;
  Reporter &Diags;
  std::vector<bool> InSequence, Mentioned;
  std::vector<Absent> Missing;
  std::vector<const SequenceRow *> Unknown;
  /// A row with a name that was seen before.
  const SequenceRow *Repeated = nullptr;
};
} // namespace

namespace {
class RangeMembership {
public:
  RangeMembership(const CheckContext &Ctx, Reporter &Diags)
      : Ctx(Ctx), Diags(Diags), D(Ctx.dump()) {}

  void run();

private:
  void reportMissing(ValueId V, int32_t Step);
  void reportUnscheduled(ValueId V);
  bool allUsed() const;
  void checkRows();
  llvm::StringRef rowBehind(ValueId V);

  const CheckContext &Ctx;
  Reporter &Diags;
  const Dump &D;
  /// By used value: the first row of a later one. Built when first needed.
  std::vector<uint32_t> Behind;
};
} // namespace

/// The row before which that of \p V belongs; the heading after the rows if it
/// is the last.
llvm::StringRef RangeMembership::rowBehind(ValueId V) {
  constexpr uint32_t None = ~uint32_t(0);
  if (Behind.empty()) {
    Behind.assign(D.Used.size() + 1, None);
    for (size_t I = D.Used.size(); I != 0; --I) {
      ValueId Next = Ctx.valueOf(UsedId(I - 1));
      std::optional<uint32_t> Row = Next ? Ctx.rangeRow(Next) : std::nullopt;
      Behind[I - 1] = Row.value_or(Behind[I]);
    }
  }
  UsedId U = Ctx.usedOf(V);
  uint32_t Row = U ? Behind[U.index()] : None;
  if (Row != None)
    return Ctx.places().line(D.Ranges[Row]);
  return D.Ranges.empty() ? llvm::StringRef()
                          : Ctx.places().line(D.Ranges.back());
}

void RangeMembership::reportMissing(ValueId V, int32_t Step) {
  Finding F = Diags.report(Ctx.places().value(D[V]).Tag.Whole,
                           "{} has no live range, but '{}' is step {}",
                           D.spell(D[V].Tag), D.Names[D[V].Tag.Name], Step);
  F.about(V)
      .about(D[V].Tag.Name)
      .note(Ctx.places().line(D.Sequence[Step]), "'{}' is here",
            D.Names[D[V].Tag.Name]);
  llvm::StringRef Row = rowBehind(V);
  if (!Row.empty())
    F.note(Row, "its live range belongs next to this one");
}

void RangeMembership::reportUnscheduled(ValueId V) {
  const SequenceRow *Stray = Ctx.strayStep();
  Finding F =
      Diags.report(Ctx.places().value(D[V]).Tag.Whole,
                   "'{}' of {} is not in the instruction sequence, but the "
                   "value is neither thread-local nor constant",
                   D.Names[D[V].Tag.Name], D.spell(D[V].Tag));
  F.about(V).about(D[V].Tag.Name);
  if (Stray)
    F.note(Ctx.places().row(*Stray).Name,
           "step {} is '{}', which appears nowhere else", Stray->Ordinal,
           D.Names[Stray->Name])
        .about(Stray->Name);
}

/// True if all values with a live range have a place: XLA leaves out constants
/// where a backend allocates none (buffer_assignment.cc,
/// allocate_buffers_for_constants), and for memory space assignment views into
/// other buffers (dus_view_color, 2026-07-22).
bool RangeMembership::allUsed() const {
  return !Ctx.isTPU() && Ctx.backend() != Backend::Untiled &&
         D.complete(Section::Texts) &&
         llvm::any_of(D.Allocations,
                      [](const Allocation &Alloc) { return Alloc.Constant; });
}

void RangeMembership::checkRows() {
  if (Ctx.isFull() || !allUsed())
    return;
  for (const LiveRangeRow &Row : D.Ranges)
    if (!Ctx.findUsed(Row.Name, Row.Index))
      Diags
          .report(Ctx.places().row(Row).First,
                  "{} has a live range, but is missing from 'Used values'",
                  D.spell(Row.Name, Row.Index))
          .about(Row.Name);
}

void RangeMembership::run() {
  checkRows();
  for (size_t I = 0; I != D.Values.size(); ++I) {
    ValueId V(I);
    const Allocation &Owner = D[D[V].Owner];
    bool HasRow = Ctx.rangeRow(V).has_value();
    int32_t Step = Ctx.time(D[V].Tag.Name);
    if (!HasRow && Step >= 0)
      reportMissing(V, Step);
    else if (!HasRow && !Owner.ThreadLocal && !Owner.Constant)
      reportUnscheduled(V);
    else if (HasRow && Owner.ThreadLocal)
      Diags
          .report(Ctx.places().line(D.Ranges[*Ctx.rangeRow(V)]),
                  "{} is thread-local, but has a live range", D.spell(D[V].Tag))
          .note(Ctx.places().header(Owner).ThreadLocal,
                "allocation {} is thread-local", Owner.Index)
          .about(V)
          .about(D[V].Owner);
  }
}

void hlobuf::checkSequenceMembership(const CheckContext &Ctx, Reporter &Diags) {
  if (Ctx.dump().Sequence.empty())
    return Diags.notChecked("the instruction sequence is empty");
  Membership(Ctx, Diags).check();
  if (Ctx.isSequenceSound())
    RangeMembership(Ctx, Diags).run();
  else
    Diags.notChecked("the instruction sequence is broken");
}
