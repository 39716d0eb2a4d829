// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/GatherMaps.h"
#include "HLO/AttributeNumbers.h"

using namespace hlobuf;
using llvm::ArrayRef;
using llvm::SmallVector;

/// More start indices than these are not computed.
static constexpr int64_t MaxStarts = 4096;
/// A relation of more runs than these is not built.
static constexpr size_t MaxRuns = 64;
/// More instructions than these are not asked what they are computed from.
static constexpr size_t MaxInstructions = 1000;

namespace {
/// The relations of one gather.
class Gather {
public:
  Gather(Scalars &All, StartIndices &Starts, const IntegerSets &Sets,
         ScopedId At)
      : All(All), Starts(Starts), Sets(Sets), At(At),
        Operands(All.program().operands(At.Id)) {}
  IntegerMap map(uint32_t Operand);

private:
  /// Slices whose starts grow by the same steps along the last batch dimension.
  struct Run {
    /// The batch index of the first one.
    SmallVector<int64_t, 4> First;
    int64_t Count = 1;
    SmallVector<int64_t, 4> Start;
    SmallVector<int64_t, 4> Step;
  };

  bool readAttributes();
  bool findRuns();
  std::optional<SmallVector<int64_t, 4>> startsAt(ArrayRef<int64_t> Row);
  void add(ArrayRef<int64_t> Row, ArrayRef<int64_t> Start);
  IntegerMap indicesRead() const;
  IntegerMap sliceOf(const Run &R) const;
  const Shape &shape(HloId Id) const { return All.shape({{At.Scope, Id}}); }
  const Shape &source() const { return shape(Operands[0]); }
  const Shape &indices() const { return shape(Operands[1]); }
  const Shape &result() const { return shape(At.Id); }

  Scalars &All;
  StartIndices &Starts;
  const IntegerSets &Sets;
  ScopedId At;
  ArrayRef<HloId> Operands;
  AttributeNumbers StartMap, Sizes, SourceBatch, IndicesBatch;
  int64_t VectorDimension = 0;
  /// Dimensions of the result, for each of the operand's; -1 for those of size
  /// one that it leaves out.
  SmallVector<int64_t, 4> OffsetOf;
  /// Dimensions of indices, the vector's left out, and of the result.
  SmallVector<std::pair<int64_t, int64_t>, 4> Batch;
  std::vector<Run> Runs;
};
} // namespace

/// False if attributes do not fit shapes.
bool Gather::readAttributes() {
  llvm::StringRef Text = All.attributes(At.Id);
  auto Numbers = [&](llvm::StringRef Key) {
    return numbersIn(findAttribute(Text, Key)).value_or(AttributeNumbers());
  };
  AttributeNumbers Offsets = Numbers("offset_dims");
  AttributeNumbers Collapsed = Numbers("collapsed_slice_dims");
  StartMap = Numbers("start_index_map");
  Sizes = Numbers("slice_sizes");
  SourceBatch = Numbers("operand_batching_dims");
  IndicesBatch = Numbers("start_indices_batching_dims");
  auto Vector = findAttribute(Text, "index_vector_dim");
  int64_t Rank = indices().Dimensions.size();
  int64_t SourceRank = source().Dimensions.size();
  int64_t ResultRank = result().Dimensions.size();
  if (!Vector || Vector->getAsInteger(10, VectorDimension) ||
      static_cast<int64_t>(Sizes.size()) != SourceRank ||
      SourceBatch.size() != IndicesBatch.size())
    return false;
  int64_t Length =
      VectorDimension < Rank ? indices().Dimensions[VectorDimension].Size : 1;
  if (static_cast<int64_t>(StartMap.size()) != Length ||
      llvm::any_of(StartMap, [&](int64_t D) { return D >= SourceRank; }))
    return false;
  size_t Next = 0;
  for (int64_t D = 0; D != SourceRank; ++D) {
    bool Left =
        llvm::is_contained(Collapsed, D) || llvm::is_contained(SourceBatch, D);
    if (!Left && Next == Offsets.size())
      return false;
    OffsetOf.push_back(Left ? -1 : Offsets[Next++]);
  }
  int64_t Dimension = 0;
  for (int64_t D = 0; D != ResultRank; ++D) {
    if (llvm::is_contained(Offsets, D))
      continue;
    Dimension += Dimension == VectorDimension;
    Batch.push_back({Dimension++, D});
  }
  return Next == Offsets.size() &&
         Dimension + (Dimension == VectorDimension && Dimension < Rank) == Rank;
}

/// The clamped start of each dimension of the operand, batch dimensions aside;
/// nothing if one is not known.
std::optional<SmallVector<int64_t, 4>> Gather::startsAt(ArrayRef<int64_t> Row) {
  SmallVector<int64_t, 4> Result(Sizes.size());
  int64_t Rank = indices().Dimensions.size();
  for (size_t K = 0; K != StartMap.size(); ++K) {
    int64_t Element = 0;
    for (int64_t D = 0, B = 0; D != Rank; ++D)
      Element = Element * indices().Dimensions[D].Size +
                (D == VectorDimension ? static_cast<int64_t>(K) : Row[B++]);
    int64_t D = StartMap[K];
    SymbolicIndex Start = Starts.start({{At.Scope, Operands[1]}, 0, Element},
                                       source().Dimensions[D].Size - Sizes[D]);
    if (Start.Parameter)
      return std::nullopt;
    Result[D] = Start.Constant;
  }
  return Result;
}

/// Extends the last run, or begins another one.
void Gather::add(ArrayRef<int64_t> Row, ArrayRef<int64_t> Start) {
  if (!Runs.empty() && !Row.empty() && Row.back() != 0) {
    Run &Last = Runs.back();
    SmallVector<int64_t, 4> Step(Start);
    for (size_t D = 0; D != Step.size(); ++D)
      Step[D] -= Last.Start[D] + (Last.Count - 1) * Last.Step[D];
    if (Last.Count == 1)
      Last.Step = Step;
    if (Last.Step == Step) {
      ++Last.Count;
      return;
    }
  }
  Run &New = Runs.emplace_back();
  New.First.assign(Row.begin(), Row.end());
  New.Start.assign(Start.begin(), Start.end());
  New.Step.assign(Start.size(), 0);
}

bool Gather::findRuns() {
  int64_t Count = StartMap.size();
  for (auto [D, Of] : Batch) {
    int64_t Size = indices().Dimensions[D].Size;
    if (Size <= 0 || Size > MaxStarts || (Count *= Size) > MaxStarts)
      return false;
  }
  SmallVector<int64_t, 4> Row(Batch.size());
  while (true) {
    auto Start = startsAt(Row);
    if (!Start)
      return false;
    add(Row, *Start);
    if (Runs.size() > MaxRuns)
      return false;
    size_t D = Row.size();
    for (; D != 0; Row[--D] = 0)
      if (++Row[D - 1] != indices().Dimensions[Batch[D - 1].first].Size)
        break;
    if (D == 0)
      return true;
  }
}

/// Each element reads one vector of indices.
IntegerMap Gather::indicesRead() const {
  unsigned Rank = indices().Dimensions.size();
  RelationBuilder Relations(Sets, result().Dimensions.size(), Rank);
  for (auto [D, Of] : Batch)
    Relations.equal({{TermKind::Out, static_cast<unsigned>(D), 1},
                     {TermKind::In, static_cast<unsigned>(Of), -1}});
  if (VectorDimension < Rank)
    Relations.within(TermKind::Out, VectorDimension, {}, StartMap.size());
  return Relations.map();
}

IntegerMap Gather::sliceOf(const Run &R) const {
  RelationBuilder Relations(Sets, result().Dimensions.size(), Sizes.size());
  for (size_t B = 0; B != Batch.size(); ++B)
    Relations.within(TermKind::In, Batch[B].second, {R.First[B], {}},
                     B + 1 == Batch.size() ? R.Count : 1);
  for (unsigned D = 0; D != Sizes.size(); ++D) {
    SmallVector<LinearTerm, 3> Sum = {{TermKind::Out, D, 1}};
    int64_t Begin = R.Start[D];
    if (OffsetOf[D] >= 0)
      Sum.push_back({TermKind::In, static_cast<unsigned>(OffsetOf[D]), -1});
    if (R.Step[D] != 0) {
      Sum.push_back({TermKind::In, static_cast<unsigned>(Batch.back().second),
                     -R.Step[D]});
      Begin -= R.Step[D] * R.First.back();
    }
    auto Batching = llvm::find(SourceBatch, static_cast<int64_t>(D));
    if (Batching != SourceBatch.end()) {
      int64_t From = IndicesBatch[Batching - SourceBatch.begin()];
      for (auto [Dimension, Of] : Batch)
        if (Dimension == From)
          Sum.push_back({TermKind::In, static_cast<unsigned>(Of), -1});
    }
    Relations.equal(Sum, -Begin);
  }
  return Relations.map();
}

IntegerMap Gather::map(uint32_t Operand) {
  if (Operands.size() != 2 || !source().isArray() || !indices().isArray() ||
      !result().isArray() || !readAttributes())
    return {};
  if (Operand == 1)
    return indicesRead();
  if (!findRuns())
    return {};
  IntegerMap Whole = sliceOf(Runs[0]);
  for (const Run &R : ArrayRef(Runs).drop_front())
    Whole = Whole.unite(sliceOf(R));
  return Runs.size() > 1 ? Whole.coalesce() : Whole;
}

IntegerMap hlobuf::gatherMap(Scalars &All, StartIndices &Starts,
                             const IntegerSets &Sets, ScopedId At,
                             uint32_t Operand) {
  return Gather(All, Starts, Sets, At).map(Operand);
}

bool hlobuf::isConstant(Scalars &All, ScopedId Id) {
  const Program &P = All.program();
  SmallVector<ScopedId, 16> Todo = {Id};
  std::map<ScopedId, bool> Seen;
  while (!Todo.empty()) {
    ScopedId At = Todo.pop_back_val();
    if (!Seen.try_emplace(At, true).second)
      continue;
    if (Seen.size() > MaxInstructions)
      return false;
    const HloNode &N = P[At.Id];
    if (N.Op == Opcode::Constant || N.Op == Opcode::Iota)
      continue;
    if (N.Op == Opcode::Parameter && At.Scope != 0) {
      ScopedId Call = All.caller(At.Scope);
      if (N.number() >= P.operands(Call.Id).size())
        return false;
      Todo.push_back({Call.Scope, P.operands(Call.Id)[N.number()]});
      continue;
    }
    if (N.Op == Opcode::Fusion && !N.Sugar) {
      ComputationId Body = P.callee(At.Id, CallRole::Calls);
      HloId Root = Body ? P.root(Body) : HloId();
      if (!Root)
        return false;
      Todo.push_back({All.enter(At), Root});
      continue;
    }
    // Others may have effects, or inputs that are no operands.
    bool IsFunction = isElementwise(N.Op) || movesElements(N.Op) ||
                      accessesNoMemory(N.Op) || N.Op == Opcode::Gather ||
                      N.Op == Opcode::Reduce || N.Op == Opcode::ReduceWindow ||
                      N.Op == Opcode::Dot || N.Op == Opcode::Sort;
    if (!IsFunction || P.operands(At.Id).empty())
      return false;
    for (HloId Operand : P.operands(At.Id))
      Todo.push_back({At.Scope, Operand});
  }
  return true;
}
