//===- HLO/Opcode.cpp -----------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HLO/Opcode.h"
#include <algorithm>
#include <iterator>

using namespace hlobuf;
using llvm::StringRef;

static constexpr StringRef Texts[] = {
    "<unknown>",
#define HLOBUF_OPCODE(Enumerator, Text) Text,
#include "HLO/Opcodes.def"
};

static Opcode findOpcode(StringRef Text) {
  const StringRef *First = std::next(std::begin(Texts));
  const StringRef *Found = std::lower_bound(First, std::end(Texts), Text);
  if (Found == std::end(Texts) || *Found != Text)
    return Opcode::Unknown;
  return static_cast<Opcode>(Found - std::begin(Texts));
}

PrintedOpcode hlobuf::parseOpcode(StringRef Text) {
  Opcode Op = findOpcode(Text);
  if (Op != Opcode::Unknown)
    return {Op, false};
  if (Text.ends_with("-start"))
    return {Opcode::AsyncStart, true};
  if (Text.ends_with("-update"))
    return {Opcode::AsyncUpdate, true};
  if (Text.ends_with("-done"))
    return {Opcode::AsyncDone, true};
  return {};
}

StringRef hlobuf::opcodeText(Opcode Op) {
  return Texts[static_cast<size_t>(Op)];
}

bool hlobuf::isAsync(Opcode Op) {
  return Op == Opcode::AsyncStart || Op == Opcode::AsyncUpdate ||
         Op == Opcode::AsyncDone;
}
