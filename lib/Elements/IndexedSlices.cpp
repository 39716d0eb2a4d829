// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/IndexedSlices.h"
#include "Elements/ArrayPlaces.h"
#include "HLO/AttributeNumbers.h"

using namespace hlobuf;

/// More start indices than these are not computed.
static constexpr int64_t MaxStarts = 4096;
/// A relation of more runs than these is not built.
static constexpr size_t MaxRuns = 1024;
/// Work on pairs of runs, which finds updates of one element, is for fewer.
static constexpr size_t FewRuns = 64;

namespace {
/// The slices of one gather or scatter.
class IndexedSlices {
public:
  IndexedSlices(StartIndices &Starts, ScopedId Inst)
      : All(Starts.All), Starts(Starts), Sets(Starts.Sets), Inst(Inst),
        IsScatter(All.program()[Inst.Id].Op == Opcode::Scatter),
        Operands(All.program().operands(Inst.Id)),
        Inputs(IsScatter ? Operands.size() / 2 : 1) {}
  /// False if operands or attributes do not fit.
  bool read();
  /// From an index of the slices to those of the whole array; null where that
  /// is not known.
  IntegerMap inWhole();
  /// From an index of the slices to those of the indices.
  IntegerMap inIndices() const;
  /// From an index of the whole array to those of operand \p Operand that a
  /// scatter, or from one of the slices to those that a gather, reads for it.
  IntegerMap readOf(uint32_t Operand);
  /// Arrays that have the slices; the next operand is the indices.
  size_t inputs() const { return Inputs; }

private:
  /// Slices whose starts grow by the same steps along the last batch dimension.
  struct Run {
    /// The batch index of the first one.
    SmallVector<int64_t, 4> First;
    int64_t Count = 1;
    SmallVector<int64_t, 4> Start;
    SmallVector<int64_t, 4> Step;
  };

  bool readShapes();
  bool findRuns();
  std::optional<SmallVector<int64_t, 4>> startsAt(ArrayRef<int64_t> Row);
  std::optional<int64_t> startAt(int64_t Element, int64_t Dimension);
  void add(ArrayRef<int64_t> Row, ArrayRef<int64_t> Start);
  IntegerMap sliceOf(const Run &R) const;

  Scalars &All;
  StartIndices &Starts;
  const IntegerSets &Sets;
  ScopedId Inst;
  bool IsScatter;
  ArrayRef<HloId> Operands;
  size_t Inputs;
  /// The array that has the slices.
  Shape Whole;
  /// All slices: what gather makes, or the updates of scatter.
  Shape Slices;
  Shape Indices;
  AttributeNumbers StartMap, Sizes, WholeBatch, IndicesBatch;
  int64_t VectorDimension = 0;
  /// Dimensions of the slices, for each of the whole array; -1 for those of
  /// size one that they leave out.
  SmallVector<int64_t, 4> OffsetOf;
  /// Dimensions of indices, the vector's left out, and of the slices.
  SmallVector<std::pair<int64_t, int64_t>, 4> Batch;
  std::vector<Run> Runs;
};
} // namespace

bool IndexedSlices::readShapes() {
  if (Inputs == 0 || Operands.size() != Inputs + 1 + (IsScatter ? Inputs : 0))
    return false;
  const Program &P = All.program();
  Whole = shapeOf(P, Operands[0], 0);
  Indices = shapeOf(P, Operands[Inputs], 0);
  Slices = shapeOf(P, IsScatter ? Operands[Inputs + 1] : Inst.Id, 0);
  return Whole.isArray() && Indices.isArray() && Slices.isArray();
}

bool IndexedSlices::read() {
  if (!readShapes())
    return false;
  StringRef Text = All.attributes(Inst.Id);
  auto Numbers = [&](StringRef OfGather, StringRef OfScatter) {
    return numbersIn(findAttribute(Text, IsScatter ? OfScatter : OfGather))
        .value_or(AttributeNumbers());
  };
  auto Offsets = Numbers("offset_dims", "update_window_dims");
  auto Collapsed = Numbers("collapsed_slice_dims", "inserted_window_dims");
  StartMap = Numbers("start_index_map", "scatter_dims_to_operand_dims");
  WholeBatch = Numbers("operand_batching_dims", "input_batching_dims");
  IndicesBatch =
      Numbers("start_indices_batching_dims", "scatter_indices_batching_dims");
  auto Vector = findAttribute(Text, "index_vector_dim");
  int64_t Rank = Indices.Dimensions.size();
  int64_t WholeRank = Whole.Dimensions.size();
  int64_t SlicesRank = Slices.Dimensions.size();
  auto AreBelow = [](const AttributeNumbers &All, int64_t End) {
    return llvm::all_of(All, [&](int64_t D) { return D >= 0 && D < End; });
  };
  if (!Vector || Vector->getAsInteger(10, VectorDimension) ||
      VectorDimension < 0 || WholeBatch.size() != IndicesBatch.size() ||
      !AreBelow(StartMap, WholeRank) || !AreBelow(Offsets, SlicesRank))
    return false;
  int64_t Length =
      VectorDimension < Rank ? Indices.Dimensions[VectorDimension].Size : 1;
  if (static_cast<int64_t>(StartMap.size()) != Length)
    return false;
  size_t Next = 0;
  for (int64_t D = 0; D != WholeRank; ++D) {
    bool Left =
        llvm::is_contained(Collapsed, D) || llvm::is_contained(WholeBatch, D);
    if (!Left && Next == Offsets.size())
      return false;
    OffsetOf.push_back(Left ? -1 : Offsets[Next++]);
    Sizes.push_back(Left ? 1 : Slices.Dimensions[OffsetOf.back()].Size);
  }
  int64_t Dimension = 0;
  for (int64_t D = 0; D != SlicesRank; ++D) {
    if (llvm::is_contained(Offsets, D))
      continue;
    Dimension += Dimension == VectorDimension;
    Batch.push_back({Dimension++, D});
  }
  bool HasVector = Dimension == VectorDimension && Dimension < Rank;
  return Next == Offsets.size() && Dimension + HasVector == Rank;
}

/// Where element \p Element of the indices puts a slice along \p Dimension:
/// gather clamps it, scatter leaves out slices that do not fit.
std::optional<int64_t> IndexedSlices::startAt(int64_t Element,
                                              int64_t Dimension) {
  ScalarId Index{{Inst.Scope, Operands[Inputs]}, 0, Element};
  if (IsScatter)
    return All.evaluate(Index, {});
  SymbolicIndex Start =
      Starts.start(Index, Whole.Dimensions[Dimension].Size - Sizes[Dimension]);
  return Start.Parameter ? std::nullopt : std::optional(Start.Constant);
}

/// The start of the slice in each dimension, batch dimensions aside; nothing if
/// one is not known.
std::optional<SmallVector<int64_t, 4>>
IndexedSlices::startsAt(ArrayRef<int64_t> Row) {
  SmallVector<int64_t, 4> Result(Sizes.size());
  int64_t Rank = Indices.Dimensions.size();
  for (size_t K = 0; K != StartMap.size(); ++K) {
    int64_t Element = 0;
    for (int64_t D = 0, B = 0; D != Rank; ++D)
      Element = Element * Indices.Dimensions[D].Size +
                (D == VectorDimension ? static_cast<int64_t>(K) : Row[B++]);
    auto Start = startAt(Element, StartMap[K]);
    if (!Start)
      return std::nullopt;
    Result[StartMap[K]] = *Start;
  }
  return Result;
}

/// Extends the last run, or begins another one.
void IndexedSlices::add(ArrayRef<int64_t> Row, ArrayRef<int64_t> Start) {
  for (size_t D = 0; D != Start.size(); ++D)
    if (Start[D] < 0 || Start[D] > Whole.Dimensions[D].Size - Sizes[D])
      return; // Of scatter alone.
  auto Follows = [&](const Run &Last) {
    return !Row.empty() &&
           Row.drop_back() == ArrayRef(Last.First).drop_back() &&
           Row.back() == Last.First.back() + Last.Count;
  };
  if (!Runs.empty() && Follows(Runs.back())) {
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

bool IndexedSlices::findRuns() {
  int64_t Count = std::max<int64_t>(1, StartMap.size());
  for (auto [D, Slice] : Batch) {
    int64_t Size = Indices.Dimensions[D].Size;
    if (Size <= 0 || Size > MaxStarts || (Count *= Size) > MaxStarts)
      return false;
  }
  SmallVector<int64_t, 4> Row(Batch.size());
  while (true) {
    auto Start = startsAt(Row);
    if (!Start)
      return false;
    add(Row, *Start);
    if (Runs.size() > (IsScatter ? FewRuns : MaxRuns))
      return false;
    size_t D = Row.size();
    for (; D != 0; Row[--D] = 0)
      if (++Row[D - 1] != Indices.Dimensions[Batch[D - 1].first].Size)
        break;
    if (D == 0)
      return true;
  }
}

IntegerMap IndexedSlices::inIndices() const {
  unsigned Rank = Indices.Dimensions.size();
  RelationBuilder Relations(Sets, Slices.Dimensions.size(), Rank);
  for (auto [D, Slice] : Batch)
    Relations.equal({{TermKind::Out, static_cast<unsigned>(D), 1},
                     {TermKind::In, static_cast<unsigned>(Slice), -1}});
  if (VectorDimension < Rank)
    Relations.within(TermKind::Out, VectorDimension, {}, StartMap.size());
  return Relations.map();
}

IntegerMap IndexedSlices::sliceOf(const Run &R) const {
  RelationBuilder Relations(Sets, Slices.Dimensions.size(), Sizes.size());
  for (size_t B = 0; B != Batch.size(); ++B)
    Relations.within(TermKind::In, Batch[B].second, {R.First[B], {}},
                     B + 1 == Batch.size() ? R.Count : 1);
  for (unsigned D = 0; D != Sizes.size(); ++D) {
    SmallVector<LinearTerm, 3> Sum = {{TermKind::Out, D, 1}};
    int64_t Begin = R.Start[D];
    if (OffsetOf[D] >= 0)
      Sum.push_back({TermKind::In, static_cast<unsigned>(OffsetOf[D]), -1});
    if (R.Step[D] != 0) {
      Sum.push_back({TermKind::In, unsigned(Batch.back().second), -R.Step[D]});
      Begin -= R.Step[D] * R.First.back();
    }
    const auto *Batching = llvm::find(WholeBatch, static_cast<int64_t>(D));
    if (Batching != WholeBatch.end()) {
      int64_t From = IndicesBatch[Batching - WholeBatch.begin()];
      for (auto [Dimension, Slice] : Batch)
        if (Dimension == From)
          Sum.push_back({TermKind::In, static_cast<unsigned>(Slice), -1});
    }
    Relations.equal(Sum, -Begin);
  }
  return Relations.map();
}

IntegerMap IndexedSlices::inWhole() {
  if (!findRuns())
    return {};
  IntegerMap Pairs =
      IntegerMap::product(allIndices(Sets, Slices), allIndices(Sets, Whole));
  IntegerMap United = Pairs.subtract(Pairs);
  for (const Run &R : Runs)
    United = United.unite(sliceOf(R).intersect(Pairs));
  return Runs.size() <= FewRuns ? United.coalesce() : United;
}

IntegerMap IndexedSlices::readOf(uint32_t Operand) {
  if (!IsScatter)
    return Operand == Inputs ? inIndices() : inWhole();
  IntegerMap Written = inWhole();
  // Of two updates of one element, the second reads what the first wrote.
  IntegerMap Update = Written.reverse();
  if (Written.then(Update).isSubset(IntegerMap::identity(
          Sets, Slices.Dimensions.size())) != Decision(true))
    return {};
  return Operand == Inputs ? Update.then(inIndices()) : Update;
}

IntegerSet hlobuf::scatteredElements(StartIndices &Starts, ScopedId Inst) {
  IndexedSlices Slices(Starts, Inst);
  return Slices.read() && Slices.inputs() == 1 ? Slices.inWhole().range()
                                               : IntegerSet();
}

IntegerMap hlobuf::indexedMap(StartIndices &Starts, ScopedId Inst,
                              uint32_t Operand) {
  IndexedSlices Slices(Starts, Inst);
  return Slices.read() ? Slices.readOf(Operand) : IntegerMap();
}
