// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that attributes say.

#ifndef HLOBUF_HLO_ATTRIBUTENUMBERS_H
#define HLOBUF_HLO_ATTRIBUTENUMBERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hlobuf {

using AttributeNumbers = llvm::SmallVector<int64_t, 6>;

/// The numbers of `{1,0}`; nothing if it is something else.
std::optional<AttributeNumbers> numbersIn(std::optional<llvm::StringRef> Text);

/// The sizes in elements that `slice={[begin:limit:stride], ..}` gives; nothing
/// if it is something else.
std::optional<AttributeNumbers> sliceSizes(std::optional<llvm::StringRef> Text);

/// What `padding=1_2x0_0_3` (below, above, between) makes of \p Sizes, in
/// elements; nothing if it is something else.
std::optional<AttributeNumbers> paddedSizes(std::optional<llvm::StringRef> Text,
                                            AttributeNumbers Sizes);

} // namespace hlobuf

#endif // HLOBUF_HLO_ATTRIBUTENUMBERS_H
