// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory/Instructions.h"
#include "llvm/ADT/DenseSet.h"

using namespace hlobuf;

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

StringRef hlobuf::findOpName(const Facts &DumpFacts, NameId Name) {
  return readMetadata(findAttributes(DumpFacts, Name)).OpName.value_or("");
}

NameId hlobuf::findOperand(const Facts &DumpFacts, NameId Name,
                           uint32_t Number) {
  const Dump &D = DumpFacts.dump();
  if (const Instruction *I = DumpFacts.instruction(Name)) {
    ArrayRef<NameId> Operands = D.operands(*I);
    return Number < Operands.size() ? Operands[Number] : NameId();
  }
  HloId Id = D.Module.find(Name);
  if (!Id || Number >= D.Module.operands(D.Module[Id]).size())
    return NameId();
  HloId Source = D.Module.operands(D.Module[Id])[Number];
  return Source ? D.Module[Source].Name : NameId();
}

ValueId hlobuf::findValue(const Facts &DumpFacts, NameId Name) {
  UsedId Used = Name ? DumpFacts.valueAt(Name, ShapeIndex::root()) : UsedId();
  return Used ? DumpFacts.valueOf(Used) : ValueId();
}

NameId hlobuf::findSource(const Facts &DumpFacts, NameId Name) {
  NameId Source = findOperand(DumpFacts, Name, 0);
  const HloModule &M = DumpFacts.dump().Module;
  if (Source && !DumpFacts.instruction(Source) && !M.find(Source))
    if (HloId Id = M.find(Name); Id && !M.operands(M[Id]).empty())
      if (HloId Known = M.operands(M[Id])[0])
        return M[Known].Name;
  return Source;
}

/// \p Op computes each element from the elements at the same place, and may
/// write it there.
static bool isInPlace(Opcode Op, uint32_t Operand) {
  return isUpdate(Op) ? Operand == 0
                      : isElementwise(Op) || accessesNoMemory(Op);
}

bool hlobuf::readsInPlace(const Program &P, HloId Id, HloId Source) {
  if (!Id)
    return false;
  Opcode Op = P[Id].Op;
  ComputationId Body = Op == Opcode::Fusion ? P.callee(Id, CallRole::Calls)
                       : Op == Opcode::Call ? P.callee(Id, CallRole::ToApply)
                                            : ComputationId();
  DenseSet<uint32_t> Same; // in the body: the operand's elements
  bool Reads = false;
  for (uint32_t I = 0; I != P.operands(Id).size(); ++I) {
    HloId Operand = P.operands(Id)[I];
    if (Operand != Source)
      continue;
    Reads = true;
    if (!Body && !isInPlace(Op, I))
      return false;
    if (Body && P.parameter(Body, I))
      Same.insert(P.parameter(Body, I).index());
  }
  if (Same.empty())
    return Reads;
  for (HloId User : P.order(Body))
    for (const auto &[I, Operand] : llvm::enumerate(P.operands(User)))
      if (Same.contains(Operand.index())) {
        if (!isInPlace(P[User].Op, static_cast<uint32_t>(I)))
          return false;
        Same.insert(User.index());
      }
  return Reads;
}

bool hlobuf::isProduct(const Program &P, HloId Id) {
  Opcode Op = P[Id].Op;
  if (Op != Opcode::CustomCall)
    return Op == Opcode::Dot || Op == Opcode::Convolution;
  StringRef Target = P.customCallTarget(Id);
  return Target.starts_with("__cudnn$conv") || Target.contains("gemm") ||
         Target.contains("matmul");
}

std::vector<HloValueId> hlobuf::findOwnResults(const ModuleAnalysis &Module,
                                               const Dump &D, int32_t Color) {
  const Program &P = Module.program();
  ComputationId Entry = P.module().Entry;
  HloId Root = Entry ? P.root(Entry) : HloId();
  std::vector<bool> Seen(D.Allocations.size());
  std::vector<HloValueId> Results;
  for (uint32_t I = 0; Root && I != P.trees().parts(P[Root].Shape); ++I) {
    HloValueId V = Module.flow().at(Root, I);
    ValueId Line = V ? Module.lineOf(V) : ValueId();
    if (!Line || !D[Line].Shape || Seen[D[Line].Owner.index()])
      continue;
    const Allocation &Alloc = D[D[Line].Owner];
    Seen[D[Line].Owner.index()] = true;
    if (Alloc.color() == Color && !Alloc.isParameter() && !Alloc.Constant)
      Results.push_back(V);
  }
  return Results;
}
