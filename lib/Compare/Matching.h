// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and modules across renumbering.

#ifndef HLOBUF_COMPARE_MATCHING_H
#define HLOBUF_COMPARE_MATCHING_H

#include "Compare/ProgramMemory.h"

namespace hlobuf {

/// Numbers of an old and of a new value that are the same value of a program.
using ValueMatch = std::pair<size_t, size_t>;

/// The numbers below \p Count.
std::vector<size_t> numbersBelow(size_t Count);

/// Pairs the numbers of \p Old and \p New, each at most once: in each pass
/// those of one key, \p KeyOf(it is new, number, pass), in the order of the
/// lists. An empty key takes no part. Costs O(n log n) a pass.
std::vector<ValueMatch>
matchByKeys(std::vector<size_t> Old, std::vector<size_t> New, unsigned Passes,
            function_ref<std::string(bool, size_t, unsigned)> KeyOf);

/// Pairs values of two programs, each at most once, by what they come from: in
/// passes from all that is known of them (op_name, source line, shape with
/// layout, opcode, kind) to less. Values that look alike are paired in the
/// order of their steps.
std::vector<ValueMatch> matchValues(ArrayRef<ComparedValue> Old,
                                    ArrayRef<ComparedValue> New);

/// Numbers of an old and a new program; one of them may be missing.
struct ProgramPair {
  std::optional<size_t> Old;
  std::optional<size_t> New;
};

/// Pairs programs, each once, by what they are: by name, arguments, results and
/// operations, then by less of it. The numbers of modules, which depend on what
/// was compiled before, have no part in it; programs that look alike are paired
/// in their order. One program on each side is always a pair. In the order of
/// the new ones; those that are gone come last.
std::vector<ProgramPair> pairPrograms(ArrayRef<ProgramMemory> Old,
                                      ArrayRef<ProgramMemory> New);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_MATCHING_H
