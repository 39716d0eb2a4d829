// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/PrivateFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

llvm::ErrorOr<std::string> hlobuf::makePrivateFolder(llvm::StringRef Prefix,
                                                     llvm::StringRef Parent) {
  llvm::SmallString<128> Model = Parent;
  if (Parent.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Model);
  llvm::sys::path::append(Model, Prefix + "-XXXXXX");
  std::string Made(Model);
  // Its mode is 0700 from the start.
  if (!::mkdtemp(Made.data()))
    return std::error_code(errno, std::generic_category());
  return Made;
}
