// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offset x step, as data.
//
// What a picture of a buffer assignment shows: blocks of bytes over steps, the
// live bytes of each memory space, and findings of the verifier. Offsets and
// sizes are bytes, times are steps.

#ifndef HLOBUF_DRAW_PICTURE_H
#define HLOBUF_DRAW_PICTURE_H

#include "Memory/MemoryUse.h"
#include "Support/Diagnostic.h"
#include "llvm/ADT/StringSet.h"

namespace hlobuf {

/// Bytes [Offset, Offset + Size) of an allocation during the steps
/// [First, Last], held by one value or by several that alias.
struct PictureBlock {
  AllocationId Owner;
  uint64_t Offset = 0;
  uint64_t Size = 0;
  int32_t First = 0;
  int32_t Last = 0;
  /// Indices into Picture::Values, half-open: at least one.
  IndexRange Values;

  uint64_t end() const { return Offset + Size; }
};

/// Bytes of a block that another one counts during the steps [First, Last].
struct PictureShare {
  /// An index into Picture::Blocks.
  uint32_t Block = 0;
  int32_t First = 0;
  int32_t Last = 0;
  uint64_t Bytes = 0;
};

/// What people call a block; see ValueName. Texts are printable, and kept by
/// the picture.
struct PictureName {
  /// `sub`; of an argument its path, `p['w']`. Not empty: the instruction where
  /// the program has no name.
  llvm::StringRef Label;
  /// `kept for the backward pass by the scan at train.py:32`; empty for what is
  /// just computed.
  llvm::StringRef Keeper;
  /// The op_name; empty if it is not known.
  llvm::StringRef OpName;
  /// `train.py:12`, with the folder where the dump has it; empty if it is not
  /// known.
  llvm::StringRef Source;
};

/// Bytes and steps that a finding is about: [Begin, End) and [First, Last].
struct PictureMark {
  AllocationId Owner;
  uint64_t Begin = 0;
  uint64_t End = 0;
  int32_t First = 0;
  int32_t Last = 0;
  /// Two values meet there; else it is all of one value.
  bool Crossing = true;
};

/// A finding, and where in the picture it is.
struct PictureFinding {
  Severity Level = Severity::Error;
  std::string Check;
  std::string Message;
  /// Its timeline, or its notes, for people.
  std::vector<std::string> Lines;
  /// Where two values meet; where they do not, the blocks that it names.
  std::vector<PictureMark> Marks;
};

/// A memory space: all allocations of one color but thread-local ones.
struct PictureSpace {
  int32_t Color = 0;
  std::string Name;
  /// Bytes held at each step; see SpaceUse.
  std::vector<uint64_t> Held;
  /// The first step with the most of them.
  int32_t PeakStep = 0;

  uint64_t peak() const { return Held.empty() ? 0 : Held[PeakStep]; }
};

/// A buffer assignment as offset by step.
struct Picture {
  /// `jit_f`.
  std::string Title;
  /// What was proved, as the last line of hlobuf-verify; empty if the checks
  /// that ran cannot prove anything.
  std::string Verdict = {};
  /// Where unknown, all values are drawn at step 0.
  TimeSource Times = TimeSource::Unknown;
  /// The program's and one more, at which results are live.
  int32_t Steps = 1;
  /// By color.
  std::vector<PictureSpace> Spaces;
  /// Large ones first: small ones are drawn over them.
  std::vector<PictureBlock> Blocks;
  /// Those of blocks, of each in the order of their first steps.
  std::vector<ValueId> Values;
  /// By block.
  std::vector<PictureName> Names;
  /// So that each byte counts once; see findSharedBytes().
  std::vector<PictureShare> Shared;
  /// Bytes of the main memory space of the chip, where they are known.
  std::optional<uint64_t> Capacity = {};
  /// Where Capacity comes from: `TPU v5e`; empty if a user says it.
  std::string Chip = {};
  /// Values that have no live range, and no block.
  size_t Untimed = 0;
  std::vector<PictureFinding> Findings;
  /// By step; empty where it is not known.
  std::vector<llvm::StringRef> Instructions;
  /// Of Names and Instructions, each once.
  llvm::StringSet<> Texts;

  /// \p Text as it is in Texts, where it is added.
  llvm::StringRef keep(llvm::StringRef Text) {
    return Texts.insert(Text).first->getKey();
  }

  llvm::ArrayRef<ValueId> values(const PictureBlock &B) const {
    return llvm::ArrayRef(Values).slice(B.Values.Begin, B.Values.size());
  }
};

/// The first value of block \p B of \p P that is not a phi, which says less
/// than what flows into it; the first one if all are.
ValueId representative(const Dump &D, const Picture &P, const PictureBlock &B);

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTURE_H
