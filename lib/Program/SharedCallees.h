// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computations with two callers.

#ifndef HLOBUF_PROGRAM_SHAREDCALLEES_H
#define HLOBUF_PROGRAM_SHAREDCALLEES_H

#include "Program/Program.h"

namespace hlobuf {

/// A computation of the schedule that several instructions call.
struct SharedCallee {
  ComputationId Callee;
  /// In text order; at least two.
  llvm::SmallVector<HloId, 2> Callers;
  /// None of them is a call, loop or conditional: several async chains may wrap
  /// one computation (CallGraph::IsFlattened in xla/service/call_graph.cc,
  /// 2022).
  bool Async = false;
};

/// The computations that take part in the schedule and are called by more than
/// one instruction, in text order. Values inside of them would need a place
/// for each call.
std::vector<SharedCallee> sharedCallees(const Program &P);

} // namespace hlobuf

#endif // HLOBUF_PROGRAM_SHAREDCALLEES_H
