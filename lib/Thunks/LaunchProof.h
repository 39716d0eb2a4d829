// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof that the program that runs is the one that the module and the
// assignment are of.
//
// What has to be shown is enumerated from the module and from the thunks before
// it is decided, and counted again, like that of the execution
// (Proof/Ledger.h).

#ifndef HLOBUF_THUNKS_LAUNCHPROOF_H
#define HLOBUF_THUNKS_LAUNCHPROOF_H

#include "Proof/Kernel.h"
#include "Thunks/AttributeRules.h"
#include "Thunks/SliceComparison.h"
#include "Thunks/StreamOrder.h"
#include "Thunks/ThunkCoverage.h"

namespace hlobuf {

/// The obligations of the thunks of one executable, and what is wrong with
/// them.
class LaunchProof {
public:
  LaunchProof(const ThunkGraph &Graph, proof::ProvedRows Proved);

  const proof::Proof &proof() const { return Shown; }
  const ThunkCoverage &coverage() const { return Coverage; }
  const SliceFaults &slices() const { return Slices.faults(); }
  ArrayRef<AttributeFault> attributes() const { return Attributes; }
  const StreamOrder &streams() const { return Streams; }

private:
  proof::Proof Shown;
  ThunkCoverage Coverage;
  SliceComparison Slices;
  std::vector<AttributeFault> Attributes;
  StreamOrder Streams;
};

} // namespace hlobuf

#endif // HLOBUF_THUNKS_LAUNCHPROOF_H
