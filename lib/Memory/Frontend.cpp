// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names: jax/_src/interpreters/mlir.py (jit_, pmap_), torch_xla/csrc/
// xla_graph_executor.cpp (SyncTensorsGraph), tensorflow/compiler/jit
// (cluster_N, __inference_), all as of 2026.

#include "Memory/Frontend.h"

using namespace hlobuf;
using llvm::StringRef;

/// Operations that are asked for their names, at most.
static constexpr size_t MaxOperations = 200;

static Frontend ofModule(StringRef Name) {
  for (StringRef Prefix : {"jit_", "pjit_", "pmap_", "xmap_"})
    if (Name.starts_with(Prefix))
      return Frontend::JAX;
  for (StringRef Prefix : {"SyncTensorsGraph", "PropagateAll", "IrToHlo"})
    if (Name.starts_with(Prefix))
      return Frontend::PyTorch;
  for (StringRef Prefix : {"cluster_", "a_inference_", "__inference_"})
    if (Name.starts_with(Prefix))
      return Frontend::TensorFlow;
  return Frontend::Unknown;
}

static Frontend ofOperation(StringRef Attributes) {
  std::optional<StringRef> Name = findMetadata(Attributes, "op_name");
  if (!Name)
    return Frontend::Unknown;
  for (StringRef Prefix : {"jit(", "pjit(", "pmap("})
    if (Name->starts_with(Prefix))
      return Frontend::JAX;
  if (Name->contains("aten__") || Name->contains("xla__"))
    return Frontend::PyTorch;
  return Frontend::Unknown;
}

Frontend hlobuf::findFrontend(const Dump &D) {
  Frontend Found = ofModule(D.Module.Name);
  for (size_t I = 0; Found == Frontend::Unknown &&
                     I != std::min(MaxOperations, D.Module.Instructions.size());
       ++I)
    Found = ofOperation(D.Module.attributes(D.Module.Instructions[I]));
  for (size_t I = 0; Found == Frontend::Unknown &&
                     I != std::min(MaxOperations, D.Instructions.size());
       ++I)
    Found = ofOperation(D.attributes(D.Instructions[I]));
  return Found;
}
