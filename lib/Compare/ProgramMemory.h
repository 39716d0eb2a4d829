// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One side of a comparison.
//
// What is compared of a program, as plain data that outlives its dump: what it
// holds at its peaks, its arguments, and which values it has at all. Names and
// numbers of instructions are left out of what is compared: they change with
// every compilation.

#ifndef HLOBUF_COMPARE_PROGRAMMEMORY_H
#define HLOBUF_COMPARE_PROGRAMMEMORY_H

#include "HLO/Opcode.h"
#include "Memory/MemorySummary.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <map>

namespace hlobuf {

/// A value that holds bytes at the peak of its memory space.
struct ComparedValue : NamedBytes {
  /// With and without layout.
  std::string Shape;
  std::string PlainShape;
  /// As printed; empty if unknown.
  std::string Opcode;
  /// The number of the argument whose allocation it is in.
  std::optional<uint32_t> Argument;
  /// The step of its definition; -1 if it has none.
  int32_t Step = -1;
  /// Values that share the bytes there, itself first: what they are known by in
  /// both programs.
  std::vector<std::string> Shared;

  /// The operations and lines that read it, without scopes; empty if unknown.
  std::string Readers;
  /// `fusion.1 (add train.py:5), live from step 4 to 9: dot.4 reads it at step
  /// 9`; empty if unknown, or of a small part of the peak.
  std::string Kept;
  /// The key of its array in ProgramMemory::Arrays; empty if it is in none.
  std::string Array;

  /// Its operation or its source line is known.
  bool isKnown() const {
    return !Called.OpName.empty() || !Called.Source.empty();
  }
  /// The last part of its op_name: `dot_general`. The whole name of an
  /// argument.
  StringRef operation() const;
  /// `f32[8,16]` becomes `f32` and 2.
  StringRef elementType() const;
  size_t rank() const;
};

/// An argument of the program, in the terms of its source.
struct ComparedArgument {
  /// `p['w']`, or `argument 3` where the program gives it no name.
  std::string Name;
  std::string PlainShape;
  uint64_t Bytes = 0;
  uint32_t Number = 0;
  /// The program donates it, and its bytes are a result's.
  bool IsDonated = false;
  bool IsReused = false;
};

/// What a memory space holds at its peak; sizes in bytes.
struct ComparedSpace : SpaceTotals {
  /// Of what is held at the peak.
  uint64_t Padding = 0;
  /// The most bytes first. Their sum is Peak.
  std::vector<ComparedValue> Values;

  uint64_t fragmentation() const { return Allocated - Peak; }
};

/// An alias set over time: all values that have the same bytes, one after the
/// other.
struct ComparedArray {
  AllocationId Owner;
  /// Inside of it.
  ByteSpan Bytes;
  /// What is written first, while the program is described.
  HloValueId First;
};

/// The memory of one program, free of names and numbers that another
/// compilation would not repeat.
struct ProgramMemory {
  std::string Module;
  /// Live ranges are known: peaks are those of temps, too.
  bool Timed = false;
  /// It is a memory usage report: what is compared are all allocations.
  bool OfReport = false;
  std::vector<ComparedSpace> Spaces;
  std::vector<ComparedArgument> Arguments;
  /// The result of ENTRY, without layouts; empty if it is not known.
  std::string Result;
  /// By color, how many values have this operation, source line and plain
  /// shape.
  std::map<int32_t, StringMap<unsigned>> Values;
  /// Operations with their source lines.
  StringMap<unsigned> Operations;
  /// Those in temps of at least 1 % of a peak and 4 KiB, by what they are known
  /// by in another compilation: memory space, shape, what writes them first and
  /// reads them last, and which one of how many such arrays it is.
  std::map<std::string, ComparedArray> Arrays;
  /// By two of these keys, of arrays at a peak: which two, and why they cannot
  /// share bytes, for people.
  std::map<std::pair<std::string, std::string>, std::array<std::string, 2>>
      Apart;
  /// What one run moves; nothing without a module that derives times.
  std::optional<CopyTable> Copies;
  /// Instructions that compute again what was computed before (jax.checkpoint,
  /// XLA's rematerialization).
  size_t Recomputed = 0;
  /// When the dump was written, as far as it shows: [From, Before), as
  /// 20250516.
  uint32_t From = 0;
  uint32_t Before = ~uint32_t(0);
};

/// What a value is known by in another compilation of its program.
std::string identityOf(StringRef Operation, StringRef Source,
                       StringRef PlainShape);

/// Describes the dump of \p Memory, whose values \p Names names; \p Module may
/// be null, and \p Title is its name for people.
ProgramMemory describeProgram(const MemoryUse &Memory, const ValueNames &Names,
                              const ModuleAnalysis *Module, StringRef Title);

/// The same of a memory usage report, whose largest rows are its values.
ProgramMemory describeReport(const MemorySummary &Report);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_PROGRAMMEMORY_H
