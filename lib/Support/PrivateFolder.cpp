// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/PrivateFolder.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace hlobuf;

Expected<PrivateFolder> PrivateFolder::create(StringRef Prefix,
                                              StringRef Parent) {
  llvm::SmallString<128> Model = Parent;
  if (Parent.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Model);
  std::string Path = fmt::format("{}/{}-XXXXXX", StringRef(Model), Prefix);
  // Its mode is 0700 from the start.
  if (!::mkdtemp(Path.data()))
    return makeError("cannot make a folder in '{}': {}", StringRef(Model),
                     std::generic_category().message(errno));
  PrivateFolder New;
  New.Path = std::move(Path);
  return std::move(New);
}

PrivateFolder::~PrivateFolder() {
  if (!Path.empty() && !Keep) [[maybe_unused]]
    std::error_code Ignored = llvm::sys::fs::remove_directories(Path);
}
