// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of one program.

#ifndef HLOBUF_INPUT_PROGRAMDIGEST_H
#define HLOBUF_INPUT_PROGRAMDIGEST_H

#include "HLO/ModuleDigest.h"

namespace hlobuf {

/// A number for a module and its assignment: the same for a dump and for an
/// HloProto that is printed. Of the assignment, pages, shapes and what follows
/// the allocations are not looked at; of the module, what \p Detail says.
/// Nothing if the module cannot be read.
std::optional<ProgramDigest> digestOfProgram(llvm::StringRef Module,
                                             llvm::StringRef Assignment,
                                             DigestDetail Detail);

/// True if \p Bytes, the file \p Path, are one proto and the text dump
/// \p Assignment says the same.
bool saysTheSame(const std::string &Path, llvm::StringRef Bytes,
                 const std::string &Assignment);

} // namespace hlobuf

#endif // HLOBUF_INPUT_PROGRAMDIGEST_H
