// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why values are where and when they are.

#ifndef HLOBUF_MEMORY_WHY_H
#define HLOBUF_MEMORY_WHY_H

#include "Memory/ValueNames.h"
#include "Memory/WhyAnswer.h"

namespace hlobuf {

/// Answers \p Asked: what reads the value, in the order of steps; what is in
/// the bytes of \p Asked.Value while the other one is live; which operand the
/// value could be written over, and what reads that afterwards. Says so where
/// the dump has no live ranges. No lines where it has no such value.
WhyAnswer answer(const MemoryUse &Memory, const ValueNames &Names,
                 const WhyQuestion &Asked);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_WHY_H
