// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/Opcode.h"
#include "Support/Format.h"
#include "llvm/ADT/StringMap.h"
#include <string_view>

using namespace hlobuf;

static constexpr std::string_view Texts[] = {
    "<unknown>",
#define HLOBUF_OPCODE(Enumerator, Text, Operands, Traits) Text,
#include "HLO/Opcodes.def"
};

static_assert(std::adjacent_find(std::next(std::begin(Texts)), std::end(Texts),
                                 std::greater_equal<>()) == std::end(Texts),
              "sort Opcodes.def by text");

static constexpr AsyncOpcodes AsyncTable[] = {
#define HLOBUF_ASYNC(Start, Done, Result) {Opcode::Start, Opcode::Done, Result},
#include "HLO/Opcodes.def"
};

static constexpr uint32_t Any = ~0U;

static constexpr CalleeRule Callees[] = {
#define HLOBUF_CALLEE(Op, Role, Least, Most, Parameters)                       \
  {Opcode::Op, CallRole::Role, Least, Most, CalleeParameters::Parameters},
#include "HLO/Opcodes.def"
};

ArrayRef<CalleeRule> hlobuf::calleeRules(Opcode Op) {
  return rowsFor<Callees>(Op);
}

std::string hlobuf::spellCount(OperandCount Count) {
  if (Count.Step != 1)
    return fmt::format("{}, {}, ..", Count.Least, Count.Least + Count.Step);
  if (Count.Least == Count.Most)
    return fmt::format("{}", Count.Least);
  if (Count.Most == Any)
    return fmt::format("at least {}", Count.Least);
  return fmt::format("{} to {}", Count.Least, Count.Most);
}

static Opcode findOpcode(StringRef Text) {
  static const auto All = [] {
    StringMap<Opcode> Map(std::size(Texts));
    for (size_t Op = 1; Op != std::size(Texts); ++Op)
      Map[Texts[Op]] = static_cast<Opcode>(Op);
    return Map;
  }();
  return All.lookup(Text);
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

bool hlobuf::onlyComputes(Opcode Op) {
  switch (Op) {
  case Opcode::AddDependency:
  case Opcode::Domain:
  case Opcode::OptBarrier:
    return false;
  case Opcode::BitcastConvert:
  case Opcode::Constant:
  case Opcode::Convolution:
  case Opcode::Dot:
  case Opcode::Fusion:
  case Opcode::Gather:
  case Opcode::Iota:
  case Opcode::Reduce:
  case Opcode::ReduceWindow:
  case Opcode::Scatter:
  case Opcode::Sort:
    return true;
  default:
    return isElementwise(Op) || movesElements(Op);
  }
}
