// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/ElidedElements.h"

using namespace hlobuf;

static bool leavesElementsOut(const HloModule &M, const ShapeTrees &Trees) {
  if (M.Compact)
    return true;
  bool AnyTuple = false;
  for (const HloInstruction &I : M.Instructions) {
    if (I.Op == Opcode::GetTupleElement && !I.Root)
      return false;
    AnyTuple |= !I.Root && Trees.shape(I.Shape).isTuple();
  }
  return AnyTuple;
}

ElidedElements::ElidedElements(const Facts &DumpFacts, const HloModule &M,
                               const ShapeTrees &Trees)
    : DumpFacts(DumpFacts), D(DumpFacts.dump()), M(M), Trees(Trees),
      LeftOut(leavesElementsOut(M, Trees)) {
  // Without used values nothing shows what a name in the sequence stands for.
  if (!LeftOut || !M.Entry || !D.complete(Section::Used))
    return;
  collectNames();
  if (Pending.empty())
    return;
  collectHints();
  collectNeeds();
  // An element of an element waits for that one; in the sequence it comes
  // later anyway.
  bool Progress = true;
  while (Progress && !Pending.empty())
    Progress = resolveAll(/*ByHints=*/true) || resolveAll(/*ByHints=*/false);
}

/// Two elements of a tuple may be one value. Which of them a name means is
/// known where a text names it as an operand: those are settled first, and the
/// others share what they leave. Returns whether any name was resolved.
bool ElidedElements::resolveAll(bool ByHints) {
  std::vector<NameId> Rest;
  for (NameId Name : Pending)
    if (!resolve(Name, ByHints))
      Rest.push_back(Name);
  bool Progress = Rest.size() != Pending.size();
  Pending = std::move(Rest);
  return Progress;
}

HloId ElidedElements::instruction(NameId Name) const {
  HloId Id = M.find(Name);
  return Id || !Name ? Id : find(Name);
}

NameId ElidedElements::nameOf(HloId Id) const {
  size_t Count = M.Instructions.size();
  return Id.index() < Count ? M[Id].Name : All[Id.index() - Count].Name;
}

ShapeId ElidedElements::shapeOf(HloId Id) const {
  size_t Count = M.Instructions.size();
  return Id.index() < Count ? M[Id].Shape : Shapes[Id.index() - Count];
}

ComputationId ElidedElements::parentOf(HloId Id) const {
  return M[pathOf(Id).Source].Parent;
}

void ElidedElements::collectNames() {
  std::vector<bool> Seen(D.Names.size());
  auto Add = [&](NameId Name) {
    if (M.find(Name) || Seen[Name.index()])
      return;
    Seen[Name.index()] = true;
    Pending.push_back(Name);
  };
  HloId Last;
  for (const SequenceRow &Row : D.Sequence) {
    if (HloId Id = M.find(Row.Name)) {
      Last = Id;
      continue;
    }
    Add(Row.Name);
    Before.try_emplace(Row.Name.index(), Last);
  }
  for (const Position &Position : D.Positions)
    Add(Position.Name);
}

/// The texts of the dump are never compacted: their operands name what the
/// module's operands mean.
void ElidedElements::collectHints() {
  for (const Instruction &I : D.Instructions) {
    HloId Id = M.find(I.Name);
    if (!Id)
      continue;
    ArrayRef<NameId> Names = D.operands(I);
    if (M.operands(M[Id]).size() != Names.size())
      continue;
    for (size_t K = 0; K != Names.size(); ++K)
      if (HloOperand Operand = M.operand(M[Id], K); !Operand.Path.isRoot())
        Hints.try_emplace(Names[K].index(), Hint{Operand.Source, Operand.Path});
  }
}

void ElidedElements::collectNeeds() {
  for (uint32_t Reader = 0; Reader != M.Instructions.size(); ++Reader)
    for (size_t K = 0; K != M.operands(M.Instructions[Reader]).size(); ++K) {
      HloOperand Operand = M.operand(M.Instructions[Reader], K);
      if (Operand.Path.isRoot())
        continue;
      SmallVector<uint32_t, 4> Steps = D.Indices.steps(Operand.Path);
      for (size_t I = 1; I <= Steps.size(); ++I)
        Needs.try_emplace(
            key(Operand.Source, D.Indices.get(ArrayRef(Steps).take_front(I))),
            Need{Reader, 0});
    }
}

ComputationId ElidedElements::homeOf(NameId Name) const {
  HloId Last = Before.lookup(Name.index());
  return Last ? M[Last].Parent : ComputationId();
}

ElidedElements::Hint ElidedElements::pathOf(HloId Id) const {
  auto Entry = Paths.find(Id.index());
  return Entry == Paths.end() ? Hint{Id, ShapeIndex::root()} : Entry->second;
}

bool ElidedElements::resolve(NameId Name, bool ByHints) {
  if (ByHints && Hints.count(Name.index()) == 0)
    return false;
  Best.reset();
  UsedId Mine = DumpFacts.valueAt(Name, ShapeIndex::root());
  for (uint32_t Number : DumpFacts.usesBy(Name)) {
    const Use &U = D.Uses[Number];
    if (U.Operand != 0 || !U.Index.isRoot())
      continue;
    UsedId Read = DumpFacts.ownerOfUse(Number);
    if (!Mine) {
      considerAll(Name, Read);
      continue;
    }
    for (const Position &Pos : D.positions(D[Mine])) {
      SmallVector<uint32_t, 4> Steps = D.Indices.steps(Pos.Index);
      if (Steps.size() == 1 &&
          DumpFacts.valueAt(Pos.Name, ShapeIndex::root()) == Read)
        consider(Name, Pos.Name, Steps[0]);
    }
  }
  if (!Best)
    return resolveByHint(Name);
  // It may be an element of an element that comes later.
  if (ByHints && !Best->FitsHint)
    return false;
  create(Name, Best->Source, Best->Element);
  return true;
}

/// Elements without a value (of a color that is a view) are found from the
/// texts.
bool ElidedElements::resolveByHint(NameId Name) {
  auto Entry = Hints.find(Name.index());
  if (Entry == Hints.end())
    return false;
  SmallVector<uint32_t, 4> Steps = D.Indices.steps(Entry->second.Path);
  ComputationId Home = homeOf(Name);
  HloId Source = Entry->second.Source;
  if (Steps.size() != 1 || (Home && parentOf(Source) != Home))
    return false;
  create(Name, Source, Steps[0]);
  return true;
}

/// Nothing is known of the element's value: any element of what \p Name reads
/// that has no value either may be meant.
void ElidedElements::considerAll(NameId Name, UsedId Read) {
  for (const Position &Pos : D.positions(D[Read])) {
    HloId Source = Pos.Index.isRoot() ? instruction(Pos.Name) : HloId();
    if (!Source)
      continue;
    auto Count = uint32_t(Trees.shape(shapeOf(Source)).Elements.size());
    for (uint32_t K = 0; K != Count; ++K)
      if (!DumpFacts.valueAt(Pos.Name, ShapeIndex::element(K)))
        consider(Name, Pos.Name, K);
  }
}

void ElidedElements::consider(NameId Name, NameId SourceName,
                              uint32_t Element) {
  HloId Source = instruction(SourceName);
  ComputationId Home = homeOf(Name);
  if (!Source || (Home && parentOf(Source) != Home))
    return;
  const Shape &Tuple = Trees.shape(shapeOf(Source));
  if (!Tuple.isTuple() || Element >= Tuple.Elements.size())
    return;
  Hint Path = pathOf(Source);
  SmallVector<uint32_t, 4> Steps = D.Indices.steps(Path.Path);
  Steps.push_back(Element);
  ShapeIndex Full = D.Indices.get(Steps);
  auto Hinted = Hints.find(Name.index());
  bool FitsHint = Hinted != Hints.end() &&
                  Hinted->second.Source == Path.Source &&
                  Hinted->second.Path.canonical() == Full.canonical();
  // Of elements that are alike, the one that is read first is taken first.
  auto Reads = Needs.find(key(Path.Source, Full));
  bool Needed = Reads != Needs.end();
  Candidate C;
  C.Source = Source;
  C.Element = Element;
  C.FitsHint = FitsHint;
  C.Rank = {!FitsHint, !holdsSameValues(Name, Source, Element),
            Needed ? Reads->second.Provided : 9u,
            Needed ? Reads->second.FirstReader : 0u, Element};
  if (!Best || C.Rank < Best->Rank)
    Best = C;
}

bool ElidedElements::holdsSameValues(NameId Name, HloId Source,
                                     uint32_t Element) const {
  ShapeId Whole = shapeOf(Source);
  ShapeId Part = Trees.shape(Whole).Elements[Element];
  uint32_t First = Trees.elementOrdinal(Whole, Element);
  for (uint32_t I = 0; I != Trees.parts(Part); ++I)
    if (DumpFacts.valueAt(Name, Trees.index(Part, I)) !=
        DumpFacts.valueAt(nameOf(Source), Trees.index(Whole, First + I)))
      return false;
  return true;
}

void ElidedElements::create(NameId Name, HloId Source, uint32_t Element) {
  HloId Id(M.Instructions.size() + All.size());
  Hint Path = pathOf(Source);
  SmallVector<uint32_t, 4> Steps = D.Indices.steps(Path.Path);
  Steps.push_back(Element);
  Path.Path = D.Indices.get(Steps);
  Paths[Id.index()] = Path;
  auto Reads = Needs.find(key(Path.Source, Path.Path));
  if (Reads != Needs.end())
    ++Reads->second.Provided;
  HloId After = Before.lookup(Name.index());
  int32_t Step = DumpFacts.time(Name);
  // Those without a step come last, in the order of their ids.
  uint32_t Rank = Step >= 0 ? static_cast<uint32_t>(Step) : Id.index() + 1;
  ArrayRef<ShapeId> Elements = Trees.shape(shapeOf(Source)).Elements;
  Shapes.push_back(Element < Elements.size() ? Elements[Element] : ShapeId());
  All.push_back({Name, Source, Element, After ? After : Path.Source, Rank});
  ByName[Name.index()] = Id;
  // Of several elements with one path, operands mean the earliest.
  HloId &Known = ByPath[key(Path.Source, Path.Path)];
  if (!Known || (Step >= 0 && Step < DumpFacts.time(nameOf(Known))))
    Known = Id;
}

void ElidedElements::addPrinted(HloId Id) {
  if (M.operands(M[Id]).size() != 1)
    return;
  HloOperand Tuple = M.operand(M[Id], 0);
  SmallVector<uint32_t, 4> Steps = D.Indices.steps(Tuple.Path);
  Steps.push_back(M[Id].number());
  ByPath.try_emplace(key(Tuple.Source, D.Indices.get(Steps)), Id);
}

HloId ElidedElements::get(HloId Source, ShapeIndex Path) {
  SmallVector<uint32_t, 4> Steps = D.Indices.steps(Path);
  HloId Current = Source;
  for (size_t I = 0; I != Steps.size(); ++I) {
    ShapeIndex Prefix = D.Indices.get(ArrayRef(Steps).take_front(I + 1));
    HloId &Known = ByPath[key(Source, Prefix)];
    if (!Known) {
      Known = HloId(M.Instructions.size() + All.size());
      All.push_back({NameId(), Current, Steps[I], Source, Known.index() + 1});
    }
    Current = Known;
  }
  return Current;
}
