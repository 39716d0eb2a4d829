//===- HLO/Opcode.cpp -----------------------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HLO/Opcode.h"
#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

using namespace hlobuf;
using llvm::StringRef;

static constexpr std::string_view Texts[] = {
    "<unknown>",
#define HLOBUF_OPCODE(Enumerator, Text, Traits) Text,
#include "HLO/Opcodes.def"
};

static_assert(std::adjacent_find(std::next(std::begin(Texts)), std::end(Texts),
                                 std::greater_equal<>()) == std::end(Texts),
              "findOpcode() bisects: sort Opcodes.def by text");

static constexpr AsyncOpcodes AsyncTable[] = {
#define HLOBUF_ASYNC(Start, Done, Result) {Opcode::Start, Opcode::Done, Result},
#include "HLO/Opcodes.def"
};

static Opcode findOpcode(StringRef Text) {
  const std::string_view *First = std::next(std::begin(Texts));
  const std::string_view *Found =
      std::lower_bound(First, std::end(Texts), std::string_view(Text));
  if (Found == std::end(Texts) || StringRef(*Found) != Text)
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

Opcode hlobuf::findSimilarOpcode(StringRef Text) {
  for (size_t Op = 1; Op != std::size(Texts); ++Op)
    if (Text.edit_distance(Texts[Op], true, 1) == 1)
      return static_cast<Opcode>(Op);
  return Opcode::Unknown;
}

const AsyncOpcodes *hlobuf::startedBy(Opcode Op) {
  for (const AsyncOpcodes &Pair : AsyncTable)
    if (Pair.Start == Op)
      return &Pair;
  return nullptr;
}

const AsyncOpcodes *hlobuf::endedBy(Opcode Op) {
  for (const AsyncOpcodes &Pair : AsyncTable)
    if (Pair.Done == Op)
      return &Pair;
  return nullptr;
}
