// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fit/FitContext.h"
#include "Memory/Instructions.h"
#include "Memory/WasteContext.h"
#include "llvm/ADT/Sequence.h"
#include <map>
#include <numeric>

using namespace hlobuf;

static constexpr uint32_t NoBuffer = ~uint32_t(0);

FitContext::FitContext(const MemoryUse &Memory, const ModuleAnalysis &Module,
                       const SpaceUse &Main)
    : Memory(Memory), Module(Module), Main(Main), DumpFacts(Memory.facts()),
      D(DumpFacts.dump()), P(Module.program()), Flow(Module.flow()),
      Aliases(Module.aliases()), Members(Flow, Aliases),
      Names(DumpFacts, &Module), Batch(DumpFacts, Names) {
  countProducts();
  findPasses();
  findClones();
  Results = findOwnResults(Module, D, Main.Color);
  findDonations();
  findBuffers();
}

void FitContext::countProducts() {
  Products.resize(P.size());
  // Callees come before their callers in the text (HloModule::ToString).
  for (size_t I = 0; I != P.size(); ++I) {
    HloId Id(I);
    Opcode Op = P[Id].Op;
    bool Calls = Op == Opcode::Fusion || Op == Opcode::AsyncStart ||
                 Op == Opcode::Call || Op == Opcode::While;
    Products[I] = isProduct(P, Id);
    if (Calls)
      for (const HloCall &Call : P.calls(Id))
        for (HloId Inner : P.order(Call.Callee))
          Products[I] += Products[Inner.index()];
  }
}

/// XLA names what it computes again `fusion.1.remat2` after the original
/// (xla/hlo/transforms/simplifiers/hlo_rematerialization.cc, 2017 on).
void FitContext::findClones() {
  std::map<std::string, HloId> Originals;
  Original.resize(P.size());
  for (HloId Id : ids<HloId>(P.size())) {
    if (step(Id) < 0)
      continue;
    std::string Name = P.spell(Id);
    size_t End = Name.find(".remat");
    // `.rematerialized` are copies of what is cheap, for GPUs.
    if (End == std::string::npos || Name.find(".rematerialized") == End) {
      Originals.emplace(std::move(Name), Id);
      continue;
    }
    auto Known = Originals.find(Name.substr(0, End));
    if (Known == Originals.end() || P[Known->second].Shape != P[Id].Shape)
      continue;
    Original[Id.index()] = Known->second;
    Clones.emplace(Known->second.index(), Id);
  }
}

static Pass passOf(StringRef OpName) {
  if (OpName.contains("rematted_computation"))
    return Pass::Again;
  if (OpName.contains("transpose("))
    return Pass::Backward;
  return OpName.contains("jvp(") ? Pass::Forward : Pass::None;
}

/// Where one checkpoint is around all layers, what it computes again is their
/// forward pass: the backward pass begins after it. What smaller ones compute
/// again belongs to the backward pass.
void FitContext::findPasses() {
  Passes.resize(P.size());
  std::vector<size_t> Again;
  for (size_t I = 0; I != P.size(); ++I)
    if (HloId Id(I); P.hasBuffers(Id)) {
      Passes[I] = passOf(opName(Id));
      if (Passes[I] == Pass::Again && step(Id) >= 0)
        Again.push_back(I);
    }
  Turn = findTurn(1);
  auto Before =
      llvm::count_if(Again, [&](size_t I) { return step(HloId(I)) < Turn; });
  OneCheckpoint = static_cast<size_t>(Before) * 2 > Again.size();
  if (!OneCheckpoint)
    Turn = findTurn(-1);
  for (size_t I = 0; I != P.size(); ++I)
    if (OneCheckpoint && Passes[I] == Pass::Forward)
      Passes[I] = Pass::None;
    else if (Passes[I] == Pass::Again)
      Passes[I] = OneCheckpoint && step(HloId(I)) < Turn ? Pass::Forward
                                                         : Pass::Backward;
}

int32_t FitContext::step(HloId Id) const {
  return P[Id].Name ? Memory.stepOf(P[Id].Name) : -1;
}

/// The backward pass begins where the fewest products of matrices of either
/// pass are on the wrong side.
/// Compilers move cheap ones, and compute them again. \p AgainVote is that of
/// what checkpoints compute again.
int32_t FitContext::findTurn(int AgainVote) const {
  std::vector<int> Changes(static_cast<size_t>(Memory.steps()) + 1);
  bool HasBackward = false;
  for (size_t I = 0; I != P.size(); ++I) {
    bool Votes = Passes[I] != Pass::None && Products[I] != 0;
    int32_t Step = Votes ? step(HloId(I)) : -1;
    if (Step < 0)
      continue;
    HasBackward |= Passes[I] == Pass::Backward;
    Changes[static_cast<size_t>(Step)] += Passes[I] == Pass::Forward ? 1
                                          : Passes[I] == Pass::Again ? AgainVote
                                                                     : -1;
  }
  int32_t Best = Memory.steps();
  int Most = 0;
  int Sum = 0;
  for (size_t I = 0; HasBackward && I + 1 != Changes.size(); ++I) {
    Sum += Changes[I];
    if (Sum <= Most)
      continue;
    Most = Sum;
    Best = static_cast<int32_t>(I) + 1;
  }
  return Best;
}

/// Joins ranges that overlap or touch.
static void merge(std::vector<StepRange> &Live) {
  std::ranges::sort(Live, {}, [](StepRange X) { return X.Start; });
  std::vector<StepRange> Out;
  for (StepRange R : Live) {
    if (!Out.empty() && R.Start <= Out.back().End + 1)
      Out.back().End = std::max(Out.back().End, R.End);
    else
      Out.push_back(R);
  }
  Live = std::move(Out);
}

/// Those that the lints find.
void FitContext::findDonations() {
  WasteContext Possible(Memory, Names, Main, &Module);
  findCopies(Possible);
  hlobuf::findDonations(Possible);
  for (const PossibleDonation &Item : Possible.Donations) {
    const ValueTag &Tag = D[Item.Result.Value].Tag;
    Donations.push_back(
        {treeOf(Names.ofInstruction(D[Item.Argument].Tag.Name).OpName),
         Module.find(Tag.Name, Tag.Index), Item.Result.Owner});
  }
}

void FitContext::findBuffers() {
  BufferOf.assign(D.Values.size(), NoBuffer);
  DenseMap<uint32_t, HloValueId> ResultOf;
  for (const FitDonation &Donation : Donations)
    ResultOf[Donation.Owner.index()] = Donation.Result;
  DenseMap<IdPair, uint32_t> Known;
  for (size_t I = 0; I != D.Values.size(); ++I) {
    ValueId V(I);
    const Allocation &Alloc = D[D[V].Owner];
    std::optional<StepRange> Range = Memory.range(V);
    HloValueId Flowing = Module.find(D[V].Tag.Name, D[V].Tag.Index);
    auto Owner = ResultOf.find(D[V].Owner.index());
    bool Tenant = Owner != ResultOf.end() && Flowing &&
                  !Aliases.same(Flowing, Owner->second);
    if (!Range || Alloc.color() != Main.Color || D[V].Size == 0 ||
        (kindOf(Alloc) != MemoryKind::Temp && !Tenant))
      continue;
    if (Flowing)
      Flowing = originalOf(Flowing);
    auto Key = Flowing ? IdPair(Aliases.group(Flowing).index(), 0)
                       : IdPair(static_cast<uint32_t>(I), 1);
    auto [Entry, New] = Known.try_emplace(Key, uint32_t(Buffers.size()));
    if (New)
      Buffers.emplace_back();
    FitBuffer &B = Buffers[Entry->second];
    B.Bytes = std::max(B.Bytes, D[V].Size);
    B.Live.push_back(*Range);
    B.Tenant = Tenant;
    B.Cloned |=
        Flowing && Module.find(D[V].Tag.Name, D[V].Tag.Index) != Flowing;
    B.Scales |= D[V].Shape && Batch.scales(D[V].Shape);
    BufferOf[I] = Entry->second;
  }
  for (FitBuffer &B : Buffers) {
    merge(B.Live);
    if (!B.Cloned || B.Live.size() < 2)
      continue;
    for (size_t I = 1; I != B.Live.size(); ++I)
      Kept.add({B.Live[I - 1].End + 1, B.Live[I].Start - 1}, B.split());
    B.Live = {{B.Live.front().Start, B.end()}};
  }
}

/// What \p V is computed again as; \p V itself if it is the original.
HloValueId FitContext::originalOf(HloValueId V) const {
  HloId Id = Original[Flow[V].Definition.index()];
  return Id && !Flow[V].Phi ? Flow.definedAt(Id, Flow[V].Ordinal) : V;
}

const FitBuffer *FitContext::buffer(HloValueId V) const {
  ValueId Line = Module.lineOf(V);
  uint32_t B = Line ? BufferOf[Line.index()] : NoBuffer;
  return B == NoBuffer ? nullptr : &Buffers[B];
}

void FitContext::forEachDefined(HloId Id,
                                function_ref<void(HloValueId)> Visit) const {
  for (uint32_t I = 0, E = P.trees().parts(P[Id].Shape); I != E; ++I)
    if (HloValueId V = Flow.definedAt(Id, I))
      Visit(V);
}

void FitContext::forEachPart(HloId Id,
                             function_ref<void(HloValueId)> Visit) const {
  for (uint32_t I = 0, E = P.trees().parts(P[Id].Shape); I != E; ++I)
    if (HloValueId V = Flow.at(Id, I))
      Visit(V);
}

std::vector<uint64_t> FitContext::scalingBytes() const {
  std::vector<uint64_t> Bytes(static_cast<size_t>(Memory.steps()) + 2);
  for (const FitBuffer &B : Buffers)
    for (StepRange R : B.Live)
      if (B.Scales && !B.Tenant)
        addChange(Bytes, R, B.Bytes);
  for (const Allocation &Alloc : D.Allocations)
    if (Alloc.color() == Main.Color && Alloc.isParameter())
      if (ShapeId Shape = Alloc.ParameterShape; Shape && Batch.scales(Shape))
        Bytes[0] += Alloc.Size;
  for (HloValueId V : Results)
    if (const Value &Line = D[Module.lineOf(V)]; Batch.scales(Line.Shape))
      Bytes[0] += D[Line.Owner].Size;
  std::partial_sum(Bytes.begin(), Bytes.end(), Bytes.begin());
  return Bytes;
}

std::vector<HloId> FitContext::order(ComputationId C) const {
  std::vector<HloId> Order;
  for (HloId Id : P.order(C))
    if (P[Id].Op == Opcode::AsyncStart && P.callee(Id, CallRole::Calls))
      llvm::append_range(Order, P.order(P.callee(Id, CallRole::Calls)));
    else
      Order.push_back(Id);
  return Order;
}

StringRef FitContext::attributes(HloId Id) const {
  // Metadata of a copy are those of what it copies.
  for (unsigned Hop = 0; Id && Hop != 8; ++Hop) {
    StringRef Text = attributesOf(P, Id);
    if (Text.contains("metadata={"))
      return Text;
    Id = P.operands(Id).empty() ? HloId() : P.operands(Id).front();
  }
  return "";
}

std::string FitContext::opName(HloId Id) const {
  std::optional<StringRef> Op = readMetadata(attributes(Id)).OpName;
  return Op ? unescape(*Op) : "";
}

std::string FitContext::source(HloId Id) const {
  return DumpFacts.sourceLine(attributes(Id));
}

std::vector<SourceFrame> FitContext::calls(HloId Id) const {
  return DumpFacts.calls(attributes(Id));
}

std::vector<SourceFrame> FitContext::userCalls(HloId Id) const {
  std::vector<SourceFrame> Calls = calls(Id);
  llvm::erase_if(
      Calls, [](const SourceFrame &F) { return F.Owner != FileOwner::User; });
  return Calls;
}

LayerLibrary hlobuf::libraryOf(StringRef Files) {
  return Files.contains("-packages/flax/nnx/")     ? LayerLibrary::Nnx
         : Files.contains("-packages/flax/linen/") ? LayerLibrary::Linen
         : Files.contains("-packages/keras/")      ? LayerLibrary::Keras
                                                   : LayerLibrary::None;
}

std::vector<std::pair<int32_t, HloId>> FitContext::readers(HloValueId V) const {
  std::vector<std::pair<int32_t, HloId>> Readers;
  auto AddUses = [&](HloValueId Read) {
    Flow.forEachUse(Read, [&](HloId User, uint32_t, const Part &) {
      if (int32_t Step = step(User); Step >= 0)
        Readers.push_back({Step, User});
    });
  };
  AddUses(V);
  auto [First, Last] = Clones.equal_range(Flow[V].Definition.index());
  for (; First != Last && !Flow[V].Phi; ++First)
    if (HloValueId Clone = Flow.definedAt(First->second, Flow[V].Ordinal))
      AddUses(Clone);
  llvm::sort(Readers);
  return Readers;
}
