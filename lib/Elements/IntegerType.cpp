// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/IntegerType.h"
#include "HLO/InstructionParser.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hlobuf;
using llvm::APInt;
using Result = std::optional<int64_t>;

std::optional<IntegerType> IntegerType::of(const Shape &S) {
  if (!S.isArray() || S.Bits == 0 || S.Bits > 64)
    return std::nullopt;
  if (S.Element == "pred")
    return IntegerType{1, false};
  bool Signed = S.Element.starts_with("s");
  unsigned Digits = 0;
  if ((!Signed && !S.Element.starts_with("u")) ||
      S.Element.drop_front().getAsInteger(10, Digits))
    return std::nullopt;
  return IntegerType{S.Bits, Signed};
}

/// The lowest bits of \p Value.
static APInt bitsOf(int64_t Value, unsigned Bits) {
  return APInt(64, static_cast<uint64_t>(Value)).sextOrTrunc(Bits);
}

/// The number that \p Bits are in type \p To; nothing where that is over the
/// largest int64_t.
static Result valueOf(const APInt &Bits, IntegerType To) {
  if (To.Signed)
    return Bits.getSExtValue();
  return Bits.isIntN(63) ? Result(int64_t(Bits.getZExtValue())) : std::nullopt;
}

int64_t IntegerType::least() const { return Signed ? -greatest() - 1 : 0; }

int64_t IntegerType::greatest() const {
  unsigned Digits = Signed ? Bits - 1 : Bits;
  return Digits >= 63 ? INT64_MAX : (int64_t(1) << Digits) - 1;
}

Result IntegerType::wrap(int64_t Value) const {
  return valueOf(bitsOf(Value, Bits), *this);
}

std::optional<CompareDirection> hlobuf::compareDirection(StringRef Attributes) {
  return llvm::StringSwitch<std::optional<CompareDirection>>(
             findAttribute(Attributes, "direction").value_or(""))
      .Case("EQ", CompareDirection::EQ)
      .Case("NE", CompareDirection::NE)
      .Case("LT", CompareDirection::LT)
      .Case("LE", CompareDirection::LE)
      .Case("GT", CompareDirection::GT)
      .Case("GE", CompareDirection::GE)
      .Default(std::nullopt);
}

static bool compares(CompareDirection C, int64_t A, int64_t B) {
  unsigned Order = A < B ? 1 : A == B ? 2 : 4;
  return (static_cast<unsigned>(C) & Order) != 0;
}

static Result computeOne(Opcode Op, int64_t A, IntegerType To) {
  switch (Op) {
  case Opcode::Convert:
    return To.Bits == 1 ? Result(A != 0) : To.wrap(A);
  case Opcode::Copy:
    return A;
  case Opcode::Negate:
    return valueOf(-bitsOf(A, To.Bits), To);
  case Opcode::Abs:
    return A < 0 ? valueOf(-bitsOf(A, To.Bits), To) : Result(A);
  case Opcode::Sign:
    return A < 0 ? -1 : A > 0;
  case Opcode::Not:
    return To.wrap(~A);
  default:
    return std::nullopt;
  }
}

static Result computeTwo(Opcode Op, int64_t A, int64_t B, IntegerType To) {
  APInt X = bitsOf(A, To.Bits), Y = bitsOf(B, To.Bits);
  bool Pred = To.Bits == 1;
  switch (Op) {
  // Preds are bits: add is or, multiply is and.
  case Opcode::Add:
    return valueOf(Pred ? X | Y : X + Y, To);
  case Opcode::Subtract:
    return Pred ? std::nullopt : valueOf(X - Y, To);
  case Opcode::Multiply:
    return valueOf(X * Y, To);
  case Opcode::Divide:
    return B == 0 ? To.wrap(-1)
                  : valueOf(To.Signed ? X.sdiv(Y) : X.udiv(Y), To);
  case Opcode::Remainder:
    return B == 0 ? A : valueOf(To.Signed ? X.srem(Y) : X.urem(Y), To);
  case Opcode::Maximum:
    return std::max(A, B);
  case Opcode::Minimum:
    return std::min(A, B);
  case Opcode::And:
    return A & B;
  case Opcode::Or:
    return A | B;
  case Opcode::Xor:
    return A ^ B;
  case Opcode::ShiftLeft:
    return valueOf(X.shl(Y), To);
  // Emitters shift bits: the highest one is the sign, of unsigned values too.
  case Opcode::ShiftRightArithmetic:
    return valueOf(X.ashr(Y), To);
  case Opcode::ShiftRightLogical:
    return valueOf(X.lshr(Y), To);
  default:
    return std::nullopt;
  }
}

Result hlobuf::computeInteger(Opcode Op, ArrayRef<int64_t> In, IntegerType To,
                              StringRef Attributes) {
  if (In.size() == 1)
    return computeOne(Op, In[0], To);
  if (In.size() == 2 && Op == Opcode::Compare) {
    auto C = compareDirection(Attributes);
    return C ? Result(compares(*C, In[0], In[1])) : std::nullopt;
  }
  if (In.size() == 2)
    return computeTwo(Op, In[0], In[1], To);
  if (In.size() == 3 && Op == Opcode::Select)
    return In[0] != 0 ? In[1] : In[2];
  if (In.size() == 3 && Op == Opcode::Clamp)
    return std::min(std::max(In[0], In[1]), In[2]);
  return std::nullopt;
}
