// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program was written with.

#ifndef HLOBUF_MEMORY_FRONTEND_H
#define HLOBUF_MEMORY_FRONTEND_H

#include "Facts/Facts.h"

namespace hlobuf {

/// Whose words a user knows.
enum class Frontend : uint8_t { Unknown, JAX, PyTorch, TensorFlow };

/// Judges by the name of the module and, where that does not tell, by the
/// names of operations: `jit_step` and `jit(step)/add` are JAX's,
/// `SyncTensorsGraph.30` and `aten__mm` PyTorch/XLA's,
/// `a_inference_train_99__..` and `cluster_0` TensorFlow's.
Frontend findFrontend(const Dump &D);

} // namespace hlobuf

#endif // HLOBUF_MEMORY_FRONTEND_H
