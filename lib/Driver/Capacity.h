// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory a chip has.

#ifndef HLOBUF_DRIVER_CAPACITY_H
#define HLOBUF_DRIVER_CAPACITY_H

#include "Memory/MemorySummary.h"

namespace hlobuf {

/// Sets the capacity of \p Memory, and its chip, as the files that XLA writes
/// next to the dump \p Path tell: *.target_arguments.txt of a TPU (libtpu),
/// *.gpu_target_config.pbtxt of a GPU. Leaves it alone where there are none.
void findCapacity(StringRef Path, SummaryOptions &Memory);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_CAPACITY_H
