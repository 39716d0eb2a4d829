// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Section.h"

using namespace hlobuf;

const FileRoleInfo &hlobuf::infoOf(FileRole Role) {
  static constexpr FileRoleInfo Rows[] = {
#define HLOBUF_FILE_ROLE(Name, Key, Tails, FirstLines, Words, Pattern)         \
  {Key, Tails, FirstLines, Words, Pattern},
#include "Dump/FileRoles.def"
  };
  return Rows[static_cast<size_t>(Role)];
}

const SectionInfo &hlobuf::infoOf(Section S) {
  static constexpr SectionInfo Rows[] = {
#define HLOBUF_SECTION(Name, File, Since, Words, Heading)                      \
  {FileRole::File, Release::Since, Words, Heading, ""},
#define HLOBUF_TEXT_SECTION(Name, File, Since, Words, Heading, Begins)         \
  {FileRole::File, Release::Since, Words, Heading, Begins},
#include "Dump/Sections.def"
  };
  return Rows[static_cast<size_t>(S)];
}

std::optional<Section> hlobuf::textSectionAt(StringRef Line) {
  // Rows of other sections are indented more.
  if (!Line.starts_with("  ") || Line.starts_with("   "))
    return std::nullopt;
  for (size_t I = 0; I != NumSections; ++I)
    if (StringRef Begins = infoOf(static_cast<Section>(I)).Begins;
        !Begins.empty() && Line.starts_with(Begins))
      return static_cast<Section>(I);
  return std::nullopt;
}
