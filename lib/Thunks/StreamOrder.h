// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What streams order.
//
// Vector clocks over the streams of a GPU. The thunks of a sequence go to one
// stream, in order. An async-start makes its stream wait for the one that it is
// launched from, and an async-done the one that it runs on for that of the
// start (xla/backends/gpu/runtime/async_thunk.cc and async_execution.cc, 2026).

#ifndef HLOBUF_THUNKS_STREAMORDER_H
#define HLOBUF_THUNKS_STREAMORDER_H

#include "Proof/Ledger.h"
#include "Thunks/ThunkGraph.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace hlobuf {

/// True if \p Id accesses slices by itself, in an order of streams.
bool isOrdered(const ThunkGraph &G, ThunkId Id, const ThunkSlice &S);

/// Two accesses to common bytes, one a write, that nothing orders.
struct StreamRace {
  /// First in the order of the program.
  ThunkId First, Second;
  const ThunkSlice *FirstSlice, *SecondSlice;
  /// Numbers of their streams.
  uint32_t FirstStream = 0, SecondStream = 0;

  /// The bytes that both touch.
  ByteSlice common() const;
};

/// Walks the thunks, loops twice.
class StreamOrder {
public:
  /// Closes each slice of \p Book's Topic::Ordered.
  StreamOrder(const ThunkGraph &Graph, proof::Ledger &Book);

  /// Of two thunks the first one.
  ArrayRef<StreamRace> races() const { return Races; }
  /// Pairs of accesses on different streams to common bytes, one a write; of
  /// several that follow each other on one stream the last one counts.
  size_t numConflicts() const { return Conflicts; }
  /// The stream on which \p Id accesses memory: 0 is the main one.
  uint32_t streamOf(ThunkId Id) const { return StreamOf[Id.index()]; }
  /// `the main stream`, `communication stream 0`.
  std::string spellStream(uint32_t Stream) const;
  /// `x reads .. on the main stream while y writes .. on copy stream 0`.
  std::string spell(const StreamRace &Race) const;
  /// There was too much to follow all of it, MostSteps or MostRaces: nothing is
  /// known of any slice.
  bool gaveUp() const { return Steps > MostSteps || Races.size() > MostRaces; }

  /// Numbers in clocks and pairs of accesses that are looked at. Loops inside
  /// of loops are unrolled twice each, clocks have a number for each stream,
  /// and each access meets those of all other streams.
  static constexpr size_t MostSteps = 1 << 26;
  static constexpr size_t MostRaces = 1 << 16;

private:
  /// A conditional in one round, and one of its branches.
  using Branch = std::pair<uint32_t, uint32_t>;
  /// The branches that an access is in.
  using Path = SmallVector<Branch, 2>;
  /// Accesses that are done, by stream: how many of each.
  using Counts = std::vector<uint32_t>;
  struct Clock {
    Counts Always;
    /// What else is done if a branch was taken: only its own accesses can tell,
    /// and only where another branch waits for less.
    std::vector<std::pair<Branch, Counts>> InBranch;
  };
  struct Access {
    ThunkId Thunk;
    const ThunkSlice *Slice;
    uint32_t Stream;
    /// Counted on its stream.
    uint32_t Count;
    /// Into Clocks and Paths.
    uint32_t Clock;
    uint32_t Path;
  };
  /// A stream: what is done before its next access, but for itself.
  struct StreamState {
    uint32_t Count = 0;
    uint32_t Clock = 0;
  };

  uint32_t streamOf(StreamKind Kind, uint64_t Number);
  uint32_t streamOfStart(const Thunk &Start);
  void assignStreams(const ThunkSequence &S, uint32_t Stream);
  void run(const ThunkSequence &S, uint32_t Stream);
  void runThunk(ThunkId Id, uint32_t Stream);
  void runAsync(ThunkId Id, uint32_t Stream);
  void runConditional(ThunkId Id, uint32_t Stream);
  void waitFor(ThunkId Id, uint32_t Stream);
  void note(ThunkId Id, uint32_t Stream);
  void join(uint32_t Stream, const Clock &From);
  static void raise(Clock &To, const Clock &From);
  void leaveBranches(ArrayRef<std::pair<Branch, std::vector<uint32_t>>> Ends);
  bool isDone(const Access &X, const Clock &Seen);
  Clock clock(uint32_t Stream);
  void compare();
  void compareAllocation(ArrayRef<const Access *> All);
  void close(const ThunkSlice &S, const proof::Outcome &Result);
  /// The accesses to some bytes so far on one stream, by their numbers.
  struct StreamAccesses {
    uint32_t Stream = 0;
    SmallVector<uint32_t, 1> Reads, Writes;
  };
  /// Both are of one allocation.
  using Met = DenseSet<IdPair>;
  void meet(ArrayRef<const Access *> All, uint32_t Own,
            ArrayRef<uint32_t> Before, Met &Known);
  bool isExclusive(const Access &X, const Access &Y);
  bool runsWith(const Access &X, const Access &Y);
  bool hasAsync(const ThunkSequence &S) const {
    return AsyncBefore[S.Thunks.End] != AsyncBefore[S.Thunks.Begin];
  }

  const ThunkGraph &G;
  const ThunkProgram &T;
  proof::Ledger &Book;
  std::map<std::pair<StreamKind, uint64_t>, uint32_t> Streams;
  /// By number.
  std::vector<std::pair<StreamKind, uint64_t>> Keys;
  /// Starts and dones before each thunk.
  std::vector<uint32_t> AsyncBefore = {0};
  std::vector<StreamState> States;
  /// Those that accesses saw. A new one where a stream waits for another.
  std::vector<Clock> Clocks;
  /// By thunk.
  std::vector<uint32_t> StreamOf;
  /// By execution id, and whether the host does it: when it is done.
  std::map<std::pair<bool, uint64_t>, Clock> Done;
  std::vector<Access> Accesses;
  Path Branches;
  /// Those that accesses are in; the last one is Branches.
  std::vector<Path> Paths;
  /// Conditionals that were run.
  uint32_t Rounds = 0;
  std::vector<StreamRace> Races;
  size_t Conflicts = 0;
  size_t Steps = 0;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_STREAMORDER_H
