//===- Dump/Section.cpp ---------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  {FileRole::File, Release::Since, Words, Heading},
#include "Dump/Sections.def"
  };
  return Rows[static_cast<size_t>(S)];
}
