// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/WorkFolder.h"
#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;

Expected<WorkFolder> WorkFolder::create(StringRef Parent) {
  llvm::ErrorOr<std::string> Name = makePrivateFolder(".hlobuf-reduce", Parent);
  if (!Name)
    return makeError("cannot make a folder in {}: {}",
                     Parent.empty() ? "the temporary folder"
                                    : fmt::format("'{}'", Parent),
                     Name.getError().message());
  return WorkFolder(std::move(*Name));
}

WorkFolder::~WorkFolder() {
  if (!Path.empty()) [[maybe_unused]]
    std::error_code Ignored = llvm::sys::fs::remove_directories(Path);
}
