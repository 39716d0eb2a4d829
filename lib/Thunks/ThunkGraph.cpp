// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/ThunkGraph.h"
#include "Facts/Sizes.h"
#include "HLO/AttributeNumbers.h"
#include "HLO/InstructionParser.h"
#include "Support/Format.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace hlobuf;

/// Instructions below the call kernels of one program. Kernels that have others
/// inside, as no compiler makes them, would be looked at again and again.
static constexpr size_t MostCallSteps = 1 << 22;

ThunkGraph::ThunkGraph(const ModuleAnalysis &Analysis)
    : Analysis(Analysis), P(Analysis.program()), D(Analysis.facts().dump()),
      T(D.Thunks) {
  for (size_t I = 0; I != D.Allocations.size(); ++I)
    ByNumber.push_back({D.Allocations[I].Index, static_cast<uint32_t>(I)});
  llvm::sort(ByNumber);
  bindInstructions();
  bindSequences();
  findHomes();
  findCallSlices();
}

const Allocation *ThunkGraph::allocation(int64_t Index) const {
  auto Entry = llvm::lower_bound(ByNumber, std::make_pair(Index, 0u));
  return Entry != ByNumber.end() && Entry->first == Index
             ? &D.Allocations[Entry->second]
             : nullptr;
}

/// Adds what \p Id, a start index, is computed from to \p Offsets.
static void addOffset(const Program &P, HloId Id, DenseSet<uint32_t> &Offsets) {
  SmallVector<HloId, 8> Pending = {Id};
  while (!Pending.empty()) {
    HloId Next = Pending.pop_back_val();
    if (Offsets.insert(Next.index()).second)
      llvm::append_range(Pending, P.operands(Next));
  }
}

HloId hlobuf::findHero(const Program &P, ComputationId Body) {
  DenseSet<uint32_t> Offsets;
  for (HloId Id : P.order(Body)) {
    bool Updates = P[Id].Op == Opcode::DynamicUpdateSlice;
    if (Updates || P[Id].Op == Opcode::DynamicSlice)
      for (HloId Index : P.operands(Id).drop_front(Updates ? 2 : 1))
        addOffset(P, Index, Offsets);
  }
  HloId Only;
  for (HloId Id : P.order(Body)) {
    Opcode Op = P[Id].Op;
    if (accessesNoMemory(Op) || isSlice(Op) ||
        Op == Opcode::DynamicUpdateSlice || Offsets.contains(Id.index()))
      continue;
    if (Only)
      return HloId();
    Only = Id;
  }
  return Only;
}

/// Embedded allocations are those of the hero's operands, one for each, and
/// then of its results (EmitDynamicSliceFusionV2 in thunk_emitter.cc, 2026).
void ThunkGraph::bindHero(const ThunkSequence &S) {
  HloId Fusion = S.Owner ? instruction(S.Owner) : HloId();
  ComputationId Body =
      Fusion ? P.callee(Fusion, CallRole::Calls) : ComputationId();
  if (!Body || !P.isFusionBody(Body))
    return;
  auto [Known, New] = Heroes.try_emplace(Body.index());
  if (New)
    Known->second = findHero(P, Body);
  HloId Hero = Known->second;
  if (!Hero)
    return;
  StringRef Name = P.module().name(P.module()[Hero]);
  T.forEach(S, [&](ThunkId Id) {
    if (T[Id].Instruction && D.Names[T[Id].Instruction] == Name)
      Instructions[Id.index()] = Hero;
  });
  int64_t Next = 0;
  auto Add = [&](HloId Id, uint32_t Ordinal) {
    ShapeId Shape = P.trees().part(P[Id].Shape, Ordinal);
    std::optional<uint64_t> Bytes = logicalBytes(D.Shapes, Shape);
    auto Number = static_cast<size_t>(Next);
    // Of an operand that is passed twice, the last one.
    HeroPlaces.erase({Id, Ordinal});
    if (Bytes && Number < S.Sizes.size() && S.Sizes[Number] == *Bytes)
      HeroPlaces[{Id, Ordinal}] = {Next, 0, static_cast<int64_t>(*Bytes)};
    ++Next;
  };
  for (HloId Operand : P.operands(Hero))
    Add(Operand, 0);
  for (const ArrayLeaf &Leaf : leaves(Hero))
    Add(Hero, Leaf.Ordinal);
}

void ThunkGraph::bindInstructions() {
  for (const Thunk &Each : T.Thunks)
    Instructions.push_back(Each.Instruction ? P.find(Each.Instruction)
                                            : HloId());
  Embedded.resize(T.Thunks.size());
  for (const ThunkSequence &S : T.Sequences)
    if (S.Role == ThunkRole::Embedded)
      std::fill(Embedded.begin() + S.Thunks.Begin,
                Embedded.begin() + S.Thunks.End, true);
  for (const ThunkSequence &S : T.Sequences)
    if (S.Role == ThunkRole::Embedded)
      bindHero(S);
  Begin.resize(P.size() + 1);
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (Instructions[I] && (!Embedded[I] || isHero(ThunkId(I)))) {
      ++Begin[Instructions[I].index() + 1];
      ByInstruction.push_back(ThunkId(I));
    }
  std::partial_sum(Begin.begin(), Begin.end(), Begin.begin());
  llvm::stable_sort(ByInstruction, [&](ThunkId X, ThunkId Y) {
    return instruction(X) < instruction(Y);
  });
}

/// Sequences come after the thunks that they are inside of.
void ThunkGraph::bindSequences() {
  for (const ThunkSequence &S : T.Sequences)
    Computations.push_back(computationOf(S));
}

ComputationId ThunkGraph::computationOf(const ThunkSequence &S) const {
  if (!S.Owner)
    return P.module().Entry;
  const Thunk &Owner = T[S.Owner];
  HloId Id = instruction(S.Owner);
  ComputationId Around = Computations[Owner.In.index()];
  if (S.Role == ThunkRole::Embedded || !Around)
    return ComputationId();
  if (S.Role == ThunkRole::Thunks && Owner.Kind != ThunkKind::Call)
    return Around;
  if (!Id)
    return ComputationId();
  switch (S.Role) {
  case ThunkRole::Condition:
    return P.callee(Id, CallRole::Condition);
  case ThunkRole::Body:
    return P.callee(Id, CallRole::Body);
  case ThunkRole::Thunks:
    return P.callee(Id, CallRole::ToApply);
  case ThunkRole::Branch:
    break;
  case ThunkRole::Embedded:
    return ComputationId();
  }
  uint32_t Number = 0;
  for (const HloCall &Call : P.calls(Id))
    if (Call.Role == CallRole::Branch && Number++ == S.Number)
      return Call.Callee;
  return ComputationId();
}

/// Callers are defined after what they call.
void ThunkGraph::findHomes() {
  Homes.resize(P.module().Computations.size());
  for (size_t I = Homes.size(); I-- != 0;) {
    ComputationId C(I);
    ArrayRef<HloId> Callers = P.callers(C);
    Homes[I].Id = C;
    if (!T.ForGpu || C == P.module().Entry || Callers.empty() ||
        (P[Callers.front()].Op != Opcode::Call &&
         P[Callers.front()].Op != Opcode::AsyncStart))
      continue;
    const Home &Around = Homes[P[Callers.front()].Parent.index()];
    Homes[I] = {Around.Id, Around.Caller ? Around.Caller : Callers.front()};
  }
}

HloId ThunkGraph::instructionIn(ComputationId C, HloId Id) const {
  if (P[Id].Parent == C)
    return Id;
  const Home &Origin = Homes[P[Id].Parent.index()];
  return Origin.Id == C ? Origin.Caller : HloId();
}

std::string hlobuf::kernelName(StringRef Name, bool ForGpu) {
  std::string Kernel = Name.str();
  if (ForGpu)
    for (char &C : Kernel)
      if (!llvm::isAlnum(C))
        C = '_';
  return Kernel;
}

HloId ThunkGraph::kernelOwner(StringRef Kernel) const {
  return KernelOwners
      .get([&] {
        StringMap<HloId> Owners;
        for (ThunkId Id : ids<ThunkId>(T.Thunks.size()))
          if (instruction(Id))
            Owners.insert(
                {kernelName(P.spell(instruction(Id)), true), instruction(Id)});
        return Owners;
      })
      .lookup(Kernel);
}

const EqualComputations &ThunkGraph::equal() const {
  return Equal.get([&] { return EqualComputations(P); });
}

bool ThunkGraph::isCallKernel(ThunkId Id) const {
  return T[Id].Kind == ThunkKind::Kernel && !T.ForGpu && instruction(Id) &&
         P[instruction(Id)].Op == Opcode::Call;
}

ByteSlice ThunkGraph::placeOf(const Value &V) const {
  return {D[V.Owner].Index, int64_t(V.Offset), int64_t(V.Size)};
}

SmallVector<ArrayLeaf, 4> ThunkGraph::writableLeaves(HloId I) const {
  SmallVector<ArrayLeaf, 4> Results = leaves(I);
  if (P[I].Op == Opcode::AsyncStart)
    for (const HloCall &Call : P.calls(I))
      llvm::append_range(Results, leaves(P.root(Call.Callee)));
  return Results;
}

SmallVector<ArrayLeaf, 4> ThunkGraph::orderedResults(HloId I) const {
  if (P[I].Op == Opcode::AsyncStart && P.calls(I).size() == 1)
    return leaves(P.root(P.calls(I).front().Callee));
  return writtenLeaves(I);
}

SmallVector<ArrayLeaf, 4> ThunkGraph::writtenLeaves(HloId I) const {
  SmallVector<ArrayLeaf, 4> All = leaves(I);
  const AsyncOpcodes *Pair = startedBy(P[I].Op);
  if (P[I].Op == Opcode::Send || endedBy(P[I].Op))
    All.clear();
  if (!Pair || !Pair->Result || !P.trees().isTuple(P[I].Shape, 0))
    return All;
  uint32_t Begin = P.trees().elementOrdinal(P[I].Shape, *Pair->Result);
  uint32_t Count = P.trees().parts(P.trees().part(P[I].Shape, Begin));
  llvm::erase_if(All, [&](const ArrayLeaf &Leaf) {
    return Leaf.Ordinal < Begin || Leaf.Ordinal >= Begin + Count;
  });
  return All;
}

std::optional<ByteSlice> ThunkGraph::place(HloId Id, uint32_t Ordinal) const {
  if (auto Entry = HeroPlaces.find({Id, Ordinal}); Entry != HeroPlaces.end())
    return Entry->second;
  const DataflowAnalysis &Flow = Analysis.flow();
  HloValueId V = Flow.at(Id, Ordinal);
  ValueId Line = V ? Analysis.lineOf(V) : ValueId();
  if (!Line)
    return std::nullopt;
  return placeOf(D[Line]);
}

SmallVector<ArrayLeaf, 4> ThunkGraph::leaves(HloId Id, bool Tokens) const {
  SmallVector<ArrayLeaf, 4> Leaves;
  ShapeId Shape = P[Id].Shape;
  for (uint32_t I = 0; I != P.trees().parts(Shape); ++I) {
    ShapeKind Kind = P.trees().shape(P.trees().part(Shape, I)).Kind;
    if (Kind != ShapeKind::Tuple && (Tokens || Kind != ShapeKind::Token))
      Leaves.push_back({Id, I, place(Id, I)});
  }
  return Leaves;
}

SmallVector<ArrayLeaf, 8> ThunkGraph::operandLeaves(HloId Id,
                                                    bool Tokens) const {
  SmallVector<ArrayLeaf, 8> Leaves;
  for (HloId Operand : P.operands(Id))
    llvm::append_range(Leaves, leaves(Operand, Tokens));
  return Leaves;
}

void ThunkGraph::findCallSlices() {
  for (size_t I = 0; I != T.Thunks.size(); ++I)
    if (isCallKernel(ThunkId(I)))
      addCallSlices(P.callee(Instructions[I], CallRole::ToApply));
}

/// \p Callee may be invalid.
void ThunkGraph::addCallSlices(ComputationId Callee) {
  auto [Entry, New] = CallSets.try_emplace(Callee);
  if (!New)
    return;
  std::array<ExpectedSlices, 3> &Sets = Entry->second;
  std::array<std::vector<ByteSlice>, 3> Slices;
  auto Add = [&](HloId Id, CallSlices Role) {
    auto Set = static_cast<size_t>(Role);
    for (uint32_t I = 0; I != P.trees().parts(P[Id].Shape); ++I) {
      ShapeKind Kind = P.trees().shape(P.trees().part(P[Id].Shape, I)).Kind;
      std::optional<ByteSlice> Bytes = place(Id, I);
      // Its own table too, but not those inside of it.
      if (Kind == ShapeKind::Token || (Kind == ShapeKind::Tuple && I != 0))
        continue;
      const Allocation *Buffer =
          Bytes ? allocation(Bytes->Allocation) : nullptr;
      if (Buffer && !Buffer->ThreadLocal)
        Slices[Set].push_back(*Bytes);
      Sets[Set].Known &= Buffer != nullptr || Kind == ShapeKind::Tuple;
    }
  };
  DenseSet<uint32_t> Seen;
  SmallVector<ComputationId, 4> Pending = {Callee};
  while (!Pending.empty() && CallSteps <= MostCallSteps) {
    ComputationId C = Pending.pop_back_val();
    if (!C || !Seen.insert(C.index()).second)
      continue;
    for (HloId Id : P.order(C)) {
      ++CallSteps;
      if (!accessesNoMemory(P[Id].Op) && !isControlFlow(P[Id].Op))
        Add(Id, CallSlices::Written);
      if (P[Id].Op != Opcode::Parameter)
        Add(Id, CallSlices::Results);
      for (HloId Operand : P.operands(Id))
        Add(Operand, CallSlices::Arguments);
      for (const HloCall &Inner : P.calls(Id))
        if (!P.isFusionBody(Inner.Callee))
          Pending.push_back(Inner.Callee);
    }
  }
  for (size_t Set = 0; Set != Sets.size(); ++Set) {
    Sets[Set].Slices = SliceSet(Slices[Set]);
    Sets[Set].Known &= Callee && CallSteps <= MostCallSteps;
  }
}

const ExpectedSlices &ThunkGraph::callSlices(ThunkId Id,
                                             CallSlices Role) const {
  ComputationId Callee = P.callee(instruction(Id), CallRole::ToApply);
  return CallSets.find(Callee)->second[static_cast<size_t>(Role)];
}

bool ThunkGraph::isBitcastOf(HloId Id, ShapeId Source) const {
  while (P[Id].Op == Opcode::Bitcast && P.operands(Id).size() == 1) {
    Id = P.operands(Id)[0];
    if (P[Id].Shape == Source)
      return true;
  }
  return false;
}

std::string ThunkGraph::spell(const ArrayLeaf &Leaf) const {
  std::string Name = P.spell(Leaf.Instruction);
  if (!P.trees().shape(P[Leaf.Instruction].Shape).isTuple())
    return Name;
  return Name + D.Indices.text(
                    P.trees().index(P[Leaf.Instruction].Shape, Leaf.Ordinal));
}

std::string ThunkGraph::spell(const ByteSlice &Bytes) {
  return fmt::format("bytes [{}, {}) of allocation {}", Bytes.Offset,
                     int64_t(uint64_t(Bytes.Offset) + uint64_t(Bytes.Size)),
                     Bytes.Allocation);
}

ThunkGraph::Holders ThunkGraph::holders(HloId User) const {
  Holders Result;
  if (!User)
    return Result;
  SmallVector<ArrayLeaf, 8> Near = operandLeaves(User);
  llvm::append_range(Near, leaves(User));
  for (const ArrayLeaf &Leaf : Near)
    if (Leaf.Bytes)
      Result.insert({*Leaf.Bytes, Leaf});
  return Result;
}

std::string ThunkGraph::spellHolder(const ByteSlice &Bytes,
                                    const Holders &Near) const {
  if (auto Holder = Near.find(Bytes); Holder != Near.end())
    return ", which is " + spell(Holder->second);
  const ValuePlaces &All = ByPlace.get([&] {
    ValuePlaces Places;
    for (auto [I, V] : llvm::enumerate(D.Values)) {
      Places.insert({placeOf(V), ValueId(I)});
    }
    return Places;
  });
  auto Entry = All.find(Bytes);
  return Entry == All.end()
             ? ""
             : fmt::format(", where {} is", D.Names[D[Entry->second].Tag.Name]);
}

std::optional<int64_t> hlobuf::staticSliceOffset(const Program &P, HloId I) {
  if (P[I].Op != Opcode::Slice || P.isHidden(I))
    return std::nullopt;
  const Shape &Whole = P.trees().shape(P[P.operands(I)[0]].Shape);
  const Shape &Part = P.trees().shape(P[I].Shape);
  size_t Rank = Whole.Dimensions.size();
  auto Bounds =
      sliceBounds(findAttribute(P.module().attributes(P.module()[I]), "slice"));
  if (!Whole.isArray() || Whole.isTiled() || Whole.isDynamic() ||
      Whole.Bits % 8 != 0 || Part.Dimensions.size() != Rank || !Whole.Layout ||
      Whole.Layout->MinorToMajor.size() != Rank ||
      Whole.Layout->ElementBits != 0 || !Bounds || Bounds->size() != Rank)
    return std::nullopt;
  int64_t Stride = Whole.Bits / 8;
  int64_t Offset = 0;
  // Dimensions outside of one that is cut have one index each.
  bool Cut = false;
  for (int64_t Dimension : Whole.Layout->MinorToMajor) {
    auto D = static_cast<size_t>(Dimension);
    int64_t Size = Whole.Dimensions[D].Size;
    int64_t PartSize = Part.Dimensions[D].Size;
    int64_t Before = 0;
    if ((*Bounds)[D].Stride != 1 || (Cut && PartSize != 1) ||
        __builtin_mul_overflow((*Bounds)[D].Begin, Stride, &Before) ||
        __builtin_add_overflow(Offset, Before, &Offset) ||
        __builtin_mul_overflow(Stride, Size, &Stride))
      return std::nullopt;
    Cut |= PartSize != Size;
  }
  return Offset;
}

std::string ThunkGraph::name(ThunkId Id) const {
  return T[Id].Instruction ? D.Names[T[Id].Instruction].str()
                           : thunkKindText(T[Id].Kind).str();
}

std::optional<ByteSlice> ThunkGraph::slicedOperand(HloId I) const {
  if (P[I].Op != Opcode::Fusion || P.calls(I).empty())
    return std::nullopt;
  HloId Slice = P.root(P.calls(I).front().Callee);
  while (P[Slice].Op == Opcode::Bitcast && P.operands(Slice).size() == 1)
    Slice = P.operands(Slice)[0];
  std::optional<int64_t> Offset = staticSliceOffset(P, Slice);
  HloId Whole = Offset ? P.operands(Slice)[0] : HloId();
  while (Whole && P[Whole].Op == Opcode::Bitcast)
    Whole = P.operands(Whole)[0];
  if (!Whole || P[Whole].Op != Opcode::Parameter ||
      P[Whole].number() >= P.operands(I).size())
    return std::nullopt;
  std::optional<ByteSlice> Bytes = place(P.operands(I)[P[Whole].number()], 0);
  std::optional<ByteSlice> Result = place(I, 0);
  if (!Bytes || !Result)
    return std::nullopt;
  return ByteSlice{Bytes->Allocation, Bytes->Offset + *Offset, Result->Size};
}
