// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What grows with the batch.

#ifndef HLOBUF_FIT_BATCHDIMENSION_H
#define HLOBUF_FIT_BATCHDIMENSION_H

#include "Fit/EntryArguments.h"
#include <set>

namespace hlobuf {

/// The size of the batch, guessed from the shapes of arguments: data come in,
/// and no result is like them. Shapes that have it as a dimension, or a
/// multiple of it, and are not those of a weight, grow with it.
class BatchDimension {
public:
  BatchDimension(const Facts &DumpFacts,
                 llvm::ArrayRef<EntryArgument> Arguments);

  /// The rows of the batch; nothing if it is not known.
  std::optional<int64_t> size() const { return Size; }
  /// The argument that has it; empty if it has no name.
  llvm::StringRef argument() const { return Argument; }
  bool scales(ShapeId Id) const;

private:
  using Sizes = std::vector<int64_t>;
  Sizes sortedSizes(ShapeId Id) const;
  void addWeight(ShapeId Id);

  const Facts &DumpFacts;
  std::optional<int64_t> Size;
  std::string Argument;
  /// The dimensions of arguments that are not data, and of the layers in them.
  std::set<Sizes> Weights;
};

} // namespace hlobuf

#endif // HLOBUF_FIT_BATCHDIMENSION_H
