// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proto/Fields.h"
#include "Proto/ProtoText.h"
#include "Proto/Wire.h"
#include <algorithm>
#include <set>

using namespace hlobuf;
using namespace hlobuf::field;

namespace {
/// A module and its copy.
struct ModuleCopy {
  const ProtoModule &M;
  const ProtoModule &Copy;
  /// Computations that were compared, by id.
  std::set<std::pair<int64_t, int64_t>> Seen = {};
  unsigned Depth = 0;

  bool isSame(int64_t Own, int64_t Other);
  bool isSame(const ProtoInstruction &Own, const ProtoInstruction &Other);
};
} // namespace

/// A ShapeProto as text, `f32[8]{0}`, without its memory spaces.
static std::string shapeAnywhere(StringRef Shape) {
  std::string Text;
  if (!printShape(Shape, /*WithLayout=*/true, Text))
    return "?";
  for (size_t At = 0; (At = Text.find("S(", At)) != std::string::npos;) {
    Text.erase(At, Text.find(')', At) + 1 - At);
    if (Text[At - 1] == ':')
      Text.erase(--At, 1);
  }
  return Text;
}

/// What an instruction says but for its shape and what it refers to.
static std::vector<std::pair<uint32_t, std::string>>
otherFields(const ProtoInstruction &I) {
  static constexpr uint32_t Compared[] = {OpcodeName,
                                          Literal,
                                          ParameterNumber,
                                          TupleIndex,
                                          Dimensions,
                                          Window,
                                          ConvolutionNumbers,
                                          SliceDimensions,
                                          DynamicSliceSizes,
                                          Padding,
                                          CustomCallTarget,
                                          DotNumbers,
                                          FftType,
                                          FftLength,
                                          GatherNumbers,
                                          GatherSliceSizes,
                                          ScatterNumbers,
                                          FeatureGroups,
                                          BatchGroups,
                                          ComparisonDirection};
  std::vector<std::pair<uint32_t, std::string>> All;
  forEachField(I.Bytes, [&](const WireField &F) {
    if (llvm::is_contained(Compared, F.Number))
      All.emplace_back(F.Number,
                       F.isMessage() ? F.Bytes.str() : std::to_string(F.Value));
  });
  return All;
}

bool ModuleCopy::isSame(const ProtoInstruction &Own,
                        const ProtoInstruction &Other) {
  auto Operands = Own.numbers(field::Operands);
  auto Copied = Other.numbers(field::Operands);
  auto Called = Own.numbers(CalledComputations);
  auto Copies = Other.numbers(CalledComputations);
  auto First = M.Computations[Own.Parent].Instructions.Begin;
  auto Begin = Copy.Computations[Other.Parent].Instructions.Begin;
  return shapeAnywhere(Own.Shape) == shapeAnywhere(Other.Shape) &&
         otherFields(Own) == otherFields(Other) &&
         std::ranges::equal(Operands, Copied,
                            [&](int64_t A, int64_t B) {
                              const ProtoInstruction *X =
                                  M.operand(Own.Parent, A);
                              const ProtoInstruction *Y =
                                  Copy.operand(Other.Parent, B);
                              return X && Y &&
                                     X - &M.Instructions[First] ==
                                         Y - &Copy.Instructions[Begin];
                            }) &&
         std::ranges::equal(Called, Copies,
                            [&](int64_t A, int64_t B) { return isSame(A, B); });
}

bool ModuleCopy::isSame(int64_t Own, int64_t Other) {
  constexpr unsigned MostDepth = 256; // Computations call a few others.
  if (!Seen.insert({Own, Other}).second)
    return true;
  if (Depth == MostDepth)
    return false;
  ++Depth;
  const ProtoComputation *A = M.computation(Own);
  const ProtoComputation *B = Copy.computation(Other);
  bool Same = A && B &&
              std::ranges::equal(
                  M.instructions(*A), Copy.instructions(*B),
                  [&](const ProtoInstruction &X, const ProtoInstruction &Y) {
                    return isSame(X, Y);
                  });
  --Depth;
  return Same;
}

/// The arguments and the result in \p Shape, a ProgramShapeProto.
static std::vector<std::string> borders(StringRef Shape) {
  std::vector<std::string> All = {shapeAnywhere(bytesField(Shape, 2))};
  forEachMessage(Shape, 1, [&](StringRef Parameter) {
    All.push_back(shapeAnywhere(Parameter));
  });
  return All;
}

bool hlobuf::isHostProgram(const ProtoModule &M, const ProtoInstruction &Start,
                           StringRef Executable) {
  constexpr int64_t NanoRt = 2;
  StringRef Module = bytesField(Executable, 1);
  StringRef Compiled = bytesField(bytesField(bytesField(Executable, 3), 1), 1);
  if (numberAt(Executable, 2) != NanoRt ||
      borders(bytesField(Module, ModuleProgramShape)) !=
          borders(bytesField(Compiled, ModuleProgramShape)))
    return false;
  // A custom call, alone in a computation, calls what the host runs.
  const ProtoInstruction *I = &Start;
  SmallVector<int64_t, 4> Called;
  for (unsigned Depth = 0; Depth != 2; ++Depth) {
    Called = I->numbers(CalledComputations);
    const ProtoComputation *C =
        Called.size() == 1 ? M.computation(Called[0]) : nullptr;
    const ProtoInstruction *Root = C ? M.root(*C) : nullptr;
    if (!Root)
      return false;
    if (I->Op == Opcode::CustomCall)
      break;
    I = Root;
  }
  Expected<HloProto> Host = readHloProto(Module, "");
  if (!Host) {
    llvm::consumeError(Host.takeError());
    return false;
  }
  return ModuleCopy{M, Host->Module}.isSame(Called[0], Host->Module.Entry);
}
