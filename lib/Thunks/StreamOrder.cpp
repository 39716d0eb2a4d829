// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Thunks/StreamOrder.h"
#include "Support/Format.h"

using namespace hlobuf;
using namespace hlobuf::proof;

/// What a number of a clock counts for: it is kept.
static constexpr size_t StepsOfClock = 8;

/// Where an async-start names no stream, its execution is added to this one.
static constexpr uint64_t Unnamed = uint64_t(1) << 32;

ByteSlice StreamRace::common() const {
  const ByteSlice &X = FirstSlice->Bytes;
  const ByteSlice &Y = SecondSlice->Bytes;
  // The one that begins later, up to the end of the one that ends first.
  const ByteSlice &Late = X.Offset < Y.Offset ? Y : X;
  const ByteSlice &Early = X.Offset < Y.Offset ? X : Y;
  int64_t Left = Early.Size - (Late.Offset - Early.Offset);
  return {X.Allocation, Late.Offset, std::min(Late.Size, Left)};
}

StreamOrder::StreamOrder(const ThunkGraph &Graph, Ledger &Book)
    : G(Graph), T(Graph.thunks()), Book(Book), Clocks(1),
      StreamOf(T.Thunks.size()), Paths(1) {
  streamOf(StreamKind::Main, 0);
  for (const Thunk &Each : T.Thunks)
    AsyncBefore.push_back(AsyncBefore.back() +
                          (pairStartedBy(Each.Kind) || pairEndedBy(Each.Kind)));
  if (T.Sequences.empty() || !T.ForGpu)
    return;
  assignStreams(T.Sequences.front(), 0);
  run(T.Sequences.front(), 0);
  if (!gaveUp())
    compare();
  if (!gaveUp())
    return;
  for (ThunkId Id : ids<ThunkId>(T.Thunks.size()))
    for (const ThunkSlice &S : T.slices(T[Id]))
      if (isOrdered(G, Id, S))
        close(S, Reason::TooManyAccesses);
}

void StreamOrder::close(const ThunkSlice &S, const Outcome &Result) {
  auto Number = static_cast<uint32_t>(&S - T.Slices.data());
  Book.visit({Topic::Ordered, HloId(), Number}, Result);
}

bool hlobuf::isOrdered(const ThunkGraph &G, ThunkId Id, const ThunkSlice &S) {
  return G.thunks().ForGpu && !G.isEmbedded(Id) && !S.Missing &&
         S.Bytes.Size > 0 && S.Bytes.Offset >= 0;
}

uint32_t StreamOrder::streamOf(StreamKind Kind, uint64_t Number) {
  auto [Entry, New] =
      Streams.insert({{Kind, Number}, static_cast<uint32_t>(Streams.size())});
  if (New) {
    Keys.push_back(Entry->first);
    States.emplace_back();
  }
  return Entry->second;
}

/// What \p Start starts runs on a stream of its own.
uint32_t StreamOrder::streamOfStart(const Thunk &Start) {
  uint64_t Execution = Start.Execution.value_or(0);
  if (pairStartedBy(Start.Kind)->OnHost)
    return streamOf(StreamKind::Host, Execution);
  // Without a name it might be any.
  return streamOf(Start.StreamFor, Start.Stream.value_or(Unnamed + Execution));
}

void StreamOrder::assignStreams(const ThunkSequence &S, uint32_t Stream) {
  T.forEach(S, [&](ThunkId Id) {
    const ThunkPair *Pair = pairStartedBy(T[Id].Kind);
    uint32_t Inside = Pair ? streamOfStart(T[Id]) : Stream;
    StreamOf[Id.index()] = Pair && Pair->OnHost ? Inside : Stream;
    T.forEachSequence(
        Id, [&](ThunkSequenceId Below) { assignStreams(T[Below], Inside); });
  });
}

std::string StreamOrder::spellStream(uint32_t Stream) const {
  auto [Kind, Number] = Keys[Stream];
  static constexpr StringRef Words[] = {"the main stream", "computation",
                                        "communication", "copy", "the host"};
  StringRef Word = Words[static_cast<size_t>(Kind)];
  if (Kind == StreamKind::Main || Kind == StreamKind::Host)
    return Word.str();
  if (Number >= Unnamed)
    return fmt::format("a {} stream", Word);
  return fmt::format("{} stream {}", Word, Number);
}

static StringRef verb(const ThunkSlice &S) {
  return S.writes() ? "writes" : "reads";
}

std::string StreamOrder::spell(const StreamRace &Race) const {
  return fmt::format(
      "{} {} {} on {} while {} {} {} on {}", G.name(Race.Second),
      verb(*Race.SecondSlice), ThunkGraph::spell(Race.SecondSlice->Bytes),
      spellStream(Race.SecondStream), G.name(Race.First),
      verb(*Race.FirstSlice), ThunkGraph::spell(Race.FirstSlice->Bytes),
      spellStream(Race.FirstStream));
}

/// What is done on each stream before the next access on \p Stream.
StreamOrder::Clock StreamOrder::clock(uint32_t Stream) {
  Clock Copy = Clocks[States[Stream].Clock];
  if (Copy.Always.size() <= Stream)
    Copy.Always.resize(Stream + 1);
  Copy.Always[Stream] = States[Stream].Count;
  Steps += StepsOfClock * Copy.Always.size() * (1 + Copy.InBranch.size());
  return Copy;
}

static void raiseCounts(std::vector<uint32_t> &To, ArrayRef<uint32_t> From) {
  if (To.size() < From.size())
    To.resize(From.size());
  for (size_t I = 0; I != From.size(); ++I)
    To[I] = std::max(To[I], From[I]);
}

/// What is done if both \p To and \p From are.
void StreamOrder::raise(Clock &To, const Clock &From) {
  raiseCounts(To.Always, From.Always);
  for (const auto &[Way, Done] : From.InBranch) {
    auto Own = llvm::find_if(
        To.InBranch, [&](const auto &Each) { return Each.first == Way; });
    if (Own == To.InBranch.end())
      To.InBranch.push_back({Way, Done});
    else
      raiseCounts(Own->second, Done);
  }
  llvm::erase_if(To.InBranch, [&](const auto &Each) {
    const Counts &Done = Each.second;
    for (size_t I = 0; I != Done.size(); ++I)
      if (Done[I] > (I < To.Always.size() ? To.Always[I] : 0))
        return false;
    return true;
  });
}

void StreamOrder::join(uint32_t Stream, const Clock &From) {
  Clock Joined = clock(Stream);
  raise(Joined, From);
  States[Stream].Clock = static_cast<uint32_t>(Clocks.size());
  Clocks.push_back(std::move(Joined));
}

void StreamOrder::note(ThunkId Id, uint32_t Stream) {
  StreamState &Own = States[Stream];
  ++Own.Count;
  auto Last = static_cast<uint32_t>(Paths.size() - 1);
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (isOrdered(G, Id, S)) {
      Accesses.push_back({Id, &S, Stream, Own.Count, Own.Clock, Last});
      Steps += StepsOfClock;
    }
}

void StreamOrder::run(const ThunkSequence &S, uint32_t Stream) {
  T.forEach(S, [&](ThunkId Id) {
    ++Steps;
    if (!gaveUp())
      runThunk(Id, Stream);
  });
}

/// What \p Id starts runs after what is on \p Stream.
void StreamOrder::runAsync(ThunkId Id, uint32_t Stream) {
  const Thunk &Start = T[Id];
  bool OnHost = pairStartedBy(Start.Kind)->OnHost;
  uint32_t Own = streamOfStart(Start);
  join(Own, clock(Stream));
  if (OnHost)
    note(Id, Own);
  T.forEachSequence(Id, [&](ThunkSequenceId S) { run(T[S], Own); });
  Done[{OnHost, Start.Execution.value_or(0)}] = clock(Own);
}

/// Without its start, which is another rule, a done orders nothing.
void StreamOrder::waitFor(ThunkId Id, uint32_t Stream) {
  bool OnHost = pairEndedBy(T[Id].Kind)->OnHost;
  auto End = Done.find({OnHost, T[Id].Execution.value_or(0)});
  if (End != Done.end())
    join(Stream, End->second);
}

/// After a conditional, streams have waited for what they wait for in each
/// branch; \p Ends are their clocks at the ends of the branches.
void StreamOrder::leaveBranches(
    ArrayRef<std::pair<Branch, std::vector<uint32_t>>> Ends) {
  for (size_t Stream = 0; Stream != States.size(); ++Stream) {
    if (llvm::all_of(Ends, [&](const auto &End) {
          return End.second[Stream] == Ends.front().second[Stream];
        }))
      continue;
    Clock Merged;
    Merged.Always = Clocks[Ends.front().second[Stream]].Always;
    for (const auto &[Way, Seen] : Ends) {
      const Counts &Done = Clocks[Seen[Stream]].Always;
      Merged.Always.resize(std::min(Merged.Always.size(), Done.size()));
      for (size_t I = 0; I != Merged.Always.size(); ++I)
        Merged.Always[I] = std::min(Merged.Always[I], Done[I]);
    }
    for (const auto &[Way, Seen] : Ends) {
      const Clock &Own = Clocks[Seen[Stream]];
      Clock Known{Merged.Always, Own.InBranch};
      Known.InBranch.push_back({Way, Own.Always});
      raise(Merged, Known);
      Steps += StepsOfClock * Own.Always.size() * Known.InBranch.size();
    }
    States[Stream].Clock = static_cast<uint32_t>(Clocks.size());
    Clocks.push_back(std::move(Merged));
  }
}

/// In one run only one branch is taken.
void StreamOrder::runConditional(ThunkId Id, uint32_t Stream) {
  note(Id, Stream);
  uint32_t Round = Rounds++;
  auto Seen = [&] {
    std::vector<uint32_t> All;
    for (const StreamState &Each : States)
      All.push_back(Each.Clock);
    return All;
  };
  std::vector<uint32_t> Before = Seen();
  std::vector<std::pair<Branch, std::vector<uint32_t>>> Ends;
  auto Enter = [&] {
    Paths.push_back(Branches);
    Steps += Branches.size();
  };
  T.forEachSequence(Id, [&](ThunkSequenceId S) {
    Branches.push_back({Round, S.index()});
    Enter();
    for (size_t I = 0; I != States.size(); ++I)
      States[I].Clock = Before[I];
    run(T[S], Stream);
    Ends.push_back({Branches.back(), Seen()});
    Branches.pop_back();
  });
  leaveBranches(Ends);
  Enter();
}

void StreamOrder::runThunk(ThunkId Id, uint32_t Stream) {
  const Thunk &Each = T[Id];
  Steps += Each.Sequences.size();
  if (pairStartedBy(Each.Kind))
    return runAsync(Id, Stream);
  if (pairEndedBy(Each.Kind))
    return waitFor(Id, Stream);
  if (Each.Kind == ThunkKind::Conditional)
    return runConditional(Id, Stream);
  if (Each.Kind == ThunkKind::DynamicSliceFusion)
    return note(Id, Stream);
  bool Loop = Each.Kind == ThunkKind::While;
  bool Twice = false;
  T.forEachSequence(
      Id, [&](ThunkSequenceId S) { Twice |= Loop && hasAsync(T[S]); });
  // The second round meets what the first one left open.
  for (unsigned Round = 0; Round != (Twice ? 2 : 1); ++Round)
    T.forEachSequence(Id, [&](ThunkSequenceId S) {
      run(T[S], Stream);
      if (Loop && T[S].Role == ThunkRole::Condition)
        note(Id, Stream);
    });
  if (!Loop)
    note(Id, Stream);
}

/// Both are in the order of their rounds.
bool StreamOrder::isExclusive(const Access &X, const Access &Y) {
  const Path &Own = Paths[X.Path];
  const Path &Other = Paths[Y.Path];
  for (size_t I = 0; I != std::min(Own.size(), Other.size()); ++I, ++Steps) {
    if (Own[I].first != Other[I].first)
      return false;
    if (Own[I].second != Other[I].second)
      return true;
  }
  return false;
}

/// True if \p X is done before an access that saw \p Seen, which is in no other
/// branch.
bool StreamOrder::isDone(const Access &X, const Clock &Seen) {
  auto HasRun = [&](const Counts &Done) {
    return X.Stream < Done.size() && Done[X.Stream] >= X.Count;
  };
  Steps += Seen.InBranch.size();
  return HasRun(Seen.Always) ||
         llvm::any_of(Seen.InBranch, [&](const auto &Each) {
           return HasRun(Each.second) &&
                  llvm::is_contained(Paths[X.Path], Each.first);
         });
}

/// True if \p X runs whenever \p Y, which is in the same or more branches,
/// does.
bool StreamOrder::runsWith(const Access &X, const Access &Y) {
  const Path &Own = Paths[X.Path];
  const Path &Other = Paths[Y.Path];
  Steps += Own.size();
  return Own.size() <= Other.size() &&
         std::equal(Own.begin(), Own.end(), Other.begin());
}

/// \p Before are accesses on one stream: one that runs whenever \p Own does
/// stands for all before it.
void StreamOrder::meet(ArrayRef<const Access *> All, uint32_t Own,
                       ArrayRef<uint32_t> Before, Met &Known) {
  const Access &Y = *All[Own];
  for (uint32_t Other : llvm::reverse(Before)) {
    const Access &X = *All[Other];
    ++Steps;
    if (isExclusive(X, Y))
      continue;
    if (Known.insert({Other, Own}).second) {
      ++Conflicts;
      if (!isDone(X, Clocks[Y.Clock])) {
        close(*Y.Slice, {Breach::NotOrdered, G.name(X.Thunk)});
        Races.push_back(
            {X.Thunk, Y.Thunk, X.Slice, Y.Slice, X.Stream, Y.Stream});
      }
    }
    if (runsWith(X, Y))
      return;
  }
}

/// Bytes are cut where any slice begins or ends.
void StreamOrder::compareAllocation(ArrayRef<const Access *> All) {
  std::vector<int64_t> Cuts;
  for (const Access *A : All)
    Cuts.insert(Cuts.end(), {A->Slice->Bytes.Offset, A->Slice->Bytes.end()});
  llvm::sort(Cuts);
  Cuts.erase(std::unique(Cuts.begin(), Cuts.end()), Cuts.end());
  std::vector<SmallVector<StreamAccesses, 2>> Parts(Cuts.size());
  Met Known;
  for (uint32_t I = 0; I != All.size(); ++I) {
    const Access &A = *All[I];
    int64_t End = A.Slice->Bytes.end();
    auto Part = static_cast<size_t>(
        llvm::lower_bound(Cuts, A.Slice->Bytes.Offset) - Cuts.begin());
    for (; Cuts[Part] < End && !gaveUp(); ++Part, ++Steps) {
      StreamAccesses *Own = nullptr;
      for (StreamAccesses &Other : Parts[Part]) {
        ++Steps;
        if (Other.Stream == A.Stream) {
          Own = &Other;
          continue;
        }
        meet(All, I, Other.Writes, Known);
        if (A.Slice->writes())
          meet(All, I, Other.Reads, Known);
      }
      if (!Own)
        Own = &Parts[Part].emplace_back(StreamAccesses{A.Stream, {}, {}});
      auto &List = A.Slice->writes() ? Own->Writes : Own->Reads;
      // It stands for those before it with which it runs.
      while (!List.empty() && runsWith(A, *All[List.back()]))
        List.pop_back();
      List.push_back(I);
    }
    close(*A.Slice, Rule::StreamsWait);
  }
}

void StreamOrder::compare() {
  std::map<int64_t, std::vector<const Access *>> ByAllocation;
  for (const Access &A : Accesses)
    ByAllocation[A.Slice->Bytes.Allocation].push_back(&A);
  for (auto &[Allocation, All] : ByAllocation)
    if (llvm::any_of(All, [](const Access *A) { return A->Stream != 0; }))
      compareAllocation(All);
    else
      for (const Access *A : All)
        close(*A->Slice, Rule::OneStream);
  DenseSet<IdPair> Seen;
  llvm::erase_if(Races, [&](const StreamRace &Race) {
    return !Seen.insert({Race.First.index(), Race.Second.index()}).second;
  });
}
