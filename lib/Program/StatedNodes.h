// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second source of the program: the texts, positions and uses of
// 'Used values', where there is no module.

#ifndef HLOBUF_PROGRAM_STATEDNODES_H
#define HLOBUF_PROGRAM_STATEDNODES_H

#include "Facts/Facts.h"
#include "Program/ProgramGraph.h"

namespace hlobuf {

/// The instructions that a dump mentions.
struct StatedNodes {
  /// Operands without name and shape: what no text, position or use says, and
  /// what two uses contradict each other about.
  static constexpr HloId unknown() { return HloId(0); }
  static constexpr HloId disputed() { return HloId(1); }

  std::vector<HloNode> Nodes;
  std::vector<HloId> Operands;
  /// By name; invalid for names that no text, position or use mentions.
  std::vector<HloId> ByName;
};

/// An instruction with a text has its opcode, shape and operands. Any other one
/// is opaque: its shape is that of the value at it, and its operands are those
/// where the values are that it uses, as far as only one instruction fits.
StatedNodes findStatedNodes(const Facts &DumpFacts);

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_STATEDNODES_H
