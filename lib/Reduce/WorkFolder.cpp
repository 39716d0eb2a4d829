// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reduce/WorkFolder.h"
#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;

llvm::Expected<WorkFolder> WorkFolder::create(llvm::StringRef Parent) {
  llvm::ErrorOr<std::string> Folder =
      makePrivateFolder(".hlobuf-reduce", Parent);
  if (!Folder)
    return makeError("cannot make a folder in {}: {}",
                     Parent.empty() ? "the temporary folder"
                                    : fmt::format("'{}'", Parent),
                     Folder.getError().message());
  return WorkFolder(std::move(*Folder));
}

WorkFolder::~WorkFolder() {
  if (!Path.empty()) [[maybe_unused]]
    std::error_code Ignored = llvm::sys::fs::remove_directories(Path);
}
