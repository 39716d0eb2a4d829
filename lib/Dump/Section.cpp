//===- Dump/Section.cpp ---------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dump/Section.h"

using namespace hlobuf;

const SectionInfo &hlobuf::infoOf(Section S) {
  static constexpr SectionInfo Rows[] = {
#define HLOBUF_SECTION(Name, File, Since, Words, Heading)                      \
  {FileRole::File, Since, Words, Heading},
#include "Dump/Sections.def"
  };
  return Rows[static_cast<size_t>(S)];
}
