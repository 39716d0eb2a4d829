//===- Checks/InstructionOperands.cpp -------------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most opcodes have a fixed number of operands, which HloVerifier checks
// (hlo_verifier.cc, hlo_instruction.cc, 2017 on), a tuple as many as elements.
// Every fifth operand is preceded by its number, `/*index=5*/`
// (HloInstruction::PrintOperandsWithCanonicalNameMap, 2018 on). A fusion has
// one of four kinds. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

namespace {
/// The least and the largest number of operands.
struct Count {
  uint32_t Least = 0;
  uint32_t Most = ~0U;
};
} // namespace

static Count countFor(Opcode Op) {
  switch (Op) {
  case Opcode::Iota: case Opcode::PartitionId: case Opcode::ReplicaId:
  case Opcode::RngGetAndUpdateState:
    return {0, 0};
  case Opcode::Abs: case Opcode::Acos: case Opcode::Acosh: case Opcode::Asin:
  case Opcode::Asinh: case Opcode::Atan: case Opcode::Atanh:
  case Opcode::BitcastConvert: case Opcode::Broadcast: case Opcode::Cbrt:
  case Opcode::Ceil: case Opcode::Cholesky: case Opcode::Convert:
  case Opcode::Copy: case Opcode::CopyStart: case Opcode::Cosh:
  case Opcode::Cosine: case Opcode::CountLeadingZeros: case Opcode::Erf:
  case Opcode::Exponential: case Opcode::ExponentialMinusOne:
  case Opcode::Fft: case Opcode::Floor: case Opcode::GetDimensionSize:
  case Opcode::Imag: case Opcode::IsFinite: case Opcode::Log:
  case Opcode::LogPlusOne: case Opcode::Logistic: case Opcode::Negate:
  case Opcode::Not: case Opcode::Popcnt: case Opcode::Real:
  case Opcode::ReducePrecision: case Opcode::Reshape: case Opcode::Reverse:
  case Opcode::RngBitGenerator: case Opcode::RoundNearestAfz:
  case Opcode::RoundNearestEven: case Opcode::Rsqrt: case Opcode::Sign:
  case Opcode::Sine: case Opcode::Sinh: case Opcode::Slice:
  case Opcode::Sqrt: case Opcode::Tan: case Opcode::Tanh:
  case Opcode::Transpose: case Opcode::While:
    return {1, 1};
  case Opcode::Add: case Opcode::And: case Opcode::Atan2:
  case Opcode::Compare: case Opcode::Complex: case Opcode::Convolution:
  case Opcode::Divide: case Opcode::Gather: case Opcode::Maximum:
  case Opcode::Minimum: case Opcode::Multiply: case Opcode::Or:
  case Opcode::Pad: case Opcode::Power: case Opcode::Remainder:
  case Opcode::SetDimensionSize: case Opcode::ShiftLeft:
  case Opcode::ShiftRightArithmetic: case Opcode::ShiftRightLogical:
  case Opcode::StochasticConvert: case Opcode::Subtract:
  case Opcode::TriangularSolve: case Opcode::Xor:
    return {2, 2};
  case Opcode::Clamp: case Opcode::Select: case Opcode::SelectAndScatter:
    return {3, 3};
  case Opcode::Concatenate: case Opcode::DynamicSlice: case Opcode::Sort:
    return {1};
  case Opcode::Conditional: case Opcode::Dot: case Opcode::DynamicUpdateSlice:
  case Opcode::Reduce: case Opcode::ReduceWindow:
    return {2};
  case Opcode::Scatter:
    return {3};
  default:
    return {};
  }
}

static void checkCount(const Analysis &A, Reporter &R, const Instruction &I) {
  const Dump &D = A.dump();
  Count Expected = countFor(I.Op.Op);
  if (I.Op.Op == Opcode::Tuple && D.Shapes[I.Result].isTuple()) {
    auto Elements = static_cast<uint32_t>(D.Shapes[I.Result].Elements.size());
    Expected = {Elements, Elements};
  }
  uint32_t Found = I.Operands.size();
  if (Found >= Expected.Least && Found <= Expected.Most)
    return;
  InstructionText Text = A.places().text(I);
  R.report(Text.OpcodeText, "{} is a {} with {} operands, expected {}{}",
           D.Names[I.Name], Text.OpcodeText, Found,
           Expected.Least == Expected.Most ? "" : "at least ", Expected.Least)
      .about(I.Name);
}

/// Every fifth operand, and no other, is preceded by its number.
static void checkComments(const Analysis &A, Reporter &R,
                          const Instruction &I) {
  const Dump &D = A.dump();
  StringRef Text = D.operandsText(I);
  if (I.Operands.size() <= 5 && !Text.contains("/*index="))
    return;
  uint32_t K = 0;
  forEachOperand(Text, [&](OperandText Operand) {
    StringRef First = Operand.Shape.empty() ? Operand.Name : Operand.Shape;
    StringRef Before =
        Text.take_front(static_cast<size_t>(First.data() - Text.data()));
    if (Operand.Shape.empty())
      Before.consume_back("%");
    StringRef Comment =
        Before.ends_with("*/") ? Before.drop_front(Before.rfind("/*")) : "";
    std::string Expected =
        K != 0 && K % 5 == 0 ? fmt::format("/*index={}*/", K) : "";
    if (Comment != Expected)
      R.report(Comment.empty() ? Operand.Name : Comment,
               "operand {} of {} follows '{}', expected '{}'", K,
               D.Names[I.Name], Comment, Expected)
          .about(I.Name);
    ++K;
  });
}

static void checkKind(const Analysis &A, Reporter &R, const Instruction &I) {
  std::optional<StringRef> Kind = findAttribute(A.dump().attributes(I), "kind");
  if (!Kind || *Kind == "kLoop" || *Kind == "kInput" || *Kind == "kOutput" ||
      *Kind == "kCustom")
    return;
  R.report(*Kind, "fusion kind '{}', expected kLoop, kInput, kOutput or kCustom",
           *Kind)
      .about(I.Name);
}

namespace hlobuf {
void checkInstructionOperands(const Analysis &A, Reporter &R) {
  for (const Instruction &I : A.dump().Instructions) {
    if (I.Op.Op == Opcode::Constant || I.Op.Op == Opcode::Parameter)
      continue;
    checkCount(A, R, I);
    checkComments(A, R, I);
    if (I.Op.Op == Opcode::Fusion && !I.Op.Sugar)
      checkKind(A, R, I);
  }
}
} // namespace hlobuf
