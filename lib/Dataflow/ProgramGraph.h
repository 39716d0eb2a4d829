//===- Dataflow/ProgramGraph.h - Who reads and calls whom -------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_PROGRAMGRAPH_H
#define HLOBUF_DATAFLOW_PROGRAMGRAPH_H

#include "HLO/Module.h"

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
};

/// The instructions of a program with their operands, and its computations with
/// their callers.
class ProgramGraph {
public:
  size_t size() const { return Nodes.size(); }
  const ProgramNode &operator[](HloId Id) const { return Nodes[Id.index()]; }
  llvm::ArrayRef<HloId> operands(HloId Id) const {
    IndexRange R = Nodes[Id.index()].Operands;
    return llvm::ArrayRef<HloId>(Operands).slice(R.Begin, R.size());
  }
  /// Instructions that call \p C, each once. An async chain counts with its
  /// start, and with updates and dones that print `calls=` themselves.
  llvm::ArrayRef<HloId> callers(ComputationId C) const {
    return llvm::ArrayRef<HloId>(Callers).slice(CallerBegin[C.index()],
                                                CallerBegin[C.index() + 1] -
                                                    CallerBegin[C.index()]);
  }

protected:
  std::vector<ProgramNode> Nodes;
  std::vector<HloId> Operands;
  std::vector<uint32_t> CallerBegin;
  std::vector<HloId> Callers;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_PROGRAMGRAPH_H
