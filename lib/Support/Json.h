// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON out of files and into them.

#ifndef HLOBUF_SUPPORT_JSON_H
#define HLOBUF_SUPPORT_JSON_H

#include "Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace hlobuf {

/// The object that \p Text is; nothing if it is none, or is nested more than 64
/// deep: LLVM reads each level by a call.
std::optional<llvm::json::Object> parseJsonObject(StringRef Text);

/// Writes the attribute \p Key of the object at hand: \p Text, where that is no
/// UTF-8 with other characters for it.
inline void writeText(llvm::json::OStream &J, StringRef Key, StringRef Text) {
  J.attribute(Key, llvm::json::fixUTF8(Text));
}

/// The same with an array of \p Texts.
template <typename TextsT>
void writeTexts(llvm::json::OStream &J, StringRef Key, const TextsT &Texts) {
  J.attributeArray(Key, [&] {
    for (StringRef Text : Texts)
      J.value(llvm::json::fixUTF8(Text));
  });
}

/// The same with an array of objects: \p Write writes the attributes of each of
/// \p Rows.
template <typename RowsT, typename WriteFn>
void writeRows(llvm::json::OStream &J, StringRef Key, const RowsT &Rows,
               WriteFn Write) {
  J.attributeArray(Key, [&] {
    for (const auto &Row : Rows)
      J.object([&] { Write(Row); });
  });
}

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_JSON_H
