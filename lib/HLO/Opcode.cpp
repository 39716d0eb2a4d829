// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/Opcode.h"
#include "Support/Format.h"
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>

using namespace hlobuf;
using llvm::StringRef;

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

static_assert(std::is_sorted(std::begin(Callees), std::end(Callees),
                             [](const CalleeRule &X, const CalleeRule &Y) {
                               return X.Op < Y.Op;
                             }),
              "calleeRules() bisects: sort HLOBUF_CALLEE by opcode");

/// By opcode: where its rows of Callees begin; one more ends the last.
static constexpr auto CalleeBegin = [] {
  std::array<uint8_t, std::size(Texts) + 1> Begin = {};
  static_assert(std::size(Callees) < 256);
  uint8_t Row = 0;
  for (size_t Op = 0; Op != Begin.size(); ++Op) {
    while (Row != std::size(Callees) && uint8_t(Callees[Row].Op) < Op)
      ++Row;
    Begin[Op] = Row;
  }
  return Begin;
}();

llvm::ArrayRef<CalleeRule> hlobuf::calleeRules(Opcode Op) {
  uint8_t Begin = CalleeBegin[uint8_t(Op)];
  return llvm::ArrayRef<CalleeRule>(Callees).slice(
      Begin, CalleeBegin[uint8_t(Op) + 1u] - Begin);
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

/// A place in OpcodeSlots for \p Text, which is not empty.
static constexpr size_t slotOf(std::string_view Text) {
  constexpr unsigned Factors[] = {31, 7, 127, 83};
  size_t Size = Text.size();
  auto At = [&](size_t I) { return static_cast<unsigned char>(Text[I]); };
  return (Size * Factors[0] + At(0) * Factors[1] + At(Size / 2) * Factors[2] +
          At(Size - 1) * Factors[3]) %
         512;
}

/// Opcodes by slotOf() their text or a slot after it; 0 is free.
static constexpr auto OpcodeSlots = [] {
  std::array<uint8_t, 512> Slots = {};
  for (size_t Op = 1; Op != std::size(Texts); ++Op) {
    size_t Slot = slotOf(Texts[Op]);
    while (Slots[Slot] != 0)
      Slot = (Slot + 1) % Slots.size();
    Slots[Slot] = static_cast<uint8_t>(Op);
  }
  return Slots;
}();

static Opcode findOpcode(StringRef Text) {
  if (Text.empty())
    return Opcode::Unknown;
  for (size_t Slot = slotOf(Text); OpcodeSlots[Slot] != 0;
       Slot = (Slot + 1) % OpcodeSlots.size())
    if (StringRef(Texts[OpcodeSlots[Slot]]) == Text)
      return static_cast<Opcode>(OpcodeSlots[Slot]);
  return Opcode::Unknown;
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
