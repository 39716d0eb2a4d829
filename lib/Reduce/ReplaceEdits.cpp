// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something simpler instead.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"

using namespace hlobuf;

/// editEach() of the instructions that may be replaced.
static std::vector<Edit> replaceEach(const EditModule &M,
                                     function_ref<bool(uint32_t)> Offers,
                                     bool (*Apply)(EditModule &, uint32_t)) {
  BitVector Control = loopControl(M);
  return editEach(
      M,
      [&](uint32_t I) {
        return !Control.test(I) && !M[I].is(Opcode::Parameter) &&
               !M[I].is(Opcode::Constant) && Offers(I);
      },
      Apply);
}

/// Puts \p Other, which is before \p Number, in its place.
static bool replaceBy(EditModule &M, uint32_t Number, uint32_t Other) {
  if (!M.isLive(Number) || !M.isLive(Other) ||
      M[Number].Parent != M[Other].Parent ||
      !equalWithoutLayouts(M[Number].Shape, M[Other].Shape))
    return false;
  M.replaceUses(Number, Other);
  return true;
}

std::vector<Edit> hlobuf::useOperand(const EditModule &M) {
  std::vector<Edit> Edits;
  BitVector Control = loopControl(M);
  forEachInstruction(M, [&](uint32_t I) {
    if (Control.test(I))
      return;
    for (uint32_t Operand : M[I].Operands)
      if (equalWithoutLayouts(M[Operand].Shape, M[I].Shape))
        Edits.push_back(
            [I, Operand](EditModule &E) { return replaceBy(E, I, Operand); });
  });
  return Edits;
}

std::vector<Edit> hlobuf::useNewParameter(const EditModule &M) {
  auto IsArray = [&](uint32_t I) {
    return M.isInEntry(I) && !arrayType(M[I].Shape).empty();
  };
  return replaceEach(M, IsArray, makeParameter);
}

/// True for a parameter, and for an element of one.
static bool isInput(const EditModule &M, uint32_t Number) {
  if (M[Number].is(Opcode::GetTupleElement))
    Number = M[Number].Operands.front();
  return M[Number].is(Opcode::Parameter);
}

std::vector<Edit> hlobuf::useOldParameter(const EditModule &M) {
  std::vector<Edit> Edits;
  BitVector Control = loopControl(M);
  for (const EditComputation &C : M.Computations) {
    if (C.Removed)
      continue;
    // The first input of each shape.
    StringMap<uint32_t> Inputs;
    for (uint32_t I : C.Order) {
      std::string Shape = withoutLayouts(M[I].Shape);
      auto Input = Inputs.find(Shape);
      bool Fixed = M[I].is(Opcode::Parameter) && !M.isInEntry(I);
      if (Input != Inputs.end() && !Control.test(I) && !Fixed)
        Edits.push_back([I, From = Input->second](EditModule &E) {
          return replaceBy(E, I, From);
        });
      if (isInput(M, I))
        Inputs.try_emplace(Shape, I);
    }
  }
  std::reverse(Edits.begin(), Edits.end());
  return Edits;
}

std::vector<Edit> hlobuf::useConstant(const EditModule &M) {
  auto IsOther = [&](uint32_t I) {
    bool IsConstant = M[I].is(Opcode::Broadcast) &&
                      M[M[I].Operands.front()].is(Opcode::Constant);
    return !arrayType(M[I].Shape).empty() && !IsConstant;
  };
  return replaceEach(M, IsOther, makeConstant);
}
