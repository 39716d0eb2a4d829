//===- Driver/UnknownNames.h - Names that nothing has -------------*- C++ -* -*-
// C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_DRIVER_UNKNOWNNAMES_H
#define HLOBUF_DRIVER_UNKNOWNNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hlobuf {

/// A sentence on \p Name, a name or a glob that no check has. It suggests the
/// nearest name if at most a third of its characters differ.
std::string unknownCheck(llvm::StringRef Name);

} // namespace hlobuf

#endif // HLOBUF_DRIVER_UNKNOWNNAMES_H
