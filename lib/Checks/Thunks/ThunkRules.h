//===- Checks/Thunks/ThunkRules.h - What rules of thunks share --*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_CHECKS_THUNKS_THUNKRULES_H
#define HLOBUF_CHECKS_THUNKS_THUNKRULES_H

#include "Checks/Check.h"
#include "Thunks/ThunkGraph.h"

namespace hlobuf {

/// The thunks and their instructions; null where they cannot be compared, and
/// \p Diags says why.
const ThunkGraph *usableThunks(const CheckContext &Ctx, Reporter &Diags);

/// An error, or a warning for thunks of kinds that no real executable has shown
/// yet: what they read and write is known from XLA's sources alone.
Severity severityOf(const ThunkGraph &G, ThunkId Id);

/// Names the instruction of \p Id: its line in the module, and its source.
Finding noteInstruction(Finding Found, const ThunkGraph &G, ThunkId Id);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_THUNKS_THUNKRULES_H
