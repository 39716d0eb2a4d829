// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::writeToOutput() replaces links, pipes and `/dev/stdout` by files, and
// makes all of them executable.

#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

static Error failure(StringRef Path, std::error_code Error) {
  return makeError("cannot write '{}': {}", Path, Error.message());
}

static Error isInput(StringRef Path) {
  return makeError("'{}' is an input and must not be overwritten", Path);
}

/// Writes \p Content to \p Descriptor; closes it where \p Closes is set.
static std::error_code writeTo(int Descriptor, bool Closes, StringRef Content) {
  llvm::raw_fd_ostream OS(Descriptor, Closes);
  OS << Content;
  OS.flush();
  std::error_code Error = OS.error();
  // A stream that goes away with an error ends the program.
  OS.clear_error();
  return Error;
}

/// Writes a file next to \p Target, and makes it take its place. Nothing where
/// it could not be what is there.
static std::optional<std::error_code> writeBeside(StringRef Target,
                                                  StringRef Content) {
  fs::file_status Old;
  bool Exists = !fs::status(Target, Old);
  if (Exists ? !fs::is_regular_file(Old) || Old.getLinkCount() > 1
             : fs::is_symlink_file(Target))
    return std::nullopt;
  Expected<fs::TempFile> New = fs::TempFile::create(Target + ".%%%%%%%%.tmp");
  if (!New) {
    llvm::consumeError(New.takeError());
    return std::nullopt;
  }
  fs::file_status Stat;
  if (Exists && (fs::status(New->FD, Stat) || Stat.getUser() != Old.getUser() ||
                 Stat.getGroup() != Old.getGroup() ||
                 fs::setPermissions(New->FD, Old.permissions()))) {
    llvm::consumeError(New->discard());
    return std::nullopt;
  }
  std::error_code Error = writeTo(New->FD, /*Closes=*/false, Content);
  if (Error)
    llvm::consumeError(New->discard());
  else
    Error = llvm::errorToErrorCode(New->keep(Target));
  return Error;
}

static std::error_code write(StringRef Path, StringRef Content) {
  int Descriptor = -1;
  if (std::optional<int> Own = descriptorOf(Path)) {
    llvm::outs().flush();
    Descriptor = ::dup(*Own);
    return Descriptor < 0 ? std::error_code(errno, std::generic_category())
                          : writeTo(Descriptor, /*Closes=*/true, Content);
  }
  llvm::SmallString<256> Real;
  StringRef Target = fs::real_path(Path, Real) ? Path : StringRef(Real);
  if (std::optional<std::error_code> Written = writeBeside(Target, Content))
    return *Written;
  std::error_code Error =
      fs::openFileForWrite(Target, Descriptor, fs::CD_CreateAlways);
  return Error ? Error : writeTo(Descriptor, /*Closes=*/true, Content);
}

/// Why \p Path cannot be written, as far as that is known before.
static std::error_code prepare(StringRef Path) {
  if (descriptorOf(Path))
    return {};
  if (fs::is_directory(Path))
    return std::make_error_code(std::errc::is_a_directory);
  StringRef Folder = llvm::sys::path::parent_path(Path);
  std::error_code Error =
      fs::access(Folder.empty() ? "." : Folder, fs::AccessMode::Write);
  return Error && fs::exists(Path) ? fs::access(Path, fs::AccessMode::Write)
                                   : Error;
}

Expected<std::unique_ptr<AtomicFile>> AtomicFile::create(StringRef Path,
                                                         bool MayBeInput) {
  auto File = std::make_unique<AtomicFile>();
  File->Path = Path.str();
  File->MayBeInput = MayBeInput;
  if (std::error_code Error = prepare(Path))
    return failure(Path, Error);
  if (!MayBeInput && isKept(Path))
    return isInput(Path);
  return std::move(File);
}

Error AtomicFile::commit() {
  // It may have been read since then.
  if (!MayBeInput && isKept(Path))
    return isInput(Path);
  if (std::error_code Error = write(Path, OS.str()))
    return failure(Path, Error);
  return Error::success();
}

Error hlobuf::writeFile(StringRef Path, StringRef Text) {
  Expected<std::unique_ptr<AtomicFile>> File = AtomicFile::create(Path);
  if (!File)
    return File.takeError();
  (*File)->os() << Text;
  return (*File)->commit();
}
