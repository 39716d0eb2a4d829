// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dataflow/AliasAnalysis.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// A part of an instruction inside a fusion's body.
struct Part {
  HloId Id;
  SmallVector<uint32_t, 2> Steps;

  bool operator==(const Part &) const = default;
};

/// Pairs of a fusion that follow from its body
/// (xla/hlo/analysis/alias_info.cc, GetFusionInPlaceInputOutputPairs).
class BodyPairs {
public:
  BodyPairs(const Program &P, const ReleaseRules &Rules, AliasAnalysis &All,
            HloId Fusion, bool Declared)
      : P(P), Rules(Rules), All(All), Fusion(Fusion), Declared(Declared) {}

  std::vector<InPlacePair> find();

private:
  Part follow(Part From) const;
  bool isNoOp(HloId Id) const {
    return P[Id].Op == Opcode::Bitcast ||
           (Rules.ReshapeIsNoOp && P[Id].Op == Opcode::Reshape);
  }
  /// The operand that \p Output is written in place of; nothing if none.
  std::optional<Part> sourceOf(const Part &Output, bool BodyOnly);
  void addDeclared(std::vector<InPlacePair> &Pairs) const;

  /// The pair of \p Id that writes part \p Output; null if none does. The first
  /// one if there are several.
  const InPlacePair *pairOf(HloId Id, bool BodyOnly, uint32_t Output);

  const Program &P;
  const ReleaseRules &Rules;
  AliasAnalysis &All;
  HloId Fusion;
  bool Declared;
  /// Pairs by output, by instruction and what is asked of it: a fusion with
  /// many outputs asks its root for each of them.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, std::vector<InPlacePair>> Known;
};
} // namespace

static SmallVector<uint32_t, 2> stepsOf(const Program &P, HloId Id,
                                        uint32_t Ordinal) {
  ShapeIndexTable &Indices = P.facts().dump().Indices;
  return SmallVector<uint32_t, 2>(
      Indices.steps(P.trees().index(P[Id].Shape, Ordinal)));
}

static std::optional<uint32_t> ordinalOf(const Program &P, HloId Id,
                                         ArrayRef<uint32_t> Steps) {
  return P.trees().ordinal(P[Id].Shape, P.facts().dump().Indices.get(Steps));
}

Part BodyPairs::follow(Part From) const {
  while (P[From.Id].Op == Opcode::Tuple && !From.Steps.empty() &&
         From.Steps[0] < P.operands(From.Id).size()) {
    From.Id = P.operands(From.Id)[From.Steps[0]];
    From.Steps.erase(From.Steps.begin());
  }
  while (P[From.Id].Op == Opcode::GetTupleElement) {
    From.Steps.insert(From.Steps.begin(), P[From.Id].number());
    From.Id = P.operands(From.Id)[0];
  }
  while (Rules.NoOpsOnBothSides && From.Steps.empty() && isNoOp(From.Id))
    From.Id = P.operands(From.Id)[0];
  return From;
}

const InPlacePair *BodyPairs::pairOf(HloId Id, bool BodyOnly, uint32_t Output) {
  if (!mayWorkInPlace(P[Id].Op))
    return nullptr;
  auto [Entry, New] = Known.try_emplace({Id.index(), BodyOnly});
  std::vector<InPlacePair> &Pairs = Entry->second;
  if (New) {
    Pairs = All.inPlace(Id, BodyOnly);
    llvm::erase_if(Pairs, [&](const InPlacePair &Pair) {
      return Pair.Operand >= P.operands(Id).size();
    });
    llvm::stable_sort(Pairs, [](const InPlacePair &X, const InPlacePair &Y) {
      return X.Output < Y.Output;
    });
  }
  auto First = llvm::partition_point(
      Pairs, [&](const InPlacePair &Pair) { return Pair.Output < Output; });
  return First != Pairs.end() && First->Output == Output ? &*First : nullptr;
}

std::optional<Part> BodyPairs::sourceOf(const Part &Output, bool BodyOnly) {
  std::optional<uint32_t> Ordinal = ordinalOf(P, Output.Id, Output.Steps);
  if (!Ordinal)
    return std::nullopt;
  const InPlacePair *Pair = pairOf(Output.Id, BodyOnly, *Ordinal);
  if (!Pair)
    return std::nullopt;
  HloId Operand = P.operands(Output.Id)[Pair->Operand];
  return follow({Operand, stepsOf(P, Operand, Pair->Input)});
}

std::vector<InPlacePair> BodyPairs::find() {
  std::vector<InPlacePair> Pairs;
  ComputationId Body = P.callee(Fusion, CallRole::Calls);
  uint32_t Parts = P.trees().parts(P[Fusion].Shape);
  for (uint32_t O = 0; Body && O != Parts; ++O) {
    if (P.trees().isTuple(P[Fusion].Shape, O))
      continue;
    Part Output = follow({P.root(Body), stepsOf(P, Fusion, O)});
    std::optional<Part> Source = sourceOf(Output, /*BodyOnly=*/true);
    if (!Source)
      continue;
    if (P[Source->Id].Op == Opcode::Fusion && Rules.NestedFusions)
      if (std::optional<Part> Inner = sourceOf(*Source, /*BodyOnly=*/false))
        Source = Inner;
    if (!Rules.NoOpsOnBothSides && Rules.OneNoOp && isNoOp(Source->Id))
      Source->Id = P.operands(Source->Id)[0];
    if (P[Source->Id].Op != Opcode::Parameter)
      continue;
    if (std::optional<uint32_t> Input = ordinalOf(P, Source->Id, Source->Steps))
      Pairs.push_back({P[Source->Id].number(), *Input, O});
  }
  if (Declared)
    addDeclared(Pairs);
  return Pairs;
}

static llvm::SmallVector<DeclaredAlias, 2> declaredOf(const Program &P,
                                                      HloId Id) {
  const HloModule &M = P.module();
  if (P.isHidden(Id) || !M[Id].MayDeclareAliases)
    return {};
  return declaredAliases(M.attributes(M[Id]), P.facts().dump().Indices);
}

/// Pairs of output_to_operand_aliasing.
static void addDeclaredPairs(const Program &P, HloId Id,
                             std::vector<InPlacePair> &Pairs) {
  for (const DeclaredAlias &Alias : declaredOf(P, Id)) {
    if (Alias.Operand >= P.operands(Id).size())
      continue;
    HloId Operand = P.operands(Id)[Alias.Operand];
    auto Input = P.trees().ordinal(P[Operand].Shape, Alias.Index);
    auto Output = P.trees().ordinal(P[Id].Shape, Alias.Output);
    if (Input && Output)
      Pairs.push_back({Alias.Operand, *Input, *Output});
  }
}

std::optional<OperandPart> hlobuf::declaredPart(const Program &P, HloId Id,
                                                uint32_t Output) {
  std::vector<InPlacePair> Pairs;
  addDeclaredPairs(P, Id, Pairs);
  for (const InPlacePair &Pair : Pairs)
    if (Pair.Output == Output)
      return OperandPart{Pair.Operand, Pair.Input};
  return std::nullopt;
}

void BodyPairs::addDeclared(std::vector<InPlacePair> &Pairs) const {
  addDeclaredPairs(P, Fusion, Pairs);
}

/// Pairs that the start of \p Id's chain declares of an operand that is bound
/// at \p Id, an async-update.
static void addLatePairs(const Program &P, HloId Id,
                         std::vector<InPlacePair> &Pairs) {
  addDeclaredPairs(P, Id, Pairs);
  HloId Start = P.chains().start(Id);
  HloId Before = P.operands(Id)[0];
  if (!Start || P.operands(Id).size() == 1 || !isAsync(P[Before].Op))
    return;
  size_t Bound = P.chains().boundOperands(Before).size();
  for (const DeclaredAlias &Alias : declaredOf(P, Start)) {
    size_t Operand = Alias.Operand - Bound + 1;
    if (Alias.Operand < Bound || Operand >= P.operands(Id).size())
      continue;
    HloId From = P.operands(Id)[Operand];
    auto Input = P.trees().ordinal(P[From].Shape, Alias.Index);
    auto Output = P.trees().ordinal(P[Id].Shape, Alias.Output);
    if (Input && Output)
      Pairs.push_back({static_cast<uint32_t>(Operand), *Input, *Output});
  }
}

/// Pairs of an async-done: the result that the start declares at {1,i} and the
/// operand of the chain, which is at {0,n}.
static void addDonePairs(const Program &P, HloId Id,
                         std::vector<InPlacePair> &Pairs) {
  HloId Start = P.chains().start(Id);
  if (!Start)
    return;
  HloId Chain = P.operands(Id)[0];
  ShapeIndexTable &Indices = P.facts().dump().Indices;
  for (const DeclaredAlias &Alias : declaredOf(P, Start)) {
    SmallVector<uint32_t, 4> Result = Indices.steps(Alias.Output);
    if (Result.empty() || Result[0] != 1)
      continue;
    Result.erase(Result.begin());
    SmallVector<uint32_t, 4> Source = {0, Alias.Operand};
    Source.append(Indices.steps(Alias.Index));
    auto Output = ordinalOf(P, Id, Result);
    auto Input = ordinalOf(P, Chain, Source);
    if (Input && Output)
      Pairs.push_back({0, *Input, *Output});
  }
}

/// Operand k is written in place as the result's element k, or as the result
/// if there is only one.
static std::vector<InPlacePair> elementwise(const Program &P, HloId Id,
                                            size_t Count) {
  std::vector<InPlacePair> Pairs;
  if (Count == 1)
    return {{0, 0, 0}};
  for (uint32_t K = 0; K != Count; ++K)
    if (uint32_t Output = P.trees().elementOrdinal(P[Id].Shape, K))
      Pairs.push_back({K, 0, Output});
  return Pairs;
}

static std::vector<InPlacePair> permutePairs(const Program &P, HloId Id,
                                             bool AnyOfFour) {
  if (P.operands(Id).size() != 4 || !(AnyOfFour || P.isInPlacePermute(Id)))
    return {};
  uint32_t First = 0;
  ShapeId Result = P[Id].Shape;
  if (P[Id].Op == Opcode::CollectivePermuteStart) {
    First = P.trees().elementOrdinal(Result, 1);
    Result = P.trees().part(Result, First);
  }
  std::vector<InPlacePair> Pairs = {{1, 0, First}};
  ShapeId Target = P[P.operands(Id)[1]].Shape;
  for (uint32_t K = 0; K != P.trees().shape(Target).Elements.size(); ++K)
    Pairs.push_back({1, P.trees().elementOrdinal(Target, K),
                     First + P.trees().elementOrdinal(Result, K)});
  return Pairs;
}

std::vector<InPlacePair> AliasAnalysis::findPairs(HloId Id, bool BodyOnly) {
  std::vector<InPlacePair> Pairs;
  size_t Count = P.operands(Id).size();
  switch (P[Id].Op) {
  case Opcode::DynamicUpdateSlice:
    return {{0, 0, 0}};
  case Opcode::Scatter:
    return elementwise(P, Id, (Count - 1) / 2);
  case Opcode::AllReduceStart:
    if (Rules.NvshmemCopies &&
        P.module().attributes(P.module()[Id]).contains("nvshmem"))
      return {};
    return elementwise(P, Id, Count);
  case Opcode::CollectivePermute:
    return permutePairs(P, Id, Rules.PermutesOfFourInPlace);
  case Opcode::CollectivePermuteStart:
    return permutePairs(P, Id, Rules.PermuteStartsOfFourInPlace);
  case Opcode::SetDimensionSize:
    return Rules.SetDimensionSizeForwards ? Pairs : elementwise(P, Id, 1);
  case Opcode::RaggedAllToAll:
    return Rules.RaggedInPlace ? std::vector<InPlacePair>{{1, 0, 0}} : Pairs;
  case Opcode::CustomCall:
    if (!Rules.CustomCallForwards)
      addDeclaredPairs(P, Id, Pairs);
    return Pairs;
  case Opcode::AsyncStart:
    if (Rules.AsyncStartAliases)
      addDeclaredPairs(P, Id, Pairs);
    return Pairs;
  case Opcode::AsyncUpdate:
    if (Rules.LateBinding)
      addLatePairs(P, Id, Pairs);
    return Pairs;
  case Opcode::AsyncDone:
    if (Rules.LateBinding)
      addDonePairs(P, Id, Pairs);
    return Pairs;
  case Opcode::Fusion:
    return BodyPairs(P, Rules, *this, Id, !BodyOnly && Rules.FusionAliases)
        .find();
  default:
    return Pairs;
  }
}

std::vector<InPlacePair> AliasAnalysis::inPlace(HloId Id, bool BodyOnly) {
  if (P[Id].Op != Opcode::Fusion)
    return findPairs(Id, BodyOnly);
  uint32_t Key = Id.index() * 2 + BodyOnly;
  if (SearchedFusions.empty())
    SearchedFusions.resize(P.size() * 2);
  if (SearchedFusions[Key]) {
    IndexRange Known = Memo.lookup(Key);
    return {MemoPairs.begin() + Known.Begin, MemoPairs.begin() + Known.End};
  }
  std::vector<InPlacePair> Pairs = findPairs(Id, BodyOnly);
  SearchedFusions[Key] = true;
  if (Pairs.empty())
    return Pairs;
  auto Begin = static_cast<uint32_t>(MemoPairs.size());
  MemoPairs.insert(MemoPairs.end(), Pairs.begin(), Pairs.end());
  Memo[Key] = {Begin, static_cast<uint32_t>(MemoPairs.size())};
  return Pairs;
}

AliasAnalysis::AliasAnalysis(const DataflowAnalysis &Flow,
                             const ReleaseRules &Rules)
    : Flow(Flow), P(Flow.program()), Rules(Rules), Sets(Flow.values().size()) {
  // Texts do not tell what must alias.
  if (!P.isFromTexts())
    joinAll();
  Groups = Sets.take();
}

void AliasAnalysis::joinAll() {
  joinDonated();
  for (size_t I = 0; I != P.size(); ++I) {
    HloId Id(I);
    if (!Flow.hasLocations(Id))
      continue;
    if (P[Id].Op == Opcode::While) {
      joinLoop(Id);
    } else if (P[Id].Op == Opcode::Conditional) {
      // Branches may share a computation.
      llvm::DenseSet<uint32_t> Seen;
      for (const HloCall &Call : P.calls(Id))
        if (Seen.insert(Call.Callee.index()).second)
          joinAll(Id, P.root(Call.Callee));
    } else if (Rules.InPlace && mayWorkInPlace(P[Id].Op)) {
      for (const InPlacePair &Pair : inPlace(Id, /*BodyOnly=*/false))
        if (Pair.Operand < P.operands(Id).size())
          join(P.operands(Id)[Pair.Operand], Pair.Input, Id, Pair.Output);
    }
  }
}

void AliasAnalysis::join(HloValueId A, HloValueId B) {
  if (A && B)
    Sets.join(A.index(), B.index());
}

void AliasAnalysis::join(HloId A, uint32_t PartA, HloId B, uint32_t PartB) {
  if (Flow.hasLocations(A) && Flow.hasLocations(B) &&
      PartA < P.trees().parts(P[A].Shape) &&
      PartB < P.trees().parts(P[B].Shape))
    join(Flow.at(A, PartA), Flow.at(B, PartB));
}

void AliasAnalysis::joinAll(HloId A, HloId B) {
  for (uint32_t I = 0; B && I != P.trees().parts(P[A].Shape); ++I)
    join(A, I, B, I);
}

void AliasAnalysis::joinLoop(HloId While) {
  joinAll(While, P.operands(While)[0]);
  for (const HloCall &Call : P.calls(While)) {
    if (Call.Role == CallRole::Body)
      joinAll(While, P.root(Call.Callee));
    // A parameter takes part where it kept a phi of its own.
    HloId Parameter = P.parameter(Call.Callee, 0);
    if (!Flow.hasLocations(Parameter))
      continue;
    for (uint32_t I = 0; I != P.trees().parts(P[Parameter].Shape); ++I)
      if (Flow.definedAt(Parameter, I))
        join(While, I, Parameter, I);
  }
}

void AliasAnalysis::joinDonated() {
  const HloModule &M = P.module();
  HloId Root = P.root(M.Entry);
  for (const HloAlias &Alias : M.Aliases)
    if (HloId Parameter = P.parameter(M.Entry, Alias.Parameter))
      join(Flow.at(Root, Alias.Output), Flow.at(Parameter, Alias.Index));
}
