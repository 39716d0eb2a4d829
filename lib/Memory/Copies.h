// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program copies, why, and what to change.
//
// Copies on one way to a result, or to an element of loop state, are one row.
// Copy insertion makes most of them: a value whose bytes are written over while
// somebody may still read it, or that must not change
// (xla/service/copy_insertion.cc, 2017).

#ifndef HLOBUF_MEMORY_COPIES_H
#define HLOBUF_MEMORY_COPIES_H

#include "Memory/SetConflicts.h"
#include "Memory/Traffic.h"
#include "Memory/ValueNames.h"

namespace hlobuf {

/// See CopyCauses.def.
enum class CopyCause : uint8_t {
#define HLOBUF_COPY_CAUSE(Enumerator, Name, InJax, InOthers) Enumerator,
#include "Memory/CopyCauses.def"
};

/// `reader`
StringRef causeName(CopyCause Cause);

/// Copies with one cause, in texts for people. ByteTraffic is of all runs in
/// one run of the program, where branches differ the most.
struct CopyRow : ByteTraffic {
  CopyCause Cause = CopyCause::Order;
  /// In the order in which they run; of the module, as From and To.
  std::vector<HloId> Copies;
  /// Their names.
  std::vector<std::string> Names;
  /// The operation that the first of them is for, and its line; may be empty.
  std::string OpName;
  std::string Source;
  /// What the largest of them writes each time.
  uint64_t Bytes = 0;
  /// A counter of a loop, or a flag.
  bool IsSmall = true;
  uint64_t LeastRuns = 0;
  uint64_t MostRuns = 0;
  /// A loop whose trips are not known; empty if there is none.
  std::string UnknownLoop;
  /// What is copied: `argument x`.
  std::string What;
  /// One clause.
  std::string Why;
  /// What to change; empty if there is nothing.
  std::string Change;
  /// What forces it, of Reader and Self: values, and what reads the one last
  /// and writes the other; empty for other causes.
  std::string Older, Reader, Newer, Writer;
  /// What is copied first, and what the last copy makes.
  HloValueId From, To;

  /// `2 copies of 1.53MiB x 3998`
  std::string amount() const;
  /// That, the first names, what is copied and the cause.
  std::string title() const;
};

/// All copies of a program, and the bytes that it moves in one run.
struct CopyTable {
  /// The most where branches differ.
  ByteTraffic All;
  /// Of all copies, those between memory spaces included.
  uint64_t LeastCopied = 0;
  uint64_t MostCopied = 0;
  /// Of MostCopied.
  uint64_t BetweenSpaces = 0;
  /// The largest first, without those between memory spaces and small ones.
  std::vector<CopyRow> Rows;
  /// Of Rows, those of at least 1 % of All.
  size_t NumShown = 0;
};

/// Looks for copies in one module that derives times.
class CopyFinder {
public:
  CopyFinder(const ModuleAnalysis &Module, const ValueNames &Names);

  /// \p Large copies are in the table even if they are a small part of all
  /// traffic: in bytes.
  CopyTable find(uint64_t Large) const;
  const Traffic &traffic() const { return Bytes; }
  const SetConflicts &conflicts() const { return Sets; }
  /// The way from \p At back through copies and updates in place: these, the
  /// last one first, and where it begins.
  Part walkBack(Part At, SmallVectorImpl<HloId> &Path) const;
  /// `add at train.py:15 (step 48)`, `the scan at train.py:12`.
  std::string spell(HloId Id, bool WithStep) const;

  /// \p At is the same in each trip of the loop with \p Body. In the body of
  /// \p Fusion, if that is valid, whose operands are in Body.
  bool isInvariant(Part At, ComputationId Body, HloId Fusion = {}) const;

private:
  /// Copies on one way.
  struct Way {
    ComputationId In;
    /// The part of the root that it ends in; nothing if it is an operand.
    std::optional<uint32_t> End;
    /// In the order in which they run.
    std::vector<HloId> Copies;
    Part Start;
  };
  std::vector<Way> findWays() const;
  CopyRow rowOf(const Way &W) const;
  void describe(CopyRow &Row, const Way &W) const;
  void explain(CopyRow &Row, const Way &W) const;
  bool explainSource(CopyRow &Row, const Way &W) const;
  bool explainState(CopyRow &Row, const Way &W) const;
  bool explainConflict(CopyRow &Row, const Way &W) const;
  void explainRewrite(CopyRow &Row, const InstructionTraffic &R) const;
  bool endsTwice(const Way &W) const;
  bool isUndonated(Part At) const;
  std::string donationOf(const CopyRow &Row, const Way &W) const;
  HloId nextWriter(HloValueId Set, const Way &W) const;
  HloValueId valueOf(HloId Copy) const;
  HloValueId sourceOf(HloId Copy) const;

  const ModuleAnalysis &Module;
  const Program &P;
  const DataflowAnalysis &Flow;
  const ValueNames &Names;
  Traffic Bytes;
  SetConflicts Sets;
  std::vector<bool> Donated;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_COPIES_H
