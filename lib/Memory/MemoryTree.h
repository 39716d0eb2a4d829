// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes by path.

#ifndef HLOBUF_MEMORY_MEMORYTREE_H
#define HLOBUF_MEMORY_MEMORYTREE_H

#include "Support/LLVM.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hlobuf {

/// A line of a printed tree.
struct TreeLine {
  unsigned Depth = 0;
  std::string Label;
  uint64_t Bytes = 0;
};

/// Sums of bytes by path.
class MemoryTree {
public:
  void add(ArrayRef<std::string> Path, uint64_t Bytes);

  /// The nodes with at least \p Least bytes, children after their parent, the
  /// largest first, at most \p Lines of them. A node whose only child has all
  /// of its bytes is joined with it.
  std::vector<TreeLine> lines(uint64_t Least, size_t Lines) const;

private:
  struct Node {
    std::string Label;
    uint64_t Bytes = 0;
    std::map<std::string, uint32_t> Children;
  };
  std::vector<Node> Nodes = {Node()};
};

/// \p OpName in parts: `jit(f)/jvp(a/b)/mul` has three, and the first, which is
/// that of the whole program, is left out.
std::vector<std::string> splitScopes(StringRef OpName);

/// The last of them: `mul`. Every tool shows it so.
StringRef lastScope(StringRef OpName);

/// \p Text with `*` for each number after no letter: `[3]`, `layer_12`.
std::string withoutIndices(StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_MEMORYTREE_H
