// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/OperandAccesses.h"
#include "Elements/ArrayPlaces.h"
#include "HLO/ForwardRules.h"
#include "Program/PartOrigins.h"

using namespace hlobuf;

namespace {
/// Collects the reads of one part of one instruction.
class AccessFinder {
public:
  AccessFinder(const Program &P, HloId Id, uint32_t Part)
      : P(P), Id(Id), Part(Part), Operands(P.operands(Id)),
        Result(shapeOf(P, Id, Part)) {}
  SmallVector<Access, 4> find();

private:
  bool isArray(uint32_t Operand) const {
    return Operand < Operands.size() &&
           shapeOf(P, Operands[Operand], 0).isArray();
  }
  void forward(uint32_t Operand, uint32_t OperandPart);
  void whole(uint32_t Operand, AccessKind Kind);
  void all(AccessKind Kind);
  void elementwise(uint32_t Operand);
  void mapped(uint32_t First, size_t Count);
  void passed();
  void reinterpreted();
  void indices(uint32_t First);
  void updated();
  void scattered();
  void started();
  void paired();
  void customCall();
  void dispatch();

  const Program &P;
  HloId Id;
  uint32_t Part;
  ArrayRef<HloId> Operands;
  const Shape &Result;
  SmallVector<Access, 4> Accesses;
};
} // namespace

/// Part \p OperandPart of an operand is the result.
void AccessFinder::forward(uint32_t Operand, uint32_t OperandPart) {
  if (Operand < Operands.size() &&
      OperandPart < P.trees().parts(P[Operands[Operand]].Shape))
    Accesses.push_back({Operand, OperandPart, AccessKind::SameIndex});
}

/// All parts of an operand are read.
void AccessFinder::whole(uint32_t Operand, AccessKind Kind) {
  if (Operand >= Operands.size())
    return;
  for (uint32_t K = 0; K != P.trees().parts(P[Operands[Operand]].Shape); ++K)
    if (shapeOf(P, Operands[Operand], K).isArray())
      Accesses.push_back({Operand, K, Kind});
}

void AccessFinder::all(AccessKind Kind) {
  for (uint32_t K = 0; K != Operands.size(); ++K)
    whole(K, Kind);
}

void AccessFinder::elementwise(uint32_t Operand) {
  if (!isArray(Operand))
    return whole(Operand, AccessKind::Unknown);
  const Shape &Y = shapeOf(P, Operands[Operand], 0);
  if (hasSameSizes(Y, Result))
    Accesses.push_back({Operand, 0, AccessKind::SameIndex});
  else if (Y.Dimensions.empty())
    Accesses.push_back({Operand, 0, AccessKind::Mapped});
  else
    whole(Operand, AccessKind::Unknown);
}

/// Operands [\p First, \p First + \p Count) are arrays with rules of their own.
void AccessFinder::mapped(uint32_t First, size_t Count) {
  for (uint32_t K = First; K != First + Count && K < Operands.size(); ++K)
    whole(K, isArray(K) ? AccessKind::Mapped : AccessKind::Unknown);
}

/// What is the same bytes as a part of an operand.
void AccessFinder::passed() {
  if (std::optional<OperandPart> From = P.forwardedPart(Id, Part))
    forward(From->Operand, From->Ordinal);
}

/// bitcast-convert: another width adds or drops the fastest dimension.
void AccessFinder::reinterpreted() {
  size_t Rank = Result.Dimensions.size();
  size_t From = isArray(0) ? shapeOf(P, Operands[0], 0).Dimensions.size() : 0;
  if (From == Rank)
    return elementwise(0);
  mapped(0, From + 1 == Rank || Rank + 1 == From ? 1 : 0);
  if (Accesses.empty())
    whole(0, AccessKind::Unknown);
}

/// Start indices from operand \p First on. Emitters read them before the first
/// element is written, or again for each: which, is not known.
void AccessFinder::indices(uint32_t First) {
  bool IsOne =
      llvm::all_of(Result.Dimensions, [](Dimension D) { return D.Size == 1; });
  for (uint32_t K = First; K < Operands.size(); ++K)
    whole(K, IsOne ? AccessKind::Mapped : AccessKind::Unknown);
}

void AccessFinder::updated() {
  if (!isArray(0) || !isArray(1) ||
      !hasSameSizes(shapeOf(P, Operands[0], 0), Result))
    return all(AccessKind::Unknown);
  Accesses.push_back({0, 0, AccessKind::OutsideWindow});
  Accesses.push_back({1, 0, AccessKind::Mapped});
  indices(2);
}

void AccessFinder::scattered() {
  auto Inputs = static_cast<uint32_t>(Operands.size() / 2);
  uint32_t Own = Part == 0 ? 0 : Part - 1;
  if (Own < Inputs)
    elementwise(Own);
  whole(Inputs, AccessKind::Indexed);
  whole(Inputs + 1 + Own, AccessKind::Indexed);
}

/// The parts of a start are operands, which are passed, results and contexts.
void AccessFinder::started() {
  ShapeIndex Index = P.trees().index(P[Id].Shape, Part);
  auto Steps = P.facts().dump().Indices.steps(Index);
  Opcode Op = P[Id].Op;
  if (Steps.empty() || Steps[0] > 1)
    return;
  if (Op == Opcode::CopyStart)
    return forward(0, 0);
  if (Steps[0] == 0)
    return passed();
  all(Op == Opcode::AsyncStart ? AccessKind::Unknown : AccessKind::Any);
}

/// Part k of the result is made of operand k, in place.
void AccessFinder::paired() {
  for (uint32_t K = 0; K != Operands.size(); ++K)
    if (K + 1 == Part || Part == 0)
      elementwise(K);
}

/// What it declares it works on in place; it may read all else at any time.
void AccessFinder::customCall() {
  if (std::optional<OperandPart> From = declaredPart(P, Id, Part)) {
    for (uint32_t K = 0; K != Operands.size(); ++K)
      K == From->Operand ? forward(K, From->Ordinal)
                         : whole(K, AccessKind::Unknown);
    return;
  }
  // A promise about values, which stay as they are (TPU).
  if (P.customCallTarget(Id, Backend::TPU) == "AssumeGatherIndicesInBound")
    return forward(0, Part);
  // An operand that another part, which is read, takes over is read for that.
  auto IsReadFor = [&](uint32_t K, const WorkingPair &Pair) {
    return Pair.Operand == K &&
           llvm::any_of(P.order(P[Id].Parent), [&](HloId User) {
             auto From = P.forwardedPart(User, 0);
             return From && P.isRead(User) &&
                    P.operands(User)[From->Operand] == Id &&
                    From->Ordinal == Pair.Result;
           });
  };
  SmallVector<WorkingPair, 2> Pairs = declaredPairs(P, Id);
  for (uint32_t K = 0; K != Operands.size(); ++K)
    if (llvm::none_of(Pairs, [&](auto &Pair) { return IsReadFor(K, Pair); }))
      whole(K, AccessKind::Unknown);
}

/// Opcodes with rules of their own.
void AccessFinder::dispatch() {
  switch (P[Id].Op) {
  case Opcode::Fusion:
    return P[Id].Sugar ? all(AccessKind::Unknown) : void();
  case Opcode::Bitcast:
    return whole(0, isArray(0) ? AccessKind::SameBytes : AccessKind::Unknown);
  case Opcode::BitcastConvert:
    return reinterpreted();
  case Opcode::DynamicSlice:
    mapped(0, 1);
    return indices(1);
  case Opcode::DynamicUpdateSlice:
    return updated();
  case Opcode::Dot:
    return mapped(0, 2);
  case Opcode::Gather:
    return all(AccessKind::Indexed);
  case Opcode::Reduce:
  case Opcode::ReduceWindow:
    return mapped(0, Operands.size());
  case Opcode::Scatter:
    return scattered();
  case Opcode::SetDimensionSize:
    return elementwise(0);
  case Opcode::CustomCall:
    return customCall();
  case Opcode::Unknown:
  case Opcode::AsyncUpdate:
  case Opcode::Call:
  case Opcode::Conditional:
  case Opcode::DynamicReshape:
  case Opcode::While:
    return all(AccessKind::Unknown);
  default:
    return movesElements(P[Id].Op) ? mapped(0, Operands.size())
                                   : all(AccessKind::Any);
  }
}

SmallVector<Access, 4> AccessFinder::find() {
  Opcode Op = P[Id].Op;
  if (P[Id].Sugar)
    all(AccessKind::Unknown);
  else if (Op == Opcode::Copy && P.trees().isTuple(P[Id].Shape, 0))
    passed();
  else if (isElementwise(Op))
    for (uint32_t K = 0; K != Operands.size(); ++K)
      elementwise(K);
  else if (readsNoElement(Op))
    Accesses.clear();
  else if (isPaired(Op))
    paired();
  else if (Op != Opcode::Bitcast && accessesNoMemory(Op))
    passed();
  else if (startedBy(Op) && !isTransfer(Op))
    started();
  else if (endedBy(Op) && !isTransfer(Op))
    passed();
  else
    dispatch();
  return std::move(Accesses);
}

SmallVector<Access, 4> hlobuf::findAccesses(const Program &P, HloId Id,
                                            uint32_t Part) {
  return AccessFinder(P, Id, Part).find();
}

static void addRead(Scalars &All, ScopedId Inst, uint32_t Operand,
                    uint32_t Part, AccessKind Kind,
                    SmallVectorImpl<ReadEdge> &Edges) {
  const Program &P = All.program();
  HloId Source = P.operands(Inst.Id)[Operand];
  if (Part >= P.trees().parts(P[Source].Shape) ||
      !shapeOf(P, Source, Part).isArray())
    return;
  ReadNode To{{Inst.Scope, Source}, Part};
  if (Inst.Scope == 0)
    To = {{Operand, Source}, Part, /*IsOperand=*/true};
  Edges.push_back({To, Kind, Operand});
}

SmallVector<ReadEdge, 2> hlobuf::readsOf(Scalars &All, const ReadNode &N) {
  const Program &P = All.program();
  const HloNode &I = P[N.Inst.Id];
  SmallVector<ReadEdge, 2> Edges;
  if (I.Op == Opcode::Fusion && !I.Sugar) {
    ComputationId Body = P.callee(N.Inst.Id, CallRole::Calls);
    HloId Root = Body ? P.root(Body) : HloId();
    if (Root && N.Part < P.trees().parts(P[Root].Shape))
      Edges.push_back({{{All.enter(N.Inst), Root}, N.Part},
                       AccessKind::SameIndex,
                       std::nullopt});
    else
      for (uint32_t K = 0; K != P.operands(N.Inst.Id).size(); ++K)
        addRead(All, N.Inst, K, 0, AccessKind::Unknown, Edges);
  } else if (I.Op == Opcode::Parameter && N.Inst.Scope != 0) {
    ScopedId Call = All.caller(N.Inst.Scope);
    if (I.number() < P.operands(Call.Id).size())
      addRead(All, Call, I.number(), N.Part, AccessKind::SameIndex, Edges);
    if (!Edges.empty())
      Edges[0].Operand.reset();
  } else {
    for (const Access &A : findAccesses(P, N.Inst.Id, N.Part))
      addRead(All, N.Inst, A.Operand, A.Part, A.Kind, Edges);
  }
  return Edges;
}

/// True if what \p E reads for \p N has the bytes of \p N.
static bool keepsPlaces(const Program &P, const ReadNode &N,
                        const ReadEdge &E) {
  if (!E.Operand)
    return true;
  const Shape &To = shapeOf(P, N.Inst.Id, N.Part);
  const Shape &From = shapeOf(P, E.To.Inst.Id, E.To.Part);
  if (!keepsElements(P[N.Inst.Id].Op) || storedBits(To) != storedBits(From))
    return false;
  if (E.Kind == AccessKind::Mapped)
    return P[N.Inst.Id].Op == Opcode::Reshape && isRowMajor(To) &&
           isRowMajor(From);
  return E.Kind == AccessKind::SameBytes ||
         ((E.Kind == AccessKind::SameIndex ||
           E.Kind == AccessKind::OutsideWindow) &&
          hasSameIndices(To, From));
}

/// What a custom-call that starts or ends a collective in a fusion forwards
/// (TPU): the collective's operand, or the buffer that it fills.
static HloId forwardedByCollective(const Program &P, const ReadNode &N) {
  StringRef Target = P.customCallTarget(N.Inst.Id, Backend::TPU);
  ArrayRef<HloId> Operands = P.operands(N.Inst.Id);
  HloId Source;
  if (Target == "AsyncCollectiveDone" && Operands.size() > 1)
    Source = Operands[1];
  if (Target == "AsyncCollectiveStart" && !Operands.empty() &&
      N.Part == P.trees().elementOrdinal(P[N.Inst.Id].Shape, 0) &&
      !P.operands(Operands[0]).empty())
    Source = P.operands(Operands[0])[0];
  bool Same = Source && sameAddresses(shapeOf(P, N.Inst.Id, N.Part),
                                      shapeOf(P, Source, 0));
  return Same ? Source : HloId();
}

InPlaceChain hlobuf::findInPlaceChain(Scalars &All, HloId Id, uint32_t Part,
                                      size_t &Budget) {
  const Program &P = All.program();
  InPlaceChain Chain;
  for (ReadNode N{{0, Id}, Part}; !N.IsOperand;) {
    if (Budget == 0) {
      Chain.Incomplete = true;
      return Chain;
    }
    --Budget;
    Opcode Op = P[N.Inst.Id].Op;
    if (isUpdate(Op))
      Chain.Updates.push_back(N.Inst);
    Chain.Scatters |= Op == Opcode::Scatter;
    if (HloId Source = forwardedByCollective(P, N)) {
      N = {{N.Inst.Scope, Source}, 0};
      continue;
    }
    auto Edges = readsOf(All, N);
    uint32_t Own = Op == Opcode::Scatter && N.Part != 0 ? N.Part - 1 : 0;
    if (isUpdate(Op))
      llvm::erase_if(Edges,
                     [&](const ReadEdge &E) { return E.Operand != Own; });
    if (Edges.size() != 1 || !keepsPlaces(P, N, Edges[0]))
      return Chain;
    N = Edges[0].To;
    Chain.HasOperand = N.IsOperand;
    Chain.Begin = {N.Inst.Scope, N.Part};
  }
  return Chain;
}
