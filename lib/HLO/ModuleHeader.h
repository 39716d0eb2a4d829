// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first line of a module.

#ifndef HLOBUF_HLO_MODULEHEADER_H
#define HLOBUF_HLO_MODULEHEADER_H

#include "HLO/Module.h"

namespace hlobuf {

/// Reads \p Text, `, key=value, ..` after a module's name, into \p M. Calls
/// \p Refuse for each part that cannot be parsed; keys that this tool does not
/// use may have any value.
void readHeaderKeys(StringRef Text, HloTables Tables, HloModule &M,
                    function_ref<void(StringRef, std::string)> Refuse);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULEHEADER_H
