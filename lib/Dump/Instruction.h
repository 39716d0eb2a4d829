// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions whose texts the used values hold.

#ifndef HLOBUF_DUMP_INSTRUCTION_H
#define HLOBUF_DUMP_INSTRUCTION_H

#include "HLO/InstructionParser.h"
#include "Support/Ids.h"

namespace hlobuf {

/// An instruction whose text the used values hold; its place is that of the
/// first one that was seen.
struct Instruction : TextExtent {
  NameId Name;
  ShapeId Result;
  /// Of `parameter(N)` the N, else the index of the first operand in
  /// Dump::OperandNames. Constants and parameters have no operands.
  uint32_t First = 0;
  uint32_t NumOperands = 0;
  PrintedOpcode Op;

  /// `parameter(N)`; 0 for other opcodes.
  uint32_t parameterNumber() const {
    return Op.Op == Opcode::Parameter ? First : 0;
  }
};

} // namespace hlobuf

#endif // HLOBUF_DUMP_INSTRUCTION_H
