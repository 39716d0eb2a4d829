// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jaxlib/cpu/lapack_kernels.cc (2024) allocates what a routine needs, and what
// SGESDD answers when it is asked (LAPACK 3.12, sgesdd.f, MAXWRK). Before, a
// workspace was one more result of the call. POTRF, GETRF and TRSM have none.

#include "Memory/Lapack.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hlobuf;
using llvm::StringRef;

/// `mode` of jaxlib, a letter of LAPACK's: with vectors, all of them, the first
/// ones.
static constexpr uint64_t Vectors = 'V';
static constexpr uint64_t AllVectors = 'A';
static constexpr uint64_t FirstVectors = 'S';

/// Columns that blocked routines take at a time, as ILAENV says.
static constexpr uint64_t BlockColumns = 32;

/// The number after `mode =` in the configuration of a call; 0 if there is
/// none.
static uint64_t modeOf(StringRef Attributes) {
  uint64_t Mode = 0;
  StringRef Rest = Attributes.split("{mode = ").second;
  Rest.consumeInteger(10, Mode);
  return Mode;
}

/// SYEVD and HEEVD, which has elements of two reals.
static std::optional<uint64_t> eigenBytes(uint64_t N, uint64_t Mode,
                                          uint64_t Element, bool IsComplex) {
  if (Mode != Vectors)
    return std::nullopt;
  uint64_t Integers = (3 + 5 * N) * 4;
  if (IsComplex)
    return (1 + 2 * N + N * N) * Element +
           (1 + 5 * N + 2 * N * N) * (Element / 2) + Integers;
  return (1 + 6 * N + 2 * N * N) * Element + Integers;
}

/// GESDD of reals. Where one side is over 11/6 of the other it works on a
/// triangular factor, which is one more matrix.
static std::optional<uint64_t> singularBytes(uint64_t Rows, uint64_t Columns,
                                             uint64_t Mode, uint64_t Element) {
  if (Mode != AllVectors && Mode != FirstVectors)
    return std::nullopt;
  uint64_t Less = std::min(Rows, Columns);
  uint64_t More = std::max(Rows, Columns);
  uint64_t Integers = 8 * Less * 4;
  uint64_t Divided = 3 * Less * Less + 7 * Less;
  if (More < Less * 11 / 6)
    return std::max(Divided, 3 * Less + (Rows + Columns) * BlockColumns) *
               Element +
           Integers;
  uint64_t Formed = Less + BlockColumns * (Mode == AllVectors ? More : Less);
  return (Less * Less + std::max(Divided, Formed)) * Element + Integers;
}

std::optional<uint64_t> hlobuf::lapackWorkspace(const Dump &D,
                                                const HloInstruction &Call) {
  const HloModule &M = D.Module;
  StringRef Target = customCallTarget(M.attributes(Call));
  if (!Target.consume_front("lapack_") || !Target.consume_back("_ffi"))
    return std::nullopt;
  StringRef Routine = Target.drop_front(std::min<size_t>(1, Target.size()));
  if (Routine == "potrf" || Routine == "getrf" || Routine == "trsm")
    return 0;
  bool IsComplex = Target.starts_with("c") || Target.starts_with("z");
  size_t Results = llvm::StringSwitch<size_t>(Routine)
                       .Case("syevd", 3)
                       .Case("heevd", 3)
                       .Case("gesdd", IsComplex ? 0 : 5)
                       .Default(0);
  const Shape &Result = D.Shapes[Call.Shape];
  if (Results == 0 || Result.Elements.size() != Results)
    return std::nullopt;
  const Shape &Matrix = D.Shapes[Result.Elements.front()];
  llvm::ArrayRef<Dimension> Sides = Matrix.Dimensions;
  if (Sides.size() < 2 || Matrix.Bits == 0)
    return std::nullopt;
  Sides = Sides.take_back(2);
  for (const Dimension &Side : Sides)
    if (Side.Size < 0 || Side.Size > int64_t(1) << 28)
      return std::nullopt;
  uint64_t Rows = static_cast<uint64_t>(Sides[0].Size);
  uint64_t Columns = static_cast<uint64_t>(Sides[1].Size);
  uint64_t Mode = modeOf(M.attributes(Call));
  uint64_t Element = Matrix.Bits / 8;
  return Routine == "gesdd" ? singularBytes(Rows, Columns, Mode, Element)
                            : eigenBytes(Rows, Mode, Element, IsComplex);
}
