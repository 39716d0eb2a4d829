// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Origin.h"
#include "Support/Printable.h"

using namespace hlobuf;
using llvm::StringRef;

/// Copies of copies whose metadata are asked for, at most.
static constexpr unsigned MaxHops = 8;

Opcode hlobuf::findOpcode(const Facts &DumpFacts, NameId Name) {
  if (Opcode Op = DumpFacts.opcode(Name); Op != Opcode::Unknown)
    return Op;
  const HloModule &M = DumpFacts.dump().Module;
  HloId Id = M.find(Name);
  return Id ? M[Id].Op : Opcode::Unknown;
}

StringRef hlobuf::findAttributes(const Facts &DumpFacts, NameId Name) {
  if (const Instruction *I = DumpFacts.instruction(Name))
    return DumpFacts.dump().attributes(*I);
  const HloModule &M = DumpFacts.dump().Module;
  HloId Id = M.find(Name);
  return Id ? M.attributes(M[Id]) : StringRef();
}

NameId hlobuf::findOperand(const Facts &DumpFacts, NameId Name,
                           uint32_t Number) {
  const Dump &D = DumpFacts.dump();
  if (const Instruction *I = DumpFacts.instruction(Name))
    return Number < I->Operands.size() ? D.operands(*I)[Number] : NameId();
  HloId Id = D.Module.find(Name);
  if (!Id || Number >= D.Module[Id].Operands.size())
    return NameId();
  HloId Source = D.Module.operands(D.Module[Id])[Number];
  return Source ? D.Module[Source].Name : NameId();
}

/// Where the bytes of \p Name come from, in the module where the dump names an
/// element that no text defines (since 2026-07-13).
static NameId findSource(const Facts &DumpFacts, NameId Name) {
  NameId Source = findOperand(DumpFacts, Name, 0);
  const HloModule &M = DumpFacts.dump().Module;
  if (Source && !DumpFacts.instruction(Source) && !M.find(Source))
    if (HloId Id = M.find(Name); Id && !M[Id].Operands.empty())
      if (HloId Known = M.operands(M[Id])[0])
        return M[Known].Name;
  return Source;
}

Origin hlobuf::findOrigin(const Facts &DumpFacts, NameId Name) {
  Origin Found;
  for (unsigned Hop = 0; Hop != MaxHops && Name; ++Hop) {
    StringRef Attributes = findAttributes(DumpFacts, Name);
    std::optional<StringRef> Op = findMetadata(Attributes, "op_name");
    if (Op && !Op->empty())
      Found.OpName = printable(unescape(*Op));
    Found.Source = DumpFacts.sourceLine(Attributes);
    Found.Inherited = Hop != 0;
    if (!Found.OpName.empty() || !Found.Source.empty())
      return Found;
    Name = findSource(DumpFacts, Name);
  }
  return {};
}
