// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/FileGuard.h"
#include "llvm/Support/FileSystem.h"
#include <map>
#include <mutex>
#include <unistd.h>

using namespace hlobuf;
namespace fs = llvm::sys::fs;

namespace {
/// The files that this process reads.
struct OpenFiles {
  std::mutex Lock;
  /// With a path that led there.
  std::map<fs::UniqueID, std::string> Inputs;
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
