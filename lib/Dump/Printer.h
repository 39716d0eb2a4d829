// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a dump from the model.

#ifndef HLOBUF_DUMP_PRINTER_H
#define HLOBUF_DUMP_PRINTER_H

#include "Dump/Model.h"

namespace hlobuf {

/// An allocation header up to and with its colon; \p SizeText stands for the
/// size, so that reports can print a human one (BufferAllocation::ToString).
std::string allocationHeader(const Dump &D, const Allocation &A,
                             StringRef SizeText);

/// A line of the stack tree after its columns.
std::string stackLine(StringRef Name, StringRef Percent, uint64_t Total,
                      uint64_t Current, int64_t Remaining);

} // namespace hlobuf

#endif // HLOBUF_DUMP_PRINTER_H
