// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gzip and zstd by content.

#ifndef HLOBUF_SUPPORT_DECOMPRESS_H
#define HLOBUF_SUPPORT_DECOMPRESS_H

#include "Support/LLVM.h"
#include <string>

namespace hlobuf {

/// True if \p Bytes begin like a gzip or zstd file.
bool isCompressed(StringRef Bytes);

/// True if \p Bytes may be a zlib stream: two bytes are all that they have.
bool isZlib(StringRef Bytes);

/// The error about a file with more bytes than places in it can count.
Error fileTooLarge();

/// Of a text whose size is not known, the bytes that are read before the caller
/// is asked whether they can be what it looks for.
constexpr size_t ProbeBytes = size_t(1) << 20;

/// The whole decompressed text of a gzip or zstd file of one or more members,
/// or of a zlib stream; where \p IsWanted refuses the first ProbeBytes, no more
/// than about these. Fails on damaged or truncated data and where the text
/// would exceed \p MaxBytes. LLVM's own compression layer wants the size
/// beforehand, which these files need not tell.
Expected<std::string> decompress(StringRef Bytes, uint64_t MaxBytes,
                                 function_ref<bool(StringRef)> IsWanted = {});

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_DECOMPRESS_H
