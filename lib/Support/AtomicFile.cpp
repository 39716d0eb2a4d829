// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::writeToOutput() replaces links, pipes and `/dev/stdout` by files, and
// makes all of them executable.

#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static llvm::Error failure(StringRef Path, std::error_code Error) {
  return makeError("cannot write '{}': {}", Path, Error.message());
}

std::error_code AtomicFile::openDirectly(int Descriptor) {
  if (Descriptor < 0)
    return std::error_code(errno, std::generic_category());
  auto Stream = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                                       /*shouldClose=*/true);
  File = Stream.get();
  OS = std::move(Stream);
  return {};
}

/// LLVM removes the file for this signal only if something else is to be done:
/// to end as without it. Where it is ignored, it stays so.
static void endOnBrokenPipe() {
#ifndef _WIN32
  struct sigaction Pipe = {};
  if (::sigaction(SIGPIPE, nullptr, &Pipe) == 0 && Pipe.sa_handler != SIG_IGN)
    llvm::sys::SetOneShotPipeSignalFunction([] { std::raise(SIGPIPE); });
#endif
}

/// Opens a file next to Target. False if it could not take the place of \p Old,
/// which is null if there is nothing yet.
bool AtomicFile::openBeside(const fs::file_status *Old) {
  if (Old && Old->getLinkCount() > 1)
    return false;
  endOnBrokenPipe();
  llvm::Expected<fs::TempFile> Made =
      fs::TempFile::create(Target + ".%%%%%%%%.tmp");
  if (!Made) {
    llvm::consumeError(Made.takeError());
    return false;
  }
  fs::file_status New;
  if (Old && (fs::status(Made->FD, New) || New.getUser() != Old->getUser() ||
              New.getGroup() != Old->getGroup() ||
              fs::setPermissions(Made->FD, Old->permissions()))) {
    llvm::consumeError(Made->discard());
    return false;
  }
  auto Stream = std::make_unique<llvm::raw_fd_ostream>(Made->FD,
                                                       /*shouldClose=*/false);
  File = Stream.get();
  OS = std::move(Stream);
  Temporary = std::move(*Made);
  return true;
}

std::error_code AtomicFile::open() {
  if (std::optional<int> Own = descriptorOf(Path)) {
    llvm::outs().flush();
    return openDirectly(::dup(*Own));
  }
  fs::file_status Old;
  bool Exists = !fs::status(Path, Old);
  if (Exists && !fs::is_regular_file(Old)) {
    int Descriptor = -1;
    std::error_code Error =
        fs::openFileForWrite(Path, Descriptor, fs::CD_OpenExisting);
    return Error ? Error : openDirectly(Descriptor);
  }
  llvm::SmallString<256> Real;
  Target = Exists && !fs::real_path(Path, Real) ? std::string(Real) : Path;
  if (openBeside(Exists ? &Old : nullptr))
    return {};
  // To open it says why it cannot be written; nothing is cut off yet.
  int Descriptor = -1;
  if (std::error_code Error =
          fs::openFileForWrite(Target, Descriptor, fs::CD_OpenAlways))
    return Error;
  ::close(Descriptor);
  OS = std::make_unique<llvm::raw_string_ostream>(Content.emplace());
  return {};
}

/// Makes what the links of \p Path lead to, if that is not there yet.
static std::error_code fillLink(StringRef Path) {
  if (fs::exists(Path) || !fs::is_symlink_file(Path))
    return {};
  int Descriptor = -1;
  std::error_code Error =
      fs::openFileForWrite(Path, Descriptor, fs::CD_OpenAlways);
  if (!Error)
    ::close(Descriptor);
  return Error;
}

llvm::Expected<std::unique_ptr<AtomicFile>>
AtomicFile::create(StringRef Path, bool MayBeInput) {
  auto File = std::make_unique<AtomicFile>();
  File->Path = Path.str();
  File->MayBeInput = MayBeInput;
  // So that two links to one new file are known to be the same.
  if (std::error_code Error = fillLink(Path))
    return failure(Path, Error);
  if (llvm::Error Refused = File->Claim.claim(Path, MayBeInput))
    return std::move(Refused);
  if (std::error_code Error = File->open())
    return failure(Path, Error);
  return std::move(File);
}

AtomicFile::~AtomicFile() {
  // A stream that goes away with an error ends the program.
  if (File) {
    File->flush();
    File->clear_error();
  }
  OS.reset();
  if (Temporary)
    llvm::consumeError(Temporary->discard());
}

std::error_code AtomicFile::finish() {
  OS->flush();
  if (Content) {
    int Descriptor = -1;
    if (std::error_code Error =
            fs::openFileForWrite(Target, Descriptor, fs::CD_CreateAlways))
      return Error;
    OS.reset();
    if (std::error_code Error = openDirectly(Descriptor))
      return Error;
    *OS << *Content;
    OS->flush();
  }
  if (File->has_error() || !Temporary)
    return File->error();
  std::error_code Error = llvm::errorToErrorCode(Temporary->keep(Target));
  Temporary.reset();
  return Error;
}

llvm::Error AtomicFile::commit() {
  // It may have been read since it was claimed.
  if (!MayBeInput && !Target.empty() && isKept(Target))
    return makeError("'{}' is an input and must not be overwritten", Path);
  if (std::error_code Error = finish())
    return failure(Path, Error);
  return llvm::Error::success();
}
