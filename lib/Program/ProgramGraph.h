// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads and calls whom.

#ifndef HLOBUF_PROGRAM_PROGRAMGRAPH_H
#define HLOBUF_PROGRAM_PROGRAMGRAPH_H

#include "HLO/Module.h"
#include "HLO/ShapeTrees.h"

namespace hlobuf {

/// An instruction, or a get-tuple-element that the text leaves out.
struct ProgramNode {
  /// Invalid if neither module nor dump name it.
  NameId Name;
  ComputationId Parent;
  ShapeId Shape;
  /// `parameter(N)`, or the element of a get-tuple-element.
  uint32_t Number = 0;
  /// Into Program's operands, half-open.
  IndexRange Operands;
  Opcode Op = Opcode::Unknown;
  bool Sugar = false;
  bool Root = false;
  /// Only its name is known, and what positions and uses say of it; ReadsParts
  /// then: they show that it reads all parts of its operands.
  bool Opaque = false;
  bool ReadsParts = false;
};

/// Part \p Ordinal of operand \p Operand.
struct OperandPart {
  uint32_t Operand = 0;
  uint32_t Ordinal = 0;
};

/// The instructions of a program with their operands, and its computations with
/// their callers.
class ProgramGraph {
public:
  ProgramGraph(const ShapeTable &Shapes, ShapeIndexTable &Indices)
      : Trees(Shapes, Indices) {}

  const ShapeTrees &trees() const { return Trees; }
  size_t size() const { return Nodes.size(); }
  const ProgramNode &operator[](HloId Id) const { return Nodes[Id.index()]; }
  llvm::ArrayRef<HloId> operands(HloId Id) const {
    IndexRange R = Nodes[Id.index()].Operands;
    return llvm::ArrayRef<HloId>(Operands).slice(R.Begin, R.size());
  }
  /// The part of an operand that part \p Ordinal of \p Id is, by the rows
  /// HLOBUF_FORWARD of Opcodes.def; nothing if \p Id defines it, or if it comes
  /// out of what \p Id calls.
  std::optional<OperandPart> forwardedPart(HloId Id, uint32_t Ordinal) const;
  /// Instructions that call \p C, each once. An async chain counts with its
  /// start, and with updates and dones that print `calls=` themselves.
  llvm::ArrayRef<HloId> callers(ComputationId C) const {
    return llvm::ArrayRef<HloId>(Callers).slice(CallerBegin[C.index()],
                                                CallerBegin[C.index() + 1] -
                                                    CallerBegin[C.index()]);
  }

protected:
  ShapeTrees Trees;
  std::vector<ProgramNode> Nodes;
  std::vector<HloId> Operands;
  std::vector<uint32_t> CallerBegin;
  std::vector<HloId> Callers;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_PROGRAMGRAPH_H
