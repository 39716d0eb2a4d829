// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Facts/Peak.h"

using namespace hlobuf;

ShapeId hlobuf::shapeOfInstruction(const Facts &DumpFacts, NameId Name) {
  const Dump &D = DumpFacts.dump();
  if (const Instruction *I = DumpFacts.instruction(Name))
    return I->Result;
  HloId Id = D.complete(Section::Module) ? D.Module.find(Name) : HloId();
  return Id ? D.Module[Id].Shape : ShapeId();
}

std::optional<uint64_t> hlobuf::chargedBytes(const Facts &DumpFacts,
                                             const LiveRangeRow &Row) {
  ShapeId Shape = shapeOfInstruction(DumpFacts, Row.Name);
  return Shape ? logicalBytes(DumpFacts.dump().Shapes, Shape) : std::nullopt;
}

PeakMoment PeakCounter::find() const {
  PeakMoment Peak;
  uint64_t Live = 0;
  for (size_t Step = 0; Step != Begin.size(); ++Step) {
    Live += Begin[Step];
    if (Live > Peak.Bytes)
      Peak = {static_cast<int32_t>(Step), Live};
    Live -= Last[Step];
  }
  return Peak;
}

std::optional<PeakMoment> hlobuf::findPeak(const Facts &DumpFacts) {
  int32_t Steps = DumpFacts.steps();
  PeakCounter Counter(Steps);
  for (const LiveRangeRow &Row : DumpFacts.dump().Ranges) {
    std::optional<uint64_t> Bytes = chargedBytes(DumpFacts, Row);
    if (!Bytes || Row.Start < 0 || Row.End < Row.Start || Row.End > Steps)
      return std::nullopt;
    Counter.add({Row.Start, Row.End}, *Bytes);
  }
  return Counter.find();
}
