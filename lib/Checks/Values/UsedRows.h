// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of used values.

#ifndef HLOBUF_CHECKS_VALUES_USEDROWS_H
#define HLOBUF_CHECKS_VALUES_USEDROWS_H

#include "Checks/Check.h"
#include <tuple>

namespace hlobuf {

/// True if \p U says that it is positioned at (\p Name, \p Index).
inline bool isPositionOf(const CheckContext &Ctx, UsedId U, NameId Name,
                         ShapeIndex Index) {
  const IndexRange Own = Ctx.dump()[U].Positions;
  return llvm::any_of(Ctx.positionsAt(Name, Index), [&](uint32_t Number) {
    return Number >= Own.Begin && Number < Own.End;
  });
}

/// The part of \p I's result at \p Index; invalid if there is none.
inline ShapeId partAt(const Dump &D, const Instruction &I, ShapeIndex Index) {
  return I.Result ? D.Shapes.at(I.Result, D.Indices.steps(Index)) : ShapeId();
}

/// The line after the one that \p Where ends in, comments passed over. Where
/// the text ends there, \p Where itself.
inline llvm::StringRef lineBehind(const Dump &D, llvm::StringRef Where) {
  llvm::StringRef Text = D.usedText();
  llvm::StringRef Rest =
      Text.drop_front(static_cast<size_t>(Where.end() - Text.data()));
  do {
    size_t Newline = Rest.find('\n');
    if (Newline == llvm::StringRef::npos)
      return Where;
    Rest = Rest.drop_front(Newline + 1);
  } while (Rest.starts_with("//"));
  return Rest.take_until([](char C) { return C == '\n'; });
}

/// The last position of \p U; its heading if there is none. A position that is
/// missing is missing about there.
inline llvm::StringRef lastPositionRow(const CheckContext &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  llvm::ArrayRef<Position> All = D.positions(D[U]);
  return All.empty() ? lineBehind(D, Ctx.places().tag(D[U]).Whole).ltrim()
                     : Ctx.places().line(All.back()).ltrim();
}

/// The last use of \p U; the heading of its uses if there is none.
inline llvm::StringRef lastUseRow(const CheckContext &Ctx, UsedId U) {
  const Dump &D = Ctx.dump();
  llvm::ArrayRef<Use> All = D.uses(D[U]);
  if (!All.empty())
    return Ctx.places().line(All.back()).ltrim();
  llvm::StringRef Before = D.positions(D[U]).empty()
                               ? lineBehind(D, Ctx.places().tag(D[U]).Whole)
                               : Ctx.places().line(D.positions(D[U]).back());
  return lineBehind(D, Before).ltrim();
}

/// Makes \p F a finding about \p U.
inline Finding &aboutUsed(const CheckContext &Ctx, Finding &F, UsedId U) {
  if (ValueId V = Ctx.valueOf(U))
    return F.about(V);
  return F.about(Ctx.dump()[U].Tag.Name);
}

/// Why a check that needs every value stayed silent.
inline constexpr const char *SomeUnlisted =
    "the live ranges do not show whether all values are listed";

/// The uses that one instruction makes, to be searched.
class UseSet {
public:
  /// Takes the uses by \p Name.
  void load(const CheckContext &Ctx, NameId Name) {
    Keys.clear();
    for (uint32_t Number : Ctx.usesBy(Name)) {
      const Use &U = Ctx.dump().Uses[Number];
      Keys.emplace_back(U.Operand, U.Index.canonical().bits(),
                        Ctx.ownerOfUse(Number).index());
    }
    llvm::sort(Keys);
  }
  /// True if \p U is used as operand \p Operand at \p Index.
  bool has(uint32_t Operand, ShapeIndex Index, UsedId U) const {
    return std::binary_search(
        Keys.begin(), Keys.end(),
        std::tuple(Operand, Index.canonical().bits(), U.index()));
  }

private:
  llvm::SmallVector<std::tuple<uint32_t, uint32_t, uint32_t>, 16> Keys;
};

/// The opcode in the text of \p I.
inline llvm::StringRef opcodeIn(const CheckContext &Ctx, const Instruction &I) {
  return Ctx.places().text(I).OpcodeText;
}

} // namespace hlobuf

#endif // HLOBUF_CHECKS_VALUES_USEDROWS_H
