// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of the attributes that this tool reads.

#ifndef HLOBUF_HLO_ATTRIBUTESYNTAX_H
#define HLOBUF_HLO_ATTRIBUTESYNTAX_H

#include "HLO/Opcode.h"

namespace hlobuf {

/// Looks at the attributes of one instruction, one after another: what cannot
/// be parsed must not be taken for nothing.
class AttributeSyntax {
public:
  /// False if \p Key is one that this tool reads, and \p Value is not what XLA
  /// prints for it, or another one was there before.
  bool accept(llvm::StringRef Key, llvm::StringRef Value);

  /// An attribute that XLA prints for every \p Op and that was not there; empty
  /// if there is none.
  llvm::StringRef missing(Opcode Op) const;

private:
  /// By row of the table of keys.
  uint64_t Seen = 0;
};

/// True if \p Text, an attribute or a key of a module's header, is `true` or
/// `false`.
bool isFlag(llvm::StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_HLO_ATTRIBUTESYNTAX_H
