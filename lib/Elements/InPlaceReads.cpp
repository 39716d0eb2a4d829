// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/InPlaceReads.h"
#include "Elements/ArrayPlaces.h"
#include "Elements/HazardFinder.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace hlobuf;

unsigned long InPlaceReads::MaxOperations = 1000000;

/// Instructions that all walks together look at: a fused computation that many
/// fusions share is followed for each of them.
static constexpr size_t FreeSteps = 1 << 16;
static constexpr size_t StepsPerInstruction = 64;
/// After as many questions that took too many steps, others get fewer.
static constexpr unsigned MaxExhausted = 8;
static constexpr unsigned LaterShare = 20;
/// Arrays with more dimensions get fewer operations: each takes longer, and its
/// numbers grow.
static constexpr size_t CheapDimensions = 3;

namespace {
/// Results, or what is reduced for them, whose elements are computed in the
/// order of one shape.
struct FrameReads {
  ShapeId Frame;
  std::vector<std::pair<ScopedId, uint32_t>> Begins;
  /// The results among Begins.
  SmallVector<uint32_t, 2> Parts;
  OperandReads Reads;
};

/// On GPU the results of an input fusion are computed in groups, of reductions
/// that share what they read, and of all that is not reduced, which run at the
/// same time (GroupDisjointReductions, xla/service/gpu, 2021, and
/// xla/backends/gpu/codegen/emitters/reduction_base.cc, 2026).
struct ResultGroups {
  ResultGroups(const Program &P, HloId Id);
  /// A result of another group than \p Part reads \p Operand.
  bool isReadByOther(const Program &P, HloId Id, uint32_t Part,
                     uint32_t Operand) const;

  llvm::IntEqClasses Groups;
  /// By instruction of the body: the results that need it.
  DenseMap<uint32_t, llvm::SmallBitVector> Readers;
};
} // namespace

struct InPlaceReads::State {
  explicit State(Scalars &All) : All(All) {}

  void load(const Program &P, HloId Instruction, ArrayRef<ReadOperand> Operands,
            size_t &Budget);
  void addAllOperands(const Program &P);
  OperandReads walk(ArrayRef<std::pair<ScopedId, uint32_t>> Begins,
                    ArrayRef<ReadOperand> Operands, size_t &Budget);
  unsigned long bound() const {
    size_t Factor = std::max(Dimensions, CheapDimensions + 1) - CheapDimensions;
    unsigned long All = MaxOperations / (Factor * Factor * Factor * Factor);
    return Exhausted < MaxExhausted ? All : All / LaterShare;
  }

  Scalars &All;
  IntegerSets Sets;
  HloId Id;
  /// Parts of operands whose reads are known.
  std::vector<ReadOperand> Loaded;
  std::unique_ptr<AccessMaps> Maps;
  std::vector<FrameReads> Frames;
  /// Results that are reductions next to others, which are computed in the
  /// order of what is reduced.
  llvm::SmallDenseMap<uint32_t, ScopedId, 1> Reductions;
  /// Of an input fusion, once it is asked for.
  std::optional<ResultGroups> Groups;
  unsigned Exhausted = 0;
  /// The most that an operand of Id has.
  size_t Dimensions = 0;
};

InPlaceReads::InPlaceReads(const Program &P)
    : P(P), Budget(FreeSteps + StepsPerInstruction * P.size()), All(P) {}
InPlaceReads::~InPlaceReads() = default;

InPlaceChain InPlaceReads::chain(HloId Id, uint32_t Part) {
  return findInPlaceChain(All, Id, Part, Budget);
}

/// `kLoop`, `kInput`, .. of a fusion; empty for others.
static StringRef fusionKind(const Program &P, HloId Id) {
  if (P[Id].Op != Opcode::Fusion || P.isHidden(Id))
    return "";
  return findAttribute(P.module().attributes(P.module()[Id]), "kind")
      .value_or("");
}

bool hlobuf::copiesUpdates(const Program &P, HloId Id,
                           const InPlaceChain &Chain) {
  return Chain.Scatters && P.facts().isTPU() && fusionKind(P, Id) == "kCustom";
}

bool hlobuf::isCertain(const Program &P, HloId Id, const ElementHazard &Hazard,
                       const InPlaceChain &Chain) {
  if (P[Id].Op != Opcode::Fusion || Chain.writer())
    return true;
  StringRef Kind = fusionKind(P, Id);
  if (Kind == "kLoop" || Kind == "kInput")
    return Hazard.Verdict != ReadVerdict::Anywhere || !P.facts().isTPU();
  // What needs many elements is wrong in every order of tiles.
  return Hazard.Reader && !movesElements(P[Hazard.Reader].Op);
}

bool hlobuf::isOneLoop(const Program &P, HloId Id) {
  return !P.facts().isTPU() && fusionKind(P, Id) == "kInput";
}

ResultGroups::ResultGroups(const Program &P, HloId Id) {
  ComputationId Body = P.callee(Id, CallRole::Calls);
  HloId Root = Body ? P.root(Body) : HloId();
  if (!Root || P[Root].Op != Opcode::Tuple)
    return;
  ArrayRef<HloId> Results = P.operands(Root);
  for (auto [Number, Result] : llvm::enumerate(Results))
    Readers.try_emplace(Result.index(), Results.size())
        .first->second.set(Number);
  Groups.grow(Results.size());
  auto Join = [&](const llvm::SmallBitVector &Together) {
    for (unsigned Number : Together.set_bits())
      Groups.join(Together.find_first(), Number);
  };
  llvm::SmallBitVector Others(Results.size(), true);
  for (HloId Inner : llvm::reverse(P.order(Body))) {
    if (Inner == Root)
      continue;
    llvm::SmallBitVector Own = Readers.lookup(Inner.index());
    for (HloId Source : P.operands(Inner))
      Readers[Source.index()] |= Own;
    if (P[Inner].Op == Opcode::Reduce)
      Others.reset(Own);
    // A scalar is computed once more for each group.
    if (!shapeOf(P, Inner, 0).Dimensions.empty() &&
        P[Inner].Op != Opcode::Broadcast)
      Join(Own);
  }
  Join(Others);
}

bool ResultGroups::isReadByOther(const Program &P, HloId Id, uint32_t Part,
                                 uint32_t Operand) const {
  if (Readers.empty())
    return false;
  ComputationId Body = P.callee(Id, CallRole::Calls);
  std::optional<OperandPart> Written = P.forwardedPart(P.root(Body), Part);
  HloId Parameter = P.parameter(Body, Operand);
  auto Known = Parameter ? Readers.find(Parameter.index()) : Readers.end();
  if (!Written || Known == Readers.end())
    return false;
  unsigned Own = Groups.findLeader(Written->Operand);
  for (unsigned Number : Known->second.set_bits())
    if (Groups.findLeader(Number) != Own)
      return true;
  return false;
}

/// The reduction that part \p Part of a fusion's root is, through bitcasts;
/// invalid if it is something else.
static ScopedId reductionAt(const Program &P, ScopedId Root, uint32_t Part) {
  ScopedId Inst = Root;
  if (P[Inst.Id].Op == Opcode::Tuple) {
    std::optional<OperandPart> From = P.forwardedPart(Inst.Id, Part);
    if (!From || From->Ordinal != 0)
      return {};
    Inst.Id = P.operands(Inst.Id)[From->Operand];
  }
  while ((P[Inst.Id].Op == Opcode::Bitcast ||
          P[Inst.Id].Op == Opcode::Reshape ||
          P[Inst.Id].Op == Opcode::Convert || P[Inst.Id].Op == Opcode::Copy) &&
         P.operands(Inst.Id).size() == 1)
    Inst.Id = P.operands(Inst.Id)[0];
  bool Reduces =
      P[Inst.Id].Op == Opcode::Reduce && !P.operands(Inst.Id).empty();
  return Reduces ? Inst : ScopedId{};
}

OperandReads
InPlaceReads::State::walk(ArrayRef<std::pair<ScopedId, uint32_t>> Begins,
                          ArrayRef<ReadOperand> Operands, size_t &Budget) {
  Sets.bound(4 * bound());
  ReadWalk Walk(*Maps, Budget);
  for (auto [Inst, Part] : Begins)
    Walk.begin(Inst, Part);
  return Walk.run(Operands);
}

void InPlaceReads::State::addAllOperands(const Program &P) {
  Loaded.clear();
  for (auto [Number, Operand] : llvm::enumerate(P.operands(Id)))
    for (uint32_t Part = 0; Part != P.trees().parts(P[Operand].Shape); ++Part)
      if (shapeOf(P, Operand, Part).isArray())
        Loaded.push_back({static_cast<uint32_t>(Number), Part});
}

/// Of a fusion with several results, all are computed together, and a reduction
/// reads as its operand is iterated.
void InPlaceReads::State::load(const Program &P, HloId Instruction,
                               ArrayRef<ReadOperand> Operands, size_t &Budget) {
  bool Again = Maps && Id == Instruction;
  if (Again && llvm::all_of(Operands, [&](const ReadOperand &Each) {
        return llvm::is_contained(Loaded, Each);
      }))
    return;
  Loaded.assign(Operands.begin(), Operands.end());
  // Where another operand is asked for, too, all are followed: once.
  if (Again)
    addAllOperands(P);
  Operands = Loaded;
  Id = Instruction;
  Dimensions = 0;
  for (auto [Number, Part] : Operands)
    Dimensions = std::max(
        Dimensions, shapeOf(P, P.operands(Id)[Number], Part).Dimensions.size());
  Frames.clear();
  Reductions.clear();
  Groups.reset();
  Maps = std::make_unique<AccessMaps>(All, Sets);
  auto Begin = [&](ScopedId Inst, uint32_t Part) -> FrameReads & {
    ShapeId Frame = P.trees().part(P[Inst.Id].Shape, Part);
    auto Known = llvm::find_if(
        Frames, [&](const FrameReads &F) { return F.Frame == Frame; });
    FrameReads &Own = Known == Frames.end() ? Frames.emplace_back() : *Known;
    Own.Frame = Frame;
    Own.Begins.push_back({Inst, Part});
    return Own;
  };
  uint32_t Parts = P.trees().parts(P[Id].Shape);
  ComputationId Body = P[Id].Op == Opcode::Fusion
                           ? P.callee(Id, CallRole::Calls)
                           : ComputationId();
  HloId Root = Body ? P.root(Body) : HloId();
  for (uint32_t Part = 0; Part != Parts; ++Part) {
    if (!shapeOf(P, Id, Part).isArray())
      continue;
    ScopedId Reduce;
    if (Root && Parts > 1)
      Reduce = reductionAt(P, {All.enter({0, Id}), Root}, Part);
    if (!Reduce.Id) {
      Begin({0, Id}, Part).Parts.push_back(Part);
      continue;
    }
    Reductions[Part] = Reduce;
    ArrayRef<HloId> Inputs = P.operands(Reduce.Id);
    for (HloId Input : Inputs.take_front(Inputs.size() / 2))
      if (shapeOf(P, Input, 0).isArray())
        Begin({Reduce.Scope, Input}, 0);
  }
  for (FrameReads &F : Frames)
    F.Reads = walk(F.Begins, Operands, Budget);
}

/// True if \p Id computes each element of its result from the element of
/// \p Operand with the same index alone, whatever else it reads, through
/// arrays that all have one shape: so most fusions do.
static bool readsOnlySameElements(const Program &P, HloId Id,
                                  ReadOperand Operand) {
  ShapeId Shape = P[Id].Shape;
  if (Operand.Part != 0 || P[P.operands(Id)[Operand.Operand]].Shape != Shape ||
      !P.trees().shape(Shape).isArray() ||
      !hasSameIndices(P.trees().shape(Shape), P.trees().shape(Shape)))
    return false;
  if (P[Id].Op != Opcode::Fusion || P[Id].Sugar)
    return isElementwise(P[Id].Op);
  ComputationId Body = P.callee(Id, CallRole::Calls);
  HloId Parameter = Body ? P.parameter(Body, Operand.Operand) : HloId();
  if (!Parameter || P[Parameter].Shape != Shape)
    return false;
  IndexRange All = P.module()[Body].Instructions;
  SmallVector<bool, 64> Reads(All.size());
  Reads[Parameter.index() - All.Begin] = true;
  for (HloId Inner : P.order(Body)) {
    bool ReadsIt = false;
    for (HloId Source : P.operands(Inner)) {
      if (Source.index() - All.Begin >= Reads.size())
        return false; // an element that the text leaves out
      ReadsIt |= Reads[Source.index() - All.Begin];
    }
    if (!ReadsIt)
      continue;
    if (Inner.index() >= All.End || !isElementwise(P[Inner].Op) ||
        P[Inner].Shape != Shape)
      return false;
    Reads[Inner.index() - All.Begin] = true;
  }
  return true;
}

std::vector<ElementHazard> InPlaceReads::find(HloId Id, uint32_t Part,
                                              ReadOperand Operand,
                                              const InPlaceChain &Chain,
                                              ArrayRef<ReadOperand> Operands) {
  if (Chain.onlyForwards() ||
      (!Chain.Incomplete && readsOnlySameElements(P, Id, Operand)))
    return {};
  if (!Current)
    Current = std::make_unique<State>(All);
  Current->load(P, Id, Operands, Budget);
  HazardFinder Finder(*Current->Maps, Id, Part, Operand, Chain,
                      Current->bound());
  bool Incomplete = Chain.Incomplete;
  OperandReads Own;
  auto Consider = [&](const OperandReads &Candidate, ShapeId Frame) {
    Incomplete |= Candidate.Incomplete;
    auto Reads = Candidate.Reads.find(Operand);
    if (Reads == Candidate.Reads.end())
      return;
    for (const ReadRelation &Relation : Reads->second)
      Finder.consider(Relation, P.trees().shape(Frame));
  };
  ScopedId Reduction = Current->Reductions.lookup(Part);
  if (Reduction.Id && isOneLoop(P, Id))
    Finder.setReduction(Reduction);
  const OperandReads *OwnReads = nullptr;
  for (const FrameReads &F : Current->Frames)
    if (F.Begins.size() == 1 && llvm::is_contained(F.Parts, Part))
      OwnReads = &F.Reads;
  if (!OwnReads) {
    Own = Current->walk({{{0, Id}, Part}}, Operands, Budget);
    OwnReads = &Own;
  }
  if (auto Reads = OwnReads->Reads.find(Operand);
      Reads != OwnReads->Reads.end())
    Finder.setOwnReads(Reads->second);
  for (const FrameReads &F : Current->Frames)
    Consider(F.Reads, F.Frame);
  if (Reduction.Id)
    Consider(*OwnReads, P.trees().part(P[Id].Shape, Part));
  Current->Exhausted += Finder.wasExhausted();
  std::vector<ElementHazard> Hazards = Finder.take();
  if (Incomplete)
    Hazards.emplace_back().Reason = "fusions with too many paths";
  if (isOneLoop(P, Id)) {
    if (!Current->Groups)
      Current->Groups.emplace(P, Id);
    if (Current->Groups->isReadByOther(P, Id, Part, Operand.Operand))
      Hazards.emplace_back().Reason = OtherLoop;
  }
  return Hazards;
}
