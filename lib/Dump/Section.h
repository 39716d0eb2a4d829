// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts and the files of a dump, and what XLA changed in them.

#ifndef HLOBUF_DUMP_SECTION_H
#define HLOBUF_DUMP_SECTION_H

#include "Support/LLVM.h"
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hlobuf {

/// The changes of XLA that matter here: the rows of Releases.def.
enum class Release : uint8_t {
#define HLOBUF_RELEASE(Name, Date, After, Before) Name,
#include "Dump/Releases.def"
};

/// The first day with each change, as yyyymmdd; 0 for what was always so.
inline constexpr uint32_t ReleaseDates[] = {
#define HLOBUF_RELEASE(Name, Date, After, Before) Date,
#include "Dump/Releases.def"
};
constexpr uint32_t dateOf(Release R) { return ReleaseDates[size_t(R)]; }

/// The parts of a dump that checks may need: the rows of Sections.def.
enum class Section : uint8_t {
#define HLOBUF_SECTION(Name, File, Since, Words, Heading) Name,
#include "Dump/Sections.def"
};
constexpr size_t NumSections = 0
#define HLOBUF_SECTION(Name, File, Since, Words, Heading) +1
#include "Dump/Sections.def"
    ;

/// Whether a section is there; one with a line that cannot be read is damaged.
enum class SectionState : uint8_t { Absent, Damaged, Complete };

/// The files that a dump is made of: the rows of FileRoles.def.
enum class FileRole : uint8_t {
#define HLOBUF_FILE_ROLE(Name, Key, Tails, FirstLines, Words, Pattern) Name,
#include "Dump/FileRoles.def"
};
constexpr size_t NumFileRoles = 0
#define HLOBUF_FILE_ROLE(Name, Key, Tails, FirstLines, Words, Pattern) +1
#include "Dump/FileRoles.def"
    ;

/// A row of FileRoles.def.
struct FileRoleInfo {
  /// Its name in JSON.
  StringRef Key;
  /// What its name ends with, without what compression adds, and what its
  /// first line begins with: the most likely first, separated by `|`.
  StringRef Tails;
  StringRef FirstLines;
  /// What it holds, and what it is called; for people.
  StringRef Words;
  StringRef Pattern;
};

/// The row of \p Role.
const FileRoleInfo &infoOf(FileRole Role);

/// True if no compiler writes \p Role as a file of a text dump.
inline bool isOnlyInProtos(FileRole Role) { return Role >= FileRole::Traces; }

/// A row of Sections.def.
struct SectionInfo {
  /// Its file where the dump is split (2026-04-03 on), or always.
  FileRole File;
  /// The first release that prints it.
  Release Since;
  /// Its name, for people.
  StringRef Name;
  /// What it is in the text.
  StringRef Heading;
  /// How the first line of one that is kept as text begins; empty for others,
  /// and for one that has a file of its own.
  StringRef Begins;
};

/// The row of \p S.
const SectionInfo &infoOf(Section S);

/// The section that is kept as text and begins with \p Line; nothing if there
/// is none.
std::optional<Section> textSectionAt(StringRef Line);

} // namespace hlobuf

#endif // HLOBUF_DUMP_SECTION_H
