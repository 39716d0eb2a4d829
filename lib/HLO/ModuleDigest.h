// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of one module.

#ifndef HLOBUF_HLO_MODULEDIGEST_H
#define HLOBUF_HLO_MODULEDIGEST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include <optional>

namespace hlobuf {

using ProgramDigest = llvm::BLAKE3Result<16>;

/// What a digest depends on.
enum class DigestDetail : uint8_t {
  /// All names, shapes, operands and callees, and the order of instructions,
  /// but not literals and attributes.
  Structure,
  /// Attributes and the header, too.
  Attributes,
};

/// A number for the module that \p Text is one text of: the same for a dump and
/// for an HloProto that is printed, whose texts differ in what they elide and
/// abbreviate. Nothing if a line cannot be read.
std::optional<ProgramDigest> digestOfModule(llvm::StringRef Text,
                                            DigestDetail Detail);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULEDIGEST_H
