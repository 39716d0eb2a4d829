// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HLO/ForwardRules.h"

using namespace hlobuf;

// As Opcodes.def spells them.
// NOLINTBEGIN(readability-identifier-naming)
static constexpr int8_t each = ForwardPath::Each;
static constexpr int8_t own = ForwardPath::Own;
// NOLINTEND(readability-identifier-naming)

static constexpr ForwardPath at() { return {}; }
static constexpr ForwardPath at(int8_t Step) { return {1, {Step, 0}}; }
static constexpr ForwardPath at(int8_t Outer, int8_t Inner) {
  return {2, {Outer, Inner}};
}

static constexpr ForwardRule Rules[] = {
#define HLOBUF_FORWARD(Op, Result, Operand, Parts)                             \
  {Opcode::Op, Result, Operand, ForwardedParts::Parts},
#include "HLO/Opcodes.def"
};

ArrayRef<ForwardRule> hlobuf::forwardRules(Opcode Op) {
  return rowsFor<Rules>(Op);
}

static bool hasPart(ForwardedParts Parts, bool IsTop, bool IsTuple) {
  switch (Parts) {
  case ForwardedParts::All:
    return true;
  case ForwardedParts::BelowTop:
    return !IsTop;
  case ForwardedParts::Leaves:
    return !IsTuple;
  case ForwardedParts::Leaf:
    return IsTop && !IsTuple;
  }
  return false;
}

SmallVector<uint32_t, 4> ForwardPath::steps(uint32_t EachStep,
                                            uint32_t OwnStep) const {
  SmallVector<uint32_t, 4> Path;
  for (int8_t Step : ArrayRef<int8_t>(Steps, Size))
    Path.push_back(Step == Each ? EachStep : Step == Own ? OwnStep : Step);
  return Path;
}

std::optional<OperandPath> hlobuf::forwardedPath(const ForwardRule &Rule,
                                                 ArrayRef<uint32_t> Steps,
                                                 bool IsTuple, uint32_t Own) {
  if (Steps.size() < Rule.Result.Size ||
      !hasPart(Rule.Parts, Steps.size() == Rule.Result.Size, IsTuple))
    return std::nullopt;
  OperandPath Path;
  uint32_t Each = 0;
  for (unsigned I = 0; I != Rule.Result.Size; ++I) {
    int8_t Step = Rule.Result.Steps[I];
    if (Step == ForwardPath::Each)
      Each = Path.Operand = Steps[I];
    else if (Steps[I] != static_cast<uint32_t>(Step))
      return std::nullopt;
  }
  if (Rule.Operand.hasEach())
    Path.Operand = 0;
  Path.Steps = Rule.Operand.steps(Each, Own);
  Path.Steps.append(Steps.begin() + Rule.Result.Size, Steps.end());
  return Path;
}
