// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changed between two programs.

#ifndef HLOBUF_COMPARE_MEMORYDIFF_H
#define HLOBUF_COMPARE_MEMORYDIFF_H

#include "Compare/Matching.h"

namespace hlobuf {

/// What became of values that are held at one peak or at both.
enum class ChangeKind : uint8_t {
  /// The other program has no such value.
  Came,
  Went,
  /// It has, but not at its peak.
  MovedIn,
  MovedOut,
  /// It has others of this operation, source line and shape, but fewer: one
  /// layer more.
  More,
  Fewer,
  /// The same value with another shape.
  Grew,
  Shrank,
  /// The same shape in more or fewer bytes.
  Padding,
  /// The other program has such values in another memory space only.
  OtherSpace,
};

/// `came`, `went`, `moved in`, `moved out`, `more`, `fewer`, `grew`, `shrank`,
/// `padding`, `other space`.
StringRef changeName(ChangeKind Kind);

/// Bytes before and after.
struct ByteChange {
  uint64_t Old = 0;
  uint64_t New = 0;

  bool differs() const { return Old != New; }
  uint64_t size() const { return Old > New ? Old - New : New - Old; }
  uint64_t larger() const { return std::max(Old, New); }
  /// `+1.50MiB`, `-3B`, `+0B`.
  std::string signedText() const;
  /// `8.35MiB -> 4.11MiB (-4.24MiB, -50.8%)`.
  std::string text() const;
};

/// Values of one operation, source line and shape that changed alike.
struct ChangeRow {
  ChangeKind Change = ChangeKind::Came;
  MemoryKind Kind = MemoryKind::Temp;
  unsigned Count = 0;
  /// Of all of them together; 0 where there are none.
  ByteChange Bytes;
  /// Equal unless they grew or shrank.
  std::string OldShape;
  std::string NewShape;
  /// Of OtherSpace: where the other program has them; empty else.
  std::string OtherSpace;
  /// What its user calls it.
  ValueName Called;
  /// One of them, as the new dump spells it, or the old one; why it is live, as
  /// ComparedValue::Kept says.
  std::string Example;
  std::string Kept;
  /// The key of its array in the new program; may be empty.
  std::string Array;
};

/// One memory space.
struct SpaceDiff {
  std::string Name;
  int32_t Color = 0;
  ByteChange Peak, Allocated, Padding, Fragmentation;
  /// Bytes of the old and the new peak that belong to matched values, to
  /// values that the other program has elsewhere or fewer of, and to others.
  uint64_t Matched = 0;
  uint64_t Explained = 0;
  uint64_t Unknown = 0;
  /// The most bytes first.
  std::vector<ChangeRow> Rows;

  bool differs() const {
    return Peak.differs() || Allocated.differs() || !Rows.empty();
  }
};

/// Bytes that one run moves, the most where branches differ.
struct TrafficDiff {
  ByteChange Read, Written, Copied;
  /// Of copies that are in rows.
  std::map<CopyCause, ByteChange> Causes;
  /// Copies that the old program does not have, or fewer bytes of; the largest
  /// first.
  std::vector<CopyRow> Added;

  /// \p Bytes change by 1 % of all of them or more.
  bool matters(ByteChange Bytes) const {
    uint64_t All = std::max(Read.Old + Written.Old, Read.New + Written.New);
    return Bytes.differs() && Bytes.size() >= All / 100;
  }
  bool differs() const;
};

/// Two modules.
struct MemoryDiff {
  std::string OldModule, NewModule;
  bool Timed = true;
  /// Of both a memory usage report is all there is.
  bool OfReports = false;
  /// What in the programs may have caused the rest, what matters most first,
  /// for people.
  std::vector<std::string> Causes;
  /// What changes most first.
  std::vector<SpaceDiff> Spaces;
  /// Where a peak grew noticeably: what keeps the largest values that only the
  /// new one holds, in the steps of the new dump, for people.
  std::vector<std::string> Reasons;
  /// Nothing where it is not known of both.
  std::optional<TrafficDiff> Moved;

  bool differs() const {
    return (Moved && Moved->differs()) ||
           llvm::any_of(Spaces,
                        [](const SpaceDiff &Space) { return Space.differs(); });
  }
  /// The peak or the allocations of some space change by more than rounds to
  /// 0.0 %.
  bool isNoticeable() const {
    return llvm::any_of(Spaces, [](const SpaceDiff &Space) {
      auto Changes = [](const ByteChange &Bytes) {
        return Bytes.size() > Bytes.larger() / 2000;
      };
      return Changes(Space.Peak) || Changes(Space.Allocated);
    });
  }
};

/// Compares the peaks of two compilations of a program, space by space.
MemoryDiff compareMemory(const ProgramMemory &Old, const ProgramMemory &New);

/// How the two programs differ before any value is placed: donations,
/// arguments, recomputation, the compiler. A line each, for people; one at
/// least.
std::vector<std::string> findCauses(const ProgramMemory &Old,
                                    const ProgramMemory &New);

/// For people. The first line has the peak that changed most, the causes
/// follow, then at most \p Top rows of each memory space, and of copies; 0 for
/// all. Texts about copies have at most \p Width columns.
void printDiff(const MemoryDiff &Diff, size_t Top, size_t Width,
               raw_ostream &OS);

/// All of it as one JSON object.
void writeDiff(const MemoryDiff &Diff, llvm::json::OStream &J);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_MEMORYDIFF_H
