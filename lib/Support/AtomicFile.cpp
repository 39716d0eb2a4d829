//===- Support/AtomicFile.cpp ---------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
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

/// Makes a new file \p Made in the folder of \p Path. In LLVM's own models of
/// temporary names `%` stands for a random digit, in the path of a user for
/// itself.
static std::error_code createBeside(StringRef Path, int &Descriptor,
                                    std::string &Made) {
  std::error_code Error;
  for (unsigned Try = 0; Try != 100; ++Try) {
    Made = fmt::format("{}.{:08x}.tmp", Path,
                       llvm::sys::Process::GetRandomNumber());
    Error = fs::openFileForWrite(Made, Descriptor, fs::CD_CreateNew);
    if (Error != std::errc::file_exists)
      return Error;
  }
  return Error;
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
  int Descriptor = -1;
  if (std::error_code Error = createBeside(Path, Descriptor, File->Temporary))
    return failure(Path, Error);
  llvm::sys::RemoveFileOnSignal(File->Temporary);
  File->OS = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                                    /*shouldClose=*/true);
  return std::move(File);
}

AtomicFile::~AtomicFile() {
  // A stream that goes away with an error ends the program.
  if (OS) {
    OS->flush();
    OS->clear_error();
  }
  OS.reset();
  if (Temporary.empty())
    return;
  [[maybe_unused]] std::error_code Ignored = fs::remove(Temporary);
  llvm::sys::DontRemoveFileOnSignal(Temporary);
}

llvm::Error AtomicFile::commit() {
  OS->flush();
  if (std::error_code Error = OS->error())
    return failure(Path, Error);
  OS.reset();
  if (Temporary.empty())
    return llvm::Error::success();
  if (std::error_code Error = fs::rename(Temporary, Path))
    return failure(Path, Error);
  llvm::sys::DontRemoveFileOnSignal(Temporary);
  Temporary.clear();
  return llvm::Error::success();
}
