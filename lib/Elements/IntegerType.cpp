// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements/IntegerType.h"
#include "HLO/InstructionParser.h"
#include "llvm/Support/MathExtras.h"

using namespace hlobuf;
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

int64_t IntegerType::least() const {
  return Signed ? -int64_t(uint64_t(1) << (Bits - 1)) : 0;
}

int64_t IntegerType::greatest() const {
  unsigned Digits = Signed ? Bits - 1 : Bits;
  return Digits >= 63 ? INT64_MAX : (int64_t(1) << Digits) - 1;
}

Result IntegerType::wrap(int64_t Value) const {
  if (Bits == 64)
    return Signed || Value >= 0 ? Result(Value) : std::nullopt;
  uint64_t Mask = (uint64_t(1) << Bits) - 1;
  uint64_t Low = static_cast<uint64_t>(Value) & Mask;
  if (Signed && (Low >> (Bits - 1)) != 0)
    Low |= ~Mask;
  return static_cast<int64_t>(Low);
}

std::optional<Comparison> hlobuf::comparisonOf(llvm::StringRef Attributes) {
  llvm::StringRef Text = findAttribute(Attributes, "direction").value_or("");
  static constexpr llvm::StringLiteral Names[] = {"EQ", "NE", "LT",
                                                  "LE", "GT", "GE"};
  for (size_t K = 0; K != std::size(Names); ++K)
    if (Text == Names[K])
      return static_cast<Comparison>(K);
  return std::nullopt;
}

static bool compares(Comparison C, int64_t A, int64_t B) {
  switch (C) {
  case Comparison::EQ:
    return A == B;
  case Comparison::NE:
    return A != B;
  case Comparison::LT:
    return A < B;
  case Comparison::LE:
    return A <= B;
  case Comparison::GT:
    return A > B;
  case Comparison::GE:
    return A >= B;
  }
  return false;
}

/// Values of 64 bits as unsigned ones, so that they wrap around.
static Result add(int64_t A, int64_t B, IntegerType To) {
  return To.wrap(static_cast<int64_t>(static_cast<uint64_t>(A) +
                                      static_cast<uint64_t>(B)));
}

static Result subtract(int64_t A, int64_t B, IntegerType To) {
  return To.wrap(static_cast<int64_t>(static_cast<uint64_t>(A) -
                                      static_cast<uint64_t>(B)));
}

static Result multiply(int64_t A, int64_t B, IntegerType To) {
  return To.wrap(static_cast<int64_t>(static_cast<uint64_t>(A) *
                                      static_cast<uint64_t>(B)));
}

static Result quotient(int64_t A, int64_t B, IntegerType To) {
  if (B == 0)
    return To.wrap(-1);
  return B == -1 ? subtract(0, A, To) : Result(A / B);
}

static int64_t remainder(int64_t A, int64_t B) {
  if (B == 0)
    return A;
  return B == -1 ? 0 : A % B;
}

static bool isTooFar(int64_t Distance, IntegerType To) {
  return Distance < 0 || Distance >= static_cast<int64_t>(To.Bits);
}

static Result shiftLeft(int64_t A, int64_t B, IntegerType To) {
  return isTooFar(B, To)
             ? Result(0)
             : To.wrap(static_cast<int64_t>(static_cast<uint64_t>(A) << B));
}

static Result shiftRightLogical(int64_t A, int64_t B, IntegerType To) {
  if (isTooFar(B, To))
    return 0;
  uint64_t Bits = static_cast<uint64_t>(A);
  if (To.Bits < 64)
    Bits &= (uint64_t(1) << To.Bits) - 1;
  return To.wrap(static_cast<int64_t>(Bits >> B));
}

/// Emitters shift bits: the highest one is the sign, of unsigned values too.
static Result shiftRightArithmetic(int64_t A, int64_t B, IntegerType To) {
  int64_t Bits = IntegerType{To.Bits, /*Signed=*/true}.wrap(A).value_or(A);
  return To.wrap(Bits >> (isTooFar(B, To) ? 63 : B));
}

static Result computeOne(Opcode Op, int64_t A, IntegerType From,
                         IntegerType To) {
  switch (Op) {
  case Opcode::Convert:
    return To.Bits == 1 ? Result(A != 0) : To.wrap(A);
  case Opcode::Copy:
    return A;
  case Opcode::Negate:
    return subtract(0, A, To);
  case Opcode::Abs:
    return A < 0 ? subtract(0, A, To) : Result(A);
  case Opcode::Sign:
    return A < 0 ? -1 : A > 0;
  case Opcode::Not:
    return From.Bits == 1 ? Result(A == 0) : To.wrap(~A);
  default:
    return std::nullopt;
  }
}

static Result computeTwo(Opcode Op, int64_t A, int64_t B, IntegerType To,
                         llvm::StringRef Attributes) {
  bool Pred = To.Bits == 1;
  switch (Op) {
  // Preds are bits: add is or, multiply is and.
  case Opcode::Add:
    return Pred ? Result(A | B) : add(A, B, To);
  case Opcode::Subtract:
    return Pred ? std::nullopt : subtract(A, B, To);
  case Opcode::Multiply:
    return Pred ? Result(A & B) : multiply(A, B, To);
  case Opcode::Divide:
    return quotient(A, B, To);
  case Opcode::Remainder:
    return remainder(A, B);
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
    return shiftLeft(A, B, To);
  case Opcode::ShiftRightArithmetic:
    return shiftRightArithmetic(A, B, To);
  case Opcode::ShiftRightLogical:
    return shiftRightLogical(A, B, To);
  case Opcode::Compare:
    if (auto C = comparisonOf(Attributes))
      return compares(*C, A, B);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Result hlobuf::computeInteger(Opcode Op, llvm::ArrayRef<int64_t> In,
                              IntegerType From, IntegerType To,
                              llvm::StringRef Attributes) {
  if (In.size() == 1)
    return computeOne(Op, In[0], From, To);
  if (In.size() == 2)
    return computeTwo(Op, In[0], In[1], To, Attributes);
  if (In.size() == 3 && Op == Opcode::Select)
    return In[0] != 0 ? In[1] : In[2];
  if (In.size() == 3 && Op == Opcode::Clamp)
    return std::min(std::max(In[0], In[1]), In[2]);
  return std::nullopt;
}
