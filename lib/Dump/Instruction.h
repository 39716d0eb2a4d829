// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions whose texts the used values hold.

#ifndef HLOBUF_DUMP_INSTRUCTION_H
#define HLOBUF_DUMP_INSTRUCTION_H

#include "HLO/Opcode.h"
#include "Support/Ids.h"

namespace hlobuf {

/// An instruction whose text the used values hold.
struct Instruction {
  static constexpr uint16_t LongText = 0xffff;
  /// What HeadSize, OperandsSize and NumOperands can hold at most.
  static constexpr uint32_t MaxPart = (1u << 12) - 1;
  static constexpr uint32_t MaxOperands = (1u << 8) - 1;

  NameId Name;
  /// Offset of the first text that was seen.
  uint32_t TextOffset = 0;
  ShapeId Result;
  /// Of `parameter(N)` the N, else the index of the first operand in
  /// Dump::OperandNames. Constants and parameters have no operands.
  uint32_t First = 0;
  /// The fields of InstructionExtent; with LongText it is in
  /// Dump::LongInstructions.
  uint32_t HeadSize : 12 = 0;
  uint32_t OperandsSize : 12 = 0;
  uint32_t NumOperands : 8 = 0;
  uint16_t TextSize = 0;
  PrintedOpcode Op;

  /// `parameter(N)`; 0 for other opcodes.
  uint32_t parameterNumber() const {
    return Op.Op == Opcode::Parameter ? First : 0;
  }
};

/// Bytes of an instruction's text: all, those before the `(` of the operands,
/// and those between the parentheses; and how many operands these are.
struct InstructionExtent {
  uint32_t TextOffset = 0;
  uint32_t Text = 0;
  uint32_t Head = 0;
  uint32_t Operands = 0;
  uint32_t NumOperands = 0;
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_INSTRUCTION_H
