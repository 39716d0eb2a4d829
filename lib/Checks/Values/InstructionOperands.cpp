//===- Checks/Values/InstructionOperands.cpp ------------------------------===//
//
// Part of the hlobuf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most opcodes have a fixed number of operands (HLO/Opcodes.def), which
// HloVerifier checks (hlo_verifier.cc, hlo_instruction.cc, 2017 on), a tuple as
// many as elements.
// Every fifth operand is preceded by its number, `/*index=5*/`
// (HloInstruction::PrintOperandsWithCanonicalNameMap, 2018 on). Some opcodes
// have an attribute that is always printed, always first, and only for them;
// a fusion's is one of four kinds. No exception is known.
//
//===----------------------------------------------------------------------===//

#include "Checks/Values/UsedRows.h"

using namespace hlobuf;
using llvm::StringRef;

static void checkCount(const CheckContext &A, Reporter &R,
                       const Instruction &I) {
  const Dump &D = A.dump();
  OperandCount Expected = operandCount(I.Op.Op);
  if (I.Op.Op == Opcode::Tuple && D.Shapes[I.Result].isTuple()) {
    auto Elements = static_cast<uint32_t>(D.Shapes[I.Result].Elements.size());
    Expected = {Elements, Elements};
  }
  if (I.Op.Op == Opcode::Tuple && !D.Shapes[I.Result].isTuple()) {
    InstructionText Text = A.places().text(I);
    R.report(Text.OpcodeText, "{} has opcode tuple, but its shape is {}",
             D.Names[I.Name], Text.ShapeText)
        .about(I.Name);
    return;
  }
  uint32_t Found = I.Operands.size();
  if (Expected.has(Found))
    return;
  InstructionText Text = A.places().text(I);
  R.report(Text.OpcodeText, "operand count of {} {} is {}, expected {}",
           Text.OpcodeText, D.Names[I.Name], Found, spellCount(Expected))
      .about(I.Name);
}

/// Every fifth operand, and no other, is preceded by its number.
static void checkComments(const CheckContext &A, Reporter &R,
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
               "operand {} of {} is preceded by '{}', expected '{}'", K,
               D.Names[I.Name], Comment, Expected)
          .about(I.Name);
    ++K;
  });
}

namespace {
/// An attribute that comes first, and its opcode.
struct FirstAttribute {
  StringRef Key;
  Opcode Op;
};
} // namespace

/// The first attribute belongs to the opcode.
static void checkAttribute(const CheckContext &A, Reporter &R,
                           const Instruction &I) {
  static constexpr FirstAttribute Table[] = {
      {"kind", Opcode::Fusion},
      {"fft_type", Opcode::Fft},
      {"direction", Opcode::Compare},
      {"condition", Opcode::While},
      {"slice", Opcode::Slice},
      {"dynamic_slice_sizes", Opcode::DynamicSlice},
      {"iota_dimension", Opcode::Iota},
      {"padding", Opcode::Pad},
      {"offset_dims", Opcode::Gather},
      {"exponent_bits", Opcode::ReducePrecision},
  };
  StringRef Key = A.dump().attributes(I).substr(2).take_until(
      [](char C) { return C == '='; });
  for (const FirstAttribute &Row : Table) {
    if ((Row.Op == I.Op.Op) == (Row.Key == Key))
      continue;
    StringRef Opcode = opcodeIn(A, I);
    Finding F =
        Row.Key == Key
            ? R.report(Key, "'{}' is an attribute of {}, but {} has opcode {}",
                       Key, opcodeText(Row.Op), A.dump().Names[I.Name], Opcode)
            : R.report(Opcode, "{} has opcode {}, but no attribute '{}'",
                       A.dump().Names[I.Name], Opcode, Row.Key);
    F.about(I.Name);
    return;
  }
}

static void checkKind(const CheckContext &A, Reporter &R,
                      const Instruction &I) {
  std::optional<StringRef> Kind = findAttribute(A.dump().attributes(I), "kind");
  if (!Kind || *Kind == "kLoop" || *Kind == "kInput" || *Kind == "kOutput" ||
      *Kind == "kCustom")
    return;
  R.report(*Kind,
           "fusion kind '{}', expected kLoop, kInput, kOutput or kCustom",
           *Kind)
      .about(I.Name);
}

namespace hlobuf {
void checkInstructionOperands(const CheckContext &A, Reporter &R) {
  for (const Instruction &I : A.dump().Instructions) {
    if (I.Op.Op == Opcode::Constant || I.Op.Op == Opcode::Parameter)
      continue;
    checkCount(A, R, I);
    checkComments(A, R, I);
    if (!isAsync(I.Op.Op) && I.Op.Op != Opcode::Unknown)
      checkAttribute(A, R, I);
    if (I.Op.Op == Opcode::Fusion)
      checkKind(A, R, I);
  }
}
} // namespace hlobuf
