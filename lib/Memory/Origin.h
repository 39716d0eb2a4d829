// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where values come from.

#ifndef HLOBUF_MEMORY_ORIGIN_H
#define HLOBUF_MEMORY_ORIGIN_H

#include "Facts/Facts.h"
#include <string>

namespace hlobuf {

/// Where the program's text defines a value. Texts are printable.
struct Origin {
  /// `jit(step)/jvp()/dot_general`; of a parameter `p['layers'][0]['qkv']`.
  /// Empty if it is not known.
  std::string OpName;
  /// `train.py:12`, the first frame outside of installed packages; empty if it
  /// is not known.
  std::string Source;
  /// The instruction has no metadata: these are those of an operand.
  bool Inherited = false;
};

/// The origin of instruction \p Name of \p DumpFacts's dump.
Origin findOrigin(const Facts &DumpFacts, NameId Name);

/// The opcode of \p Name, from its text or from the module.
Opcode findOpcode(const Facts &DumpFacts, NameId Name);

/// The attributes of \p Name, with the leading `, `, from its text or from the
/// module; empty if neither has it.
llvm::StringRef findAttributes(const Facts &DumpFacts, NameId Name);

/// The name of operand \p Number of \p Name, looked up in the same places;
/// invalid if there is none.
NameId findOperand(const Facts &DumpFacts, NameId Name, uint32_t Number);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_ORIGIN_H
