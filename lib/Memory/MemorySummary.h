// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the memory goes.
//
// What people open a dump for. All numbers are bytes as placed, padding
// included, unless said otherwise.

#ifndef HLOBUF_MEMORY_MEMORYSUMMARY_H
#define HLOBUF_MEMORY_MEMORYSUMMARY_H

#include "Memory/MemoryTree.h"
#include "Memory/ValueNames.h"
#include "Memory/Waste.h"
#include "Memory/Why.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

namespace hlobuf {

/// What is shown: the peak in rows of values, or in scopes of op_name; or
/// copies alone.
enum class SummaryTable : uint8_t { Rows, Scopes, Copies };

/// What `--summary` shows.
struct SummaryOptions {
  /// Rows of each table.
  unsigned Top = 10;
  SummaryTable Table = SummaryTable::Rows;
  /// Bytes of the main memory space of the chip, where they are known.
  std::optional<uint64_t> Capacity;
  /// Where Capacity comes from: `TPU v5e`.
  std::string Chip;
  /// Values that are to be explained, as the dump spells them.
  std::vector<std::string> Explained;
};

/// A value that is held at the peak, or several that share its bytes.
struct HeldRow : NamedBytes {
  /// Without its layout.
  std::string Shape = {};
  uint32_t Allocation = 0;
  /// Of Bytes, those in which nothing is live.
  uint64_t Idle = 0;
};

/// Rows of one kind, source line and shape; without a line of one op. Small
/// ones of a line, and of a list of arguments, have several shapes.
struct HeldGroup {
  HeldRow First;
  uint64_t Count = 0;
  uint64_t Bytes = 0;
  uint64_t Idle = 0;
  /// OpName, with `*` for numbers that differ; of several the last parts.
  std::string Label;
  unsigned Shapes = 1;
};

/// A memory space, and what runs at its peak where times are known.
struct SpaceSummary : SpaceTotals {
  std::string Instruction;
  /// Its op_name and line; may be empty.
  std::string OpName;
  std::string Source;
  /// The held bytes there without padding, and those of arguments and results
  /// in which nothing is live.
  uint64_t Unpadded = 0;
  uint64_t Idle = 0;
};

/// Items of input_output_alias.
struct DonationSummary {
  unsigned Effective = 0;
  unsigned Missed = 0;
  /// Arguments that are not donated, though a result could take their memory.
  unsigned Possible = 0;
  /// Bytes that these would save.
  uint64_t PossibleBytes = 0;
};

/// One entry of findWaste(), or several of one lint with the same hint and the
/// same bytes: these are of the first one.
struct WasteRow {
  /// The lint that reports it.
  StringRef Check;
  std::string Message;
  std::string Hint;
  uint64_t Saved = 0;
  unsigned Count = 1;
};

/// XLA's peak list against what the main memory space holds at its step.
struct StatedPeak {
  int32_t Step = 0;
  /// The sum of the list.
  uint64_t Bytes = 0;
  /// Nothing where times are another's.
  std::optional<uint64_t> HeldBytes;
};

/// Bytes, and what a text says that they are.
struct StatedBytes {
  uint64_t Bytes = 0;
  std::string Text;
};

/// Where the memory of one module goes.
struct MemorySummary {
  uint64_t Total = 0;
  std::array<uint64_t, NumMemoryKinds> ByKind = {};
  TimeSource Times = TimeSource::Unknown;
  std::vector<SpaceSummary> Spaces;
  /// The number in Spaces of the one that the rest is about: color 0.
  std::optional<size_t> Main;
  std::optional<uint64_t> Capacity;
  std::string Chip;
  std::optional<StatedPeak> Stated;
  /// A text says this, without a dump.
  bool OfText = false;
  std::vector<StatedBytes> StatedKinds;
  /// Bytes held at the peak, by kind.
  std::array<uint64_t, NumMemoryKinds> BytesByKind = {};
  /// Bytes at the peak that the forward pass keeps for the backward pass; the
  /// part of them that one loop collects, and that loop: `scan at train.py:32`.
  uint64_t ResidualBytes = 0;
  uint64_t KeptByLoop = 0;
  std::string KeepingLoop;
  /// The largest at the peak; without times, of all allocations.
  std::vector<HeldRow> Largest;
  std::vector<HeldGroup> Groups;
  size_t NumGroups = 0;
  SummaryTable Table = SummaryTable::Rows;
  /// Rows of copies.
  unsigned Top = 10;
  /// The scopes of all rows.
  std::vector<TreeLine> Tree;
  std::vector<WasteRow> Savings;
  /// Nothing without a module that derives times.
  std::optional<CopyTable> Copies;
  DonationTable Donated;
  std::vector<StoredInvariant> Stored;
  std::vector<Recomputation> Recomputed;
  /// Unknown without a module.
  std::optional<DonationSummary> Donation;
  /// One for each of SummaryOptions::Explained.
  std::vector<WhyAnswer> Answers;

  bool isTimed() const { return Times != TimeSource::Unknown; }
  const SpaceSummary *main() const { return Main ? &Spaces[*Main] : nullptr; }
  /// The main space needs more than there is.
  bool isTooLarge() const {
    return Capacity && Main && main()->Allocated > *Capacity;
  }
};

/// Adds up the memory of \p Memory, whose values \p Names names, with
/// \p Answers. \p Module may be null.
MemorySummary summarizeMemory(const MemoryUse &Memory, const ValueNames &Names,
                              const ModuleAnalysis *Module,
                              const MemoryAnswers &Answers,
                              const SummaryOptions &Options);

/// The same of \p Spaces, at least one, of the first of which \p Rows are
/// known: all that other texts than dumps say.
MemorySummary summarizeRows(ArrayRef<SpaceTotals> Spaces,
                            ArrayRef<HeldRow> Rows,
                            const SummaryOptions &Options);

/// Prints \p Summary as tables below the heading \p Name, at most \p Width
/// columns.
void printMemory(const MemorySummary &Summary, StringRef Name, unsigned Width,
                 raw_ostream &OS);

/// Prints \p Row as a summary does, at most \p Width columns: 60 or more.
void printCopyRow(const CopyRow &Row, size_t Width, raw_ostream &OS);

/// Writes \p Rows as the attribute `copies`.
void writeCopyRows(ArrayRef<CopyRow> Rows, llvm::json::OStream &J);

/// Writes \p Summary as one JSON object.
void writeMemory(const MemorySummary &Summary, llvm::json::OStream &J);

/// The memory of several modules: one table, largest first.
class MemoryTotals {
public:
  void add(StringRef Name, const MemorySummary &Summary);
  /// Prints the summary of one module, or a table of several and the summary of
  /// the largest.
  void print(unsigned Width, raw_ostream &OS) const;

private:
  struct Entry {
    unsigned Count = 0;
    bool TooLarge = false;
    uint64_t Bytes = 0;
    uint64_t Temp = 0;
    uint64_t Saved = 0;
  };
  size_t Count = 0;
  uint64_t Total = 0;
  /// By name and bytes.
  std::map<std::pair<std::string, uint64_t>, Entry> Entries;
  /// The one that needs the most.
  std::string LargestName;
  std::optional<MemorySummary> Largest;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_MEMORYSUMMARY_H
