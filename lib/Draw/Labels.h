//===- Draw/Labels.h - What is drawn, in words ------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRAW_LABELS_H
#define HLOBUF_DRAW_LABELS_H

#include "Facts/Facts.h"

namespace hlobuf {

/// The memory space of color \p Color: `HBM`, `VMEM`, or `memory space 5` where
/// no name is known.
std::string spaceName(const Facts &A, int32_t Color);

/// What \p Alloc is for: `parameter`, `constant`, `thread-local`, `output`,
/// `temp` or `other`.
llvm::StringRef allocationKind(const Allocation &Alloc);

/// The op_name of the metadata of \p Name; empty if it has none.
std::string opName(const Facts &A, NameId Name);

/// `train.py:12`, where \p Name comes from; empty if that is not known.
std::string sourceOf(const Facts &A, NameId Name);

} // namespace hlobuf

#endif // HLOBUF_DRAW_LABELS_H
