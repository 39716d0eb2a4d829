// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/SliceComparison.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// Faults that are kept: the reporter counts more than it shows, and what is
/// broken need not be compared to its end.
static constexpr size_t MostFaults = 1 << 16;
/// Ways to read the arguments of a custom call as operands and results.
static constexpr size_t MostWays = 64;

SliceComparison::SliceComparison(const ThunkGraph &Graph, Ledger &Book)
    : G(Graph), P(Graph.program()), T(Graph.thunks()), Book(Book) {
  auto HasRoom = [&] { return Reads.size() + Writes.size() < MostFaults; };
  for (const Thunk &Each : T.Thunks)
    if (llvm::any_of(T.slices(Each),
                     [](const ThunkSlice &S) { return S.Shape.valid(); }))
      Shaped.insert(Each.Kind);
  for (size_t I = 0; I != T.Thunks.size() && HasRoom(); ++I)
    compare(ThunkId(I));
  for (size_t N = 0; N != P.size() && HasRoom(); ++N)
    compareSortCopies(HloId(N));
  if (!T.ForGpu)
    return;
  // A slice that is elsewhere is not missing, too.
  DenseSet<uint32_t> BadReads, BadWrites;
  for (const SliceFault &Fault : Reads)
    BadReads.insert(G.instruction(Fault.Thunk).index());
  for (const SliceFault &Fault : Writes)
    BadWrites.insert(G.instruction(Fault.Thunk).index());
  for (size_t N = 0; N != P.size() && HasRoom(); ++N)
    compareWhole(HloId(N), BadReads.contains(static_cast<uint32_t>(N)),
                 BadWrites.contains(static_cast<uint32_t>(N)));
}

/// True if \p S is not where \p Leaf is known to be.
static bool isElsewhere(const ThunkSlice &S, const ArrayLeaf &Leaf) {
  return Leaf.Bytes && (S.Missing || S.Bytes != *Leaf.Bytes);
}

SliceComparison::LeafSet::LeafSet(Leaves All) {
  std::vector<ByteSlice> Places;
  for (const ArrayLeaf &Leaf : All) {
    Known &= Leaf.Bytes.has_value();
    if (Leaf.Bytes)
      Places.push_back(*Leaf.Bytes);
  }
  Slices = SliceSet(Places);
}

void SliceComparison::close(const ThunkSlice &S, const Outcome &Result) {
  auto Number = static_cast<uint32_t>(&S - T.Slices.data());
  Book.visit({topicOf(S), HloId(), Number}, Result);
}

void SliceComparison::closeAll(ThunkId Id, const Outcome &Result) {
  for (const ThunkSlice &S : T.slices(T[Id]))
    close(S, Result);
}

/// Closes the slice of \p Found, a fault if that is not where the array is, and
/// says whether it may be.
bool SliceComparison::closeAt(const SliceFault &Found, bool InWrites) {
  if (isElsewhere(*Found.Slice, *Found.Expected)) {
    fault(Found, InWrites);
    return false;
  }
  close(*Found.Slice, Found.Expected->Bytes ? Outcome(Rule::PlaceOfArray)
                                            : Reason::ArrayWithoutPlace);
  return true;
}

/// What is known of the arrays that the thunks of \p I, or a hero(), touch.
void SliceComparison::note(HloId I, const Outcome &Result) {
  ComputationId In = P[I].Parent;
  HloId Launched = P.isFusionBody(In) ? P.callers(In).front() : I;
  if (G.isLaunched(Launched))
    Book.visit({Topic::Launched, Launched}, Result);
}

void SliceComparison::fault(const SliceFault &Found, bool InWrites) {
  if (Found.Slice)
    close(*Found.Slice, {Breach::OtherBytes, G.name(Found.Thunk)});
  else
    note(G.instruction(Found.Thunk),
         {Breach::ArrayUntouched, G.name(Found.Thunk)});
  (InWrites ? Writes : Reads).push_back(Found);
}

/// Emitters take slices and shapes from one instruction. Releases that state
/// none for some kind of thunk state none for all of it.
void SliceComparison::compareShape(ThunkId Id, const ThunkSlice &S,
                                   const ArrayLeaf &Leaf) {
  ShapeId Own = P.trees().part(P[Leaf.Instruction].Shape, Leaf.Ordinal);
  ThunkKind Kind = T[Id].Kind;
  // Kernels get addresses. A product takes dimensions of its factors together,
  // and some thunks of a GPU state shapes for a part of their slices.
  if (S.Shape == Own || Kind == ThunkKind::Kernel ||
      Kind == ThunkKind::CustomKernel || Kind == ThunkKind::CublasLt ||
      (T.ForGpu && G.isBitcastOf(Leaf.Instruction, S.Shape)) ||
      (!S.Shape && (T.ForGpu || !Shaped.count(Kind))))
    return;
  Shapes.push_back({Id, &S, Leaf, 0});
}

/// \p S is one of \p Any, or a \p Part of one, or may be the one whose place
/// is not known.
bool SliceComparison::closeAsOneOf(const ThunkSlice &S, const LeafSet &Any,
                                   bool Part) {
  if (!S.Missing && Any.Slices.contains(S.Bytes))
    close(S, Rule::PlaceOfAny);
  else if (Part && !S.Missing && Any.Slices.isInOne(S.Bytes))
    close(S, Reason::PartOfArray);
  else if (!Any.Known)
    close(S, Reason::ArrayWithoutPlace);
  else
    return false;
  return true;
}

SliceComparison::Slices SliceComparison::slices(ThunkId Id,
                                                bool Written) const {
  Slices Result;
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (S.writes() == Written)
      Result.push_back(&S);
  return Result;
}

void SliceComparison::compare(ThunkId Id) {
  HloId I = G.instruction(Id);
  ThunkKind Kind = T[Id].Kind;
  if (G.isEmbedded(Id) && !G.isHero(Id))
    return compareEmbedded(Id);
  if (!T[Id].Understood)
    closeAll(Id, Reason::UnknownThunk);
  else if (!I)
    closeAll(Id, Reason::ThunkWithoutInstruction);
  else if (isThunkFrame(Kind))
    closeAll(Id, Reason::ArrayWithoutPlace);
  else if (Kind == ThunkKind::While || Kind == ThunkKind::Conditional)
    compareControl(Id, I);
  else if (T.ForGpu)
    compareGpu(Id, I);
  else
    compareCpu(Id, I);
}

/// What is inside of a dynamic-slice fusion and not its hero: one copy of a
/// part that a parameter gives, whole, to one of a result. Allocations are
/// those of the parameters, then those of the results.
void SliceComparison::compareEmbedded(ThunkId Id) {
  const ThunkSequence &In = T[T[Id].In];
  Slices Read = slices(Id, false), Written = slices(Id, true);
  if (!In.Owner || In.Thunks.size() != 1 || Read.size() != 1 ||
      Written.size() != 1 || !isThunkCopy(T[Id].Kind)) {
    closeAll(Id, Reason::EmbeddedThunks);
    if (T[Id].Slices.empty() && In.Owner)
      note(G.instruction(In.Owner), Reason::SlicesAndArrays);
    return;
  }
  int64_t Parameters =
      llvm::count_if(T.attributes(T[In.Owner]), [](const ThunkAttribute &A) {
        return A.Key == "parameter";
      });
  auto IsWhole = [&](const ThunkSlice &S, bool Result) {
    auto Number = static_cast<uint64_t>(S.Bytes.Allocation);
    return !S.Missing && Number < In.Sizes.size() && S.Bytes.Offset == 0 &&
           S.Bytes.Size == static_cast<int64_t>(In.Sizes[Number]) &&
           Result == (S.Bytes.Allocation >= Parameters);
  };
  for (const ThunkSlice *S : {Read.front(), Written.front()})
    if (IsWhole(*S, S->writes()))
      close(*S, Rule::PlaceOfArray);
    else
      fault({Id, S, std::nullopt, 0}, S->writes());
}

/// The condition of a loop is the root of its computation, the index of a
/// conditional its first operand.
void SliceComparison::compareControl(ThunkId Id, HloId I) {
  HloId From;
  if (ComputationId Condition = T[Id].Kind == ThunkKind::While
                                    ? P.callee(I, CallRole::Condition)
                                    : ComputationId())
    From = P.root(Condition);
  else if (T[Id].Kind == ThunkKind::Conditional && !P.operands(I).empty())
    From = P.operands(I).front();
  if (From)
    compareInOrder(Id, slices(Id, false), {{From, 0, G.place(From, 0)}}, false);
  else
    note(I, Reason::ArrayWithoutPlace);
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (!From || S.writes())
      close(S, Reason::ArrayWithoutPlace);
}

void SliceComparison::compareInOrder(ThunkId Id, const Slices &Stated,
                                     Leaves Expected, bool Writes) {
  for (size_t N = 0; N != std::max(Stated.size(), Expected.size()); ++N) {
    auto Number = static_cast<uint32_t>(N);
    if (N >= Expected.size())
      fault({Id, Stated[N], std::nullopt, Number}, Writes);
    else if (N >= Stated.size())
      fault({Id, nullptr, Expected[N], Number}, Writes);
    else if (closeAt({Id, Stated[N], Expected[N], Number}, Writes))
      compareShape(Id, *Stated[N], Expected[N]);
  }
}

void SliceComparison::compareCpu(ThunkId Id, HloId I) {
  if (G.isCallKernel(Id)) {
    compareSets(Id, false);
    compareSets(Id, true);
    return;
  }
  if (T[Id].Kind == ThunkKind::Copy && P[I].Op == Opcode::Sort)
    return compareSortCopy(Id, I);
  if (T[Id].Kind == ThunkKind::Sort)
    return compareInOrder(Id, slices(Id, true), G.leaves(I), true);
  // What is empty keeps calls in order, too (buffer_use.cc, 2025-2026).
  bool Tokens = T[Id].Kind == ThunkKind::CustomCall;
  compareInOrder(Id, slices(Id, false), G.operandLeaves(I, Tokens), false);
  compareInOrder(Id, slices(Id, true), G.leaves(I, Tokens), true);
}

/// A kernel for a whole call has slices in any order.
void SliceComparison::compareSets(ThunkId Id, bool Results) {
  const ExpectedSlices &Expected =
      G.callSlices(Id, Results ? CallSlices::Results : CallSlices::Arguments);
  Slices Stated = slices(Id, Results);
  if (!Expected.Known) {
    for (const ThunkSlice *S : Stated)
      close(*S, Reason::ArrayWithoutPlace);
    return note(G.instruction(Id), Reason::ArrayWithoutPlace);
  }
  std::vector<ByteSlice> Matched;
  std::set<std::pair<ByteSlice, ShapeId>> Known;
  for (auto [Number, S] : llvm::enumerate(Stated)) {
    // A set has each once; until 2026 no shapes tell its elements apart.
    bool Twice = !Known.insert({S->Bytes, S->Shape}).second && S->Shape;
    if (S->Missing || Twice || !Expected.Slices.contains(S->Bytes)) {
      fault({Id, S, std::nullopt, static_cast<uint32_t>(Number)}, Results);
    } else {
      Matched.push_back(S->Bytes);
      close(*S, Stated.size() > 1 ? Outcome(Gate::WholeCallList)
                                  : Rule::PlaceOfArray);
    }
  }
  SliceSet Own(Matched);
  if (Own.slices().size() == Expected.Slices.slices().size())
    return;
  for (const ByteSlice &Bytes : Expected.Slices.slices())
    if (!Own.contains(Bytes))
      fault({Id, nullptr, ArrayLeaf{G.instruction(Id), 0, Bytes}, 0}, Results);
}

SliceComparison::SortPlaces::SortPlaces(Leaves Operands, Leaves Results)
    : Operands(Operands), Results(Results),
      Known(Operands.size() == Results.size()) {
  for (auto [From, To] : llvm::zip(Operands, Results)) {
    auto N = static_cast<uint32_t>(ByResult.size());
    Known &= From.Bytes && To.Bytes && ByResult.insert({*To.Bytes, N}).second;
    if (Known)
      ByOperand.insert({*From.Bytes, N});
  }
}

/// A sort works in place: operands that are elsewhere are copied first.
void SliceComparison::compareSortCopy(ThunkId Id, HloId I) {
  Slices From = slices(Id, false), To = slices(Id, true);
  if (From.size() != 1 || To.size() != 1) {
    closeAll(Id, Reason::SlicesAndArrays);
    return fault({Id, nullptr, std::nullopt, 0}, false);
  }
  const ThunkSlice &Source = *From.front(), &Target = *To.front();
  SortPlaces &Sort = Sorts[I];
  if (Sort.Results.empty())
    Sort = SortPlaces(G.operandLeaves(I), G.leaves(I));
  if (!Sort.Known)
    return closeAll(Id, Reason::ArrayWithoutPlace);
  auto Result = Sort.ByResult.find(Target.Bytes);
  auto Operand = Sort.ByOperand.find(Source.Bytes);
  if (!Target.Missing && Result != Sort.ByResult.end()) {
    const ArrayLeaf &Expected = Sort.Operands[Result->second];
    compareInOrder(Id, To, Sort.Results[Result->second], true);
    if (closeAt({Id, &Source, Expected, Result->second}, false))
      compareShape(Id, Source, Expected);
    return;
  }
  closeAll(Id, Reason::OtherCopy);
  if (!Source.Missing && Operand != Sort.ByOperand.end())
    compareInOrder(Id, To, Sort.Results[Operand->second], true);
  else
    fault({Id, &Source, std::nullopt, 0}, false);
}

/// A sort works in place: an operand of the sort \p I, alone or the root of a
/// fusion, that is elsewhere is copied to its result first.
void SliceComparison::compareSortCopies(HloId I) {
  HloId Sort = I;
  if (P[I].Op == Opcode::Fusion && !P.calls(I).empty())
    Sort = P.root(P.calls(I).front().Callee);
  if (P[Sort].Op != Opcode::Sort || G.thunksOf(I).empty())
    return;
  std::set<std::pair<ByteSlice, ByteSlice>> Copied;
  for (ThunkId Id : G.thunksOf(I)) {
    Slices From = slices(Id, false), To = slices(Id, true);
    if (isThunkCopy(T[Id].Kind) && From.size() == 1 && To.size() == 1)
      Copied.insert({From.front()->Bytes, To.front()->Bytes});
  }
  SmallVector<ArrayLeaf, 4> Results = G.leaves(I);
  for (auto [K, Operand] : llvm::enumerate(P.operands(Sort))) {
    HloId From = Operand;
    // What the fusion computes has no place.
    if (Sort != I && P[Operand].Op == Opcode::Parameter &&
        P[Operand].number() < P.operands(I).size())
      From = P.operands(I)[P[Operand].number()];
    std::optional<ByteSlice> Bytes = G.place(From, 0);
    if (K < Results.size() && Bytes && Results[K].Bytes &&
        *Bytes != *Results[K].Bytes &&
        Copied.count({*Bytes, *Results[K].Bytes}) == 0)
      fault({G.thunksOf(I).back(), nullptr, ArrayLeaf{From, 0, Bytes},
             static_cast<uint32_t>(K)},
            false);
  }
}

void SliceComparison::compareGpu(ThunkId Id, HloId I) {
  ThunkKind Kind = T[Id].Kind;
  if (Kind == ThunkKind::Kernel || Kind == ThunkKind::CustomKernel ||
      Kind == ThunkKind::Cudnn)
    return compareKernel(Id, I);
  SmallVector<ArrayLeaf, 8> Operands = G.operandLeaves(I);
  SmallVector<ArrayLeaf, 4> Results = G.orderedResults(I);
  Slices Read = slices(Id, false), Written = slices(Id, true);
  bool Ordered = llvm::is_contained(
      {ThunkKind::AllGather, ThunkKind::AllReduce, ThunkKind::AllToAll,
       ThunkKind::CollectiveBroadcast, ThunkKind::CollectiveKernel,
       ThunkKind::CollectivePermute, ThunkKind::Convolution,
       ThunkKind::CustomCall, ThunkKind::Fft, ThunkKind::HostExecuteStart,
       ThunkKind::Infeed, ThunkKind::Outfeed, ThunkKind::RaggedAllToAll,
       ThunkKind::ReduceScatter},
      Kind);
  IndexRange Inside = T[Id].Sequences;
  if (Kind == ThunkKind::DynamicSliceFusion &&
      (Inside.empty() || T.Sequences[Inside.Begin].Thunks.empty()))
    note(I, Reason::SlicesAndArrays);
  if (Kind == ThunkKind::DynamicSliceFusion ||
      (Ordered && Read.size() == Operands.size() &&
       Written.size() == Results.size())) {
    compareInOrder(Id, Read, Operands, false);
    compareInOrder(Id, Written, Results, true);
    return;
  }
  // One slice fewer or more may be a second one in the same bytes.
  if (Ordered &&
      (Read.size() != Operands.size() || Written.size() != Results.size()))
    note(I, Reason::SlicesAndArrays);
  compareUnordered(Id, I, Operands, G.writableLeaves(I));
}

/// Arguments are operands and then results; those of custom calls may be
/// interleaved, each in order: what is then shown of all of \p All. Nothing if
/// they are not.
static std::optional<Outcome> interleaved(ArrayRef<const ThunkSlice *> All,
                                          ArrayRef<ArrayLeaf> Operands,
                                          ArrayRef<ArrayLeaf> Results) {
  // By ways: how many operands were passed, ascending.
  SmallVector<size_t, 4> Ways = {0};
  for (size_t N = 0; N != All.size(); ++N) {
    SmallVector<size_t, 4> Next;
    auto Add = [&](size_t Passed) {
      if (Next.empty() || Next.back() != Passed)
        Next.push_back(Passed);
    };
    for (size_t Passed : Ways) {
      size_t Written = N - Passed;
      if (Written < Results.size() && !isElsewhere(*All[N], Results[Written]))
        Add(Passed);
      if (Passed < Operands.size() && !isElsewhere(*All[N], Operands[Passed]))
        Add(Passed + 1);
    }
    Ways = std::move(Next);
    if (Ways.size() > MostWays)
      return Reason::SeveralWays;
  }
  if (!llvm::is_contained(Ways, Operands.size()))
    return std::nullopt;
  bool Known = llvm::all_of(
      llvm::concat<const ArrayLeaf>(Operands, Results),
      [](const ArrayLeaf &Leaf) { return Leaf.Bytes.has_value(); });
  return Known ? Outcome(Rule::PlaceOfArray) : Reason::ArrayWithoutPlace;
}

void SliceComparison::compareKernel(ThunkId Id, HloId I) {
  SmallVector<ArrayLeaf, 8> Operands = G.operandLeaves(I);
  SmallVector<ArrayLeaf, 4> Results = G.leaves(I);
  Slices All(llvm::make_pointer_range(T.slices(T[Id])));
  if (P[I].Op == Opcode::CustomCall &&
      All.size() == Operands.size() + Results.size())
    if (auto Interleaved = interleaved(All, Operands, Results))
      return closeAll(Id, *Interleaved);
  size_t First = std::min(Operands.size(), All.size());
  compareInOrder(Id, Slices(All.begin(), All.begin() + First), Operands, false);
  compareInOrder(Id, Slices(All.begin() + First, All.end()), Results, true);
}

void SliceComparison::compareUnordered(ThunkId Id, HloId I, Leaves Operands,
                                       Leaves Results) {
  ThunkKind Kind = T[Id].Kind;
  bool Partly = isThunkCopy(Kind) || P[I].Op == Opcode::Fusion;
  bool Fills = Kind == ThunkKind::Memzero || Kind == ThunkKind::Memset;
  bool Accumulates = Kind == ThunkKind::Gemm || Kind == ThunkKind::CublasLt ||
                     Kind == ThunkKind::CustomCall ||
                     Kind == ThunkKind::TriangularSolve;
  Slices Read = slices(Id, false);
  if (std::optional<ByteSlice> Part = G.slicedOperand(I);
      Part && Read.size() == 1 && Operands.size() == 1) {
    ArrayLeaf Expected = Operands.front();
    Expected.Bytes = Part;
    closeAt({Id, Read.front(), Expected, 0}, false);
    Read.clear();
  }
  // A matrix product begins with its factors, and adds none of them.
  size_t Factors = Kind == ThunkKind::Gemm || Kind == ThunkKind::CublasLt
                       ? std::min<size_t>({2, Read.size(), Operands.size()})
                       : 0;
  LeafSet Sources(Operands.drop_front(Factors)), Targets(Results);
  compareInOrder(Id, Slices(Read.begin(), Read.begin() + Factors),
                 Operands.take_front(Factors), false);
  auto Compare = [&](const Slices &All, Leaves Arrays, size_t N,
                     const LeafSet &Any, bool Part) {
    if (closeAsOneOf(*All[N], Any, Part))
      return;
    std::optional<ArrayLeaf> Expected;
    if (All.size() == Arrays.size())
      Expected = Arrays[N];
    fault({Id, All[N], Expected, static_cast<uint32_t>(N)}, All[N]->writes());
  };
  for (size_t N = Factors; N < Read.size(); ++N)
    if (Accumulates && !Read[N]->Missing &&
        Targets.Slices.contains(Read[N]->Bytes))
      close(*Read[N], Rule::PlaceOfAny);
    else
      Compare(Read, Operands, N, Sources, Partly);
  Slices Written = slices(Id, true);
  for (size_t N = 0; N != Written.size(); ++N)
    Compare(Written, Results, N, Targets, Fills);
}

/// Several thunks may stand for one instruction of a GPU: together they read
/// all of its operands and write all of its results. \p BadReads and
/// \p BadWrites: it is known that one of them does not.
void SliceComparison::compareWhole(HloId I, bool BadReads, bool BadWrites) {
  std::vector<ByteSlice> Touched, Written;
  ThunkId First;
  // A collective-permute without pairs is a memzero.
  bool Fills = true;
  for (ThunkId Id : G.thunksOf(I)) {
    ThunkKind Kind = T[Id].Kind;
    if (!T[Id].Understood)
      return;
    if (isThunkFrame(Kind) || Kind == ThunkKind::While ||
        Kind == ThunkKind::Conditional)
      continue;
    First = First ? First : Id;
    Fills &= Kind == ThunkKind::Memzero;
    for (const ThunkSlice &S : T.slices(T[Id])) {
      if (S.Missing)
        continue;
      Touched.push_back(S.Bytes);
      if (S.writes())
        Written.push_back(S.Bytes);
    }
  }
  if (!First || endedBy(P[I].Op))
    return;
  SmallVector<ArrayLeaf, 8> Operands = G.operandLeaves(I);
  LeafSet Places(Operands);
  auto Add = [&](Leaves Expected, const SliceSet &Actual, bool Results) {
    for (uint32_t N = 0; N != Expected.size(); ++N) {
      const std::optional<ByteSlice> &Bytes = Expected[N].Bytes;
      if (!Bytes)
        note(I, Reason::ArrayWithoutPlace);
      if (!Bytes || Bytes->Size == 0 ||
          (Results ? Actual.covers(*Bytes) || Places.Slices.contains(*Bytes)
                   : Actual.overlaps(*Bytes)))
        continue;
      fault({First, nullptr, Expected[N], N}, Results);
    }
  };
  if (!Fills && !BadReads)
    Add(Operands, SliceSet(Touched), false);
  if (!BadWrites)
    Add(G.writtenLeaves(I), SliceSet(Written), true);
}
