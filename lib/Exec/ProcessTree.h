// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes below this one.

#ifndef HLOBUF_EXEC_PROCESSTREE_H
#define HLOBUF_EXEC_PROCESSTREE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace hlobuf {

/// The processes that this one started, those that these started, and so on, as
/// /proc lists them now; without ones that have ended.
std::vector<int> descendants();

/// The command line of \p Process, for people; its number if there is none.
std::string commandOf(int Process);

/// True if a library with XLA in it is mapped into \p Process: jaxlib, libtpu,
/// the plugins for GPUs, TensorFlow, PyTorch/XLA. A program that XLA was linked
/// into is not recognized.
bool hasXla(int Process);

/// True if \p Process was started with an XLA_FLAGS that holds \p Text; also
/// where its environment cannot be read.
bool hasFlags(int Process, llvm::StringRef Text);

} // namespace hlobuf

#endif // HLOBUF_EXEC_PROCESSTREE_H
