// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which phis stay.

#ifndef HLOBUF_DATAFLOW_PHISIMPLIFICATION_H
#define HLOBUF_DATAFLOW_PHISIMPLIFICATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace hlobuf {

/// Simplifies phis exactly as the compiler does (xla/service/hlo_phi_graph.cc),
/// because what it leaves behind is visible in the dump: users of a replaced
/// phi do not become users of its replacement, so that a phi which loses the
/// replacement later keeps a dead input and may survive.
class PhiGraph {
public:
  /// Node numbers are given by the caller: phis first, [0, NumPhis), in the
  /// order in which the compiler creates them, then other values.
  PhiGraph(uint32_t NumPhis, uint32_t NumNodes);

  /// Gives phi \p Phi the input \p Node; the same input may come twice.
  void addInput(uint32_t Phi, uint32_t Node);

  /// Runs the compiler's procedure. Afterwards replacement() holds. Its cost is
  /// quadratic in rings of phis that several values enter, which no program
  /// has: far beyond what programs need it stops, and phis stay that could go.
  void simplify();

  /// Instead of simplify(): keeps the phis of \p Kept, by number, and replaces
  /// all others by the one value that reaches them. False if several values
  /// reach one of them, so that it must not go. Keeping a phi is always legal.
  bool keepOnly(const std::vector<bool> &Kept);

  /// The node that stands for \p Phi; itself if it stays.
  uint32_t replacement(uint32_t Phi) const { return Now[Phi]; }

private:
  struct Edge {
    /// The phi that reads.
    uint32_t User;
  };
  bool simplifyOnce();
  bool replaceIfUniform(uint32_t Phi);
  bool replaceClosure(uint32_t Phi);
  void dropSelf(uint32_t Phi);
  void replace(uint32_t Phi, uint32_t By);
  /// Counts steps of the procedure; false once there were too many.
  bool spend(size_t Count);
  bool isPhi(uint32_t Node) const { return Node < NumPhis; }

  uint32_t NumPhis;
  std::vector<llvm::SmallVector<uint32_t, 2>> Inputs;
  std::vector<Edge> Edges;
  /// Edges that lead out of a node to its users.
  std::vector<std::vector<uint32_t>> UserEdges;
  /// Edges in which a phi is the user.
  std::vector<std::vector<uint32_t>> AsUser;
  std::vector<bool> Dead;
  std::vector<uint32_t> Now;
  /// Nodes that a node stands for.
  std::vector<llvm::SmallVector<uint32_t, 1>> StandsFor;
  /// By node: the pass in which a closure met it.
  std::vector<uint32_t> Checked;
  uint32_t Pass = 0;
  /// By node: the last closure that met it.
  std::vector<uint32_t> Visited;
  uint32_t Closure = 0;
  size_t Steps = 0;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_PHISIMPLIFICATION_H
