// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which computations a line calls.

#ifndef HLOBUF_HLO_MODULECALLS_H
#define HLOBUF_HLO_MODULECALLS_H

#include "HLO/Module.h"

namespace hlobuf {

/// The attribute that names computations as \p Role; of several the newest.
llvm::StringRef callKey(CallRole Role);

/// The role of the computations that attribute \p Key names; nothing if it
/// names none.
std::optional<CallRole> callRole(llvm::StringRef Key);

/// Calls \p Visit for each computation that an instruction with these
/// attributes names, in order; its opcode may be one that names none. Calls
/// \p VisitAttribute for the key and the value of each attribute up to the
/// last one that can name computations. Returns what is not an attribute; empty
/// if all are.
llvm::StringRef forEachCall(
    llvm::StringRef Attributes,
    llvm::function_ref<void(llvm::StringRef, CallRole)> Visit,
    llvm::function_ref<void(llvm::StringRef, llvm::StringRef)> VisitAttribute);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULECALLS_H
