// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something simpler instead.

#include "Reduce/Edits.h"
#include "Reduce/ShapeStrings.h"
#include "llvm/ADT/STLExtras.h"

using namespace hlobuf;

/// editEach() of the instructions that may be replaced.
static std::vector<Edit> replaceEach(const EditModule &M,
                                     llvm::function_ref<bool(uint32_t)> Offers,
                                     bool (*Apply)(EditModule &, uint32_t)) {
  llvm::BitVector Control = loopControl(M);
  return editEach(
      M,
      [&](uint32_t I) {
        return !Control.test(I) && !M[I].is(Opcode::Parameter) &&
               !M[I].is(Opcode::Constant) && Offers(I);
      },
      Apply);
}

/// Operands of \p Number that have its shape.
static llvm::SmallVector<uint32_t, 4> equalOperands(const EditModule &M,
                                                    uint32_t Number) {
  llvm::SmallVector<uint32_t, 4> Equal;
  for (uint32_t Operand : M[Number].Operands)
    if (equalWithoutLayouts(M[Operand].Shape, M[Number].Shape))
      Equal.push_back(Operand);
  return Equal;
}

static bool replaceByOperand(EditModule &M, uint32_t Number, bool Last) {
  llvm::SmallVector<uint32_t, 4> Equal = equalOperands(M, Number);
  if (Equal.empty())
    return false;
  M.replaceUses(Number, Last ? Equal.back() : Equal.front());
  return true;
}

std::vector<Edit> hlobuf::useOperand(const EditModule &M) {
  return replaceEach(
      M, [&](uint32_t I) { return !equalOperands(M, I).empty(); },
      [](EditModule &E, uint32_t I) { return replaceByOperand(E, I, false); });
}

std::vector<Edit> hlobuf::useLastOperand(const EditModule &M) {
  auto HasOthers = [&](uint32_t I) {
    llvm::SmallVector<uint32_t, 4> Equal = equalOperands(M, I);
    return !Equal.empty() && Equal.front() != Equal.back();
  };
  return replaceEach(M, HasOthers, [](EditModule &E, uint32_t I) {
    return replaceByOperand(E, I, true);
  });
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

/// Puts \p Input, which is before \p Number, in its place.
static bool replaceByInput(EditModule &M, uint32_t Number, uint32_t Input) {
  if (!M.isLive(Number) || !M.isLive(Input) ||
      M[Number].Parent != M[Input].Parent ||
      !equalWithoutLayouts(M[Number].Shape, M[Input].Shape))
    return false;
  M.replaceUses(Number, Input);
  return true;
}

std::vector<Edit> hlobuf::useOldParameter(const EditModule &M) {
  std::vector<Edit> Edits;
  llvm::BitVector Control = loopControl(M);
  for (const EditComputation &C : M.Computations) {
    if (C.Removed)
      continue;
    // The first input of each shape.
    llvm::StringMap<uint32_t> Inputs;
    for (uint32_t I : C.Order) {
      std::string Shape = withoutLayouts(M[I].Shape);
      auto Input = Inputs.find(Shape);
      bool Fixed = M[I].is(Opcode::Parameter) && !M.isInEntry(I);
      if (Input != Inputs.end() && !Control.test(I) && !Fixed)
        Edits.push_back([I, From = Input->second](EditModule &E) {
          return replaceByInput(E, I, From);
        });
      if (isInput(M, I))
        Inputs.try_emplace(Shape, I);
    }
  }
  std::reverse(Edits.begin(), Edits.end());
  return Edits;
}

static bool isBroadcastConstant(const EditModule &M, uint32_t Number) {
  return M[Number].is(Opcode::Broadcast) &&
         M[M[Number].Operands.front()].is(Opcode::Constant);
}

std::vector<Edit> hlobuf::useConstant(const EditModule &M) {
  auto IsArray = [&](uint32_t I) {
    return !arrayType(M[I].Shape).empty() && !isBroadcastConstant(M, I);
  };
  return replaceEach(M, IsArray, makeConstant);
}
