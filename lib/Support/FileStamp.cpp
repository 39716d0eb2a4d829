// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/FileStamp.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#ifndef _WIN32
#include <sys/stat.h>
#endif
#if defined(__linux__)
#include <sys/vfs.h>
#elif defined(__APPLE__)
#include <sys/mount.h>
#include <sys/param.h>
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
#ifdef __linux__
/// By f_type (linux/magic.h): ext2 to ext4, xfs, btrfs, f2fs, bcachefs, zfs.
/// Not tmpfs, where writes through mappings change no time, nor overlayfs,
/// whose files may be there.
static constexpr uint32_t KnownTypes[] = {0xef53,     0x58465342, 0x9123683e,
                                          0xf2f52010, 0xca451a4e, 0x2fc12fc1};
#endif

/// True if this system itself notes the time of each change of \p Path. Servers
/// and images say what they like, and what they said may be remembered.
static bool hasTimesOfChange(const std::string &Path) {
#if defined(__linux__)
  struct statfs Status;
  return statfs(Path.c_str(), &Status) == 0 &&
         llvm::is_contained(KnownTypes, static_cast<uint32_t>(Status.f_type));
#elif defined(__APPLE__)
  struct statfs Status;
  return statfs(Path.c_str(), &Status) == 0 &&
         llvm::StringRef(Status.f_fstypename) == "apfs";
#else
  (void)Path;
  return false;
#endif
}

static int64_t nanoseconds(const timespec &Time) {
  return int64_t(Time.tv_sec) * 1'000'000'000 + Time.tv_nsec;
}

std::optional<FileStamp> hlobuf::stampOf(const std::string &Path) {
  struct stat Status;
  if (stat(Path.c_str(), &Status) != 0 || !S_ISREG(Status.st_mode) ||
      !hasTimesOfChange(Path))
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
