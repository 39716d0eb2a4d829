// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps printed back.

#ifndef HLOBUF_DRIVER_EMIT_H
#define HLOBUF_DRIVER_EMIT_H

#include "Driver/Plan.h"

namespace hlobuf {

/// Prints the texts that the options ask for of the dumps of \p P to \p Out;
/// what cannot be read goes to \p Err, and nothing of that dump to \p Out.
ExitStatus emitDumps(const VerifyOptions &Options, const Plan &P,
                     llvm::raw_ostream &Out, llvm::raw_ostream &Err);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_EMIT_H
