// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of two processes.

#ifndef HLOBUF_DUMP_TWOWRITERS_H
#define HLOBUF_DUMP_TWOWRITERS_H

#include "Dump/Model.h"
#include "Support/Diagnostic.h"

namespace hlobuf {

/// What shows that several processes wrote the files of \p D into one folder at
/// the same time, as jobs on several hosts do; empty if nothing does. Each of
/// them empties a file and writes it from its begin: where one text is longer,
/// the end of the longer text stays, and files of one module may come from
/// different processes. \p Syntax is what could not be read. Such a dump says
/// nothing about the compiler.
std::string tracesOfTwoWriters(const Dump &D,
                               llvm::ArrayRef<Diagnostic> Syntax);

} // namespace hlobuf

#endif // HLOBUF_DUMP_TWOWRITERS_H
