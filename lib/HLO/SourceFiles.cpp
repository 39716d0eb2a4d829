// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/SourceFiles.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;
using llvm::StringRef;

/// Folders of frameworks below site-packages or dist-packages.
static constexpr StringRef Frameworks[] = {
    "jax/", "jaxlib/", "tensorflow/", "torch/", "torch_xla/", "torchax/"};

/// Files that TensorFlow states as bare names (2.12 to 2.22):
/// tensorflow/python/framework/ops.py creates every operation.
static constexpr StringRef BareFiles[] = {"ops.py"};

FileOwner hlobuf::ownerOf(StringRef File, StringRef OpName) {
  static constexpr StringRef Installed = "-packages/";
  size_t At = File.rfind(Installed);
  if (At == StringRef::npos)
    return llvm::is_contained(BareFiles, File) && !OpName.contains("jit(")
               ? FileOwner::Framework
               : FileOwner::User;
  StringRef Below = File.drop_front(At + Installed.size());
  return llvm::any_of(Frameworks,
                      [&](StringRef Name) { return Below.starts_with(Name); })
             ? FileOwner::Framework
             : FileOwner::Package;
}
