// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump/Model.h"
#include "Support/Format.h"
#include "Support/Scanner.h"
#include "llvm/Support/Path.h"

using namespace hlobuf;

std::string Dump::spell(NameId Name, ShapeIndex Index) const {
  std::string Text = Names[Name].str();
  if (Index.printed())
    Text += Indices.text(Index);
  return Text;
}

std::string Dump::spell(const ValueTag &Tag) const {
  return fmt::format("<{} {}{}{}>", Tag.Id, spell(Tag.Name, Tag.Index),
                     Tag.Phi ? " (phi)" : "",
                     Tag.HasColor ? fmt::format(" @{}", Tag.Color) : "");
}

uint32_t Dump::parameterNumber(const Instruction &I) const {
  uint32_t Number = 0;
  if (I.Op.Op == Opcode::Parameter)
    Scanner(operandsText(I)).number(Number);
  return Number;
}

StringRef Dump::text(const UsedValue &U) const {
  if (!U.HasText)
    return StringRef();
  // It is after the tag, and before the next one.
  if (U.FirstText) {
    auto I = rowAt(Instructions, &Instruction::TextOffset, U.Line);
    return I == Instructions.end() ? StringRef() : text(*I);
  }
  auto Other = rowAt(OtherTexts, &OtherText::Line, U.Line);
  return usedText().substr(Other->Offset, Other->Size);
}

void Dump::noteCut(FileRole Role, Section In, std::string Evidence) {
  // A value without its text is not whole.
  if (In == Section::Texts)
    In = Section::Used;
  std::optional<CutOff> &Known = Cuts[static_cast<size_t>(Role)];
  if (Known && Known->In <= In)
    return;
  Known = {In, llvm::sys::path::filename(file(Role).Path).str(),
           std::move(Evidence)};
}
