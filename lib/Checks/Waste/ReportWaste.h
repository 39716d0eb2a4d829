//===- Checks/Waste/ReportWaste.h - Findings of one kind --------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_CHECKS_WASTE_REPORTWASTE_H
#define HLOBUF_CHECKS_WASTE_REPORTWASTE_H

#include "Checks/Check.h"
#include "Memory/Waste.h"

namespace hlobuf {

/// Reports the waste of \p Kind, with the bytes that it costs at the peak and
/// what a user can do.
void reportWaste(const CheckContext &A, Reporter &R, WasteKind Kind);

} // namespace hlobuf

#endif // HLOBUF_CHECKS_WASTE_REPORTWASTE_H
