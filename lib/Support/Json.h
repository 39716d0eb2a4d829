// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON out of files.

#ifndef HLOBUF_SUPPORT_JSON_H
#define HLOBUF_SUPPORT_JSON_H

#include "Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace hlobuf {

/// The object that \p Text is; nothing if it is none, or is nested more than 64
/// deep: LLVM reads each level by a call.
std::optional<llvm::json::Object> parseJsonObject(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_JSON_H
