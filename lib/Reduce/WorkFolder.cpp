// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/WorkFolder.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace hlobuf;

llvm::Expected<WorkFolder> WorkFolder::create(llvm::StringRef Parent) {
  // LLVM's function makes folders that the group may write to.
  std::string Path = (Parent + "/.hlobuf-reduce-XXXXXX").str();
  if (!::mkdtemp(Path.data())) {
    std::error_code Error(errno, std::generic_category());
    return makeError("cannot make a folder in '{}': {}", Parent,
                     Error.message());
  }
  return WorkFolder(std::move(Path));
}

WorkFolder::~WorkFolder() {
  if (!Path.empty())
    llvm::sys::fs::remove_directories(Path);
}
