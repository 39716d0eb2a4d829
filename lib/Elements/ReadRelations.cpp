// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/ReadRelations.h"

using namespace hlobuf;

/// More updates than these over one another are not told apart.
static constexpr size_t MaxHidden = 8;
/// Relations of more pieces are not united: work on all of a union's pieces at
/// once grows faster than their number.
static constexpr unsigned MaxPieces = 16;
/// Different relations of one array; more of them are not followed.
static constexpr size_t MaxRelations = 4096;

/// The indices of \p Frame that \p Hidden hides; null where they are not known.
static IntegerSet hiddenIndices(AccessMaps &Maps, const Shape &Frame,
                                const HiddenWindow &Hidden) {
  IntegerSet Window = Maps.window(Hidden.Update);
  if (Hidden.SameIndex)
    return Window;
  const Shape &Array = shapeOf(Maps.All.program(), Hidden.Update.Id, 0);
  return samePlace(Maps.Sets, Frame, Array).intersectRange(Window).domain();
}

bool hlobuf::makeExplicit(AccessMaps &Maps, const Shape &Frame,
                          const Shape &Array, ReadRelation &Relation) {
  if (Relation.SameIndex)
    Relation.Map = IntegerMap::identity(Maps.Sets, Frame.Dimensions.size())
                       .intersectDomain(allIndices(Maps.Sets, Frame));
  else
    Relation.Map = samePlace(Maps.Sets, Frame, Array);
  Relation.SameAddress = Relation.SameIndex = false;
  if (Relation.Hidden.size() > MaxHidden)
    Relation.Overestimated = true;
  else
    for (const HiddenWindow &Hidden : Relation.Hidden) {
      IntegerSet Window = hiddenIndices(Maps, Frame, Hidden);
      if (Window)
        Relation.Map = Relation.Map.subtractDomain(Window);
      else
        Relation.Overestimated = true;
    }
  Relation.Hidden.clear();
  Relation.Used = Relation.Map.usedParameters();
  return static_cast<bool>(Relation.Map);
}

uint32_t ReadWalk::number(const ReadNode &N) {
  std::pair<uint64_t, uint64_t> Key = {uint64_t(N.Inst.Scope) << 32 |
                                           N.Inst.Id.index(),
                                       uint64_t(N.Part) << 1 | N.IsOperand};
  auto [Entry, New] = Numbers.try_emplace(Key, uint32_t(Nodes.size()));
  if (New) {
    Nodes.push_back(N);
    Edges.emplace_back();
  }
  return Entry->second;
}

void ReadWalk::begin(ScopedId Inst, uint32_t Part) {
  ReadNode N{Inst, Part};
  Frame = &shape(N);
  Begins.push_back(number(N));
}

/// Depth first, without recursion; false if that takes too long.
bool ReadWalk::findOrder() {
  std::vector<std::pair<uint32_t, uint32_t>> Todo;
  std::vector<bool> Seen;
  auto Visit = [&](uint32_t N) {
    Seen.resize(std::max<size_t>(Seen.size(), N + 1));
    if (Seen[N])
      return true;
    if (Budget == 0)
      return false;
    --Budget;
    Seen[N] = true;
    if (!Nodes[N].IsOperand)
      for (const ReadEdge &E : readsOf(All, ReadNode(Nodes[N]))) {
        uint32_t To = number(E.To);
        Edges[N].push_back({To, E.Kind, E.Operand});
      }
    Todo.push_back({N, 0});
    return true;
  };
  for (uint32_t Begin : Begins) {
    if (!Visit(Begin))
      return false;
    while (!Todo.empty()) {
      auto &[N, Next] = Todo.back();
      if (Next == Edges[N].size()) {
        Order.push_back(N);
        Todo.pop_back();
      } else if (!Visit(Edges[N][Next++].To)) {
        return false;
      }
    }
  }
  return true;
}

/// Only what leads to an operand that is wanted is followed.
void ReadWalk::prune(ArrayRef<ReadOperand> Operands) {
  Reaches.assign(Nodes.size(), false);
  for (uint32_t N : Order) {
    const ReadNode &Node = Nodes[N];
    Reaches[N] =
        Node.IsOperand
            ? llvm::is_contained(Operands,
                                 ReadOperand{Node.Inst.Scope, Node.Part})
            : llvm::any_of(Edges[N],
                           [&](const Edge &E) { return Reaches[E.To]; });
  }
}

/// All of \p Source may be read for what \p Relation wants of \p Array.
void ReadWalk::readAll(ReadRelation &Relation, const Shape &Array,
                       const Shape &Source, ReadKind Kind) {
  IntegerSet Needed = allIndices(Sets, *Frame);
  if (!Relation.isIdentity() || makeExplicit(Maps, *Frame, Array, Relation))
    Needed = Relation.Map.domain();
  Relation.Kind = std::max(Relation.Kind, Kind);
  Relation.SameAddress = Relation.SameIndex = Relation.Moves = false;
  Relation.Hidden.clear();
  Relation.Map = IntegerMap::product(Needed, allIndices(Sets, Source));
}

/// True if bytes stay where they are. What a fusion gets or gives is one array,
/// whatever layouts are printed for it.
bool ReadWalk::isSameBytes(const Edge &E, const Shape &X, const Shape &Y) {
  return E.Kind == AccessKind::SameBytes ||
         (!E.Operand && E.Kind == AccessKind::SameIndex &&
          (!hasSameSizes(X, Y) || (X.Layout && Y.Layout)) &&
          !hasSameIndices(X, Y));
}

/// As far as \p Relation stays an identity, it does so without sets.
ReadRelation ReadWalk::followIdentity(const ReadRelation &Relation,
                                      const ReadNode &From, const Edge &E,
                                      bool &Done) {
  const Shape &X = shape(From), &Y = shape(Nodes[E.To]);
  ReadRelation Next = Relation;
  bool Same = hasSameIndices(X, Y);
  if (isSameBytes(E, X, Y)) {
    Next.SameAddress &= storedBits(X) == storedBits(Y) && storedBits(X) != 0;
    Next.SameIndex &= Same;
  } else if (E.Kind == AccessKind::Mapped || E.Kind == AccessKind::Indexed) {
    // A reshape without tiles moves nothing.
    Next.SameAddress &= P[From.Inst.Id].Op == Opcode::Reshape &&
                        storedBits(X) == storedBits(Y) && isRowMajor(X) &&
                        isRowMajor(Y);
    Next.SameIndex = false;
  } else {
    Next.SameAddress &= Same;
    Next.SameIndex &= hasSameSizes(X, Y);
  }
  if (E.Kind == AccessKind::OutsideWindow)
    Next.Hidden.push_back({From.Inst, Relation.SameIndex});
  Done = Next.isIdentity();
  return Next;
}

/// What \p Relation, which wants elements of \p Node, wants of an operand;
/// nothing if that is none.
std::optional<ReadRelation> ReadWalk::through(const ReadRelation &Relation,
                                              uint32_t Node, const Edge &E) {
  const ReadNode &From = Nodes[Node];
  const Shape &X = shape(From), &Y = shape(Nodes[E.To]);
  bool Inside = E.Operand.has_value();
  ReadRelation Next = Relation;
  if (Inside && !movesElements(P[From.Inst.Id].Op))
    Next.Moves = false;
  if (Inside && E.Kind != AccessKind::SameIndex &&
      E.Kind != AccessKind::SameBytes && E.Kind != AccessKind::OutsideWindow)
    Next.Cause = From.Inst.Id;
  IntegerMap Step;
  if (E.Kind == AccessKind::Indexed)
    Step = Maps.map(From.Inst, From.Part, *E.Operand);
  if (E.Kind == AccessKind::Any || E.Kind == AccessKind::Unknown ||
      (E.Kind == AccessKind::Indexed && !Step)) {
    Next.Repeated |=
        P[From.Inst.Id].Op == Opcode::Scatter && ArrayOrder(Y).elements() != 1;
    // Constant indices that the text leaves out are as unknown as an input.
    readAll(Next, X, Y,
            E.Kind == AccessKind::Unknown ? ReadKind::Unknown : ReadKind::Any);
    return Next;
  }
  if (Relation.isIdentity()) {
    bool Done = false;
    ReadRelation Identity = followIdentity(Next, From, E, Done);
    if (Done)
      return Identity;
    if (!makeExplicit(Maps, *Frame, X, Next)) {
      readAll(Next, X, Y, ReadKind::Unknown);
      return Next;
    }
  }
  if (E.Kind == AccessKind::OutsideWindow) {
    IntegerSet Window = Maps.window(From.Inst);
    if (Window && Next.Map.pieces() <= MaxHidden)
      Next.Map = Next.Map.subtractRange(Window);
    else
      Next.Overestimated = true;
  }
  if (E.Kind == AccessKind::Mapped)
    Step = Maps.map(From.Inst, From.Part, *E.Operand);
  else if (isSameBytes(E, X, Y))
    Step = samePlace(Sets, X, Y);
  else if (E.Kind != AccessKind::Indexed && hasSameSizes(X, Y))
    Step = IntegerMap::identity(Sets, X.Dimensions.size());
  if (!Step) {
    readAll(Next, X, Y, ReadKind::Unknown);
    return Next;
  }
  Next.Map = Next.Map.then(Step);
  // Where nothing else is read, this is for each element.
  if (Edges[Node].size() != 1 && Next.Map.isEmpty() == Decision(true))
    return std::nullopt;
  Next.Used = Next.Map.usedParameters();
  return Next;
}

/// Unites \p Relation with what is known of \p To.
void ReadWalk::add(uint32_t To, ReadRelation Relation) {
  for (ReadRelation &Known : llvm::reverse(Relations[To])) {
    if (Known.Kind != Relation.Kind || Known.Moves != Relation.Moves ||
        Known.SameAddress != Relation.SameAddress ||
        Known.SameIndex != Relation.SameIndex ||
        Known.Repeated != Relation.Repeated || Known.Used != Relation.Used ||
        Known.Map.pieces() + Relation.Map.pieces() > MaxPieces)
      continue;
    Known.Overestimated |= Relation.Overestimated;
    if (Relation.isIdentity()) {
      size_t Before = std::max(Known.Hidden.size(), Relation.Hidden.size());
      llvm::erase_if(Known.Hidden, [&](const HiddenWindow &Hidden) {
        return !llvm::is_contained(Relation.Hidden, Hidden);
      });
      Known.Overestimated |= Known.Hidden.size() != Before;
      return;
    }
    Known.Map = Known.Map.unite(Relation.Map);
    // Twice as many are simplified next: that takes time for each pair.
    if (Known.Map.pieces() == MaxPieces / 2 || Known.Map.pieces() == MaxPieces)
      Known.Map = Known.Map.coalesce();
    return;
  }
  if (Relations[To].size() == MaxRelations)
    Incomplete = true;
  else
    Relations[To].push_back(std::move(Relation));
}

void ReadWalk::propagate(uint32_t From) {
  std::vector<ReadRelation> Own = std::move(Relations[From]);
  Relations[From].clear();
  for (const Edge &E : Edges[From]) {
    if (!Reaches[E.To])
      continue;
    for (const ReadRelation &Relation : Own)
      if (std::optional<ReadRelation> Next = through(Relation, From, E))
        add(E.To, std::move(*Next));
  }
}

OperandReads ReadWalk::run(ArrayRef<ReadOperand> Operands) {
  OperandReads Result;
  Result.Incomplete = !findOrder();
  if (Result.Incomplete)
    return Result;
  prune(Operands);
  Relations.resize(Nodes.size());
  for (uint32_t Begin : Begins)
    add(Begin, ReadRelation());
  for (auto N = Order.rbegin(); N != Order.rend() && !Incomplete; ++N) {
    if (!Reaches[*N])
      continue;
    if (Nodes[*N].IsOperand)
      Result.Reads[{Nodes[*N].Inst.Scope, Nodes[*N].Part}] =
          std::move(Relations[*N]);
    else
      propagate(*N);
  }
  Result.Incomplete = Incomplete;
  return Result;
}
