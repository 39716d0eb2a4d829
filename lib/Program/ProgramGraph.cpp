// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program/ProgramGraph.h"
#include "HLO/ForwardRules.h"

using namespace hlobuf;

std::optional<OperandPart> ProgramGraph::forwardedPart(HloId Id,
                                                       uint32_t Ordinal) const {
  const HloNode &N = (*this)[Id];
  ArrayRef<ForwardRule> Rules = forwardRules(N.Op);
  if (Rules.empty())
    return std::nullopt;
  auto Steps = Trees.steps(N.Shape, Ordinal);
  bool IsTuple = Trees.isTuple(N.Shape, Ordinal);
  for (const ForwardRule &Rule : Rules) {
    auto From = forwardedPath(Rule, Steps, IsTuple, N.number());
    if (!From || From->Operand >= operands(Id).size() ||
        !operands(Id)[From->Operand])
      continue;
    ShapeId Operand = (*this)[operands(Id)[From->Operand]].Shape;
    if (auto Part =
            Operand ? Trees.ordinal(Operand, From->Steps) : std::nullopt)
      return OperandPart{From->Operand, *Part};
  }
  return std::nullopt;
}
