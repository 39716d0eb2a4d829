//===- Checks/Module/ModuleInstructions.cpp -------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dataflow relies on in every computation, also inside fusions:
// - parameters are numbered 0, 1, .. (HloComputation's constructor in
//   xla/hlo/ir/hlo_computation.cc, 2017), as operands of the caller are;
// - a bitcast keeps the bytes of its operand (HandleBitcast in
//   xla/service/hlo_verifier.cc, 2017), which it forwards. Where an operand or
//   result is tiled its padding counts, whose size backends decide, so that
//   only untiled arrays are compared.
//
//===----------------------------------------------------------------------===//

#include "Checks/Check.h"
#include "Facts/Sizes.h"

using namespace hlobuf;

namespace {
class ModuleInstructions {
public:
  ModuleInstructions(const Dump &D, Reporter &R) : D(D), M(D.Module), R(R) {}

  void checkParameters(const HloComputation &C);
  void checkBitcast(const HloInstruction &I);

private:
  llvm::StringRef place(const HloInstruction &I) const {
    return M.text(I).ltrim();
  }

  const Dump &D;
  const HloModule &M;
  Reporter &R;
  /// By number: the parameter that has it.
  std::vector<HloId> Numbered;
};
} // namespace

void ModuleInstructions::checkParameters(const HloComputation &C) {
  Numbered.clear();
  for (uint32_t I = C.Instructions.Begin; I != C.Instructions.End; ++I)
    if (M.Instructions[I].Op.Op == Opcode::Parameter)
      Numbered.emplace_back();
  if (Numbered.empty())
    return;
  for (uint32_t K = C.Instructions.Begin; K != C.Instructions.End; ++K) {
    const HloInstruction &I = M.Instructions[K];
    if (I.Op.Op != Opcode::Parameter)
      continue;
    llvm::StringRef Name = D.Names[I.Name];
    if (I.Number >= Numbered.size()) {
      R.report(M.operandsText(I),
               "{} is parameter {}, but the computation has {} parameter{}",
               Name, I.Number, Numbered.size(), Numbered.size() == 1 ? "" : "s")
          .about(I.Name);
      continue;
    }
    HloId &First = Numbered[I.Number];
    if (First)
      R.report(M.operandsText(I), "{} is parameter {}, but so is {}", Name,
               I.Number, D.Names[M[First].Name])
          .note(place(M[First]), "{} is defined here", D.Names[M[First].Name])
          .about(I.Name);
    else
      First = HloId(K);
  }
}

void ModuleInstructions::checkBitcast(const HloInstruction &I) {
  if (I.Op.Op != Opcode::Bitcast || M.operands(I).size() != 1)
    return;
  const HloOperand &Operand = M.operands(I)[0];
  if (!Operand.Source || !Operand.Path.isRoot() || !I.Shape)
    return;
  const HloInstruction &Source = M[Operand.Source];
  if (!Source.Shape)
    return;
  const Shape &To = D.Shapes[I.Shape], &From = D.Shapes[Source.Shape];
  if (!To.isArray() || !From.isArray() || To.isTiled() || From.isTiled() ||
      To.isDynamic() || From.isDynamic())
    return;
  std::optional<uint64_t> Bytes = logicalBytes(D.Shapes, I.Shape);
  std::optional<uint64_t> Before = logicalBytes(D.Shapes, Source.Shape);
  if (!Bytes || !Before || *Bytes == *Before)
    return;
  R.report(place(I), "bitcast {} has {} bytes, but its operand {} has {}",
           D.Names[I.Name], *Bytes, D.Names[Source.Name], *Before)
      .note(place(Source), "{} is defined here", D.Names[Source.Name])
      .about(I.Name);
}

namespace hlobuf {
void checkModuleInstructions(const CheckContext &A, Reporter &R) {
  const Dump &D = A.dump();
  ModuleInstructions Check(D, R);
  for (const HloComputation &C : D.Module.Computations)
    Check.checkParameters(C);
  for (const HloInstruction &I : D.Module.Instructions)
    Check.checkBitcast(I);
}
} // namespace hlobuf
