// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan as text and as JSON.

#ifndef HLOBUF_FIT_FITPRINTERS_H
#define HLOBUF_FIT_FITPRINTERS_H

#include "Fit/FitPlan.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace hlobuf {

/// For people: how much is missing, the plan with what to paste, and at most
/// \p Top other changes; 0 for all.
void printPlan(const FitPlan &Plan, size_t Top, llvm::raw_ostream &OS);

/// All of it as one JSON object.
void writePlan(const FitPlan &Plan, llvm::json::OStream &J);

} // namespace hlobuf

#endif // HLOBUF_FIT_FITPRINTERS_H
