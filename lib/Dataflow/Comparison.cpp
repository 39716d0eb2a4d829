// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/Comparison.h"
#include "Dataflow/Expected.h"

using namespace hlobuf;

namespace {
/// Compares one part after the other.
class Comparer {
public:
  Comparer(const Derivation &Derived, DifferenceFn Visit)
      : Derived(Derived), DumpFacts(Derived.facts()), D(DumpFacts.dump()),
        P(Derived.program()), Flow(Derived.flow()), Visit(Visit) {}

  void sequence();
  void values();
  void positions();
  void uses();
  void places();
  void flags();
  void sizes();
  void ranges();

private:
  void findPlaced();
  bool isUnallocated(HloValueId V);
  bool strangersInSequence();
  bool order();
  bool positionsOf(UsedId U, HloValueId V);
  bool usesOf(UsedId U, HloValueId V);
  /// The value of the module at a stated position; invalid if none.
  HloValueId valueAt(NameId Name, ShapeIndex Index) const;

  const Derivation &Derived;
  const Facts &DumpFacts;
  const Dump &D;
  const Program &P;
  const DataflowAnalysis &Flow;
  DifferenceFn Visit;
  /// By alias set; filled where a value has no line.
  std::vector<bool> PlacedGroups;
  std::vector<bool> ConstantGroups;
  llvm::SmallVector<int64_t, 4> PlacedColors;
  bool PlacedConstant = false;
  /// By location: a position of the value that is there.
  std::vector<bool> Stated;
};
} // namespace

/// False once \p Visit asked to stop.
bool Comparer::strangersInSequence() {
  bool Any = false;
  for (uint32_t Row = 0; Row != D.Sequence.size(); ++Row) {
    if (P.find(D.Sequence[Row].Name))
      continue;
    Any = true;
    if (!Visit({.Kind = DifferenceKind::Invented, .Row = Row}))
      return true;
  }
  for (HloId Id : Derived.schedule().sequence()) {
    if (P[Id].Name && DumpFacts.time(P[Id].Name) >= 0)
      continue;
    Any = true;
    if (!Visit({.Kind = DifferenceKind::Missing, .Id = Id}))
      return true;
  }
  return Any;
}

void Comparer::sequence() {
  if (strangersInSequence() || order())
    return;
  // A schedule that was adopted from the dump must be one.
  const Schedule &Order = Derived.schedule();
  for (HloId Id : Order.sequence())
    for (uint32_t K = 0; K != P.operands(Id).size(); ++K) {
      if (Order.time(P.operands(Id)[K]) < Order.time(Id))
        continue;
      if (!Visit({.Row = static_cast<uint32_t>(Order.time(Id)),
                  .Id = Id,
                  .Operand = K}))
        return;
    }
}

bool Comparer::order() {
  llvm::ArrayRef<HloId> Steps = Derived.schedule().sequence();
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
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    size_t Group = Derived.aliases().group(HloValueId(I)).index();
    bool Constant = P[Flow[HloValueId(I)].Definition].Op == Opcode::Constant;
    if (Constant)
      ConstantGroups[Group] = true;
    ValueId Line = Derived.lineOf(HloValueId(I));
    if (!Line)
      continue;
    PlacedGroups[Group] = true;
    PlacedConstant |= Constant;
    if (!llvm::is_contained(PlacedColors, D[Line].Tag.Color))
      PlacedColors.push_back(D[Line].Tag.Color);
  }
}

/// XLA leaves out whole alias sets only: those with a constant where a backend
/// allocates none, and those in the color of views into other buffers
/// (buffer_assignment.cc, AssignBufferForHloBuffer, allocate_buffers_for_
/// constants and dus_view_color). Their live ranges are printed.
bool Comparer::isUnallocated(HloValueId V) {
  const ProgramNode &N = P[Flow[V].Definition];
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
  return Color != 0 && !llvm::is_contained(PlacedColors, Color);
}

void Comparer::values() {
  bool MarksPhis = D.Values2019 != ValueForm::OneLine;
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    HloValueId V(I);
    if (!P.hasBuffers(Flow[V].Definition))
      continue;
    Difference Found;
    Found.Value = V;
    Found.Line = Derived.lineOf(V);
    if (Found.Line && (!MarksPhis || D[Found.Line].Tag.Phi == Flow[V].Phi))
      continue;
    if (!Found.Line) {
      if (isUnallocated(V))
        continue;
      Found.Kind = DifferenceKind::Missing;
    }
    if (!Visit(Found))
      return;
  }
  for (uint32_t Line = 0; Line != D.Values.size(); ++Line) {
    const ValueTag &Tag = D.Values[Line].Tag;
    HloValueId V = Derived.find(Tag.Name, Tag.Index);
    if (V && P.hasBuffers(Flow[V].Definition))
      continue;
    if (!Visit({.Kind = DifferenceKind::Invented, .Line = ValueId(Line)}))
      return;
  }
}

HloValueId Comparer::valueAt(NameId Name, ShapeIndex Index) const {
  HloId Id = P.find(Name);
  return Id ? Flow.at(Id, Index) : HloValueId();
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
  for (uint32_t Row = D[U].Positions.Begin; Row != D[U].Positions.End; ++Row) {
    const Position &At = D.Positions[Row];
    if (valueAt(At.Name, At.Index) == V) {
      HloId Id = P.find(At.Name);
      uint32_t Ordinal = *P.trees().ordinal(P[Id].Shape, At.Index);
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
  for (const FlowPosition &At : Flow.positions(V)) {
    if (Stated[Flow.location(At.Instruction, At.Ordinal)])
      continue;
    if (!Visit({.Kind = DifferenceKind::Missing,
                .Value = V,
                .Used = U,
                .Id = At.Instruction,
                .Ordinal = At.Ordinal}))
      return false;
  }
  return true;
}

void Comparer::uses() {
  for (uint32_t U = 0; U != D.Used.size(); ++U) {
    HloValueId V = Derived.find(D.Used[U].Tag.Name, D.Used[U].Tag.Index);
    if (V && !D.Used[U].UsesUninitialized && !usesOf(UsedId(U), V))
      return;
  }
}

bool Comparer::usesOf(UsedId U, HloValueId V) {
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;
  llvm::SmallVector<Key, 8> Stated;
  for (uint32_t Row = D[U].Uses.Begin; Row != D[U].Uses.End; ++Row) {
    const Use &Use = D.Uses[Row];
    HloId User = P.find(Use.Name);
    bool Known = User && Use.Operand < P.operands(User).size();
    HloId Operand = Known ? P.operands(User)[Use.Operand] : HloId();
    auto Ordinal =
        Known ? P.trees().ordinal(P[Operand].Shape, Use.Index) : std::nullopt;
    if (Ordinal && Flow.hasLocations(Operand) &&
        Flow.at(Operand, *Ordinal) == V && Flow.isUse(V, User, *Ordinal)) {
      Stated.emplace_back(User.index(), Use.Operand, *Ordinal);
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
  size_t Count = 0;
  Flow.forEachUse(V, [&](HloId, uint32_t, const FlowPosition &) { ++Count; });
  if (Count == Stated.size())
    return true;
  Flow.forEachUse(V, [&](HloId User, uint32_t K, const FlowPosition &At) {
    if (!GoOn || std::binary_search(Stated.begin(), Stated.end(),
                                    Key(User.index(), K, At.Ordinal)))
      return;
    GoOn = Visit({.Kind = DifferenceKind::Missing,
                  .Value = V,
                  .Used = U,
                  .Id = User,
                  .Operand = K,
                  .Ordinal = At.Ordinal});
  });
  return GoOn;
}

void Comparer::places() {
  // Members of each alias set that have value lines, by set.
  std::vector<std::pair<uint32_t, uint32_t>> Members;
  for (size_t I = 0; I != Flow.values().size(); ++I)
    if (P.hasBuffers(Flow[HloValueId(I)].Definition))
      if (ValueId Line = Derived.lineOf(HloValueId(I)))
        Members.emplace_back(Derived.aliases().group(HloValueId(I)).index(),
                             Line.index());
  llvm::sort(Members);
  auto Place = [&](uint32_t Line) {
    const Value &V = D.Values[Line];
    return std::tuple(V.Owner, V.Offset, V.Size);
  };
  for (size_t I = 0; I != Members.size();) {
    size_t End = I;
    while (End != Members.size() && Members[End].first == Members[I].first)
      ++End;
    // The place of most members is the right one.
    uint32_t Right = Members[I].second;
    size_t Votes = 0;
    for (size_t J = I; J != End; ++J) {
      if (Votes == 0)
        Right = Members[J].second;
      Votes += Place(Members[J].second) == Place(Right) ? 1 : size_t(-1);
    }
    for (size_t J = I; J != End; ++J) {
      if (Place(Members[J].second) == Place(Right))
        continue;
      if (!Visit({.Line = ValueId(Members[J].second), .Other = ValueId(Right)}))
        return;
    }
    I = End;
  }
}

void Comparer::flags() {
  std::vector<ExpectedFlags> Expected = expectedFlags(Derived);
  for (uint32_t I = 0; I != D.Allocations.size(); ++I) {
    if (Expected[I] == statedFlags(D.Allocations[I]))
      continue;
    if (!Visit({.Row = I}))
      return;
  }
}

void Comparer::sizes() {
  std::vector<std::optional<uint64_t>> Expected = expectedSizes(Derived);
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    ValueId Line = P.hasBuffers(Flow[HloValueId(I)].Definition)
                       ? Derived.lineOf(HloValueId(I))
                       : ValueId();
    if (!Line || !Expected[I] || D[Line].Size == *Expected[I])
      continue;
    if (!Visit({.Value = HloValueId(I), .Line = Line}))
      return;
  }
}

void Comparer::ranges() {
  for (size_t I = 0; I != Flow.values().size(); ++I) {
    HloValueId V(I);
    std::optional<StepRange> FromModule = Derived.ranges()[V];
    const ProgramNode &N = P[Flow[V].Definition];
    if (!FromModule || !N.Name)
      continue;
    auto Row =
        DumpFacts.rangeRow(N.Name, P.trees().index(N.Shape, Flow[V].Ordinal));
    Difference Found;
    Found.Value = V;
    if (!Row) {
      Found.Kind = DifferenceKind::Missing;
    } else {
      Found.Row = *Row;
      const LiveRangeRow &Stated = D.Ranges[*Row];
      if (StepRange{Stated.Start, Stated.End} == *FromModule)
        continue;
    }
    if (!Visit(Found))
      return;
  }
  for (uint32_t Row = 0; Row != D.Ranges.size(); ++Row) {
    HloValueId V = Derived.find(D.Ranges[Row].Name, D.Ranges[Row].Index);
    if (V && Derived.ranges()[V])
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
  Comparer C(Derived, Visit);
  (C.*Parts[static_cast<size_t>(Part)])();
}
