//===- Analysis/Adoption.h - Names of elements that a module leaves out *- C++
//-*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DATAFLOW_ELIDEDELEMENTS_H
#define HLOBUF_DATAFLOW_ELIDEDELEMENTS_H

#include "Dataflow/Program.h"

namespace hlobuf {

/// Since 2026-07-13 module texts leave out every get-tuple-element but roots.
/// Their names and their places in the schedule are in the dump only. What
/// they are elements of follows from the dump's uses and positions; all else
/// about them is derived again, so that a lie of the dump shows.
class ElidedElements {
public:
  explicit ElidedElements(Program &P) : P(P), A(P.A), D(P.A.dump()), M(P.M) {}

  void run();

private:
  struct Hint {
    HloId Source;
    ShapeIndex Path;
  };
  struct Candidate {
    HloId Source;
    uint32_t Element = 0;
    /// Smaller is better.
    std::array<uint32_t, 4> Rank = {};
  };

  void collectNames();
  void collectHints();
  void collectNeeds();
  bool adopt(NameId Name);
  bool adoptByHint(NameId Name);
  void consider(NameId Name, NameId SourceName, uint32_t Element);
  void considerAll(NameId Name, UsedId Read);
  bool holdsSameValues(NameId Name, HloId Source, uint32_t Element) const;
  void create(NameId Name, HloId Source, uint32_t Element);
  /// The visible instruction and the path that lead to \p Id.
  Hint pathOf(HloId Id) const;
  ComputationId homeOf(NameId Name) const;

  Program &P;
  const Facts &A;
  const Dump &D;
  const HloModule &M;
  /// In the order of the sequence, then those without steps.
  std::vector<NameId> Pending;
  /// The visible instruction before a name in the sequence, by name.
  llvm::DenseMap<uint32_t, HloId> Before;
  llvm::DenseMap<uint32_t, Hint> Hints;
  /// How often each path that an operand reads is provided.
  llvm::DenseMap<IdPair, uint32_t> Needs;
  /// Where adopted elements come from, by HloId.
  llvm::DenseMap<uint32_t, Hint> Paths;
  std::optional<Candidate> Best;
};

} // namespace hlobuf

#endif // HLOBUF_DATAFLOW_ELIDEDELEMENTS_H
