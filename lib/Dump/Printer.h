// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model back to text.

#ifndef HLOBUF_DUMP_PRINTER_H
#define HLOBUF_DUMP_PRINTER_H

#include "Dump/Model.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace hlobuf {

/// Prints \p D from its fields, as XLA did: a combined dump is the file, a
/// split one the assignment, then values, then live ranges. Comment lines are
/// no part of the model. \p D must have no damaged section.
void printDump(const Dump &D, llvm::raw_ostream &OS);

/// An allocation header up to and with its colon; \p SizeText stands for the
/// size, so that reports can print a human one (BufferAllocation::ToString).
std::string allocationHeader(const Dump &D, const Allocation &A,
                             llvm::StringRef SizeText);

/// A line of the stack tree after its columns.
std::string stackLine(llvm::StringRef Name, llvm::StringRef Percent,
                      uint64_t Total, uint64_t Current, int64_t Remaining);

} // namespace hlobuf

#endif // HLOBUF_DUMP_PRINTER_H
