//===- Dataflow/ElementReads.cpp ------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow/ElementReads.h"
#include "Dataflow/OperandReads.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

/// An instruction is visited this often on average, once for each different
/// map; more paths than that are not followed.
static constexpr size_t MaxVisits = 32;
static constexpr size_t FreeVisits = 4096;
/// Longer chains of updates in one fusion are not followed.
static constexpr unsigned MaxChain = 1024;

namespace hlobuf {
class ReadWalk {
public:
  /// Takes its steps from \p Budget.
  ReadWalk(const Program &P, StartIndices &Starts, size_t &Budget)
      : P(P), Starts(Starts), Opcodes(P, Starts), Budget(Budget) {}

  /// Begins at part \p Part of \p At, whose elements are the ones written.
  void begin(ScopedId At, uint32_t Part);
  InstructionReads run();

private:
  struct Node {
    ScopedId At;
    uint32_t Part;
    uint32_t Map;
    uint32_t Cause;
  };

  uint32_t intern(const ElementMap &Map);
  void push(ScopedId At, uint32_t Part, const ElementMap &Map);
  void step(const Node &N);

  const Program &P;
  StartIndices &Starts;
  OperandReads Opcodes;
  size_t &Budget;
  InstructionReads Result;
  std::vector<Node> Todo;
  std::vector<ElementMap> Maps;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 1>> MapsByHash;
  llvm::DenseSet<std::pair<IdPair, IdPair>> Seen;
  llvm::DenseSet<IdPair> Instructions;
};
} // namespace hlobuf

uint32_t ReadWalk::intern(const ElementMap &Map) {
  // The two largest hashes are keys of the table's own.
  llvm::SmallVector<uint32_t, 1> &Bucket = MapsByHash[Map.hash() >> 1];
  for (uint32_t Number : Bucket)
    if (Maps[Number] == Map)
      return Number;
  Bucket.push_back(static_cast<uint32_t>(Maps.size()));
  Maps.push_back(Map);
  return Bucket.back();
}

void ReadWalk::push(ScopedId At, uint32_t Part, const ElementMap &Map) {
  if (!Opcodes.shape(At.Id, Part).isArray())
    return;
  IdPair Place(At.Scope, At.Id.index());
  uint32_t Number = intern(Map);
  if (!Seen.insert({Place, IdPair(Part, Number)}).second)
    return;
  Instructions.insert(Place);
  if (Seen.size() > FreeVisits + MaxVisits * Instructions.size()) {
    Result.Incomplete = true;
    return;
  }
  Todo.push_back({At, Part, Number, Map.Cause});
}

void ReadWalk::begin(ScopedId At, uint32_t Part) {
  push(At, Part,
       ElementMap::identity(P.trees().part(P[At.Id].Shape, Part),
                            Opcodes.shape(At.Id, Part)));
}

/// An operand of a scope that is not inside a fusion is what is asked for.
void ReadWalk::step(const Node &N) {
  // push() may move the maps.
  ElementMap Map = Maps[N.Map];
  Map.Cause = N.Cause;
  auto Visit = [&](uint32_t Operand, uint32_t Part, const ElementMap &Wanted) {
    if (N.At.Scope == 0)
      Result.Reads.push_back({Operand, Part, Wanted});
    else
      push({N.At.Scope, P.operands(N.At.Id)[Operand]}, Part, Wanted);
  };
  if (P[N.At.Id].Op == Opcode::Fusion && !P[N.At.Id].Sugar) {
    ComputationId Body = P.callee(N.At.Id, CallRole::Calls);
    HloId Root = Body ? P.root(Body) : HloId();
    if (Root && N.Part < P.trees().parts(P[Root].Shape))
      push({Starts.enter(N.At), Root}, N.Part, Map);
    return;
  }
  if (P[N.At.Id].Op == Opcode::Parameter && N.At.Scope != 0) {
    ScopedId Call = Starts.caller(N.At.Scope);
    uint32_t Number = P[N.At.Id].Number;
    if (Number >= P.operands(Call.Id).size() ||
        N.Part >= P.trees().parts(P[P.operands(Call.Id)[Number]].Shape))
      return;
    if (Call.Scope == 0)
      Result.Reads.push_back({Number, N.Part, Map});
    else
      push({Call.Scope, P.operands(Call.Id)[Number]}, N.Part, Map);
    return;
  }
  Map.Moves &= movesElements(P[N.At.Id].Op);
  Opcodes.visit(N.At, N.Part, Map, Visit);
}

InstructionReads ReadWalk::run() {
  while (!Todo.empty() && !Result.Incomplete) {
    Node N = Todo.back();
    Todo.pop_back();
    if (Budget == 0) {
      Result.Incomplete = true;
      break;
    }
    --Budget;
    step(N);
  }
  llvm::stable_sort(
      Result.Reads, [](const ElementRead &A, const ElementRead &B) {
        return std::pair(A.Operand, A.Part) < std::pair(B.Operand, B.Part);
      });
  return std::move(Result);
}

llvm::ArrayRef<ElementRead> InstructionReads::of(uint32_t Operand,
                                                 uint32_t Part) const {
  auto Key = [](const ElementRead &R) { return std::pair(R.Operand, R.Part); };
  std::pair Wanted(Operand, Part);
  auto First = llvm::partition_point(
      Reads, [&](const ElementRead &R) { return Key(R) < Wanted; });
  auto Last = std::find_if(First, Reads.end(), [&](const ElementRead &R) {
    return Key(R) != Wanted;
  });
  return llvm::ArrayRef(Reads).slice(First - Reads.begin(), Last - First);
}

/// The reduction that part \p Part of a fusion's root is, through bitcasts;
/// invalid if it is something else.
static ScopedId reductionAt(const Program &P, ScopedId Root, uint32_t Part) {
  ScopedId At = Root;
  if (P[At.Id].Op == Opcode::Tuple) {
    ShapeIndex Index = P.trees().index(P[At.Id].Shape, Part);
    auto Steps = P.facts().dump().Indices.steps(Index);
    if (Steps.size() != 1 || Steps[0] >= P.operands(At.Id).size())
      return {};
    At.Id = P.operands(At.Id)[Steps[0]];
  }
  while ((P[At.Id].Op == Opcode::Bitcast || P[At.Id].Op == Opcode::Reshape ||
          P[At.Id].Op == Opcode::Convert || P[At.Id].Op == Opcode::Copy) &&
         P.operands(At.Id).size() == 1)
    At.Id = P.operands(At.Id)[0];
  bool Reduces = P[At.Id].Op == Opcode::Reduce && !P.operands(At.Id).empty();
  return Reduces ? At : ScopedId{};
}

InstructionReads ElementReads::of(HloId Id) {
  ReadWalk Walk(P, Starts, Budget);
  llvm::SmallVector<uint32_t, 1> Reductions;
  uint32_t Parts = P.trees().parts(P[Id].Shape);
  ComputationId Body = P[Id].Op == Opcode::Fusion
                           ? P.callee(Id, CallRole::Calls)
                           : ComputationId();
  HloId Root = Body ? P.root(Body) : HloId();
  for (uint32_t Part = 0; Part != Parts; ++Part) {
    if (P.trees().isTuple(P[Id].Shape, Part))
      continue;
    if (Root && Parts > 1) {
      uint32_t Scope = Starts.enter({0, Id});
      if (ScopedId Reduce = reductionAt(P, {Scope, Root}, Part); Reduce.Id) {
        for (HloId Operand :
             P.operands(Reduce.Id).take_front(P.operands(Reduce.Id).size() / 2))
          Walk.begin({Scope, Operand}, 0);
        Reductions.push_back(Part);
        continue;
      }
    }
    Walk.begin({0, Id}, Part);
  }
  InstructionReads Result = Walk.run();
  Result.Reductions = std::move(Reductions);
  return Result;
}

InstructionReads ElementReads::of(HloId Id, uint32_t Part) {
  ReadWalk Walk(P, Starts, Budget);
  Walk.begin({0, Id}, Part);
  return Walk.run();
}

namespace {
/// Follows what is written in place through one operand at a time.
class ChainWalk {
public:
  ChainWalk(const Program &P, StartIndices &Starts, size_t &Budget)
      : P(P), Starts(Starts), Opcodes(P, Starts), Budget(Budget) {}
  InPlaceChain follow(ScopedId At, uint32_t Part);

private:
  bool step();
  bool skipCollective();
  void addUpdate();

  const Program &P;
  StartIndices &Starts;
  OperandReads Opcodes;
  size_t &Budget;
  ScopedId At;
  uint32_t Part = 0;
  ElementMap Map;
  InPlaceChain Chain;
};
} // namespace

/// Records where the update at hand writes.
void ChainWalk::addUpdate() {
  Chain.Writer = At.Id;
  if (P[At.Id].Op == Opcode::Scatter) {
    Chain.AnyPlace = true;
    return;
  }
  Opcodes.visit(At, Part, Map,
                [&](uint32_t Operand, uint32_t, const ElementMap &Window) {
                  if (Operand != 1)
                    return;
                  if (Window.Kind == MapKind::Exact)
                    Chain.Windows.push_back({Window, At.Id});
                  else
                    Chain.AnyPlace = true;
                });
}

/// Goes on to what a custom-call that starts or ends a collective in a fusion
/// forwards (TPU): the collective's operand, or the buffer that it fills.
bool ChainWalk::skipCollective() {
  llvm::StringRef Target = P.customCallTarget(At.Id, Backend::TPU);
  llvm::ArrayRef<HloId> Operands = P.operands(At.Id);
  HloId Next;
  if (Target == "AsyncCollectiveDone" && Operands.size() > 1)
    Next = Operands[1];
  if (Target == "AsyncCollectiveStart" && !Operands.empty() &&
      Part == P.trees().elementOrdinal(P[At.Id].Shape, 0) &&
      !P.operands(Operands[0]).empty())
    Next = P.operands(Operands[0])[0];
  if (!Next ||
      !sameAddresses(Opcodes.shape(At.Id, Part), Opcodes.shape(Next, 0)))
    return false;
  At.Id = Next;
  Part = 0;
  return true;
}

/// Continues with the operand that \p At forwards; false at the chain's end.
bool ChainWalk::step() {
  const ProgramNode &N = P[At.Id];
  if (N.Op == Opcode::Fusion && !N.Sugar) {
    ComputationId Body = P.callee(At.Id, CallRole::Calls);
    HloId Root = Body ? P.root(Body) : HloId();
    if (!Root || Part >= P.trees().parts(P[Root].Shape))
      return false;
    At = {Starts.enter(At), Root};
    return true;
  }
  if (N.Op == Opcode::Parameter && At.Scope != 0) {
    ScopedId Call = Starts.caller(At.Scope);
    if (N.Number >= P.operands(Call.Id).size() ||
        Part >= P.trees().parts(P[P.operands(Call.Id)[N.Number]].Shape))
      return false;
    Chain.Found = Call.Scope == 0;
    Chain.Operand = N.Number;
    Chain.Part = Part;
    At = {Call.Scope, P.operands(Call.Id)[N.Number]};
    return !Chain.Found;
  }
  bool Update = N.Op == Opcode::DynamicUpdateSlice || N.Op == Opcode::Scatter;
  if (Update)
    addUpdate();
  if (skipCollective())
    return true;
  if (!keepsElements(N.Op))
    return false;
  uint32_t Own = N.Op == Opcode::Scatter && Part != 0 ? Part - 1 : 0;
  const Shape &Here = Opcodes.shape(At.Id, Part);
  std::optional<InPlaceChain> Next;
  std::optional<ElementMap> NextMap;
  bool Single = true;
  Opcodes.visit(
      At, Part, Map,
      [&](uint32_t Operand, uint32_t OperandPart, const ElementMap &Wanted) {
        if (Update && Operand != Own)
          return;
        Single &= !Next;
        Next.emplace();
        Next->Operand = Operand;
        Next->Part = OperandPart;
        NextMap = Wanted;
      });
  if (!Next || !Single)
    return false;
  HloId Operand = P.operands(At.Id)[Next->Operand];
  const Shape &There = Opcodes.shape(Operand, Next->Part);
  bool Relaid =
      N.Op == Opcode::Copy && There.isArray() && !sameAddresses(Here, There);
  if (Relaid || !There.isArray() || !NextMap->isIdentity(There))
    return false;
  Map = *NextMap;
  if (At.Scope == 0) {
    Chain.Found = true;
    Chain.Operand = Next->Operand;
    Chain.Part = Next->Part;
    return false;
  }
  At.Id = Operand;
  Part = Next->Part;
  return true;
}

InPlaceChain ChainWalk::follow(ScopedId From, uint32_t FromPart) {
  At = From;
  Part = FromPart;
  Map = ElementMap::identity(P.trees().part(P[At.Id].Shape, Part),
                             Opcodes.shape(At.Id, Part));
  for (unsigned Steps = 0; step(); ++Steps) {
    if (Steps == MaxChain || Budget == 0) {
      Chain.Incomplete = true;
      break;
    }
    --Budget;
  }
  return std::move(Chain);
}

InPlaceChain ElementReads::chain(HloId Id, uint32_t Part) {
  return ChainWalk(P, Starts, Budget).follow({0, Id}, Part);
}
