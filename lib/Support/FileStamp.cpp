// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/FileStamp.h"
#include <chrono>
#ifndef _WIN32
#include <sys/stat.h>
#endif

using namespace hlobuf;

/// Times of files are exact to 2 s on FAT, and better elsewhere.
static constexpr int64_t Unsettled = 3'000'000'000;

bool FileStamp::isSettled() const {
  using namespace std::chrono;
  int64_t Now =
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch())
          .count();
  return Modified < Now - Unsettled && Changed < Now - Unsettled;
}

#ifdef _WIN32
std::optional<FileStamp> hlobuf::stampOf(const std::string &) {
  return std::nullopt;
}
#else
static int64_t nanoseconds(const timespec &Time) {
  return int64_t(Time.tv_sec) * 1'000'000'000 + Time.tv_nsec;
}

std::optional<FileStamp> hlobuf::stampOf(const std::string &Path) {
  struct stat Status;
  if (stat(Path.c_str(), &Status) != 0 || !S_ISREG(Status.st_mode))
    return std::nullopt;
#ifdef __APPLE__
  const timespec &Modified = Status.st_mtimespec;
  const timespec &Changed = Status.st_ctimespec;
#else
  const timespec &Modified = Status.st_mtim;
  const timespec &Changed = Status.st_ctim;
#endif
  return FileStamp{static_cast<uint64_t>(Status.st_dev),
                   static_cast<uint64_t>(Status.st_ino),
                   static_cast<uint64_t>(Status.st_size), nanoseconds(Modified),
                   nanoseconds(Changed)};
}
#endif
