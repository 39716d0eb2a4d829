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
#include <filesystem>
#include <optional>
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
    std::error_code Error;
    std::string Next = std::filesystem::read_symlink(Target, Error).string();
    if (Error)
      return Target;
    if (llvm::sys::path::is_relative(Next)) {
      llvm::SmallString<256> Full = llvm::sys::path::parent_path(Target);
      llvm::sys::path::append(Full, Next);
      Next = std::string(Full);
    }
    Target = Next;
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

#ifdef _WIN32
/// There, the folder says who may do what with a file.
static void inherit(int, const fs::file_status &) {}

static void endOnBrokenPipe() {}
#else
/// Gives \p Descriptor, a new file, the permissions and the owner of \p Old.
static void inherit(int Descriptor, const fs::file_status &Old) {
  // Without the right to, the file is ours; then it is nobody's privilege.
  fs::perms Mode = Old.permissions() & fs::perms::all_all;
  constexpr uint32_t Keep = -1;
  if (!fs::changeFileOwnership(Descriptor, Old.getUser(), Old.getGroup()) ||
      !fs::changeFileOwnership(Descriptor, Keep, Old.getGroup()))
    Mode = Old.permissions();
  [[maybe_unused]] std::error_code Failed =
      fs::setPermissions(Descriptor, Mode);
}

/// LLVM removes the file for this signal only if something else is to be done:
/// to end as without it. Where it is ignored, it stays so.
static void endOnBrokenPipe() {
  struct sigaction Pipe = {};
  if (::sigaction(SIGPIPE, nullptr, &Pipe) == 0 && Pipe.sa_handler != SIG_IGN)
    llvm::sys::SetOneShotPipeSignalFunction([] { std::raise(SIGPIPE); });
}
#endif

std::error_code AtomicFile::openDirectly() {
  if (std::optional<int> Own = descriptorOf(Path)) {
    llvm::outs().flush();
    int Descriptor = ::dup(*Own);
    if (Descriptor < 0)
      return {errno, std::generic_category()};
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
  fs::file_status Old;
  if (!fs::status(Target, Old))
    inherit(Descriptor, Old);
  OS = std::make_unique<llvm::raw_fd_ostream>(Descriptor,
                                              /*shouldClose=*/true);
  return {};
}

std::error_code AtomicFile::openForLater() {
  if (std::error_code Error = fs::access(Target, fs::AccessMode::Write))
    return Error;
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
  fs::file_status Old;
  bool Exists = !fs::status(File->Path, Old);
  if (descriptorOf(Path) || (Exists && !fs::is_regular_file(Old))) {
    if (std::error_code Error = File->openDirectly())
      return failure(Path, Error);
    return std::move(File);
  }
  llvm::ErrorOr<std::string> Target = followLinks(Path);
  if (!Target)
    return failure(Path, Target.getError());
  File->Target = *Target;
  endOnBrokenPipe();
  bool Named = Exists && Old.getLinkCount() > 1;
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
