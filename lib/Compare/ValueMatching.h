// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values across renumbering.

#ifndef HLOBUF_COMPARE_VALUEMATCHING_H
#define HLOBUF_COMPARE_VALUEMATCHING_H

#include "Compare/ProgramMemory.h"

namespace hlobuf {

/// Numbers of an old and of a new value that are the same value of a program.
using ValueMatch = std::pair<size_t, size_t>;

/// Pairs values of two programs, each at most once, by what they come from: in
/// passes from all that is known of them (op_name, source line, shape with
/// layout, opcode, kind) to less. Values that look alike are paired in the
/// order of their steps. Costs O(n log n).
std::vector<ValueMatch> matchValues(llvm::ArrayRef<ComparedValue> Old,
                                    llvm::ArrayRef<ComparedValue> New);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_VALUEMATCHING_H
