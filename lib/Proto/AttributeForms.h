// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of thunks.

#ifndef HLOBUF_PROTO_ATTRIBUTEFORMS_H
#define HLOBUF_PROTO_ATTRIBUTEFORMS_H

#include "Proto/ThunkFields.h"
#include <string>

namespace hlobuf {

/// Appends ` KEY=VALUE` to \p To for each value of attribute \p Row in
/// \p Message. Values that are what a proto has by default are left out. False
/// where a part is damaged.
bool printAttribute(const ThunkField &Row, llvm::StringRef Message,
                    std::string &To);

} // namespace hlobuf

#endif // HLOBUF_PROTO_ATTRIBUTEFORMS_H
