// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/FileGuard.h"
#include "Support/Format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>
#include <mutex>
#include <unistd.h>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

namespace {
/// The files of this process.
struct OpenFiles {
  std::mutex Lock;
  /// What is read, with a path that led there.
  std::map<fs::UniqueID, std::string> Inputs;
  /// By Key of an OutputClaim: the path as it was given.
  std::map<std::string, std::string> Claimed;
};
} // namespace

static OpenFiles &openFiles() {
  static OpenFiles Files;
  return Files;
}

std::optional<int> hlobuf::descriptorOf(StringRef Path) {
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

/// Which file \p Path leads to; nothing if that is not a regular file: a
/// terminal may be read and written.
static std::optional<fs::UniqueID> regularFile(StringRef Path) {
  fs::file_status Status;
  std::optional<int> Descriptor =
      Path == "-" ? STDIN_FILENO : descriptorOf(Path);
  std::error_code Error =
      Descriptor ? fs::status(*Descriptor, Status) : fs::status(Path, Status);
  if (Error || !fs::is_regular_file(Status))
    return std::nullopt;
  return Status.getUniqueID();
}

void hlobuf::keepFile(StringRef Path) {
  std::optional<fs::UniqueID> Id = regularFile(Path);
  if (!Id)
    return;
  OpenFiles &Files = openFiles();
  std::lock_guard<std::mutex> Guard(Files.Lock);
  Files.Inputs[*Id] = Path.str();
}

bool hlobuf::isKept(StringRef Path) {
  std::optional<fs::UniqueID> Id = regularFile(Path);
  if (!Id)
    return false;
  OpenFiles &Files = openFiles();
  std::lock_guard<std::mutex> Guard(Files.Lock);
  auto Known = Files.Inputs.find(*Id);
  // The system gives the number of a file that is gone to a new one.
  return Known != Files.Inputs.end() && regularFile(Known->second) == Id;
}

/// \p Path, where nothing is yet, with the links of its folder followed.
static std::string canonicalPath(StringRef Path) {
  llvm::SmallString<256> Folder = llvm::sys::path::parent_path(Path);
  llvm::SmallString<256> Real;
  if (fs::real_path(Folder.empty() ? "." : StringRef(Folder), Real))
    Real = Folder;
  llvm::sys::path::append(Real, llvm::sys::path::filename(Path));
  return std::string(Real);
}

/// The stream of this process that writes \p Id, for people; empty if none.
static StringRef standardStream(fs::UniqueID Id) {
  if (regularFile("/dev/stdout") == Id)
    return "standard output";
  return regularFile("/dev/stderr") == Id ? "standard error" : "";
}

Error OutputClaim::claim(StringRef Path, bool MayBeInput) {
  if (!MayBeInput && isKept(Path))
    return makeError("'{}' is an input and must not be overwritten", Path);
  std::optional<fs::UniqueID> Id = regularFile(Path);
  bool Exists = Id || fs::exists(Path);
  if (descriptorOf(Path) ? !Id : Exists && !Id)
    return Error::success(); // a pipe takes what several write
  if (StringRef Stream = Id ? standardStream(*Id) : "";
      !Stream.empty() && !descriptorOf(Path))
    return makeError("'{}' is written twice: {} goes there, too", Path, Stream);
  std::string NewKey = Id ? fmt::format("{}:{}", Id->getDevice(), Id->getFile())
                          : canonicalPath(Path);
  OpenFiles &Files = openFiles();
  std::lock_guard<std::mutex> Guard(Files.Lock);
  auto [Other, New] = Files.Claimed.try_emplace(NewKey, Path.str());
  if (!New)
    return makeError("'{}' is written twice: '{}' is the same file", Path,
                     Other->second);
  Key = std::move(NewKey);
  return Error::success();
}

OutputClaim::~OutputClaim() {
  if (Key.empty())
    return;
  OpenFiles &Files = openFiles();
  std::lock_guard<std::mutex> Guard(Files.Lock);
  Files.Claimed.erase(Key);
}
