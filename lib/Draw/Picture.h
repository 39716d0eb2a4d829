// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer assignment as offset x step: blocks of bytes over steps, and
// findings of the verifier. Offsets and sizes are bytes, times are steps.

#ifndef HLOBUF_DRAW_PICTURE_H
#define HLOBUF_DRAW_PICTURE_H

#include "Memory/Copies.h"
#include "Results/Result.h"
#include "llvm/ADT/DenseSet.h"

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

/// Copies with one cause, and where they are.
struct PictureCopy {
  const CopyRow *Row = nullptr;
  /// What is written: indices into Picture::Blocks, and steps.
  std::vector<std::pair<uint32_t, int32_t>> Marks;
};

/// A buffer assignment as offset by step.
struct Picture {
  /// What is drawn, and what its values are called; these live longer.
  const MemoryUse *Memory = nullptr;
  const ValueNames *Names = nullptr;
  /// `jit_f`.
  std::string Title;
  /// What was proved, as the last line of hlobuf-verify; empty if the checks
  /// that ran cannot prove anything.
  std::string Verdict;
  /// The program's and one more, at which results are live.
  int32_t Steps = 1;
  /// Large ones first: small ones are drawn over them. Where times are unknown,
  /// all are at step 0.
  std::vector<PictureBlock> Blocks;
  /// Those of blocks, of each in the order of their first steps.
  std::vector<ValueId> Values;
  /// So that each byte counts once; see findSharedBytes().
  std::vector<PictureShare> Shared;
  /// Bytes of the main memory space of the chip, where they are known.
  std::optional<uint64_t> Capacity;
  /// Where Capacity comes from: `TPU v5e`; empty if a user says it.
  std::string Chip;
  /// Values that have no live range, and no block.
  size_t Untimed = 0;
  std::vector<PictureFinding> Findings;
  /// The most bytes in one run first.
  std::vector<PictureCopy> Copies;

  const Dump &dump() const { return Memory->facts().dump(); }
  ArrayRef<ValueId> values(const PictureBlock &B) const {
    return ArrayRef(Values).slice(B.Values.Begin, B.Values.size());
  }
  /// \p B as bytes that its values share, after the first one that is not a
  /// phi, which says less than what flows into it.
  HeldValue held(const PictureBlock &B) const;
};

/// Draws the dump of \p Memory, whose values \p Names names, with the findings
/// \p R. Thread-local allocations, which are on the stack of a kernel, are left
/// out. \p Module is what its module implies, or null, and \p Copies, which
/// lives longer, what it copies, where that is known.
Picture makePicture(const MemoryUse &Memory, const ValueNames &Names,
                    const ModuleAnalysis *Module,
                    const std::optional<CopyTable> &Copies,
                    const DumpResult &R);

/// Numbers of the values that findings of \p R name.
DenseSet<uint32_t> findNamedValues(const Facts &DumpFacts, const DumpResult &R);

/// The findings of \p R that are not silenced, with what they mark of the
/// blocks of \p P.
std::vector<PictureFinding> markFindings(const Picture &P, const DumpResult &R);

/// Where blocks of \p Blocks, large ones first, have bytes that another one
/// counts at the same step: each byte counts once, for the first block that had
/// it and is still live. By block, then by step. Costs O(n log n): of more than
/// a few hundred blocks that share bytes at one step, the others count none.
std::vector<PictureShare> findSharedBytes(ArrayRef<PictureBlock> Blocks);

/// Writes \p P as the one JSON object that the page draws.
void writePicture(const Picture &P, llvm::json::OStream &J);

/// Writes a page of HTML that draws \p P and needs no other file.
void writeHtml(const Picture &P, raw_ostream &OS);

} // namespace hlobuf

#endif // HLOBUF_DRAW_PICTURE_H
