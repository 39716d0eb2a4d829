// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/AtomicFile.h"
#include "Support/Format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace hlobuf;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static llvm::Error failure(StringRef Path, std::error_code Error) {
  return makeError("cannot write '{}': {}", Path, Error.message());
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

/// Where \p Path leads: links are followed, also to what does not exist.
static llvm::ErrorOr<std::string> followLinks(StringRef Path) {
  constexpr unsigned MostLinks = 40; // as in Linux
  std::string Target = Path.str();
  for (unsigned Count = 0; Count != MostLinks; ++Count) {
    llvm::SmallString<256> Next;
    Next.resize(4096);
    ssize_t Length = ::readlink(Target.c_str(), Next.data(), Next.size());
    if (Length < 0)
      return Target;
    Next.resize(static_cast<size_t>(Length));
    if (llvm::sys::path::is_relative(Next)) {
      llvm::SmallString<256> Full = llvm::sys::path::parent_path(Target);
      llvm::sys::path::append(Full, Next);
      Next = Full;
    }
    Target = std::string(Next);
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
}

/// The descriptor of this process that \p Path names.
static std::optional<int> descriptorOf(StringRef Path) {
  int Descriptor = -1;
  if (Path == "/dev/stdout")
    return STDOUT_FILENO;
  if (Path == "/dev/stderr")
    return STDERR_FILENO;
  if ((Path.consume_front("/dev/fd/") ||
       Path.consume_front("/proc/self/fd/")) &&
      !Path.getAsInteger(10, Descriptor))
    return Descriptor;
  return std::nullopt;
}

static std::error_code lastError() { return {errno, std::generic_category()}; }

/// Gives \p Descriptor, a new file, the permissions and the owner of \p Old.
static void inherit(int Descriptor, const struct stat &Old) {
  // Without the right to, the file is ours; then it is nobody's privilege.
  mode_t Mode = Old.st_mode & 0777;
  if (::fchown(Descriptor, Old.st_uid, Old.st_gid) == 0 ||
      ::fchown(Descriptor, static_cast<uid_t>(-1), Old.st_gid) == 0)
    Mode = Old.st_mode & 07777;
  [[maybe_unused]] int Failed = ::fchmod(Descriptor, Mode);
}

std::error_code AtomicFile::openDirectly() {
  if (std::optional<int> Own = descriptorOf(Path)) {
    llvm::outs().flush();
    int Descriptor = ::dup(*Own);
    if (Descriptor < 0)
      return lastError();
    OS = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                                /*shouldClose=*/true);
    return {};
  }
  std::error_code Error;
  OS = std::make_unique<llvm::raw_fd_ostream>(Path, Error, fs::CD_OpenExisting,
                                              fs::FA_Write, fs::OF_None);
  return Error;
}

std::error_code AtomicFile::openBeside() {
  int Descriptor = -1;
  if (std::error_code Error = createBeside(Target, Descriptor, Temporary)) {
    Temporary.clear();
    return Error;
  }
  struct stat Old;
  if (::stat(Target.c_str(), &Old) == 0)
    inherit(Descriptor, Old);
  OS = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                              /*shouldClose=*/true);
  return {};
}

std::error_code AtomicFile::openForLater() {
  if (::access(Target.c_str(), W_OK) != 0)
    return lastError();
  int Descriptor = -1;
  llvm::SmallString<128> Made;
  if (std::error_code Error =
          fs::createTemporaryFile("hlobuf", "tmp", Descriptor, Made))
    return Error;
  Temporary = std::string(Made);
  Copy = true;
  OS = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                              /*shouldClose=*/true);
  return {};
}

/// True if \p Error says that a folder takes no new file.
static bool isFolderClosed(std::error_code Error) {
  return Error == std::errc::permission_denied ||
         Error == std::errc::operation_not_permitted ||
         Error == std::errc::read_only_file_system;
}

llvm::Expected<std::unique_ptr<AtomicFile>> AtomicFile::create(StringRef Path) {
  auto File = std::make_unique<AtomicFile>();
  File->Path = Path.str();
  struct stat Old = {};
  bool Exists = ::stat(File->Path.c_str(), &Old) == 0;
  if (descriptorOf(Path) || (Exists && !S_ISREG(Old.st_mode))) {
    if (std::error_code Error = File->openDirectly())
      return failure(Path, Error);
    return std::move(File);
  }
  llvm::ErrorOr<std::string> Target = followLinks(Path);
  if (!Target)
    return failure(Path, Target.getError());
  File->Target = *Target;
  // LLVM removes the file for this signal only if something else is to be done:
  // to end as without it. Where it is ignored, it stays so.
  struct sigaction Pipe = {};
  if (::sigaction(SIGPIPE, nullptr, &Pipe) == 0 && Pipe.sa_handler != SIG_IGN)
    llvm::sys::SetOneShotPipeSignalFunction([] { std::raise(SIGPIPE); });
  bool Named = Exists && Old.st_nlink > 1;
  std::error_code Error = Named ? File->openForLater() : File->openBeside();
  if (Exists && !Named && isFolderClosed(Error))
    Error = File->openForLater();
  if (Error)
    return failure(Path, Error);
  llvm::sys::RemoveFileOnSignal(File->Temporary);
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

/// Writes the finished content over the file.
std::error_code AtomicFile::overwrite() {
  auto Content = llvm::MemoryBuffer::getFile(Temporary, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!Content)
    return Content.getError();
  std::error_code Error;
  llvm::raw_fd_ostream Out(Target, Error, fs::CD_CreateAlways, fs::FA_Write,
                           fs::OF_None);
  if (Error)
    return Error;
  Out << (*Content)->getBuffer();
  Out.close();
  Error = Out.error();
  Out.clear_error();
  return Error;
}

llvm::Error AtomicFile::commit() {
  OS->flush();
  if (std::error_code Error = OS->error())
    return failure(Path, Error);
  OS.reset();
  if (Temporary.empty())
    return llvm::Error::success();
  if (std::error_code Error =
          Copy ? overwrite() : fs::rename(Temporary, Target))
    return failure(Path, Error);
  if (Copy)
    return llvm::Error::success(); // the destructor removes the copy
  llvm::sys::DontRemoveFileOnSignal(Temporary);
  Temporary.clear();
  return llvm::Error::success();
}
