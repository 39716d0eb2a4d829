// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of the program, and what grows with the batch.

#ifndef HLOBUF_FIT_BATCHDIMENSION_H
#define HLOBUF_FIT_BATCHDIMENSION_H

#include "Memory/ValueNames.h"
#include <set>

namespace hlobuf {

/// `state` of `state[0]['blocks']['w1']`, an argument's path.
std::string treeOf(StringRef OpName);

/// An array that the caller gives.
struct EntryArgument {
  HloId Parameter;
  ShapeId Shape;
  /// What it is part of, as the caller knows it: `state` of
  /// `state[0]['blocks']['w1']`; empty if the program does not name it.
  std::string Tree;
  /// A result has its shape, each result for one argument; jax pairs them so
  /// (jax/_src/interpreters/mlir.py, _set_up_aliases).
  bool Returned = false;
  /// input_output_alias or buffer_donor names it.
  bool Donated = false;
};

/// The arguments of \p DumpFacts's module in their order; those that are
/// tuples are left out.
std::vector<EntryArgument> findEntryArguments(const Facts &DumpFacts,
                                              const ValueNames &Names);

/// The size of the batch, guessed from the shapes of arguments: data come in,
/// and no result is like them. Shapes that have it as a dimension, or a
/// multiple of it, and are not those of a weight, grow with it.
class BatchDimension {
public:
  BatchDimension(const Facts &DumpFacts, ArrayRef<EntryArgument> Arguments);

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
