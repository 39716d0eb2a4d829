//===- Thunks/StreamOrder.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thunks/StreamOrder.h"
#include "Support/Format.h"
#include <set>

using namespace hlobuf;

/// The accesses that are followed: loops inside of loops are unrolled twice
/// each.
static constexpr size_t MostAccesses = 1 << 20;
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

static bool isOnHost(ThunkKind Kind) {
  return Kind == ThunkKind::HostExecuteStart || Kind == ThunkKind::HostSend ||
         Kind == ThunkKind::HostRecv;
}

StreamOrder::StreamOrder(const ThunkGraph &Graph)
    : G(Graph), T(Graph.thunks()), StreamOf(T.Thunks.size()) {
  streamOf(StreamKind::Main, 0);
  if (T.Sequences.empty() || !hasAsync(T.Sequences.front()))
    return;
  assignStreams(T.Sequences.front(), 0);
  run(T.Sequences.front(), 0);
  if (!GaveUp)
    compare();
}

bool StreamOrder::hasAsync(const ThunkSequence &S) const {
  for (uint32_t I = S.Thunks.Begin; I != S.Thunks.End; ++I)
    if (ThunkKind Kind = T.Thunks[I].Kind; Kind == ThunkKind::AsyncStart ||
                                           Kind == ThunkKind::AsyncDone ||
                                           isOnHost(Kind))
      return true;
  return false;
}

uint32_t StreamOrder::streamOf(StreamKind Kind, uint64_t Number) {
  auto [At, New] =
      Streams.insert({{Kind, Number}, static_cast<uint32_t>(Streams.size())});
  if (New) {
    Named.push_back(At->first);
    Clocks.emplace_back();
  }
  return At->second;
}

/// What \p Start starts runs on a stream of its own.
uint32_t StreamOrder::streamOfStart(const Thunk &Start) {
  uint64_t Execution = Start.Execution.value_or(0);
  if (Start.Kind != ThunkKind::AsyncStart)
    return streamOf(StreamKind::Host, Execution);
  // Without a name it might be any.
  return streamOf(Start.StreamFor, Start.Stream.value_or(Unnamed + Execution));
}

void StreamOrder::assignStreams(const ThunkSequence &S, uint32_t Stream) {
  T.forEach(S, [&](ThunkId Id) {
    bool OnHost = isOnHost(T[Id].Kind);
    bool Starts = OnHost || T[Id].Kind == ThunkKind::AsyncStart;
    uint32_t Inside = Starts ? streamOfStart(T[Id]) : Stream;
    StreamOf[Id.index()] = OnHost ? Inside : Stream;
    T.forEachSequence(
        Id, [&](ThunkSequenceId Below) { assignStreams(T[Below], Inside); });
  });
}

std::string StreamOrder::spellStream(uint32_t Stream) const {
  auto [Kind, Number] = Named[Stream];
  static constexpr llvm::StringRef Words[] = {
      "the main stream", "computation", "communication", "copy", "the host"};
  llvm::StringRef Word = Words[static_cast<size_t>(Kind)];
  if (Kind == StreamKind::Main || Kind == StreamKind::Host)
    return Word.str();
  if (Number >= Unnamed)
    return fmt::format("a {} stream", Word);
  return fmt::format("{} stream {}", Word, Number);
}

static llvm::StringRef verb(const ThunkSlice &S) {
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

void StreamOrder::join(Clock &To, const Clock &From) {
  if (To.size() < From.size())
    To.resize(From.size());
  for (size_t I = 0; I != From.size(); ++I)
    To[I] = std::max(To[I], From[I]);
}

void StreamOrder::note(ThunkId Id, uint32_t Stream) {
  Clock &Own = clock(Stream);
  if (Own.size() <= Stream)
    Own.resize(Stream + 1);
  ++Own[Stream];
  for (const ThunkSlice &S : T.slices(T[Id]))
    if (!S.Missing && S.Bytes.Size > 0 && S.Bytes.Offset >= 0)
      Accesses.push_back({Id, &S, Stream, Own[Stream], Own, Branches});
  GaveUp |= Accesses.size() > MostAccesses;
}

void StreamOrder::run(const ThunkSequence &S, uint32_t Stream) {
  T.forEach(S, [&](ThunkId Id) {
    if (!GaveUp)
      runThunk(Id, Stream);
  });
}

/// What \p Id starts runs after what is on \p Stream.
void StreamOrder::runAsync(ThunkId Id, uint32_t Stream) {
  const Thunk &Start = T[Id];
  bool OnHost = Start.Kind != ThunkKind::AsyncStart;
  uint32_t Own = streamOfStart(Start);
  Clock Now = clock(Stream);
  join(clock(Own), Now);
  if (OnHost)
    note(Id, Own);
  T.forEachSequence(Id, [&](ThunkSequenceId S) { run(T[S], Own); });
  Done[{OnHost, Start.Execution.value_or(0)}] = clock(Own);
}

void StreamOrder::waitFor(ThunkId Id, uint32_t Stream) {
  bool OnHost = T[Id].Kind != ThunkKind::AsyncDone;
  auto Found = Done.find({OnHost, T[Id].Execution.value_or(0)});
  if (Found != Done.end())
    join(clock(Stream), Found->second);
}

/// In one run only one branch is taken.
void StreamOrder::runConditional(ThunkId Id, uint32_t Stream) {
  note(Id, Stream);
  uint32_t Round = Rounds++;
  T.forEachSequence(Id, [&](ThunkSequenceId S) {
    Branches.push_back({Round, S.index()});
    run(T[S], Stream);
    Branches.pop_back();
  });
}

void StreamOrder::runThunk(ThunkId Id, uint32_t Stream) {
  const Thunk &Each = T[Id];
  switch (Each.Kind) {
  case ThunkKind::AsyncStart:
  case ThunkKind::HostExecuteStart:
  case ThunkKind::HostSend:
  case ThunkKind::HostRecv:
    return runAsync(Id, Stream);
  case ThunkKind::AsyncDone:
  case ThunkKind::HostExecuteDone:
  case ThunkKind::HostSendDone:
  case ThunkKind::HostRecvDone:
    return waitFor(Id, Stream);
  case ThunkKind::Conditional:
    return runConditional(Id, Stream);
  case ThunkKind::DynamicSliceFusion:
    return note(Id, Stream);
  default:
    break;
  }
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

bool StreamOrder::isExclusive(const Access &X, const Access &Y) const {
  for (const auto &In : X.Branches)
    for (const auto &Other : Y.Branches)
      if (In.first == Other.first && In.second != Other.second)
        return true;
  return false;
}

namespace {
/// The accesses to the same bytes so far, by stream.
struct SharedBytes {
  std::vector<std::vector<uint32_t>> Reads, Writes;
};
} // namespace

/// Bytes are cut where any slice begins or ends. What was last on a stream
/// stands for all before it there.
void StreamOrder::compareAllocation(std::vector<const Access *> &All) {
  std::vector<int64_t> Cuts;
  for (const Access *A : All) {
    Cuts.push_back(A->Slice->Bytes.Offset);
    int64_t End = 0;
    bool Over = __builtin_add_overflow(A->Slice->Bytes.Offset,
                                       A->Slice->Bytes.Size, &End);
    Cuts.push_back(Over ? INT64_MAX : End);
  }
  llvm::sort(Cuts);
  Cuts.erase(std::unique(Cuts.begin(), Cuts.end()), Cuts.end());
  std::vector<SharedBytes> Parts(Cuts.size());
  std::map<std::pair<uint32_t, uint32_t>, bool> Met;
  auto Meet = [&](uint32_t Now, const std::vector<uint32_t> &Before) {
    for (uint32_t Other : llvm::reverse(Before)) {
      const Access &X = *All[Other];
      const Access &Y = *All[Now];
      if (isExclusive(X, Y))
        continue;
      if (!Met.insert({{Other, Now}, true}).second)
        return;
      ++Conflicts;
      if (X.Stream >= Y.Seen.size() || Y.Seen[X.Stream] < X.Count)
        Races.push_back(
            {X.Thunk, Y.Thunk, X.Slice, Y.Slice, X.Stream, Y.Stream});
      return;
    }
  };
  for (uint32_t I = 0; I != All.size(); ++I) {
    const Access &A = *All[I];
    auto Part = static_cast<size_t>(
        llvm::lower_bound(Cuts, A.Slice->Bytes.Offset) - Cuts.begin());
    for (; Part + 1 < Cuts.size() &&
           Cuts[Part] - A.Slice->Bytes.Offset < A.Slice->Bytes.Size;
         ++Part) {
      SharedBytes &Shared = Parts[Part];
      Shared.Reads.resize(Streams.size());
      Shared.Writes.resize(Streams.size());
      for (uint32_t S = 0; S != Streams.size(); ++S) {
        if (S == A.Stream)
          continue;
        Meet(I, Shared.Writes[S]);
        if (A.Slice->writes())
          Meet(I, Shared.Reads[S]);
      }
      (A.Slice->writes() ? Shared.Writes : Shared.Reads)[A.Stream].push_back(I);
    }
  }
}

void StreamOrder::compare() {
  std::map<int64_t, std::vector<const Access *>> ByAllocation;
  for (const Access &A : Accesses)
    ByAllocation[A.Slice->Bytes.Allocation].push_back(&A);
  for (auto &[Allocation, All] : ByAllocation)
    if (llvm::any_of(All, [](const Access *A) { return A->Stream != 0; }))
      compareAllocation(All);
  std::set<std::pair<uint32_t, uint32_t>> Seen;
  llvm::erase_if(Races, [&](const StreamRace &Race) {
    return !Seen.insert({Race.First.index(), Race.Second.index()}).second;
  });
}
