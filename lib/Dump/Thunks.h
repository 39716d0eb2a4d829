// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that runs.
//
// The thunks of an executable as Proto/ThunkText.cpp prints them. Numbers are
// as the executable states them and may be anything.

#ifndef HLOBUF_DUMP_THUNKS_H
#define HLOBUF_DUMP_THUNKS_H

#include "HLO/ShapeIndex.h"
#include "HLO/ThunkKind.h"
#include "Support/Ids.h"
#include "Support/NameTable.h"
#include <optional>
#include <vector>

namespace hlobuf {

using ThunkId = Id<struct ThunkTag>;
using ThunkSequenceId = Id<struct ThunkSequenceTag>;

/// Bytes [Offset, Offset + Size) of an allocation.
struct ByteSlice {
  int64_t Allocation = 0;
  int64_t Offset = 0;
  int64_t Size = 0;

  auto operator<=>(const ByteSlice &) const = default;
  /// The first byte after it; INT64_MAX if that is out of range.
  int64_t end() const {
    int64_t End = 0;
    return __builtin_add_overflow(Offset, Size, &End) ? INT64_MAX : End;
  }
  /// They have a byte in common. Neither may have a negative size.
  bool overlaps(const ByteSlice &Other) const {
    return Allocation == Other.Allocation && Size != 0 && Other.Size != 0 &&
           (from(Other) < static_cast<uint64_t>(Other.Size) ||
            Other.from(*this) < static_cast<uint64_t>(Size));
  }
  /// All of its bytes are in \p Other.
  bool isInside(const ByteSlice &Other) const {
    return Allocation == Other.Allocation && Size <= Other.Size &&
           from(Other) <= static_cast<uint64_t>(Other.Size - Size);
  }

private:
  /// Bytes from the first one of \p Other to its own, modulo 2^64.
  uint64_t from(const ByteSlice &Other) const {
    return static_cast<uint64_t>(Offset) - static_cast<uint64_t>(Other.Offset);
  }
};

/// A slice that a thunk touches.
struct ThunkSlice {
  /// Where it is in the text, access included.
  StringRef Text;
  ThunkAccess Access = ThunkAccess::Read;
  /// The thunk has a place for it, but states none.
  bool Missing = false;
  ByteSlice Bytes;
  /// Invalid if none is stated.
  ShapeId Shape;

  bool reads() const { return Access != ThunkAccess::Write; }
  bool writes() const {
    return Access == ThunkAccess::Write || Access == ThunkAccess::Update;
  }
};

/// What a thunk says that follows from its instruction; see
/// StatedAttributes.def. Of several values each has its own.
struct ThunkAttribute {
  StringRef Key;
  StringRef Value;
};

/// What the streams of a GPU are for; each kind is numbered by itself.
enum class StreamKind : uint8_t {
  Main,
  Computation,
  Communication,
  Copy,
  Host
};

/// A line of the text.
struct Thunk {
  /// The line without what it is indented by.
  StringRef Text;
  ThunkKind Kind = ThunkKind::Unknown;
  /// Has fields that this tool does not know; see Unknown.
  bool Understood = true;
  /// A library keeps a copy of operand 1 from one run to the next, by address.
  bool Captures = false;
  /// What the stream of an async-start is for.
  StreamKind StreamFor = StreamKind::Computation;
  /// Invalid if it names none.
  NameId Instruction;
  ThunkSequenceId In;
  /// Indices into ThunkProgram::Slices, half-open.
  IndexRange Slices;
  /// Indices into ThunkProgram::Attributes, half-open.
  IndexRange Attributes;
  /// Indices into ThunkProgram::Sequences, half-open: its sequences and those
  /// that are inside of them.
  IndexRange Sequences;
  /// The thunk after it and all that are inside of it.
  uint32_t End = 0;
  /// What the line says of them; empty or nothing if absent.
  StringRef Kernel;
  StringRef Comparator;
  StringRef Unknown;
  /// The kind that the thunk states in addition, where it is another one.
  StringRef OtherKind;
  /// What is loaded has another name, which its binary may not have, or takes
  /// another number of arguments.
  StringRef Loads;
  StringRef Absent;
  std::optional<uint64_t> Arity;
  std::optional<uint64_t> Execution;
  std::optional<uint64_t> Stream;
  std::optional<uint64_t> CopiedBytes;
  std::optional<uint64_t> Flags;
  std::optional<int64_t> StrayInvariant;
};

/// Thunks that run one after the other.
struct ThunkSequence {
  StringRef Text;
  ThunkRole Role = ThunkRole::Thunks;
  /// Of a branch.
  uint32_t Number = 0;
  /// The thunk that it is inside of; invalid for that of the whole program.
  ThunkId Owner;
  /// Its thunks and what is inside of them: indices into ThunkProgram::Thunks,
  /// half-open.
  IndexRange Thunks;
  /// Bytes of the allocations that embedded thunks have for themselves.
  SmallVector<uint64_t, 0> Sizes;
};

/// Thunks of one sequence that share a resource, which orders them.
struct ThunkResource {
  StringRef Text;
  ThunkSequenceId In;
  bool Communicator = false;
  /// Counted in their sequence.
  SmallVector<uint32_t, 4> Users;
};

/// An allocation as the executable states it.
struct ThunkAllocation {
  StringRef Text;
  int64_t Index = 0;
  int64_t Size = 0;
  std::optional<int64_t> Parameter;
  bool Constant = false;
  bool MaybeLiveOut = false;
};

/// A constant or output and its allocation.
struct ThunkEntry {
  StringRef Text;
  int64_t Allocation = 0;
  /// Of an output.
  ShapeIndex Index;
};

/// The thunks of an executable, in the order of the text.
struct ThunkProgram {
  bool ForGpu = false;
  std::vector<Thunk> Thunks;
  std::vector<ThunkSlice> Slices;
  std::vector<ThunkAttribute> Attributes;
  /// The first one is the whole program.
  std::vector<ThunkSequence> Sequences;
  std::vector<ThunkResource> Resources;
  /// Names of kernels and comparators in the object files, if it has them.
  bool HasSymbols = false;
  std::vector<StringRef> Kernels;
  std::vector<StringRef> Comparators;
  std::vector<ThunkAllocation> Allocations;
  std::vector<ThunkEntry> Constants;
  std::vector<ThunkEntry> Outputs;

  const Thunk &operator[](ThunkId Id) const { return Thunks[Id.index()]; }
  const ThunkSequence &operator[](ThunkSequenceId Id) const {
    return Sequences[Id.index()];
  }
  ArrayRef<ThunkSlice> slices(const Thunk &T) const {
    return ArrayRef<ThunkSlice>(Slices).slice(T.Slices.Begin, T.Slices.size());
  }
  ArrayRef<ThunkAttribute> attributes(const Thunk &T) const {
    return ArrayRef<ThunkAttribute>(Attributes)
        .slice(T.Attributes.Begin, T.Attributes.size());
  }
  /// Calls \p Visit(ThunkSequenceId) for the sequences of \p Id, without those
  /// inside of them.
  template <typename VisitFn>
  void forEachSequence(ThunkId Id, VisitFn Visit) const {
    for (uint32_t I = Thunks[Id.index()].Sequences.Begin;
         I != Thunks[Id.index()].Sequences.End; ++I)
      if (Sequences[I].Owner == Id)
        Visit(ThunkSequenceId(I));
  }
  /// Calls \p Visit(ThunkId) for the thunks of \p S, without those inside of
  /// them.
  template <typename VisitFn>
  void forEach(const ThunkSequence &S, VisitFn Visit) const {
    for (uint32_t I = S.Thunks.Begin; I != S.Thunks.End; I = Thunks[I].End)
      Visit(ThunkId(I));
  }
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_THUNKS_H
