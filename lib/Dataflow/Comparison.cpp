// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Comparison.h"
#include "Dataflow/Expected.h"
#include "Program/StatedNodes.h"

using namespace hlobuf;

namespace {
/// Compares one part after the other.
struct Comparer {
  void sequence();
  void values();
  void positions();
  void uses();
  void places();
  void flags();
  void sizes();
  void ranges();

  bool isStatedRange(const LiveRangeRow &Row) const;
  void findPlaced();
  bool isUnallocated(HloValueId V);
  bool strangersInSequence();
  bool unscheduledNames();
  bool order();
  bool positionsOf(UsedId U, HloValueId V);
  bool usesOf(UsedId U, HloValueId V);
  bool isStatedUse(UsedId U, const Use &Row, HloId User) const;
  bool unknownOperands();
  /// The value of the module at a stated position; invalid if none.
  HloValueId valueAt(NameId Name, ShapeIndex Index) const;
  bool isUnknown(NameId Name, ShapeIndex Index) const;
  bool hasBraces(HloId Id, ShapeIndex Index) const;

  const Derivation &Derived;
  DifferenceFn Visit;
  const Facts &DumpFacts = Derived.facts();
  const Dump &D = DumpFacts.dump();
  const Program &P = Derived.program();
  const DataflowAnalysis &Flow = Derived.flow();
  /// By alias set; filled where a value has no line.
  std::vector<bool> PlacedGroups = {};
  std::vector<bool> ConstantGroups = {};
  SmallVector<int64_t, 4> PlacedColors = {};
  bool PlacedConstant = false;
  /// By location: a position of the value that is there.
  std::vector<bool> Stated = {};
};
} // namespace

/// False once \p Visit asked to stop.
bool Comparer::strangersInSequence() {
  bool Any = false;
  for (uint32_t Row = 0; Row != D.Sequence.size(); ++Row) {
    if (P.isFromTexts()
            ? !DumpFacts.isFull() ||
                  !DumpFacts.positionsAt(D.Sequence[Row].Name).empty()
            : P.find(D.Sequence[Row].Name).valid())
      continue;
    Any = true;
    if (!Visit({.Kind = DifferenceKind::Invented, .Row = Row}))
      return true;
  }
  if (P.isFromTexts())
    return unscheduledNames() || Any;
  for (HloId Id : Derived.schedule().sequence()) {
    if (P[Id].Name && DumpFacts.time(P[Id].Name) >= 0)
      continue;
    Any = true;
    if (!Visit({.Kind = DifferenceKind::Missing, .Id = Id}))
      return true;
  }
  return Any;
}

/// Values with a live range are in scheduled computations, and so are the
/// instructions at their positions and uses. False once \p Visit asked to stop.
bool Comparer::unscheduledNames() {
  std::vector<bool> Known(D.Names.size());
  for (const SequenceRow &Row : D.Sequence)
    Known[Row.Name.index()] = true;
  bool GoOn = true;
  bool Any = false;
  auto Look = [&](NameId Name) {
    if (!GoOn || Known[Name.index()])
      return;
    Known[Name.index()] = Any = true;
    GoOn = Visit({.Kind = DifferenceKind::Missing, .Id = P.find(Name)});
  };
  for (const UsedValue &U : D.Used) {
    if (!DumpFacts.range(U.Tag.Name, U.Tag.Index))
      continue;
    for (const Position &Pos : D.positions(U))
      Look(Pos.Name);
    for (const Use &Row : D.uses(U))
      Look(Row.Name);
  }
  return Any;
}

void Comparer::sequence() {
  if (strangersInSequence() || (!P.isFromTexts() && order()))
    return;
  // A schedule that was adopted from the dump must be one.
  const Schedule &Order = Derived.schedule();
  for (HloId Id : Order.sequence()) {
    // A step may name nothing that is known, or what another one names.
    if (!Id || P[Id].Opaque || Order.time(Id) < 0)
      continue;
    for (uint32_t K = 0; K != P.operands(Id).size(); ++K)
      if (Order.time(P.operands(Id)[K]) >= Order.time(Id) &&
          !Visit({.Row = uint32_t(Order.time(Id)), .Id = Id, .Operand = K}))
        return;
  }
}

bool Comparer::order() {
  ArrayRef<HloId> Steps = Derived.schedule().sequence();
  for (uint32_t Row = 0; Row != D.Sequence.size() && Row != Steps.size();
       ++Row) {
    if (D.Sequence[Row].Name == P[Steps[Row]].Name)
      continue;
    Visit({.Row = Row, .Id = Steps[Row], .Operand = ~0u});
    return true;
  }
  return false;
}

/// The view color of 2026-07-22 gives values live ranges and no allocation.
/// Finds what the assignment has places for.
void Comparer::findPlaced() {
  PlacedGroups.assign(Flow.values().size(), false);
  ConstantGroups.assign(Flow.values().size(), false);
  for (HloValueId V : ids<HloValueId>(Flow.values().size())) {
    size_t Group = Derived.aliases().group(V).index();
    bool Constant = P[Flow[V].Definition].Op == Opcode::Constant;
    if (Constant)
      ConstantGroups[Group] = true;
    ValueId Line = Derived.lineOf(V);
    if (!Line)
      continue;
    PlacedGroups[Group] = true;
    PlacedConstant |= Constant;
    if (!llvm::is_contained(PlacedColors, D[Line].Tag.Color))
      PlacedColors.push_back(D[Line].Tag.Color);
  }
}

/// GPU leaves out whole alias sets only: those with a constant where it
/// allocates none, and those in the color of views into other buffers
/// (buffer_assignment.cc, AssignBufferForHloBuffer, allocate_buffers_for_
/// constants and dus_view_color). Their live ranges are printed. That they are
/// not followed, clobbered-read says.
bool Comparer::isUnallocated(HloValueId V) {
  if (Backend Target = DumpFacts.backend();
      Target == Backend::CPU || Target == Backend::TPU)
    return false;
  const HloNode &N = P[Flow[V].Definition];
  ShapeIndex Index = P.trees().index(N.Shape, Flow[V].Ordinal);
  if (!D.complete(Section::Ranges) || DumpFacts.isFull() || !N.Name ||
      !DumpFacts.rangeRow(N.Name, Index))
    return false;
  if (PlacedGroups.empty())
    findPlaced();
  size_t Group = Derived.aliases().group(V).index();
  if (PlacedGroups[Group])
    return false;
  if (ConstantGroups[Group])
    return !PlacedConstant;
  int64_t Color =
      P.trees().shape(P.trees().part(N.Shape, Flow[V].Ordinal)).memorySpace();
  return Color != 0 && !llvm::is_contained(PlacedColors, Color) &&
         !DumpFacts.release().until(Release::ViewColors);
}

void Comparer::values() {
  bool MarksPhis = !P.isFromTexts();
  for (HloValueId V : ids<HloValueId>(Flow.values().size())) {
    if (!P.hasBuffers(Flow[V].Definition))
      continue;
    Difference Diff;
    Diff.Value = V;
    Diff.Line = Derived.lineOf(V);
    if (Diff.Line && (!MarksPhis || D[Diff.Line].Tag.Phi == Flow[V].Phi))
      continue;
    if (!Diff.Line) {
      // Constants and views may have no line, and other lines are compared
      // with the used values.
      if (P.isFromTexts() ? !DumpFacts.isFull() || Derived.usedOf(V)
                          : isUnallocated(V))
        continue;
      Diff.Kind = DifferenceKind::Missing;
    }
    if (!Visit(Diff))
      return;
  }
  for (uint32_t Line = 0; Line != D.Values.size(); ++Line) {
    const ValueTag &Tag = D.Values[Line].Tag;
    HloValueId V = Derived.find(Tag.Name, Tag.Index);
    if ((V && P.hasBuffers(Flow[V].Definition)) ||
        isUnknown(Tag.Name, Tag.Index))
      continue;
    if (!Visit({.Kind = DifferenceKind::Invented, .Line = ValueId(Line)}))
      return;
  }
}

HloValueId Comparer::valueAt(NameId Name, ShapeIndex Index) const {
  HloId Id = P.find(Name);
  return Id ? Flow.at(Id, Index) : HloValueId();
}

/// True if texts do not tell which value is at (\p Name, \p Index).
bool Comparer::isUnknown(NameId Name, ShapeIndex Index) const {
  if (!P.isFromTexts())
    return false;
  HloId Id = P.find(Name);
  return !Id || !P[Id].Shape ||
         (P.trees().ordinal(P[Id].Shape, Index) && !Flow.at(Id, Index));
}

/// An index is printed if and only if the instruction's shape is a tuple.
bool Comparer::hasBraces(HloId Id, ShapeIndex Index) const {
  return Index.printed() == P.trees().shape(P[Id].Shape).isTuple();
}

void Comparer::positions() {
  Stated.assign(Flow.numLocations(), false);
  for (uint32_t U = 0; U != D.Used.size(); ++U) {
    HloValueId V = Derived.find(D.Used[U].Tag.Name, D.Used[U].Tag.Index);
    if (V && !positionsOf(UsedId(U), V))
      return;
  }
}

bool Comparer::positionsOf(UsedId U, HloValueId V) {
  size_t Equal = 0;
  IndexRange Rows = D.positionRows(D[U]);
  for (uint32_t Row = Rows.Begin; Row != Rows.End; ++Row) {
    const Position &Pos = D.Positions[Row];
    if (isUnknown(Pos.Name, Pos.Index))
      continue;
    HloId Id = P.find(Pos.Name);
    if (valueAt(Pos.Name, Pos.Index) == V && hasBraces(Id, Pos.Index)) {
      uint32_t Ordinal = *P.trees().ordinal(P[Id].Shape, Pos.Index);
      Equal += !Stated[Flow.location(Id, Ordinal)];
      Stated[Flow.location(Id, Ordinal)] = true;
      continue;
    }
    if (!Visit({.Kind = DifferenceKind::Invented,
                .Value = V,
                .Used = U,
                .Row = Row}))
      return false;
  }
  if (Equal == Flow.positions(V).size())
    return true;
  return llvm::all_of(Flow.positions(V), [&](const Part &Pos) {
    return Stated[Flow.location(Pos.Id, Pos.Ordinal)] ||
           Visit({.Kind = DifferenceKind::Missing,
                  .Value = V,
                  .Used = U,
                  .Id = Pos.Id,
                  .Ordinal = Pos.Ordinal});
  });
}

/// True if the texts and the stated positions agree with \p Row of \p U.
bool Comparer::isStatedUse(UsedId U, const Use &Row, HloId User) const {
  // From 2026-07-22 on views without allocation may use a value.
  if (P[User].Inner ||
      (P[User].Opaque && DumpFacts.positionsAt(Row.Name).empty() &&
       (DumpFacts.isFull() || DumpFacts.release().until(Release::ViewColors))))
    return false;
  if (Row.Operand >= P.operands(User).size())
    return P[User].Opaque && !DumpFacts.isFull();
  HloId Operand = P.operands(User)[Row.Operand];
  if (P[Operand].Name)
    return DumpFacts.isAt(U, P[Operand].Name, Row.Index);
  return Operand != StatedNodes::disputed() &&
         llvm::any_of(D.positions(D[U]), [&](const Position &Pos) {
           return Pos.Index == Row.Index;
         });
}

/// Operands in texts are positions of some value.
bool Comparer::unknownOperands() {
  if (!P.isFromTexts() || !DumpFacts.isFull())
    return true;
  for (HloId I : ids<HloId>(P.size()))
    for (uint32_t K = 0; !P[I].Opaque && K != P.operands(I).size(); ++K)
      if (DumpFacts.positionsAt(P[P.operands(I)[K]].Name).empty() &&
          !Visit({.Id = I, .Operand = K}))
        return false;
  return true;
}

void Comparer::uses() {
  if (!unknownOperands())
    return;
  for (uint32_t U = 0; U != D.Used.size(); ++U) {
    HloValueId V = Derived.find(D.Used[U].Tag.Name, D.Used[U].Tag.Index);
    if (V && !D.Used[U].UsesUninitialized && !usesOf(UsedId(U), V))
      return;
  }
}

bool Comparer::usesOf(UsedId U, HloValueId V) {
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
  SmallVector<Key, 8> Stated;
  IndexRange Rows = D.useRows(D[U]);
  for (uint32_t Row = Rows.Begin; Row != Rows.End; ++Row) {
    const Use &Use = D.Uses[Row];
    HloId User = P.find(Use.Name);
    bool Known = User && Use.Operand < P.operands(User).size();
    HloId Operand = Known ? P.operands(User)[Use.Operand] : HloId();
    auto Ordinal = Known && P[Operand].Shape
                       ? P.trees().ordinal(P[Operand].Shape, Use.Index)
                       : std::nullopt;
    bool Agrees = P.isFromTexts() ? isStatedUse(U, Use, User)
                                  : Ordinal && Flow.hasLocations(Operand) &&
                                        Flow.at(Operand, *Ordinal) == V &&
                                        Flow.isUse(V, User, *Ordinal) &&
                                        hasBraces(Operand, Use.Index);
    if (Agrees) {
      if (Ordinal)
        Stated.emplace_back(User.index(), Use.Operand, uint32_t(*Ordinal));
      continue;
    }
    if (!Visit({.Kind = DifferenceKind::Invented,
                .Value = V,
                .Used = U,
                .Row = Row}))
      return false;
  }
  llvm::sort(Stated);
  Stated.erase(std::unique(Stated.begin(), Stated.end()), Stated.end());
  bool GoOn = true;
  if (!P.isFromTexts()) {
    size_t Count = 0;
    Flow.forEachUse(V, [&](HloId, uint32_t, const Part &) { ++Count; });
    if (Count == Stated.size())
      return true;
  }
  Flow.forEachUse(V, [&](HloId User, uint32_t K, const Part &Pos) {
    if (!GoOn || std::binary_search(Stated.begin(), Stated.end(),
                                    Key(User.index(), K, Pos.Ordinal)))
      return;
    GoOn = Visit({.Kind = DifferenceKind::Missing,
                  .Value = V,
                  .Used = U,
                  .Id = User,
                  .Operand = K,
                  .Ordinal = Pos.Ordinal});
  });
  return GoOn;
}

void Comparer::places() {
  // Members of each alias set that have value lines, by set.
  std::vector<std::pair<uint32_t, uint32_t>> Members;
  for (HloValueId V : ids<HloValueId>(Flow.values().size()))
    if (P.hasBuffers(Flow[V].Definition))
      if (ValueId Line = Derived.lineOf(V))
        Members.emplace_back(Derived.aliases().group(V).index(), Line.index());
  llvm::sort(Members);
  auto Place = [&](uint32_t Line) {
    const Value &V = D.Values[Line];
    return std::tuple(V.Owner, V.Offset, V.Size);
  };
  for (ArrayRef Rest(Members); !Rest.empty();) {
    auto Set = takeRun(Rest, [](auto Member) { return Member.first; });
    // The place of most members is the right one.
    uint32_t Right = Set.front().second;
    size_t Votes = 0;
    for (auto [Group, Line] : Set) {
      if (Votes == 0)
        Right = Line;
      Votes += Place(Line) == Place(Right) ? 1 : size_t(-1);
    }
    for (auto [Group, Line] : Set)
      if (Place(Line) != Place(Right) &&
          !Visit({.Line = ValueId(Line), .Other = ValueId(Right)}))
        return;
  }
}

void Comparer::flags() {
  HeaderFlags Expected(Derived);
  for (uint32_t I = 0; I != D.Allocations.size(); ++I)
    if (Expected[AllocationId(I)] != statedFlags(D.Allocations[I]) &&
        !Visit({.Row = I}))
      return;
}

void Comparer::sizes() {
  std::vector<std::optional<uint64_t>> Expected = expectedSizes(Derived);
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    ValueId Line = P.hasBuffers(Flow[HloValueId(I)].Definition)
                       ? Derived.lineOf(HloValueId(I))
                       : ValueId();
    if (Line && Expected[I] && D[Line].Size != *Expected[I] &&
        !Visit({.Value = HloValueId(I), .Line = Line}))
      return;
  }
}

/// True if \p Row is of a used value whose instruction has a step. Constants
/// have none where a backend allocates none, and on GPU views into other
/// buffers (2026-07-22 on).
bool Comparer::isStatedRange(const LiveRangeRow &Row) const {
  if (DumpFacts.time(Row.Name) < 0)
    return false;
  if (DumpFacts.findUsed(Row.Name, Row.Index))
    return true;
  Backend Target = DumpFacts.backend();
  bool MayBeView = !DumpFacts.release().until(Release::ViewColors) &&
                   (Target == Backend::GPU || Target == Backend::Untiled);
  bool AllUsed = Target != Backend::Untiled && D.complete(Section::Texts) &&
                 llvm::any_of(D.Allocations, [](const Allocation &Alloc) {
                   return Alloc.Constant;
                 });
  return MayBeView && !AllUsed;
}

void Comparer::ranges() {
  for (HloValueId V : ids<HloValueId>(Flow.values().size())) {
    std::optional<StepRange> Implied = Derived.ranges()[V];
    const HloNode &N = P[Flow[V].Definition];
    if (!Implied || !N.Name || (P.isFromTexts() && !Derived.lineOf(V)))
      continue;
    auto Row =
        DumpFacts.rangeRow(N.Name, P.trees().index(N.Shape, Flow[V].Ordinal));
    Difference Diff;
    Diff.Value = V;
    if (!Row) {
      Diff.Kind = DifferenceKind::Missing;
    } else {
      Diff.Row = *Row;
      const LiveRangeRow &Stated = D.Ranges[*Row];
      if (StepRange{Stated.Start, Stated.End} == *Implied)
        continue;
    }
    if (!Visit(Diff))
      return;
  }
  for (uint32_t Row = 0; Row != D.Ranges.size(); ++Row) {
    const LiveRangeRow &Range = D.Ranges[Row];
    HloValueId V = Derived.find(Range.Name, Range.Index);
    bool First = DumpFacts.rangeRow(Range.Name, Range.Index) == Row;
    if (First &&
        (P.isFromTexts() ? isStatedRange(Range) : V && Derived.ranges()[V]))
      continue;
    if (!Visit({.Kind = DifferenceKind::Invented, .Row = Row}))
      return;
  }
}

void hlobuf::compare(const Derivation &Derived, DerivedPart Part,
                     DifferenceFn Visit) {
  // In the order of DerivedPart.
  static constexpr void (Comparer::*Parts[NumDerivedParts])() = {
      &Comparer::sequence, &Comparer::values, &Comparer::positions,
      &Comparer::uses,     &Comparer::places, &Comparer::flags,
      &Comparer::sizes,    &Comparer::ranges};
  Comparer C{Derived, Visit};
  (C.*Parts[static_cast<size_t>(Part)])();
}
