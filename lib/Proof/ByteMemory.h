// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values each byte holds.

#ifndef HLOBUF_PROOF_BYTEMEMORY_H
#define HLOBUF_PROOF_BYTEMEMORY_H

#include "Proof/ValuePlaces.h"
#include <map>
#include <memory>

namespace hlobuf::proof {

/// Sets of numbers below 2^31: equal sets have equal numbers. That of one
/// member is its own; others are kept, each once.
class NumberSets {
public:
  static constexpr uint32_t Empty = ~uint32_t(0);
  using Members = SmallVector<uint32_t, 4>;

  /// \p All, sorted.
  uint32_t get(ArrayRef<uint32_t> All);
  Members members(uint32_t Set) const;
  bool has(uint32_t Set, uint32_t Member) const {
    if (!isKept(Set))
      return Set == Member;
    const std::vector<uint32_t> &All = *Kept[Set - FirstKept];
    return std::binary_search(All.begin(), All.end(), Member);
  }
  /// Counts writes, on all paths.
  uint32_t nextTime() { return ++Time; }
  uint32_t with(uint32_t Set, uint32_t Member);
  uint32_t without(uint32_t Set, uint32_t Member);
  /// What is in both. Members of \p A that are not are added to \p Lost.
  uint32_t meet(uint32_t A, uint32_t B, SmallVectorImpl<uint32_t> &Lost);

private:
  static constexpr uint32_t FirstKept = uint32_t(1) << 31;
  static bool isKept(uint32_t Set) { return Set >= FirstKept && Set != Empty; }

  std::map<std::vector<uint32_t>, uint32_t> Numbers;
  std::vector<const std::vector<uint32_t> *> Kept;
  uint32_t Time = 0;
};

/// Sets of values by byte: intervals of each allocation, which copies of a
/// memory share until one of them writes.
class ByteMemory {
public:
  /// All bytes of \p Count allocations hold nothing.
  explicit ByteMemory(size_t Count) : Memories(Count) {}

  /// Half-open runs of bytes.
  using Runs = SmallVector<BytePlace, 2>;

  /// The bytes of \p At hold \p Value and nothing else.
  void write(const BytePlace &At, uint32_t Value, NumberSets &Sets);
  /// Replaces the set of each byte of \p At by what \p Change makes of it.
  void change(const BytePlace &At, function_ref<uint32_t(uint32_t Set)> Change);
  /// True if \p Holds is true for the set of each byte of \p At.
  bool all(const BytePlace &At, function_ref<bool(uint32_t Set)> Holds) const;
  bool holds(const BytePlace &At, uint32_t Value,
             const NumberSets &Sets) const {
    return all(At, [&](uint32_t Set) { return Sets.has(Set, Value); });
  }
  /// What was written last where \p At does not hold \p Value; NoWriter if
  /// nothing was.
  static constexpr uint32_t NoWriter = ~uint32_t(0);
  uint32_t writerOver(const BytePlace &At, uint32_t Value,
                      const NumberSets &Sets) const;
  /// Where in \p At \p Value is.
  Runs where(const BytePlace &At, uint32_t Value, const NumberSets &Sets) const;
  /// Keeps what \p Other holds, too. Values that are lost somewhere are added
  /// to \p Lost.
  void meet(const ByteMemory &Other, NumberSets &Sets,
            SmallVectorImpl<uint32_t> &Lost);

private:
  /// From Begin to the next segment.
  struct Segment {
    uint64_t Begin = 0;
    uint32_t Set = NumberSets::Empty;
    /// The value that was written last, and when; where two paths meet, on the
    /// one that lost something, or else on the later one.
    uint32_t Writer = NoWriter;
    uint32_t Time = 0;
    bool operator==(const Segment &) const = default;
  };
  using Segments = std::vector<Segment>;
  /// The first one begins at 0.
  static const Segments Nothing;

  const Segments &segments(AllocationId Memory) const {
    const auto &Own = Memories[Memory.index()];
    return Own ? *Own : Nothing;
  }
  Segments &writable(AllocationId Memory);
  ArrayRef<Segment> segments(const BytePlace &At) const;
  std::pair<size_t, size_t> cut(Segments &All, const BytePlace &At);

  std::vector<std::shared_ptr<Segments>> Memories;
};

} // namespace hlobuf::proof

#endif // HLOBUF_PROOF_BYTEMEMORY_H
