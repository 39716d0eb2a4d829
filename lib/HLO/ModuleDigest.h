// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of one module.

#ifndef HLOBUF_HLO_MODULEDIGEST_H
#define HLOBUF_HLO_MODULEDIGEST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include <optional>

namespace hlobuf {

/// A number for the module that \p Text is one text of: the same for a dump and
/// for an HloProto that is printed, whose texts differ in what they elide and
/// abbreviate. It depends on all names, shapes, operands and callees, and on
/// the order of instructions, but not on literals and attributes. Nothing if a
/// line cannot be read.
std::optional<llvm::BLAKE3Result<16>> digestOfModule(llvm::StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULEDIGEST_H
