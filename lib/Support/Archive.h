// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in tar and zip archives.

#ifndef HLOBUF_SUPPORT_ARCHIVE_H
#define HLOBUF_SUPPORT_ARCHIVE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hlobuf {

/// A regular file in an archive.
struct ArchiveMember {
  /// With its folders, as the archive spells it.
  std::string Name;
  /// Its bytes as they are stored.
  llvm::StringRef Stored;
  /// Bytes of its content.
  uint64_t Size = 0;
  /// Of the content; zip only.
  uint32_t Crc = 0;
  bool Deflated = false;
  /// Of zip: neither stored nor deflated, or encrypted.
  bool Unsupported = false;
};

/// True if \p Start begins a tar (POSIX, GNU or V7) or zip archive; the first
/// 512 bytes tell.
bool isArchive(llvm::StringRef Start);

/// The regular files in \p Bytes, in the order of the archive; other entries
/// are left out. Fails where the archive is damaged or cut off, and for zip
/// archives of several volumes or over 4 GiB.
llvm::Expected<std::vector<ArchiveMember>> listArchive(llvm::StringRef Bytes);

/// The content of \p Member. Fails where it is damaged, encrypted, or larger
/// than \p MaxBytes.
llvm::Expected<std::string> readMember(const ArchiveMember &Member,
                                       uint64_t MaxBytes);

} // namespace hlobuf

#endif // HLOBUF_SUPPORT_ARCHIVE_H
