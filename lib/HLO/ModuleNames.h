// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a module by name.

#ifndef HLOBUF_HLO_MODULENAMES_H
#define HLOBUF_HLO_MODULENAMES_H

#include "HLO/Module.h"

namespace hlobuf {

/// Names the instructions of \p M, whose calls are resolved. Of those in bodies
/// of fusions, which are most of a module, only names that are known get one:
/// nothing else of a dump names them.
void nameInstructions(HloModule &M, NameTable &Names);

/// Fills \p M's ByName, whose calls are resolved. Names are unique in a module
/// (xla/hlo/ir/hlo_module.cc, NameUniquer, 2017), but all that a dump can name
/// are instructions that may have buffers. If two of those have one name,
/// \p Refuse gets the second; what is in bodies of fusions, or is never
/// called, may repeat names.
void indexNames(HloModule &M, size_t NumNames,
                llvm::function_ref<void(llvm::StringRef, std::string)> Refuse);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULENAMES_H
