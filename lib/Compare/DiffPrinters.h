// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison as text.

#ifndef HLOBUF_COMPARE_DIFFPRINTERS_H
#define HLOBUF_COMPARE_DIFFPRINTERS_H

#include "Compare/MemoryDiff.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace hlobuf {

/// For people. The first line has the peak that changed most, the causes
/// follow, then at most \p Top rows of each memory space; 0 for all.
void printDiff(const MemoryDiff &Diff, size_t Top, llvm::raw_ostream &OS);

/// The same as Markdown: a heading, a table, and the rows folded away.
void printDiffMarkdown(const MemoryDiff &Diff, size_t Top,
                       llvm::raw_ostream &OS);

/// All of it as one JSON object.
void writeDiff(const MemoryDiff &Diff, llvm::json::OStream &J);

} // namespace hlobuf

#endif // HLOBUF_COMPARE_DIFFPRINTERS_H
