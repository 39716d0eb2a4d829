// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of two folders.

#ifndef HLOBUF_COMPARE_PROGRAMPAIRS_H
#define HLOBUF_COMPARE_PROGRAMPAIRS_H

#include "Compare/ProgramMemory.h"

namespace hlobuf {

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
std::vector<ProgramPair> pairPrograms(llvm::ArrayRef<ProgramMemory> Old,
                                      llvm::ArrayRef<ProgramMemory> New);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_PROGRAMPAIRS_H
