//===- Support/TextPrinter.h - Findings for people --------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_SUPPORT_TEXTPRINTER_H
#define HLOBUF_SUPPORT_TEXTPRINTER_H

#include "Support/Diagnostic.h"
#include "Support/Sources.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace hlobuf {

/// Prints \p D as clang does: `file:line:col: error: message [check]`, the
/// source line clamped around the caret, then the notes.
void printDiagnostic(const Diagnostic &D, const Sources &S,
                     llvm::raw_ostream &OS, bool Color);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_TEXTPRINTER_H
