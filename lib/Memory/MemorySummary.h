//===- Memory/MemorySummary.h - Where the memory goes -----------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What people open a dump for. All numbers are bytes as placed, padding
// included, unless said otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_MEMORY_MEMORYSUMMARY_H
#define HLOBUF_MEMORY_MEMORYSUMMARY_H

#include "Memory/MemoryUse.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace hlobuf {

/// A value, or several that share their bytes.
struct LargeValue {
  /// `fusion.1{0}`.
  std::string Name;
  std::string Shape;
  /// `train.py:12`; empty if it is unknown.
  std::string Source;
  uint64_t Bytes = 0;
  uint32_t Allocation = 0;
};

/// The moment with the most live bytes.
struct MemoryPeak {
  int32_t Step = 0;
  std::string Instruction;
  /// As XLA counts: without padding, values that share bytes one by one.
  uint64_t Counted = 0;
  /// Bytes that live values hold.
  uint64_t Live = 0;
  /// The dump has no peak list: the step follows from its module.
  bool Derived = false;
};

/// Items of input_output_alias.
struct DonationSummary {
  unsigned Kept = 0;
  unsigned Missed = 0;
  /// Arrays among the parameters that are not donated, though an output that
  /// is written to memory of its own has their shape.
  unsigned Possible = 0;
};

struct PaddingSummary {
  /// Bytes that values hold beyond those of their elements; bytes that several
  /// values take in turn count for each distinct place.
  uint64_t Total = 0;
  uint64_t LargestTemp = 0;
  std::optional<uint64_t> AtPeak;
};

/// A memory space; see SpaceUse.
struct SpaceSummary {
  int32_t Color = 0;
  std::string Name;
  uint64_t Allocated = 0;
  uint64_t Resident = 0;
  uint64_t Peak = 0;
  /// Nothing where times are not known.
  std::optional<int32_t> PeakStep;
  std::string Instruction;
  /// The held bytes there without padding.
  uint64_t Unpadded = 0;
};

/// Where the memory of one module goes.
struct MemorySummary {
  TimeSource Times = TimeSource::Unknown;
  std::vector<SpaceSummary> Spaces;
  uint64_t Total = 0;
  std::array<uint64_t, NumMemoryKinds> ByKind = {};
  std::map<int32_t, uint64_t> ByColor;
  std::optional<MemoryPeak> Peak;
  /// The most bytes of temp allocations that are live at one time.
  std::optional<uint64_t> MostLiveTemp;
  /// At the peak, or of all where that is not known; by size.
  std::vector<LargeValue> Largest;
  PaddingSummary Padding;
  /// Unknown without a module.
  std::optional<DonationSummary> Donation;

  uint64_t temp() const {
    return ByKind[static_cast<size_t>(MemoryKind::Temp)];
  }
};

/// Values that MemorySummary::Largest holds at most.
constexpr size_t MaxLargeValues = 10;

/// Adds up the dump of \p A.
MemorySummary summarizeMemory(const Facts &A, ModuleAnalysisFn Module);

/// Prints \p M as a table below the heading \p Name.
void printMemory(const MemorySummary &M, llvm::StringRef Name,
                 llvm::raw_ostream &OS);

/// Writes \p M as one JSON object.
void writeMemory(const MemorySummary &M, llvm::json::OStream &J);

/// Adds up the memory of several modules.
class MemoryTotals {
public:
  void add(llvm::StringRef Name, const MemorySummary &M);
  size_t size() const { return Count; }
  /// Prints the sums and the largest modules.
  void print(llvm::raw_ostream &OS) const;

private:
  struct Entry {
    uint64_t Bytes;
    uint64_t Temp;
    std::string Name;
  };
  size_t Count = 0;
  uint64_t Total = 0;
  std::array<uint64_t, NumMemoryKinds> ByKind = {};
  /// The largest ones, by size.
  std::vector<Entry> Largest;
};

} // namespace hlobuf

#endif // HLOBUF_MEMORY_MEMORYSUMMARY_H
