// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Places.h"

using namespace hlobuf;

RowTexts Places::total() const {
  RowTexts Texts;
  uint64_t Total;
  std::optional<StringRef> Human;
  parseTotalLine(lineAt(D.usedText(), D.TotalLine), Total, Human, Texts);
  return Texts;
}

RowTexts Places::liveHeader() const {
  RowTexts Texts;
  uint32_t Max;
  parseLiveHeader(lineAt(D.liveText(), D.LiveHeaderLine), Max, Texts);
  return Texts;
}

RowTexts Places::peakHeader() const {
  RowTexts Texts;
  int32_t Step;
  StringRef Line = lineAt(D.liveText(), D.PeakLine);
  if (!parsePeakHeader(Line, Step, Texts))
    Texts.First = Line;
  return Texts;
}

RowTexts Places::stackHeader() const {
  RowTexts Texts;
  uint64_t Total;
  parseStackHeader(lineAt(D.liveText(), D.StackLine), Total, Texts);
  return Texts;
}

StringRef Places::operand(const Instruction &I, uint32_t Number) const {
  StringRef Name = D.operandsText(I);
  uint32_t Index = 0;
  forEachOperand(D.operandsText(I), [&](OperandText Operand) {
    if (Index++ == Number)
      Name = Operand.Name;
  });
  return Name;
}
