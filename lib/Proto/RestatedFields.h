// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an executable says twice.

#ifndef HLOBUF_PROTO_RESTATEDFIELDS_H
#define HLOBUF_PROTO_RESTATEDFIELDS_H

#include "Proto/HloProto.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace hlobuf {

/// Compares fields of the executable \p P that must agree, each with what it
/// repeats, but for those of thunks. Hands \p Report a text without line breaks
/// for each difference: the field, what it says, and what it must.
void compareFields(const HloProto &P,
                   llvm::function_ref<void(const std::string &)> Report);

} // namespace hlobuf

#endif // HLOBUF_PROTO_RESTATEDFIELDS_H
