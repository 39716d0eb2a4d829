//===- Driver/AtomicFile.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static llvm::Error failure(StringRef Path, std::error_code Error) {
  return llvm::createStringError(
      Error, "%s",
      fmt::format("cannot write '{}': {}", Path, Error.message()).c_str());
}

static void removeIfThere(StringRef Path) {
  if (fs::remove(Path))
    return; // a leftover beside the file harms nobody
}

llvm::Expected<std::unique_ptr<AtomicFile>> AtomicFile::create(StringRef Path) {
  auto File = std::make_unique<AtomicFile>();
  File->Path = Path.str();
  fs::file_status Status;
  bool Direct = !fs::status(Path, Status) && !fs::is_regular_file(Status);
  int Descriptor = -1;
  llvm::SmallString<128> Temporary;
  std::error_code Error =
      Direct
          ? fs::openFileForWrite(Path, Descriptor, fs::CD_OpenExisting)
          : fs::createUniqueFile(Path + ".%%%%%%.tmp", Descriptor, Temporary);
  if (Error)
    return failure(Path, Error);
  File->Temporary = std::string(Temporary);
  File->OS = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                                    /*shouldClose=*/true);
  return std::move(File);
}

AtomicFile::~AtomicFile() {
  if (!OS)
    return;
  OS->close();
  OS->clear_error();
  if (!Temporary.empty())
    removeIfThere(Temporary);
}

llvm::Error AtomicFile::commit() {
  OS->close();
  std::error_code Error = OS->error();
  OS->clear_error();
  OS.reset();
  if (!Error && !Temporary.empty())
    Error = fs::rename(Temporary, Path);
  if (!Error)
    return llvm::Error::success();
  if (!Temporary.empty())
    removeIfThere(Temporary);
  return failure(Path, Error);
}
