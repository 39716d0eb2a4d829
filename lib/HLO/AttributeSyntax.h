// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of the attributes that this tool reads.

#ifndef HLOBUF_HLO_ATTRIBUTESYNTAX_H
#define HLOBUF_HLO_ATTRIBUTESYNTAX_H

#include "HLO/Opcode.h"

namespace hlobuf {

/// The attribute that names computations as \p Role; of several the newest.
StringRef callKey(CallRole Role);

/// The role of the computations that attribute \p Key names; nothing if it
/// names none.
std::optional<CallRole> callRole(StringRef Key);

/// Looks at the attributes of an instruction with opcode \p Op, one after
/// another, and calls \p VisitCall for each computation that they name, in
/// order; \p Op may be one that names none. What cannot be parsed must not be
/// taken for nothing: calls \p Refuse, with where and why, for one that this
/// tool reads and that is not as XLA prints it, or is there twice, for one that
/// XLA prints for every \p Op and that is missing, and for what is no
/// attribute; \p VisitUnknown for a key that no known release prints. True if
/// there are control-predecessors.
bool readAttributes(StringRef Attributes, Opcode Op,
                    function_ref<void(StringRef, CallRole)> VisitCall,
                    function_ref<void(StringRef, std::string)> Refuse,
                    function_ref<void(StringRef)> VisitUnknown);

/// True if \p Text, an attribute or a key of a module's header, is `true` or
/// `false`.
bool isFlag(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_HLO_ATTRIBUTESYNTAX_H
