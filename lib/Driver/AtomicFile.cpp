//===- Driver/AtomicFile.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/Support/Signals.h"
#include <csignal>

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static llvm::Error failure(StringRef Path, std::error_code Error) {
  return llvm::createStringError(
      Error, "%s",
      fmt::format("cannot write '{}': {}", Path, Error.message()).c_str());
}

llvm::Expected<std::unique_ptr<AtomicFile>> AtomicFile::create(StringRef Path) {
  auto File = std::make_unique<AtomicFile>();
  File->Path = Path.str();
  fs::file_status Status;
  if (!fs::status(Path, Status) && !fs::is_regular_file(Status)) {
    std::error_code Error;
    File->OS = std::make_unique<llvm::raw_fd_ostream>(
        Path, Error, fs::CD_OpenExisting, fs::FA_Write, fs::OF_None);
    if (Error)
      return failure(Path, Error);
    return std::move(File);
  }
  // LLVM removes the file for this signal only if something else is to be done:
  // to end as without it.
  llvm::sys::SetOneShotPipeSignalFunction([] { std::raise(SIGPIPE); });
  llvm::Expected<fs::TempFile> Made =
      fs::TempFile::create(Path + ".%%%%%%.tmp");
  if (!Made)
    return failure(Path, llvm::errorToErrorCode(Made.takeError()));
  File->Temporary = std::move(*Made);
  File->OS = std::make_unique<llvm::raw_fd_ostream>(File->Temporary->FD,
                                                    /*shouldClose=*/false);
  return std::move(File);
}

AtomicFile::~AtomicFile() {
  // A stream that goes away with an error ends the program.
  if (OS) {
    OS->flush();
    OS->clear_error();
  }
  OS.reset();
  if (Temporary)
    llvm::consumeError(Temporary->discard());
}

llvm::Error AtomicFile::commit() {
  OS->flush();
  if (std::error_code Error = OS->error())
    return failure(Path, Error);
  OS.reset();
  if (!Temporary)
    return llvm::Error::success();
  llvm::Error Failed = Temporary->keep(Path);
  Temporary.reset();
  if (Failed)
    return failure(Path, llvm::errorToErrorCode(std::move(Failed)));
  return llvm::Error::success();
}
