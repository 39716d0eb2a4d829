// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a whole HLO module.

#ifndef HLOBUF_HLO_MODULEREADER_H
#define HLOBUF_HLO_MODULEREADER_H

#include "HLO/Module.h"

namespace hlobuf {

/// Reads a module of any release since 2019. Each line that cannot be read is
/// given to \p Refuse with the reason; reading goes on after it. The text must
/// outlive the module.
HloModule
readModule(StringRef Text, HloTables Tables,
           function_ref<void(StringRef Loc, std::string Reason)> Refuse);

/// Reads \p Text, `, key=value, ..` after a module's name, into \p M. Calls
/// \p Refuse for each part that cannot be parsed; keys that this tool does not
/// use may have any value.
void readHeaderKeys(StringRef Text, HloTables Tables, HloModule &M,
                    function_ref<void(StringRef, std::string)> Refuse);

} // namespace hlobuf

#endif // HLOBUF_HLO_MODULEREADER_H
