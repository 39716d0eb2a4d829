//===- Checks/Sharing/Sharing.h - Shared bytes in words ---------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_CHECKS_SHARING_SHARING_H
#define HLOBUF_CHECKS_SHARING_SHARING_H

#include "Checks/Check.h"

namespace hlobuf {

/// `bytes [16, 32) of allocation 3`: what \p V and \p W have in common.
std::string sharedBytes(const Dump &D, const Value &V, const Value &W);

/// `step 9 (fusion.2)`, or `the end of the program`.
std::string spellStep(const Dump &D, int32_t Step);

/// True if values of alternate memory of \p Color can be compared in time;
/// else \p R says why not: their last uses are unknown, or async computations
/// may have stacks of their own there.
bool canCompareAlternate(const CheckContext &A, Reporter &R, int32_t Color);

/// Notes where \p V lies, at its value line.
void notePlace(Finding &F, const Facts &A, ValueId V);

/// Notes the live range of \p V at its row of BufferLiveRange.
void noteRange(Finding &F, const Facts &A, ValueId V);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_SHARING_SHARING_H
