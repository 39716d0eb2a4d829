// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of the program.

#ifndef HLOBUF_FIT_ENTRYARGUMENTS_H
#define HLOBUF_FIT_ENTRYARGUMENTS_H

#include "Memory/ValueNames.h"

namespace hlobuf {

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

} // namespace hlobuf

#endif // HLOBUF_FIT_ENTRYARGUMENTS_H
