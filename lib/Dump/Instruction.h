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
  NameId Name;
  /// Offset of the first text that was seen.
  uint32_t TextOffset = 0;
  ShapeId Result;
  /// Of `parameter(N)` the N, else the index of the first operand in
  /// Dump::OperandNames. Constants and parameters have no operands.
  uint32_t First = 0;
  uint32_t NumOperands = 0;
  /// Bytes of the text: all, those before the `(` of the operands, and those
  /// between the parentheses.
  uint32_t TextSize = 0;
  uint32_t HeadSize = 0;
  uint32_t OperandsSize = 0;
  PrintedOpcode Op;

  /// `parameter(N)`; 0 for other opcodes.
  uint32_t parameterNumber() const {
    return Op.Op == Opcode::Parameter ? First : 0;
  }
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_INSTRUCTION_H
