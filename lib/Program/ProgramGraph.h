// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads and calls whom.

#ifndef HLOBUF_PROGRAM_PROGRAMGRAPH_H
#define HLOBUF_PROGRAM_PROGRAMGRAPH_H

#include "HLO/Module.h"
#include "HLO/ShapeTrees.h"

namespace hlobuf {

/// A part of an instruction's result; parts are ordinals of ShapeTrees.
struct Part {
  HloId Id;
  uint32_t Ordinal = 0;

  explicit operator bool() const { return Id.valid(); }
  auto operator<=>(const Part &) const = default;
};

/// Part \p Ordinal of operand \p Operand.
struct OperandPart {
  uint32_t Operand = 0;
  uint32_t Ordinal = 0;
  bool operator==(const OperandPart &) const = default;
};

/// Part \p Result of an instruction, and the part of an operand whose bytes it
/// may have.
struct WorkingPair {
  uint32_t Operand = 0;
  uint32_t OperandPart = 0;
  uint32_t Result = 0;
  bool operator==(const WorkingPair &) const = default;
};

/// The instructions of a program with their operands, and its computations with
/// their callers.
class ProgramGraph {
public:
  ProgramGraph(const ShapeTable &Shapes, ShapeIndexTable &Indices)
      : Trees(Shapes, Indices) {}

  const ShapeTrees &trees() const { return Trees; }
  size_t size() const { return Printed.size() + Nodes.size(); }
  /// An instruction, or a get-tuple-element that the text leaves out.
  const HloNode &operator[](HloId Id) const {
    return Id.index() < Printed.size() ? Printed[Id.index()]
                                       : Nodes[Id.index() - Printed.size()];
  }
  ArrayRef<HloId> operands(HloId Id) const {
    if (Id.index() < Printed.size())
      return operandsOf(Printed[Id.index()], Printed,
                        ArrayRef(*AllOperands).take_front(NumPrinted));
    return operandsOf<HloNode>(Nodes[Id.index() - Printed.size()], Nodes,
                               *AllOperands);
  }
  /// The part of an operand that part \p Ordinal of \p Id is, by the rows
  /// HLOBUF_FORWARD of Opcodes.def; nothing if \p Id defines it, or if it comes
  /// out of what \p Id calls.
  std::optional<OperandPart> forwardedPart(HloId Id, uint32_t Ordinal) const;
  /// The part of \p Id at \p Steps; an invalid one if there is none.
  Part partAt(HloId Id, ArrayRef<uint32_t> Steps) const {
    auto Ordinal = Id && (*this)[Id].Shape
                       ? Trees.ordinal((*this)[Id].Shape, Steps)
                       : std::nullopt;
    return Ordinal ? Part{Id, *Ordinal} : Part();
  }
  SmallVector<uint32_t, 4> steps(Part At) const {
    return Trees.steps((*this)[At.Id].Shape, At.Ordinal);
  }
  /// Instructions that call \p C, each once. An async chain counts with its
  /// start, and with updates and dones that print `calls=` themselves.
  ArrayRef<HloId> callers(ComputationId C) const {
    return ArrayRef<HloId>(Callers).slice(CallerBegin[C.index()],
                                          CallerBegin[C.index() + 1] -
                                              CallerBegin[C.index()]);
  }
  /// A call as an instruction prints it.
  struct CallSite {
    HloId Caller;
    /// Which of the caller's calls it is.
    uint32_t Number = 0;
    auto operator<=>(const CallSite &) const = default;
  };
  /// All calls of \p C.
  ArrayRef<CallSite> callSites(ComputationId C) const {
    return ArrayRef<CallSite>(CallSites).slice(CallSiteBegin[C.index()],
                                               CallSiteBegin[C.index() + 1] -
                                                   CallSiteBegin[C.index()]);
  }

protected:
  ShapeTrees Trees;
  /// The module's own; those after them are Nodes.
  ArrayRef<HloInstruction> Printed;
  std::vector<HloNode> Nodes;
  /// The module's, unless some of them have a path; Operands then.
  const std::vector<HloId> *AllOperands = &Operands;
  std::vector<HloId> Operands;
  /// Operands of Printed, which are before those of Nodes.
  size_t NumPrinted = 0;
  std::vector<uint32_t> CallerBegin;
  std::vector<HloId> Callers;
  std::vector<uint32_t> CallSiteBegin;
  std::vector<CallSite> CallSites;
};

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_PROGRAMGRAPH_H
