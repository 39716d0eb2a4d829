// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What grows with the batch.

#ifndef HLOBUF_FIT_BATCHDIMENSION_H
#define HLOBUF_FIT_BATCHDIMENSION_H

#include "Memory/ValueNames.h"
#include <set>

namespace hlobuf {

/// `state` of `state[0]['blocks']['w1']`, an argument's path.
std::string treeOf(StringRef OpName);

/// The size of the batch, guessed from the shapes of arguments: data come in,
/// and no result is like them. Shapes that have it as a dimension, or a
/// multiple of it, and are not those of a weight, grow with it.
class BatchDimension {
public:
  BatchDimension(const Facts &DumpFacts, const ValueNames &Names);

  /// The rows of the batch; nothing if it is not known.
  std::optional<int64_t> size() const { return Size; }
  /// The argument that has it; empty if it has no name.
  StringRef argument() const { return Argument; }
  bool scales(ShapeId Id) const;

private:
  const Facts &DumpFacts;
  std::optional<int64_t> Size;
  std::string Argument;
  /// The dimensions of arguments that are not data, and of the layers in them.
  std::set<std::vector<int64_t>> Weights;
};

} // namespace hlobuf

#endif // HLOBUF_FIT_BATCHDIMENSION_H
