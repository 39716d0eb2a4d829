// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of each opcode.

#ifndef HLOBUF_DATAFLOW_DATAFLOWBUILDER_H
#define HLOBUF_DATAFLOW_DATAFLOWBUILDER_H

#include "Dataflow/LocationGraph.h"
#include "Program/ReleaseRules.h"
#include "llvm/ADT/DenseSet.h"

namespace hlobuf {

/// Fills kinds and sources of all locations, one opcode at a time
/// (xla/hlo/analysis/hlo_dataflow_analysis.cc).
class DataflowBuilder {
public:
  DataflowBuilder(LocationGraph &Graph, const ReleaseRules &Rules)
      : Graph(Graph), P(Graph.program()), Rules(Rules) {}

  void run();

private:
  void link(HloId Id);
  void linkParts(HloId Id);
  bool addArguments(HloId Id, HloId Caller,
                    llvm::SmallVectorImpl<HloId> &Inputs);
  llvm::ArrayRef<uint32_t> branchesOf(HloId Caller, ComputationId Callee);
  void linkParameter(HloId Id);
  void linkAsync(HloId Id);
  void linkAsyncResult(HloId Id, uint32_t Element);
  bool passesAsync(ShapeKind Kind) const;
  void forwardAllButOperands(HloId Id);
  void forwardResult(HloId Id, llvm::ArrayRef<uint32_t> Ordinals);
  void linkCustomCall(HloId Id);
  bool linkCallMarker(HloId Id);
  void linkBranches(HloId Id);

  const Shape &shape(HloId Id) const { return P.trees().shape(P[Id].Shape); }
  uint32_t parts(HloId Id) const { return P.trees().parts(P[Id].Shape); }
  uint32_t location(HloId Id, uint32_t Ordinal) const {
    return Graph.location(Id, Ordinal);
  }
  /// The ordinal of the part at \p Steps; nothing if there is none.
  std::optional<uint32_t> part(HloId Id, llvm::ArrayRef<uint32_t> Steps) const;
  bool isTuple(HloId Id, uint32_t Ordinal) const {
    return P.trees().isTuple(P[Id].Shape, Ordinal);
  }

  void define(HloId Id, uint32_t Ordinal) {
    Graph.define(location(Id, Ordinal));
  }
  void defineAll(HloId Id);
  /// Defines the tuples of \p Id's shape.
  void defineTuples(HloId Id);
  void forward(HloId Id, uint32_t Ordinal, HloId From, uint32_t FromOrdinal);
  /// Forwards \p Count parts from \p Ordinal on, as far as both have them.
  void forwardRange(HloId Id, uint32_t Ordinal, HloId From,
                    uint32_t FromOrdinal, uint32_t Count);
  /// Forwards all parts that are not tuples and exist on both sides.
  void forwardLeaves(HloId Id, llvm::ArrayRef<uint32_t> Ordinals, HloId From);
  void addPhi(HloId Id, uint32_t Ordinal, llvm::ArrayRef<HloId> Inputs);

  LocationGraph &Graph;
  const Program &P;
  const ReleaseRules &Rules;
  /// Branches by conditional and computation, and the conditionals that are in.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, llvm::SmallVector<uint32_t, 1>>
      Branches;
  llvm::DenseSet<uint32_t> Indexed;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_DATAFLOWBUILDER_H
