// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What steps do, by the dump alone.
//
// The second source of the program: without its module, instruction texts, uses
// and positions say what each step of the sequence reads and writes. What only
// the module shows is said to be unknown: what fusions do inside, and which
// instructions are in different branches of one conditional.

#ifndef HLOBUF_PROGRAM_STATEDSTEPS_H
#define HLOBUF_PROGRAM_STATEDSTEPS_H

#include "Facts/Facts.h"
#include "llvm/ADT/DenseMap.h"

namespace hlobuf {

/// What the definition of a value does to its bytes.
enum class StatedEffect : uint8_t {
  Writes,
  /// They stay what they are: a phi, a parameter, a ConcatBitcast, a copy of a
  /// value onto itself.
  Keeps,
  /// A fusion declares to alias the operand that it is placed on, which it may
  /// forward or change; or a copy of what may be a bitcast is placed on it.
  Unknown,
};

/// The steps of a dump with instruction texts and a sound sequence.
class StatedSteps {
public:
  explicit StatedSteps(const Facts &DumpFacts) : DumpFacts(DumpFacts) {}

  /// True if use number \p Number is one of bytes: the instruction reads them
  /// itself. A while reads what it does not change.
  bool reads(uint32_t Number) const;
  StatedEffect effect(ValueId V);
  /// True if operand \p Operand of \p Reader is the instruction that defines
  /// \p V, so that it has that type: a bitcast would have another, and no text.
  bool isTyped(NameId Reader, uint32_t Operand, ValueId V) const;
  /// True if all that the ConcatBitcast \p V joins is in its place.
  bool isJoined(ValueId V) const;
  /// True if \p Reader is a start whose text may stand for an async-start, and
  /// \p Written is what its computation, the step before, wrote over an
  /// operand.
  bool wroteItself(NameId Reader, ValueId Written) const;
  /// True if \p V is passed to a conditional, and \p Writer and \p Reader may
  /// be in different branches of it.
  bool mayRunInstead(NameId Writer, ValueId V, NameId Reader);

private:
  ValueId operandValue(NameId Reader, uint32_t Operand, ShapeIndex Index);
  bool isOnOperand(ValueId V, uint32_t Operand, ShapeIndex Index);
  /// True if \p V has the place of something that its instruction reads.
  bool isOnSomeOperand(ValueId V) const;

  const Facts &DumpFacts;
  /// By name, once it is asked for: the first one that is known to be of the
  /// same computation, as an instruction and its operands are, and the only
  /// position of a value and its users.
  std::vector<uint32_t> Together;
  /// What OperandReader reads, by operand and index.
  NameId OperandReader;
  DenseMap<IdPair, ValueId> OperandValues;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_STATEDSTEPS_H
