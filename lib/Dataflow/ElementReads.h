//===- Dataflow/ElementReads.h - How results read operands ------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the results of an instruction back to its operands, through fused
// and nested computations, on every path. Time is linear in the size of the
// computation: if it is not, nothing is known.
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_ELEMENTREADS_H
#define HLOBUF_DATAFLOW_ELEMENTREADS_H

#include "Dataflow/StartIndices.h"

namespace hlobuf {

/// Elements of operand number Operand, part Part, that an instruction reads.
struct ElementRead {
  uint32_t Operand = 0;
  uint32_t Part = 0;
  ElementMap Map;
};

/// Elements of a result that differ from the operand at the same place.
struct ChangedWindow {
  /// Only its written side counts.
  ElementMap Map;
  HloId Writer;
};

/// What becomes of the operand that a result is written in place of.
struct InPlaceChain {
  /// Where the chain of updates begins.
  uint32_t Operand = 0;
  uint32_t Part = 0;
  /// The chain ends at an operand; else all elements are changed.
  bool Found = false;
  /// An update at places that the text does not tell: scatter.
  bool AnyPlace = false;
  std::vector<ChangedWindow> Windows;
  HloId Writer;
  /// Too long to be followed.
  bool Incomplete = false;

  /// Nothing is written that was not there.
  bool onlyForwards() const { return Found && !AnyPlace && Windows.empty(); }
  /// dynamic-update-slice or scatter.
  bool isUpdate() const { return Writer.valid(); }
};

/// All reads of one instruction.
struct InstructionReads {
  /// By operand, then by part.
  std::vector<ElementRead> Reads;
  /// Results that are reductions: the reads are in the order of what they
  /// reduce, as the other results are computed.
  llvm::SmallVector<uint32_t, 1> Reductions;
  /// Too many paths: reads are missing.
  bool Incomplete = false;

  /// The reads of part \p Part of operand \p Operand.
  llvm::ArrayRef<ElementRead> of(uint32_t Operand, uint32_t Part) const;
};

/// Answers for the instructions of one program.
class ElementReads {
public:
  explicit ElementReads(const Program &P)
      : P(P), Starts(P), Budget(FreeSteps + StepsPerInstruction * P.size()) {}

  /// What the results of \p Id read. Of a fusion with several results, all are
  /// computed together, and a reduction reads as its operand is iterated.
  InstructionReads of(HloId Id);
  /// What result \p Part of \p Id reads, in the order of that result.
  InstructionReads of(HloId Id, uint32_t Part);
  /// How result \p Part of \p Id comes from an operand.
  InPlaceChain chain(HloId Id, uint32_t Part);

  const StartIndices &starts() const { return Starts; }

private:
  friend class ReadWalk;

  /// Steps of all walks together: a fused computation that many fusions share
  /// is followed for each of them.
  static constexpr size_t FreeSteps = 1 << 16;
  static constexpr size_t StepsPerInstruction = 64;

  const Program &P;
  StartIndices Starts;
  size_t Budget;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ELEMENTREADS_H
