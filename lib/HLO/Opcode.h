//===- HLO/Opcode.h - Opcodes and async sugar -------------------*- C++ -*-===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HLOBUF_HLO_OPCODE_H
#define HLOBUF_HLO_OPCODE_H

#include "llvm/ADT/StringRef.h"

namespace hlobuf {

enum class Opcode : uint8_t {
  /// Not in Opcodes.def: newer than this tool.
  Unknown,
#define HLOBUF_OPCODE(Enumerator, Text) Enumerator,
#include "HLO/Opcodes.def"
};

/// An opcode as printed: `fusion-start` is an async-start that wraps a fusion
/// (2022-03-17 on), `copy-start` an opcode of its own.
struct PrintedOpcode {
  Opcode Op = Opcode::Unknown;
  /// Printed as WRAPPED-start, -update or -done.
  bool Sugar = false;
};

PrintedOpcode parseOpcode(llvm::StringRef Text);

llvm::StringRef opcodeText(Opcode Op);

/// async-start, async-update or async-done, sugar included.
bool isAsync(Opcode Op);

} // namespace hlobuf

#endif // HLOBUF_HLO_OPCODE_H
