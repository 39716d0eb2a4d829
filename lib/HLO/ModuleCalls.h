//===- HLO/ModuleCalls.h - Which computations a line calls ------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_HLO_MODULECALLS_H
#define HLOBUF_HLO_MODULECALLS_H

#include "HLO/Module.h"

namespace hlobuf {

/// Calls \p Visit for each computation that an instruction of opcode \p Op
/// with these attributes names, in order.
void forEachCall(llvm::StringRef Attributes, Opcode Op,
                 llvm::function_ref<void(llvm::StringRef, CallRole)> Visit);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULECALLS_H
